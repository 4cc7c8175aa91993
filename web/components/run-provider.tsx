"use client";

import { createContext, useCallback, useContext, useEffect, useMemo, useReducer, useRef } from "react";
import type { ReactNode } from "react";

import { api, ApiError, sentence } from "@/lib/api/client";
import type { Answer } from "@/lib/api/types";
import { replayed } from "@/lib/run/replay";
import { IDLE, isOver, reduce, type RunAction, type RunEventLike, type RunView } from "@/lib/run/view";
import { eventOf } from "@/lib/run/wire";
import { readEvents } from "@/lib/sse";

export interface Question {
  question: string;
  collection: string | null;
  localOnly: boolean;
}

interface Run {
  view: RunView;
  ask: (question: Question) => void;
  /** Take up a run that goes on, or show one that has ended. */
  open: (runId: string) => void;
  /** Show a recorded run again at the pace at which it happened, pauses shortened. */
  replay: (runId: string) => void;
  cancel: () => void;
  reset: () => void;
}

const RunContext = createContext<Run | null>(null);

const CLIENT_LIMIT_MS = 170_000;
const TRIES = 6;
const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 8_000;

export function useRun(): Run {
  const run = useContext(RunContext);
  if (!run) throw new Error("useRun needs a RunProvider above it.");
  return run;
}

export function RunProvider({ children }: { children: ReactNode }) {
  const [view, dispatch] = useReducer(reduce, IDLE);
  const current = useRef<RunView>(IDLE);
  const watching = useRef<AbortController | null>(null);

  // One place that both shows an action and remembers its outcome, for the code that waits on the stream.
  const act = useCallback((action: RunAction) => {
    current.current = reduce(current.current, action);
    dispatch(action);
  }, []);

  const begin = useCallback((): AbortController => {
    watching.current?.abort();
    const controller = new AbortController();
    watching.current = controller;
    return controller;
  }, []);

  const ask = useCallback(
    ({ question, collection, localOnly }: Question) => {
      const controller = begin();
      act({ do: "ask", question, collection, localOnly });
      const body = { query: question, local_only: localOnly, ...(collection && { collection }) };
      void watch(controller, act, () => current.current, (signal) => api.stream(body, signal));
    },
    [act, begin],
  );

  const open = useCallback(
    (runId: string) => {
      const controller = begin();
      act({ do: "open", runId, recorded: false });
      void watch(controller, act, () => current.current, (signal) => api.events(runId, -1, signal));
    },
    [act, begin],
  );

  const replay = useCallback(
    (runId: string) => {
      const controller = begin();
      act({ do: "open", runId, recorded: true });
      void (async () => {
        try {
          const { trace, answer } = await api.run(runId);
          const recording = trace.map((event) => withAnswer(event as RunEventLike, answer));
          for await (const event of replayed(recording, controller.signal)) act({ do: "event", event });
        } catch (error) {
          if (!controller.signal.aborted) act({ do: "fail", message: sentence(error) });
        }
      })();
    },
    [act, begin],
  );

  const cancel = useCallback(() => {
    const { runId, recorded } = current.current;
    watching.current?.abort();
    act({ do: "stop" });
    // The run ends by itself once nobody watches; saying so ends it at once.
    if (runId && !recorded) void api.cancel(runId).catch(() => undefined);
  }, [act]);

  const reset = useCallback(() => {
    watching.current?.abort();
    act({ do: "reset" });
  }, [act]);

  useEffect(() => () => watching.current?.abort(), []);

  const run = useMemo(() => ({ view, ask, open, replay, cancel, reset }), [view, ask, open, replay, cancel, reset]);
  return <RunContext.Provider value={run}>{children}</RunContext.Provider>;
}

/** Read a run's events to its end. A lost connection is taken up again where it broke off. */
async function watch(
  controller: AbortController,
  act: (action: RunAction) => void,
  view: () => RunView,
  connect: (signal: AbortSignal) => Promise<Response>,
): Promise<void> {
  const { signal } = controller;
  const limit = setTimeout(() => {
    const { runId } = view();
    controller.abort();
    if (isOver(view())) return;
    act({ do: "fail", message: "The run took longer than 170 seconds and was ended." });
    if (runId) void api.cancel(runId).catch(() => undefined);
  }, CLIENT_LIMIT_MS);
  try {
    let attempt = 0;
    for (let next = connect; ; next = (to) => api.events(view().runId ?? "", view().lastSeq, to)) {
      const seen = view().lastSeq;
      const refusal = await follow(next, signal, act);
      if (signal.aborted || isOver(view())) return;
      if (refusal && !mayPass(refusal)) return act({ do: "fail", message: sentence(refusal) });
      if (!view().runId) return act({ do: "fail", message: sentence(refusal ?? new ApiError(CLOSED, 0)) });
      attempt = view().lastSeq > seen ? 1 : attempt + 1;
      if (attempt > TRIES) return act({ do: "fail", message: `${CLOSED} The run may still be found under Runs.` });
      act({ do: "lost" });
      await pause(Math.min(FIRST_PAUSE_MS * 2 ** (attempt - 1), LONGEST_PAUSE_MS), signal);
    }
  } finally {
    clearTimeout(limit);
  }
}

const CLOSED = "The connection closed before the run ended.";

async function follow(
  connect: (signal: AbortSignal) => Promise<Response>,
  signal: AbortSignal,
  act: (action: RunAction) => void,
): Promise<unknown> {
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

function mayPass(refusal: unknown): boolean {
  return !(refusal instanceof ApiError) || refusal.status === 0 || refusal.status === 502 || refusal.status === 503;
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

// A trace holds the answer as records; the page shows it in the shape of the API, which comes beside the trace.
function withAnswer(event: RunEventLike, answer: Answer | null): RunEventLike {
  return event.type === "answer" && answer ? { ...event, data: answer as unknown as Record<string, unknown> } : event;
}
