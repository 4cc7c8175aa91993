import { useAlternativesTitle } from "@/components/collection-provider";
import { VerdictMark } from "@/components/verdict";
import { selectionOf } from "./sentence";
import type { Selection } from "@/components/source/selection";
import type { Answer } from "@/lib/api/types";
import { sentenceCase } from "@/lib/format";
import { paperOf } from "@/lib/run/reading";
import type { RunView } from "@/lib/run/view";
import { VERDICTS } from "@/lib/run/words";

/** What a domain adds to an answer. Unlike its sentences these fields quote nothing. */
export function Fields({ answer }: { answer: Answer }) {
  const fields = Object.entries(answer.fields);
  if (fields.length === 0) return null;
  return (
    <dl className="mt-8 space-y-4 border-t pt-5">
      {fields.map(([name, value]) => (
        <div key={name}>
          <dt className="label">{sentenceCase(name)} (not checked)</dt>
          <dd className="source-text mt-1">{value}</dd>
        </div>
      ))}
    </dl>
  );
}

interface Props {
  answer: Answer;
  view: RunView;
  onSelect: (selection: Selection) => void;
}

/** Other topics that the papers make plausible, under the heading that the collection's domain gives them. */
export function Alternatives({ answer, view, onSelect }: Props) {
  const title = useAlternativesTitle(view.collection);
  if (answer.differentials.length === 0) return null;
  const checked = answer.differentials.every((one) => one.verdict !== "unverified");
  return (
    <section className="mt-10" aria-labelledby="alternatives">
      <h2 id="alternatives" className="label">
        {title}, {checked ? "each checked against the paper it is taken from" : "not all of them checked"}
      </h2>
      <ul className="mt-2 divide-y border-y">
        {answer.differentials.map((one) => {
          const verdict = VERDICTS[one.verdict];
          const paper = one.paper_id ? paperOf(view, one.paper_id) : null;
          return (
            <li key={one.condition} className="py-3.5">
              <div className="flex flex-wrap items-baseline justify-between gap-x-4">
                <h3 className="font-serif text-lg">{one.condition}</h3>
                <VerdictMark tone={verdict.tone} word={verdict.word} />
              </div>
              <p className="mt-0.5 text-sm text-muted-foreground">{one.why}</p>
              {one.paper_id && paper && (
                <button
                  type="button"
                  className="link mt-1.5 text-left text-sm"
                  onClick={() => onSelect(alternativeSelection(view, one))}
                >
                  {paper.display_title}
                </button>
              )}
            </li>
          );
        })}
      </ul>
    </section>
  );
}

function alternativeSelection(view: RunView, one: Answer["differentials"][number]): Selection {
  const used = view.answer?.papers.find((paper) => paper.paper_id === one.paper_id);
  const citation = {
    marker: 0,
    paper_id: one.paper_id ?? "",
    passage_id: used?.passages[0]?.passage_id ?? "",
    page: null,
    quote: one.quote,
    verdict: one.verdict,
    anchor: null,
  };
  return { ...selectionOf(view, citation, null), marker: null, quote: one.quote || null };
}
