import { describe, expect, test } from "vitest";

import { EventParser, readEvents } from "@/lib/sse";

function parsed(...pieces: string[]) {
  const parser = new EventParser();
  return pieces.flatMap((piece) => parser.push(piece));
}

describe("the reader of server-sent events", () => {
  test("reads event, id and data, and joins data lines", () => {
    expect(parsed("id: 4\nevent: gate\ndata: one\ndata: two\n\n")).toEqual([{ event: "gate", id: "4", data: "one\ntwo" }]);
  });

  test("gives the same events wherever the network cuts the stream", () => {
    const text = "event: a\r\ndata: 1\r\n\r\n: heartbeat\r\n\r\nid: 9\rdata: Ω 𝒳\r\revent: b\ndata: 2\n\n";
    const whole = parsed(text);
    expect(whole.map((event) => event.data)).toEqual(["1", "Ω 𝒳", "2"]);
    for (let at = 0; at <= text.length; at += 1) expect(parsed(text.slice(0, at), text.slice(at))).toEqual(whole);
    expect(parsed(...text.split(""))).toEqual(whole);
  });

  test("a heartbeat is no event, and an event without data is none either", () => {
    expect(parsed(": still here\n\nevent: empty\n\n")).toEqual([]);
  });

  test("an event cut off by the end of the stream is not told", () => {
    expect(parsed("data: half")).toEqual([]);
  });

  test("the id stays until another comes", () => {
    expect(parsed("id: 3\ndata: a\n\ndata: b\n\n").map((event) => event.id)).toEqual(["3", "3"]);
  });

  test("only one space after the colon belongs to the field", () => {
    expect(parsed("data:  two\ndata:none\n\n")[0]?.data).toBe(" two\nnone");
  });

  test("a character of several bytes may arrive in two pieces", async () => {
    const bytes = new TextEncoder().encode("data: β-amyloid\n\n");
    const body = new ReadableStream<Uint8Array>({
      start(controller) {
        for (const byte of bytes) controller.enqueue(new Uint8Array([byte]));
        controller.close();
      },
    });
    const events = [];
    for await (const event of readEvents(body)) events.push(event.data);
    expect(events).toEqual(["β-amyloid"]);
  });
});
