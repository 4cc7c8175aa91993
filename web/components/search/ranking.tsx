import { METHODS } from "./methods";
import { SignalBars } from "@/components/signals";
import { Notice } from "@/components/ui/notice";
import { RetractedMark } from "@/components/verdict";
import type { SearchAnswer } from "@/lib/api/types";
import { cn } from "@/lib/classes";
import { score, titleOr } from "@/lib/format";

interface Props {
  found: SearchAnswer;
  own: string;
  others: Record<string, SearchAnswer>;
  pointed: string | null;
  onPoint: (chunk: string | null) => void;
}

export function Ranking({ found, own, others, pointed, onPoint }: Props) {
  if (found.results.length === 0) {
    return <p className="mt-4 text-sm text-muted-foreground">{found.warning ?? "No passage matches."}</p>;
  }
  return (
    <>
      {found.warning && (
        <Notice tone="warn" className="mt-3">
          {found.warning}
        </Notice>
      )}
      <ol className="divide-y">
        {found.results.map((hit) => (
          <li
            key={hit.chunk_id}
            data-chunk={hit.chunk_id}
            onPointerEnter={() => onPoint(hit.chunk_id)}
            onPointerLeave={() => onPoint(null)}
            className={cn("-mx-2 rounded-sm px-2 py-3 transition-colors", pointed === hit.chunk_id && "bg-primary-soft")}
          >
            <div className="flex gap-2.5">
              <span className="w-4 shrink-0 text-right text-sm font-semibold text-primary">{hit.rank}</span>
              <details className="group min-w-0 flex-1">
                <summary className="flex list-none items-baseline justify-between gap-3">
                  <span className="text-sm leading-snug group-open:font-medium">
                    {titleOr(hit.title, hit.source_file ?? hit.paper_id)} {hit.retracted && <RetractedMark />}
                  </span>
                  <span className="text-xs text-muted-foreground">{score(hit.score)}</span>
                </summary>
                <p className="mt-2 font-serif leading-normal">{hit.text}</p>
                <p className="mt-2 text-xs text-muted-foreground">
                  {[hit.source_file, hit.page ? `page ${hit.page}` : null, elsewhere(hit.chunk_id, own, others)]
                    .filter(Boolean)
                    .join(" · ")}
                </p>
                <div className="mt-2">
                  <SignalBars signals={hit.signals} />
                </div>
              </details>
            </div>
          </li>
        ))}
      </ol>
    </>
  );
}

function elsewhere(chunk: string, own: string, others: Record<string, SearchAnswer>): string {
  return METHODS.filter((method) => method.key !== own)
    .map((method) => {
      const rank = others[method.key]?.results.find((hit) => hit.chunk_id === chunk)?.rank;
      return `${method.name} ${rank ? `#${rank}` : "below"}`;
    })
    .join(", ");
}
