import type { RunEventLike } from "./view";

const LONGEST_PAUSE_MS = 900;
const SHORTEST_PAUSE_MS = 60;

/** The events of a recording at the pace at which they happened, with long waits shortened and none left out. */
export async function* replayed(
  trace: readonly RunEventLike[],
  signal: AbortSignal,
  wait: (ms: number, signal: AbortSignal) => Promise<void> = sleep,
): AsyncGenerator<RunEventLike> {
  let before = 0;
  for (const event of trace) {
    await wait(Math.min(Math.max(event.ms - before, SHORTEST_PAUSE_MS), LONGEST_PAUSE_MS), signal);
    if (signal.aborted) return;
    before = event.ms;
    yield event;
  }
}

function sleep(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener("abort", () => {
      clearTimeout(timer);
      resolve();
    });
  });
}
