import { describe, expect, test, vi } from "vitest";

import { ApiError } from "@/lib/api/client";
import { replayed } from "@/lib/run/replay";
import { IDLE, reduce, type RunAction } from "@/lib/run/view";
import { watch, type Watching } from "@/lib/run/watch";
import { eventOf } from "@/lib/run/wire";
import { events } from "./events";

const line = (type: string, seq: number, more: object) =>
  `id: ${seq}\nevent: ${type}\ndata: ${JSON.stringify({ v: 1, type, run_id: "r1", seq, ms: seq, ...more })}\n\n`;
const started = line("run_started", 0, { data: { question: "Q" } });
const gate = line("gate", 1, { data: { decision: "answer" } });
const answered = line("answer", 2, { status: "answered", question: "Q", sentences: [] });

function watched(connections: (string | Error)[]) {
  let view = reduce(IDLE, { do: "ask", question: "Q", collection: null, localOnly: false });
  const phases: string[] = [];
  const next = () => {
    const given = connections.shift();
    if (given === undefined || given instanceof Error) return Promise.reject(given ?? new ApiError("gone", 0));
    return Promise.resolve(new Response(given));
  };
  const asked = vi.fn<Watching["api"]["events"]>(() => next());
  const act = (action: RunAction) => {
    view = reduce(view, action);
    phases.push(view.phase);
  };
  const api = { events: asked, cancel: vi.fn(() => Promise.resolve()) };
  const waits: number[] = [];
  const wait = (ms: number) => {
    waits.push(ms);
    return Promise.resolve();
  };
  const done = watch({ controller: new AbortController(), act, view: () => view, api, wait }, next);
  return { done, asked, phases, waits, view: () => view };
}

describe("watching a run", () => {
  test("a connection lost on the way is taken up after the last event that was seen", async () => {
    const run = watched([started + gate, answered]);
    await run.done;
    expect(run.asked).toHaveBeenCalledWith("r1", 1, expect.anything());
    expect(run.phases).toContain("reconnecting");
    expect(run.view().phase).toBe("done");
    expect(run.view().answer?.status).toBe("answered");
  });

  test("a server that is away for a while is asked again, with longer and longer pauses, and then given up", async () => {
    const run = watched([started, ...Array<Error>(9).fill(new ApiError("The server cannot be reached.", 0))]);
    await run.done;
    expect(run.waits).toEqual([500, 1000, 2000, 4000, 8000, 8000]);
    expect(run.view()).toMatchObject({ phase: "failed" });
    expect(run.asked.mock.calls.length).toBe(6);
  });

  test("a refusal is told at once, in the server's own sentence", async () => {
    const run = watched([new ApiError("Too many questions.", 429, 12)]);
    await run.done;
    expect(run.view()).toMatchObject({ phase: "failed", error: "Too many questions. Try again in 12 s." });
    expect(run.asked).not.toHaveBeenCalled();
  });

  test("a run that is no longer known is not asked for twice", async () => {
    const run = watched([started, new ApiError("There is no run called 'r1'.", 404)]);
    await run.done;
    expect(run.view().error).toBe("There is no run called 'r1'.");
    expect(run.asked).toHaveBeenCalledTimes(1);
  });

  test("lines that are not events of a run are passed over", () => {
    expect(eventOf({ event: "x", id: "", data: "not json" })).toBeNull();
    expect(eventOf({ event: "x", id: "", data: '"text"' })).toBeNull();
    expect(eventOf({ event: "x", id: "", data: '{"type": "gate"}' })).toBeNull();
  });
});

test("a replay leaves nothing out, shortens long waits, and stops when it is left", async () => {
  const recording = events(["run_started", {}], ["retrieval", {}], ["gate", {}], ["answer", {}]).map((event, index) => ({
    ...event,
    ms: [0, 10, 60_000, 60_300][index] ?? 0,
  }));
  const waits: number[] = [];
  const controller = new AbortController();
  const seen: string[] = [];
  const wait = (ms: number) => Promise.resolve(void waits.push(ms));
  for await (const event of replayed(recording, controller.signal, wait)) seen.push(event.type);
  expect(seen).toEqual(["run_started", "retrieval", "gate", "answer"]);
  expect(waits).toEqual([60, 60, 900, 300]);
  controller.abort();
  for await (const event of replayed(recording, controller.signal, wait)) seen.push(event.type);
  expect(seen).toHaveLength(4);
});
