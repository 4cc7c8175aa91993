/**
 * A reader of server-sent events over `fetch`: EventSource can only GET, and a question is POSTed.
 *
 * Source: WHATWG HTML, "Server-sent events", 9.2.6. Lines end in CR, LF or CRLF, and any of these may be cut in two
 * by the network; so may a character of several bytes.
 */

export interface ServerEvent {
  event: string;
  data: string;
  id: string;
}

export class EventParser {
  private line = "";
  private sawCarriageReturn = false;
  private event = "";
  private data: string[] = [];
  private id = "";
  private started = false;

  /** The events completed by this piece of text, in order. Comments (heartbeats) complete none. */
  push(text: string): ServerEvent[] {
    const complete: ServerEvent[] = [];
    let rest = text;
    if (!this.started && rest.length > 0) {
      this.started = true;
      if (rest.startsWith("\uFEFF")) rest = rest.slice(1);
    }
    for (const character of rest) {
      if (character === "\n" && this.sawCarriageReturn) {
        this.sawCarriageReturn = false;
        continue;
      }
      this.sawCarriageReturn = character === "\r";
      if (character === "\r" || character === "\n") this.endLine(complete);
      else this.line += character;
    }
    return complete;
  }

  private endLine(complete: ServerEvent[]): void {
    const line = this.line;
    this.line = "";
    if (line === "") {
      if (this.data.length > 0) {
        complete.push({ event: this.event || "message", data: this.data.join("\n"), id: this.id });
      }
      this.event = "";
      this.data = [];
      return;
    }
    const colon = line.indexOf(":");
    if (colon === 0) return;
    const field = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? "" : line.slice(colon + 1).replace(/^ /, "");
    if (field === "event") this.event = value;
    else if (field === "data") this.data.push(value);
    else if (field === "id" && !value.includes("\0")) this.id = value;
  }
}

/** The events of a response body, until it ends. */
export async function* readEvents(body: ReadableStream<Uint8Array>): AsyncGenerator<ServerEvent> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  const parser = new EventParser();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      yield* parser.push(decoder.decode(value, { stream: true }));
    }
  } finally {
    reader.releaseLock();
  }
}
