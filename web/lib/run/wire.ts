import type { ServerEvent } from "@/lib/sse";
import type { RunEventLike } from "./view";

/** A run's event out of a server-sent one; null for what is not one. The answer's event carries the answer beside its
 * own fields; inside the page every event holds its news under `data`. */
export function eventOf(sent: ServerEvent): RunEventLike | null {
  let raw: unknown;
  try {
    raw = JSON.parse(sent.data);
  } catch {
    return null;
  }
  if (typeof raw !== "object" || raw === null) return null;
  const line = raw as Record<string, unknown>;
  if (typeof line.type !== "string" || typeof line.seq !== "number") return null;
  const { type, run_id, seq, ms, data, ...rest } = line;
  return {
    type: type as RunEventLike["type"],
    run_id: String(run_id),
    seq,
    ms: typeof ms === "number" ? ms : 0,
    data: (typeof data === "object" && data !== null ? data : { ...rest, run_id }) as Record<string, unknown>,
  };
}
