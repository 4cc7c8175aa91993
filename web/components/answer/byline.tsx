import { BookOpen, CircleAlert, CircleDot, CircleSlash } from "lucide-react";

import { cn } from "@/lib/classes";
import { cost, count, integer, seconds } from "@/lib/format";
import type { RunView } from "@/lib/run/view";
import { isLive } from "@/lib/run/view";
import { standing, STATUSES } from "@/lib/run/words";

/** Under the question: what came of it, from how much, at what cost. */
export function Byline({ view }: { view: RunView }) {
  const { answer } = view;
  if (!answer) {
    return (
      <p className="mt-3 flex items-center gap-2 text-sm text-muted-foreground" role="status" aria-live="polite">
        {isLive(view) && <span aria-hidden className="breathe size-2 rounded-full bg-primary" />}
        {standing(view)}
      </p>
    );
  }
  const cited = answer.papers.filter((paper) => paper.markers.length > 0).length;
  const ledger = answer.ledger as { calls?: number; tokens?: number; cost_usd?: number | string; ms?: number };
  const calls = ledger.calls ?? 0;
  const facts = [
    cited > 0 ? `${count(cited, "paper")} cited` : `${count(answer.papers.length, "paper")} considered`,
    view.collection ? `from ${view.collection}` : null,
    seconds(ledger.ms ?? view.ms),
    calls === 0
      ? "no model used"
      : `${count(calls, "model call")}, ${integer(ledger.tokens ?? 0)} tokens, cost ${cost(ledger.cost_usd)}`,
  ];
  const bad = ["degraded", "retrieval_failed", "budget_ended"].includes(answer.status);
  const good = answer.status === "answered" || answer.status === "partial";
  const Mark = bad ? CircleAlert : good ? BookOpen : answer.status === "passages_only" ? CircleDot : CircleSlash;
  return (
    <p className="mt-3 text-sm text-muted-foreground" role="status">
      <span
        data-status={answer.status}
        className={cn("font-semibold", bad ? "text-bad" : good ? "text-primary" : "text-foreground")}
      >
        <Mark aria-hidden className="mr-1.5 inline size-4 translate-y-[-0.1em]" />
        {STATUSES[answer.status]}
      </span>
      {facts.filter(Boolean).map((fact) => (
        <span key={fact}>
          <span aria-hidden> · </span>
          {fact}
        </span>
      ))}
    </p>
  );
}
