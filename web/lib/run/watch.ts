import { ApiError, sentence } from "@/lib/api/client";
import { readEvents } from "@/lib/sse";
import { isOver, type RunAction, type RunView } from "./view";
import { eventOf } from "./wire";

const CLIENT_LIMIT_MS = 170_000;
const TRIES = 6;
const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 8_000;
const CLOSED = "The connection closed before the run ended.";

export interface Watching {
  controller: AbortController;
  act: (action: RunAction) => void;
  view: () => RunView;
  api: {
    events: (runId: string, lastSeq: number, signal: AbortSignal) => Promise<Response>;
    cancel: (runId: string) => Promise<unknown>;
  };
  wait?: (ms: number, signal: AbortSignal) => Promise<void>;
}

type Connect = (signal: AbortSignal) => Promise<Response>;

/** Read a run's events to its end. A lost connection is taken up again where it broke off, a few times. */
export async function watch(watching: Watching, first: Connect): Promise<void> {
  const { controller, act, view, api, wait = pause } = watching;
  const { signal } = controller;
  const limit = setTimeout(() => outOfTime(watching), CLIENT_LIMIT_MS);
  const again: Connect = (to) => api.events(view().runId ?? "", view().lastSeq, to);
  let connect = first;
  let attempt = 0;
  try {
    for (;;) {
      const seen = view().lastSeq;
      const refusal = await follow(connect, signal, act);
      if (signal.aborted || isOver(view())) return;
      if (refusal && !mayPass(refusal)) return act({ do: "fail", message: sentence(refusal) });
      if (!view().runId) return act({ do: "fail", message: sentence(refusal ?? new ApiError(CLOSED, 0)) });
      attempt = view().lastSeq > seen ? 1 : attempt + 1;
      if (attempt > TRIES) return act({ do: "fail", message: `${CLOSED} Look for the run under Runs.` });
      act({ do: "lost" });
      await wait(Math.min(FIRST_PAUSE_MS * 2 ** (attempt - 1), LONGEST_PAUSE_MS), signal);
      connect = again;
    }
  } finally {
    clearTimeout(limit);
  }
}

function outOfTime({ controller, act, view, api }: Watching): void {
  if (isOver(view())) return;
  const { runId } = view();
  controller.abort();
  act({ do: "fail", message: "The run took longer than 170 seconds and was stopped." });
  if (runId) void api.cancel(runId).catch(() => undefined);
}

async function follow(connect: Connect, signal: AbortSignal, act: (action: RunAction) => void): Promise<unknown> {
  try {
    const response = await connect(signal);
    if (!response.body) return new ApiError(CLOSED, 0);
    for await (const sent of readEvents(response.body)) {
      if (signal.aborted) return null;
      const event = eventOf(sent);
      if (event) act({ do: "event", event });
    }
    return null;
  } catch (error) {
    return error;
  }
}

/** Whether a refusal may be gone at the next try: the network, or a server that is starting. */
function mayPass(refusal: unknown): boolean {
  return !(refusal instanceof ApiError) || [0, 502, 503].includes(refusal.status);
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener("abort", () => {
      clearTimeout(timer);
      resolve();
    });
  });
}
