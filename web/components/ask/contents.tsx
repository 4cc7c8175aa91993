import { topicQuestion } from "@/components/answer/found-nothing";
import type { CollectionTopic } from "@/lib/api/types";

interface Props {
  collection: string;
  topics: CollectionTopic[];
  onAsk: (question: string) => void;
}

/** What a collection holds, set as the contents page of a journal. */
export function Contents({ collection, topics, onAsk }: Props) {
  if (topics.length === 0) return null;
  return (
    <section aria-labelledby="contents">
      <h2 id="contents" className="border-b pb-2 font-serif text-lg leading-snug text-muted-foreground italic">
        {collection}
      </h2>
      <ul className="mt-1">
        {topics.map((topic) => (
          <li key={topic.name}>
            <button
              type="button"
              className="group flex w-full items-baseline gap-2 py-1.5 text-left hover:text-primary"
              onClick={() => onAsk(topicQuestion(topic.name))}
            >
              <span className="font-serif leading-snug">{topic.name}</span>
              <span aria-hidden className="min-w-6 flex-1 translate-y-[-0.2em] border-b border-dotted border-input/70" />
              {topic.sparse && <span className="text-2xs text-warn">sparse</span>}
              <span className="text-sm">
                {topic.papers}
                <span className="sr-only"> papers</span>
              </span>
            </button>
          </li>
        ))}
      </ul>
    </section>
  );
}
