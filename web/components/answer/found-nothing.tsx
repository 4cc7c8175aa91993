import { ArrowRight } from "lucide-react";

import { Notice } from "@/components/ui/notice";
import { elsewhere, type Selection } from "@/components/source/selection";
import type { Answer } from "@/lib/api/types";
import { count } from "@/lib/format";
import type { RunView } from "@/lib/run/view";
import { explanation } from "@/lib/run/words";

interface Props {
  answer: Answer;
  view: RunView;
  onAsk: (question: string) => void;
  onSelect: (selection: Selection) => void;
}

const NEAREST = 3;

/** No answer: why, what this literature does hold, and the passages that came nearest. */
export function FoundNothing({ answer, view, onAsk, onSelect }: Props) {
  const bad = ["degraded", "retrieval_failed", "budget_ended"].includes(answer.status);
  const nearest = answer.papers
    .filter((paper) => paper.relevance !== "irrelevant" && paper.passages.length > 0)
    .slice(0, NEAREST);
  return (
    <div className="mt-7 space-y-8">
      <div className="space-y-3">
        <p className="reading">{explanation(answer) ?? answer.text}</p>
        {bad && answer.degraded_reason && <Notice tone="warn">{answer.degraded_reason}</Notice>}
      </div>
      {answer.closest_topics.length > 0 && (
        <section aria-labelledby="closest">
          <h2 id="closest" className="label">
            Closest topics in this collection
          </h2>
          <ul className="mt-2 divide-y border-y">
            {answer.closest_topics.map((topic) => (
              <li key={topic.name}>
                <button
                  type="button"
                  className="group flex w-full items-baseline gap-3 py-2.5 text-left hover:text-primary"
                  onClick={() => onAsk(topicQuestion(topic.name))}
                >
                  <span className="font-serif text-lg">{topic.name}</span>
                  <span className="text-xs text-muted-foreground">{count(topic.papers, "paper")}</span>
                  <span className="ml-auto inline-flex items-center gap-1 text-xs text-muted-foreground group-hover:text-primary">
                    <span className="max-sm:sr-only">Ask about it</span>
                    <ArrowRight aria-hidden className="size-3.5 self-center" />
                  </span>
                </button>
              </li>
            ))}
          </ul>
        </section>
      )}
      {nearest.length > 0 && (
        <section aria-labelledby="nearest">
          <h2 id="nearest" className="label">
            Nearest passages
          </h2>
          <ul className="mt-3 space-y-5">
            {nearest.map((paper) => (
              <li key={paper.paper_id}>
                <button
                  type="button"
                  className="text-left font-medium hover:text-primary"
                  onClick={() => onSelect(passageSelection(paper, view.collection))}
                >
                  {paper.display_title}
                </button>
                <p className="mt-1 line-clamp-3 font-serif text-muted-foreground">{paper.passages[0]?.text}</p>
              </li>
            ))}
          </ul>
        </section>
      )}
    </div>
  );
}

export function topicQuestion(topic: string): string {
  return `What is reported about ${topic}?`;
}

export function passageSelection(paper: Answer["papers"][number], collection: string | null): Selection {
  const passage = paper.passages[0];
  return {
    paperId: paper.paper_id,
    passageId: passage?.passage_id ?? "",
    title: paper.display_title,
    quote: null,
    anchor: null,
    page: passage?.page ?? null,
    marker: null,
    sentence: null,
    verdict: null,
    why: null,
    collection,
    elsewhere: passage ? elsewhere(paper, passage.passage_id, null) : null,
  };
}
