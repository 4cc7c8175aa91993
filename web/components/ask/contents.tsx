import { topicQuestion } from "@/components/answer/found-nothing";
import type { Condition } from "@/lib/api/types";

interface Props {
  collection: string;
  conditions: Condition[];
  onAsk: (question: string) => void;
}

/** What a collection holds, set as the contents page of a journal. */
export function Contents({ collection, conditions, onAsk }: Props) {
  if (conditions.length === 0) return null;
  return (
    <section aria-labelledby="contents">
      <h2 id="contents" className="border-b pb-2 font-serif text-lg leading-snug text-muted-foreground italic">
        {collection}
      </h2>
      <ul className="mt-1">
        {conditions.map((condition) => (
          <li key={condition.name}>
            <button
              type="button"
              className="group flex w-full items-baseline gap-2 py-1.5 text-left hover:text-primary"
              onClick={() => onAsk(topicQuestion(condition.name))}
            >
              <span className="font-serif leading-snug">{condition.name}</span>
              <span aria-hidden className="min-w-6 flex-1 translate-y-[-0.2em] border-b border-dotted border-input/70" />
              {condition.sparse && <span className="text-2xs text-warn">sparse</span>}
              <span className="text-sm">
                {condition.papers}
                <span className="sr-only"> papers</span>
              </span>
            </button>
          </li>
        ))}
      </ul>
    </section>
  );
}
