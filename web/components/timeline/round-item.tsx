import { CornerDownRight } from "lucide-react";

import { TimelineItem } from "./timeline-item";
import { VerdictMark } from "@/components/verdict";
import type { Relevance } from "@/lib/api/types";
import type { PaperBrief, RoundView } from "@/lib/run/view";
import { count } from "@/lib/format";
import { RELEVANCE, roundOutcome } from "@/lib/run/words";

interface Props {
  round: RoundView;
  of: number | null;
  live: boolean;
}

export function RoundItem({ round, of, live }: Props) {
  const tone = round.passed === null ? "open" : round.passed ? "good" : "warn";
  const outcome = roundOutcome(round);
  return (
    <TimelineItem
      ms={round.endedMs ?? round.startedMs}
      head={`Round ${round.number}${of && of > 1 ? ` of at most ${of}` : ""}`}
      tone={tone}
      pending={live && round.endedMs === null}
    >
      {round.expansion && (
        <details className="text-xs text-muted-foreground">
          <summary className="link w-fit list-none">
            {round.expansion.kind === "paraphrase" ? "Asked in other words" : "Expanded by an imagined passage"}
          </summary>
          <p className="mt-1 border-l-2 pl-2.5 font-serif text-sm leading-snug text-foreground italic">
            {round.expansion.text}
          </p>
        </details>
      )}
      {round.expansion?.degraded && <p className="text-xs text-warn">Not expanded: {round.expansion.degraded}</p>}
      {round.confidence !== null && (
        <p className="text-xs text-muted-foreground">
          {count(round.papers?.length ?? 0, "paper")} retrieved, confidence {round.confidence.toFixed(2)}
        </p>
      )}
      {round.papers && <RoundPapers papers={round.papers} verdicts={round.verdicts} />}
      {outcome && <p className="text-xs">{outcome}</p>}
      {round.refined && !round.refined.repeated && (
        <div className="text-xs text-muted-foreground">
          <p className="flex items-center gap-1">
            <CornerDownRight aria-hidden className="size-3.5" /> Asked again as
          </p>
          <p className="mt-0.5 font-serif text-sm leading-snug text-foreground italic">{round.refined.query}</p>
        </div>
      )}
    </TimelineItem>
  );
}

function RoundPapers({ papers, verdicts }: { papers: PaperBrief[]; verdicts: Relevance[] | null }) {
  return (
    <ul className="space-y-1.5">
      {papers.map((paper) => {
        const verdict = verdicts?.find((one) => one.paper_id === paper.id);
        const said = verdict ? RELEVANCE[verdict.verdict] : null;
        return (
          <li key={paper.id} className="grid grid-cols-[1rem_1fr] gap-x-1 text-xs leading-snug">
            <span className="pt-px">
              {said ? (
                <>
                  <VerdictMark tone={said.tone} word={said.word} bare className="[&_svg]:size-3" />
                </>
              ) : (
                <span aria-hidden className="breathe mt-1 block size-1.5 rounded-full bg-input" />
              )}
            </span>
            <span>
              <span className="line-clamp-2">{paper.title}</span>
              {verdict && said && (
                <span className="text-muted-foreground">
                  {said.word}
                  {verdict.verdict !== "unknown" && ` ${verdict.confidence.toFixed(2)}`}
                  {verdict.verdict !== "relevant" && verdict.why && `, ${verdict.why}`}
                </span>
              )}
            </span>
          </li>
        );
      })}
    </ul>
  );
}
