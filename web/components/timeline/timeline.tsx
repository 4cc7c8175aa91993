"use client";

import { ChevronRight, Square } from "lucide-react";

import { RoundItem } from "./round-item";
import { Spent } from "./spent";
import { TimelineItem } from "./timeline-item";
import { Button } from "@/components/ui/button";
import { count, seconds } from "@/lib/format";
import { isLive, type RunView } from "@/lib/run/view";
import { standing, stepWords } from "@/lib/run/words";
import { THREE_COLUMNS, useMedia } from "@/lib/use-media";

interface Props {
  view: RunView;
  onCancel: () => void;
}

/** What happened in the run, in order, as it happens. Where it stands above the answer it folds away once it is done. */
export function Timeline({ view, onCancel }: Props) {
  const live = isLive(view);
  const beside = useMedia(THREE_COLUMNS);
  const title = view.recorded ? "Replay of the run" : "How it was found";
  const head = (
    <h2 id="timeline" className="label">
      {title}
    </h2>
  );
  if (!beside && !live) {
    return (
      <section aria-labelledby="timeline" className="rounded-lg border">
        <details className="group">
          <summary className="flex list-none items-center gap-2 px-3 py-2.5">
            <ChevronRight aria-hidden className="size-3.5 text-muted-foreground transition-transform group-open:rotate-90" />
            {head}
            <span className="ml-auto text-xs text-muted-foreground">
              {count(view.rounds.length, "round")}, {seconds(view.ms)}
            </span>
          </summary>
          <div className="px-3 pb-3">
            <Course view={view} />
          </div>
        </details>
      </section>
    );
  }
  return (
    <section aria-labelledby="timeline">
      <div className="flex min-h-8 items-center justify-between">
        {head}
        {live && (
          <Button size="small" variant="danger" onClick={onCancel}>
            <Square aria-hidden className="size-3! fill-current" /> Cancel
          </Button>
        )}
      </div>
      <Course view={view} />
    </section>
  );
}

function Course({ view }: { view: RunView }) {
  const live = isLive(view);
  return (
    <>
      <ol className="mt-2">
        {view.parsed && (
          <TimelineItem ms={view.parsed.ms} head="Question understood">
            <p className="text-xs text-muted-foreground">
              {[view.parsed.shape, view.parsed.kind, view.parsed.intent].filter(Boolean).join(", ")}
              {view.papersInCollection !== null && `; ${count(view.papersInCollection, "paper")} ${view.research ? "in the library" : "to search"}`}
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
        {view.phase === "failed" && <TimelineItem ms={view.ms} head={standing(view)} tone="bad" />}
      </ol>
      <Spent view={view} />
    </>
  );
}
