import { CornerDownRight, Unplug } from "lucide-react";

import { TimelineItem } from "./timeline-item";
import { RetractedMark, VerdictMark } from "@/components/verdict";
import type { Relevance } from "@/lib/api/types";
import type { CoverageView, DatabaseReply } from "@/lib/run/research";
import type { PaperBrief } from "@/lib/run/paper";
import type { RoundView } from "@/lib/run/view";
import { count, databaseName, integer } from "@/lib/format";
import { COVERAGE, relevanceOf, roundOutcome, type Tone } from "@/lib/run/words";

interface Props {
  round: RoundView;
  of: number | null;
  live: boolean;
}

export function RoundItem({ round, of, live }: Props) {
  const tone = toneOf(round);
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
            {round.expansion.kind === "paraphrase" ? "Paraphrased" : "Expanded with a hypothetical passage (HyDE)"}
          </summary>
          <p className="mt-1 border-l-2 pl-2.5 font-serif text-sm leading-snug text-foreground italic">
            {round.expansion.text}
          </p>
        </details>
      )}
      {round.expansion?.degraded && <p className="text-xs text-warn">Not expanded: {round.expansion.degraded}</p>}
      {round.databases.length > 0 && <Databases replies={round.databases} />}
      {round.confidence !== null && (
        <p className="text-xs text-muted-foreground">
          {count(round.papers?.length ?? 0, "paper")} retrieved, confidence {round.confidence.toFixed(2)}
        </p>
      )}
      {round.papers && <RoundPapers papers={round.papers} verdicts={round.verdicts} />}
      {outcome && <p className="text-xs">{outcome}</p>}
      {round.coverage && <Coverage coverage={round.coverage} />}
      {round.followUps.length > 0 && (
        <div className="text-xs text-muted-foreground">
          <p className="flex items-center gap-1">
            <CornerDownRight aria-hidden className="size-3.5" /> Also searched
          </p>
          <ul className="mt-0.5 space-y-0.5">
            {round.followUps.map((query) => (
              <li key={query} className="font-serif text-sm leading-snug text-foreground italic">
                {query}
              </li>
            ))}
          </ul>
        </div>
      )}
      {round.refined && !round.refined.repeated && (
        <div className="text-xs text-muted-foreground">
          <p className="flex items-center gap-1">
            <CornerDownRight aria-hidden className="size-3.5" /> Refined query
          </p>
          <p className="mt-0.5 font-serif text-sm leading-snug text-foreground italic">{round.refined.query}</p>
        </div>
      )}
    </TimelineItem>
  );
}

/** A library's round is judged by its papers, one of research by what it leaves open. */
function toneOf(round: RoundView): Tone {
  if (round.retrievalFailed) return "bad";
  if (round.coverage) return round.coverage.sufficient ? "good" : "warn";
  if (round.worksKnown !== null || round.passed === null) return "open";
  return round.passed ? "good" : "warn";
}

/** Who was asked and how much each had, with those that were lost in words. */
function Databases({ replies }: { replies: DatabaseReply[] }) {
  const answered = replies.filter((reply) => reply.lost === null);
  const troubled = replies.filter((reply) => reply.lost !== null || reply.partly !== null);
  return (
    <div className="space-y-1 text-xs">
      {answered.length > 0 && (
        <dl aria-label="Records by database" className="grid grid-cols-[1fr_auto] gap-x-3 text-muted-foreground">
          {answered.map(({ name, records }) => (
            <div key={name} className="contents">
              <dt>{databaseName(name)}</dt>
              <dd className="text-right text-foreground">{integer(records)}</dd>
            </div>
          ))}
        </dl>
      )}
      {troubled.map(({ name, lost, partly }) => (
        <p key={name} className="flex gap-1.5 text-warn">
          <Unplug aria-hidden className="mt-0.5 size-3.5 shrink-0" />
          <span>
            {databaseName(name)} {lost === null ? "answered only in part" : "could not be searched"}: {lost ?? partly}
          </span>
        </p>
      ))}
    </div>
  );
}

function Coverage({ coverage }: { coverage: CoverageView }) {
  const { word, tone } = coverage.sufficient ? COVERAGE.sufficient : COVERAGE.thin;
  return (
    <div className="text-xs text-muted-foreground">
      <p>
        <VerdictMark tone={tone} word={word} />: {coverage.why}
      </p>
      {coverage.missing.length > 0 && <p>Missing: {coverage.missing.join("; ")}</p>}
      {coverage.degraded && <p className="text-warn">Assessed by rule: {coverage.degraded}</p>}
    </div>
  );
}

function RoundPapers({ papers, verdicts }: { papers: PaperBrief[]; verdicts: Relevance[] | null }) {
  return (
    <ul className="space-y-1.5">
      {papers.map((paper) => {
        const verdict = verdicts?.find((one) => one.paper_id === paper.id);
        const said = verdict ? relevanceOf(verdict.verdict, verdict.confidence) : null;
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
              <span className="line-clamp-2">{paper.display_title}</span>
              {paper.retracted && <RetractedMark className="mr-1.5" />}
              {verdict && said && (
                <span className="text-muted-foreground">
                  {said.word}
                  {said.sure !== null && ` ${said.sure.toFixed(2)}`}
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
