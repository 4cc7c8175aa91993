import { ArrowUpRight } from "lucide-react";

import { Notice } from "@/components/ui/notice";
import { TextSkeleton } from "@/components/ui/skeleton";
import { api } from "@/lib/api/client";
import { paperLinks, sentenceCase } from "@/lib/format";
import { useFetched } from "@/lib/use-fetched";

/** A paper as the library holds it: its labels and its passages in reading order. */
export function PaperInside({ paperId, collection }: { paperId: string; collection: string }) {
  const { data, error } = useFetched(paperId, () => api.paper(paperId, collection));
  if (error) return <Notice tone="warn">{error}</Notice>;
  if (!data) return <TextSkeleton lines={3} className="my-3" />;
  const labels = Object.entries(data.labels).filter(([, value]) => value !== "");
  return (
    <div className="my-3 space-y-3 border-l-2 pl-4">
      <p className="flex flex-wrap gap-x-3 text-xs">
        {paperLinks(data.ids).map((link) => (
          <a key={link.name} href={link.href} target="_blank" rel="noreferrer noopener" className="link inline-flex items-center">
            {link.name} {link.id}
            <ArrowUpRight aria-hidden className="size-3" />
          </a>
        ))}
        {data.file?.available && (
          <a href={data.file.url} target="_blank" rel="noreferrer noopener" className="link">
            {data.file.name}
          </a>
        )}
      </p>
      {labels.length > 0 && (
        <dl className="grid grid-cols-[auto_1fr] gap-x-4 gap-y-0.5 text-xs">
          {labels.map(([name, value]) => (
            <div key={name} className="contents">
              <dt className="text-muted-foreground">{sentenceCase(name)}</dt>
              <dd>{Array.isArray(value) ? value.join(", ") : String(value)}</dd>
            </div>
          ))}
        </dl>
      )}
      {data.passage_list.map((passage) => (
        <div key={passage.passage_id}>
          {(passage.heading || passage.page) && (
            <p className="text-xs text-muted-foreground">
              {[passage.heading, passage.page ? `page ${passage.page}` : null].filter(Boolean).join(" · ")}
            </p>
          )}
          <p className="font-serif text-base leading-normal">{passage.text}</p>
        </div>
      ))}
    </div>
  );
}
