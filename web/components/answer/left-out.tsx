import { ChevronRight } from "lucide-react";

import { VerdictMark } from "@/components/verdict";
import type { Answer } from "@/lib/api/types";
import { count } from "@/lib/format";
import { VERDICTS } from "@/lib/run/words";

/** Statements that were written and are no part of the answer, since what they rest on was not found: to be read, marked. */
export function LeftOut({ answer }: { answer: Answer }) {
  const statements = answer.left_out ?? []; // answers kept by 0.1 have none
  if (statements.length === 0) return null;
  return (
    <details className="group mt-8">
      <summary className="flex list-none gap-3 text-sm hover:text-primary">
        <ChevronRight aria-hidden className="mt-1 size-3.5 shrink-0 text-muted-foreground transition-transform group-open:rotate-90" />
        {count(statements.length, "statement")} left out of the answer
      </summary>
      <ul className="mt-2 divide-y border-y">
        {statements.map((one, index) => (
          <li key={index} className="space-y-1 py-3">
            <p className="font-serif text-muted-foreground">{one.text}</p>
            <p className="text-xs text-muted-foreground">
              <VerdictMark tone={VERDICTS[one.verdict].tone} word={VERDICTS[one.verdict].word} />: {one.why}
            </p>
            {one.quotes.map((quote, place) => (
              <blockquote key={place} className="border-l-2 pl-2.5 font-serif text-sm text-muted-foreground italic">
                {quote}
              </blockquote>
            ))}
          </li>
        ))}
      </ul>
    </details>
  );
}
