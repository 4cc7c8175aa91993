import { Unplug } from "lucide-react";

import { VerdictMark } from "@/components/verdict";
import type { Answer } from "@/lib/api/types";
import { count, databaseName, listed } from "@/lib/format";
import { researchOf } from "@/lib/run/research";
import { COVERAGE, RESEARCH_ENDS } from "@/lib/run/words";

/** Beside the answer: how well the papers cover the question, what is missing, and who could not be asked. */
export function Coverage({ answer }: { answer: Answer }) {
  const research = researchOf(answer);
  if (!research) return null;
  const { coverage, end, followUps, worksKnown, papersKept, providers, lost, kept } = research;
  const verdict = coverage && (coverage.sufficient ? COVERAGE.sufficient : COVERAGE.thin);
  const ended = coverage && !coverage.sufficient && end ? RESEARCH_ENDS[end] : null;
  const losses = Object.entries(lost);
  const reached = providers.filter((name) => !(name in lost));
  return (
    <section aria-label="Coverage" className="mt-6 space-y-1.5 border-y py-3 text-sm text-muted-foreground">
      {verdict && (
        <p>
          <VerdictMark tone={verdict.tone} word={verdict.word} className="text-sm font-semibold" />
          {coverage.why && `: ${coverage.why}.`} {ended}
        </p>
      )}
      {coverage && coverage.missing.length > 0 && (
        <p>
          <strong className="font-semibold text-foreground">Missing:</strong> {coverage.missing.join("; ")}.
        </p>
      )}
      {losses.map(([name, why]) => (
        <p key={name} className="flex gap-1.5 text-warn">
          <Unplug aria-hidden className="mt-1 size-3.5 shrink-0" />
          <span>
            <strong className="font-semibold">{databaseName(name)} could not be searched:</strong> {why}
          </span>
        </p>
      ))}
      {followUps.length > 0 && (
        <p>
          Also searched: <span className="font-serif italic">{followUps.join("; ")}</span>.
        </p>
      )}
      <p>
        {reached.length > 0 ? `From ${listed(reached.map(databaseName))} and the library` : "From the library alone"}
        {worksKnown !== null && `: ${count(worksKnown, "work")} after merging`}
        {papersKept !== null && `, ${papersKept} of the best ${papersKept === 1 ? "addresses" : "address"} the question`}.
        {kept && ` ${keptWords(kept)}`}
      </p>
    </section>
  );
}

function keptWords({ papers, collection, reason }: { papers: number; collection: string | null; reason: string | null }): string {
  if (reason) return `No papers were added: ${reason}`;
  return `${count(papers, "paper")} kept${collection ? ` in ${collection}` : ""}.`;
}
