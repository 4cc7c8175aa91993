import { passageSelection } from "@/components/answer/found-nothing";
import { PaperLinks } from "@/components/answer/paper-facts";
import { selectionOf } from "@/components/answer/sentence";
import type { Selection } from "./selection";
import { RetractedMark } from "@/components/verdict";
import { byline } from "@/lib/format";
import { sentencesOf } from "@/lib/run/reading";
import type { RunView } from "@/lib/run/view";

interface Props {
  view: RunView;
  onSelect: (selection: Selection) => void;
}

/** The cited papers, numbered as in the text: what stands at the end of an article. */
export function SourceList({ view, onSelect }: Props) {
  const cited = view.answer?.papers.filter((paper) => paper.markers.length > 0) ?? [];
  if (cited.length === 0) return null;
  const citations = sentencesOf(view).flatMap((sentence) =>
    sentence.citations.map((citation) => ({ citation, sentence: sentence.index })),
  );
  return (
    <section aria-labelledby="sources">
      <div className="flex min-h-8 items-center">
        <h2 id="sources" className="label">
          Sources
        </h2>
      </div>
      <ol className="mt-1 divide-y border-y">
        {cited.map((paper) => {
          const first = citations.find(({ citation }) => citation.paper_id === paper.paper_id);
          return (
            <li key={paper.paper_id} className="flex gap-3 py-3">
              <span className="w-6 shrink-0 text-right text-sm font-semibold text-primary">{paper.markers.join(", ")}</span>
              <div className="min-w-0">
                <button
                  type="button"
                  className="text-left font-serif text-base leading-snug hover:text-primary"
                  onClick={() =>
                    onSelect(
                      first ? selectionOf(view, first.citation, first.sentence) : passageSelection(paper, view.collection),
                    )
                  }
                >
                  {paper.display_title}
                </button>
                <p className="mt-0.5 flex flex-wrap gap-x-2.5 text-xs text-muted-foreground">
                  {byline(paper) && <span>{byline(paper)}</span>}
                  {paper.retracted && <RetractedMark />}
                  <PaperLinks paper={paper} />
                </p>
              </div>
            </li>
          );
        })}
      </ol>
      <p className="mt-3 text-xs text-muted-foreground">Choose a number in the text to see its quote in the source.</p>
    </section>
  );
}
