"use client";

import { Square } from "lucide-react";

import { RoundItem } from "./round-item";
import { Spent } from "./spent";
import { TimelineItem } from "./timeline-item";
import { Button } from "@/components/ui/button";
import { count } from "@/lib/format";
import { isLive, type RunView } from "@/lib/run/view";
import { standing, stepWords } from "@/lib/run/words";

/** What happened in the run, in order, as it happens. */
export function Timeline({ view, onCancel }: { view: RunView; onCancel: () => void }) {
  const live = isLive(view);
  return (
    <section aria-labelledby="timeline">
      <div className="flex min-h-8 items-center justify-between">
        <h2 id="timeline" className="label">
          {view.recorded ? "Replay of the run" : "How it was found"}
        </h2>
        {live && (
          <Button size="small" variant="danger" onClick={onCancel}>
            <Square aria-hidden className="size-3! fill-current" /> Cancel
          </Button>
        )}
      </div>
      <ol className="mt-2">
        {view.parsed && (
          <TimelineItem ms={0} head="Question understood">
            <p className="text-xs text-muted-foreground">
              {[view.parsed.shape, view.parsed.kind, view.parsed.intent].filter(Boolean).join(", ")}
              {view.papersInCollection !== null && `; ${count(view.papersInCollection, "paper")} to search`}
            </p>
          </TimelineItem>
        )}
        {view.rounds.map((round) => (
          <RoundItem key={round.number} round={round} of={view.maxRounds} live={live} />
        ))}
        {view.steps.map((step) => {
          const words = stepWords(step);
          return (
            words && (
              <TimelineItem key={step.seq} ms={step.ms} head={words.head} tone={words.tone}>
                {words.detail && <p className="text-xs text-muted-foreground">{words.detail}</p>}
              </TimelineItem>
            )
          );
        })}
        {live && <TimelineItem ms={null} head={standing(view)} pending />}
        {view.phase === "cancelled" && <TimelineItem ms={view.ms} head="Cancelled" tone="warn" />}
        {view.phase === "failed" && <TimelineItem ms={view.ms} head={view.error ?? "The run failed"} tone="bad" />}
      </ol>
      <Spent view={view} />
    </section>
  );
}
