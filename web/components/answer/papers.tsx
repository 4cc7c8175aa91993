import { ChevronRight } from "lucide-react";

import { passageSelection } from "./found-nothing";
import { DatabaseDetails, DatabaseFacts, PaperLinks } from "./paper-facts";
import { useCollection } from "@/components/collection-provider";
import { SignalBars } from "@/components/signals";
import type { Selection } from "@/components/source/selection";
import { Button } from "@/components/ui/button";
import { RetractedMark, VerdictMark } from "@/components/verdict";
import type { Answer, AnswerPaper } from "@/lib/api/types";
import { byline, count, labelWords } from "@/lib/format";
import type { RunView } from "@/lib/run/view";
import { relevanceOf, WEAK } from "@/lib/run/words";

interface Props {
  answer: Answer;
  view: RunView;
  onSelect: (selection: Selection) => void;
}

/** Every paper that was considered, cited ones first, with why it was kept or dropped. */
export function Papers({ answer, view, onSelect }: Props) {
  if (answer.papers.length === 0) return null;
  // Where nothing addresses the question, papers that were kept are weak matches: calling them kept would contradict it.
  const away = answer.status === "out_of_scope";
  const kept = answer.papers.filter((paper) => paper.relevance === "relevant").length;
  return (
    <section className="mt-12" aria-labelledby="papers">
      <h2 id="papers" className="label">
        {count(answer.papers.length, "paper")} considered{away ? "" : `, ${kept} kept`}
      </h2>
      <ul className="mt-2 divide-y border-y">
        {answer.papers.map((paper) => (
          <PaperItem key={paper.paper_id} paper={paper} away={away} view={view} onSelect={onSelect} />
        ))}
      </ul>
    </section>
  );
}

function PaperItem({ paper, away, view, onSelect }: { paper: AnswerPaper; away: boolean } & Omit<Props, "answer">) {
  const { word, tone } = away && paper.relevance === "relevant" ? WEAK : relevanceOf(paper.relevance, paper.confidence);
  const about = byline(paper);
  const topicLabel = useCollection().detail?.topic_label;
  const topics = topicLabel ? labelWords(paper.labels[topicLabel]) : [];
  return (
    <li>
      <details className="group">
        <summary className="flex list-none gap-3 py-3 hover:text-primary">
          <ChevronRight aria-hidden className="mt-1 size-3.5 shrink-0 text-muted-foreground transition-transform group-open:rotate-90" />
          <span className="min-w-0 flex-1">
            <span className="block leading-snug">
              {paper.markers.length > 0 && (
                <span className="mr-1.5 font-semibold text-primary">{paper.markers.map((marker) => `[${marker}]`).join("")}</span>
              )}
              {paper.display_title}
            </span>
            <span className="mt-0.5 flex flex-wrap gap-x-2.5 text-xs text-muted-foreground">
              <VerdictMark tone={tone} word={word} />
              {paper.retracted && <RetractedMark />}
              {about && <span>{about}</span>}
              <DatabaseFacts labels={paper.labels} />
              {topics.length > 0 && <span>{topics.join("; ")}</span>}
            </span>
          </span>
        </summary>
        <div className="space-y-3 pb-4 pl-6.5">
          {paper.why && <p className="text-sm text-muted-foreground">Judged {word}: {paper.why}.</p>}
          <DatabaseDetails labels={paper.labels} />
          <p className="flex flex-wrap gap-x-3 gap-y-0.5 text-xs empty:hidden">
            <PaperLinks paper={paper} />
          </p>
          <SignalBars signals={paper.signals} />
          {paper.passages.length > 0 && (
            <Button size="small" onClick={() => onSelect(passageSelection(paper, view.collection))}>
              Read the passage
            </Button>
          )}
        </div>
      </details>
    </li>
  );
}
