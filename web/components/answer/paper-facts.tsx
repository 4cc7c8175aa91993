import { ArrowUpRight, Split } from "lucide-react";

import { VerdictMark } from "@/components/verdict";
import type { AnswerPaper } from "@/lib/api/types";
import { databaseName, integer, labelWords, linksOf, listed, paperLinks } from "@/lib/format";

type Labels = AnswerPaper["labels"];

// Identifiers that people write down; those of the others are for machines.
const SPOKEN = new Set(["DOI", "PMID", "PMCID", "arXiv"]);

/** Where a paper can be read: by its identifiers, and at the address that its source gave when that is one of the web. */
export function PaperLinks({ paper }: { paper: Pick<AnswerPaper, "ids" | "url"> }) {
  return linksOf(paper).map((link) => (
    <a
      key={link.href}
      href={link.href}
      target="_blank"
      rel="noopener noreferrer"
      className="link inline-flex min-h-6 max-w-full items-center break-all"
    >
      {link.name} {SPOKEN.has(link.name) && link.id}
      <ArrowUpRight aria-hidden className="size-3 shrink-0" />
    </a>
  ));
}

/** What databases say of a paper, in a line: how often it is cited, who has it, what it became. */
export function DatabaseFacts({ labels }: { labels: Labels }) {
  const found = labelWords(labels.providers);
  if (found.length === 0) return null;
  const { citations } = labels;
  const conflicts = labelWords(labels.conflicts).length > 0;
  return (
    <>
      {conflicts && (
        <span className="inline-flex items-baseline gap-1 font-medium text-warn">
          <Split aria-hidden className="size-3.5 self-center" /> records disagree
        </span>
      )}
      {labelWords(labels.preprint_of).length > 0 && <span>preprint</span>}
      <span>{typeof citations === "number" ? `cited by ${integer(citations)}` : "citations unknown"}</span>
      <span>
        found in {listed(found.map(databaseName))}
        {labels.cross_verified === true && !conflicts && ", which agree"}
      </span>
    </>
  );
}

const RELATIONS = [
  ["preprint_of", "Published as"],
  ["has_preprint", "Preprint"],
  ["retracted_by", "Retracted by"],
  ["retraction_of", "Retracts"],
] as const;

/** What was read only by those who open the paper: where records disagree, and the works that belong to it. */
export function DatabaseDetails({ labels }: { labels: Labels }) {
  const conflicts = labelWords(labels.conflicts);
  const related = RELATIONS.flatMap(([name, said]) => labelWords(labels[name]).map((id) => ({ said, id })));
  if (conflicts.length === 0 && related.length === 0) return null;
  return (
    <dl className="space-y-1 text-sm">
      {conflicts.length > 0 && (
        <div>
          <dt>
            <VerdictMark tone="warn" word="Records disagree" />
          </dt>
          {conflicts.map((conflict) => (
            <dd key={conflict} className="text-muted-foreground">
              {conflict}
            </dd>
          ))}
        </div>
      )}
      {related.map(({ said, id }) => (
        <div key={`${said} ${id}`} className="flex flex-wrap gap-x-2 text-xs">
          <dt className="text-muted-foreground">{said}</dt>
          <dd>
            <Related id={id} />
          </dd>
        </div>
      ))}
    </dl>
  );
}

/** An id such as doi:10.1000/1 as a link to where it leads. */
function Related({ id }: { id: string }) {
  const colon = id.indexOf(":");
  const [link] = paperLinks({ [id.slice(0, colon)]: id.slice(colon + 1) });
  if (!link) return id;
  return (
    <a href={link.href} target="_blank" rel="noopener noreferrer" className="link inline-flex min-h-6 items-center break-all">
      {link.name} {link.id}
    </a>
  );
}
