"use client";

import { createContext, useCallback, useContext, useEffect, useMemo, useReducer, useRef } from "react";
import type { ReactNode } from "react";

import { api, sentence, type ResearchBody } from "@/lib/api/client";
import type { Answer } from "@/lib/api/types";
import type { ResearchAsk } from "@/lib/choice";
import { replayed } from "@/lib/run/replay";
import { IDLE, reduce, type RunAction, type RunEventLike, type RunView } from "@/lib/run/view";
import { watch } from "@/lib/run/watch";

export interface Question {
  question: string;
  collection: string | null;
  localOnly: boolean;
  /** null: the library alone is asked. */
  research: ResearchAsk | null;
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
    ({ question, collection, localOnly, research }: Question) => {
      const controller = begin();
      act({ do: "ask", question, collection, localOnly, research: research !== null });
      const body = { query: question, local_only: localOnly, ...(collection && { collection }) };
      const stream = (signal: AbortSignal) =>
        research ? api.research({ ...body, ...wanted(research) }, signal) : api.stream(body, signal);
      void watch({ controller, act, view: () => current.current, api }, stream);
    },
    [act, begin],
  );

  const open = useCallback(
    (runId: string) => {
      const controller = begin();
      act({ do: "open", runId, recorded: false });
      void watch({ controller, act, view: () => current.current, api }, (signal) => api.events(runId, -1, signal));
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

// A trace holds the answer as records; the page shows it in the shape of the API, which comes beside the trace.
function withAnswer(event: RunEventLike, answer: Answer | null): RunEventLike {
  return event.type === "answer" && answer ? { ...event, data: answer as unknown as Record<string, unknown> } : event;
}

function wanted({ providers, since, keep }: ResearchAsk): Pick<ResearchBody, "providers" | "since" | "keep"> {
  return { keep, ...(providers && { providers }), ...(since !== null && { since }) };
}
