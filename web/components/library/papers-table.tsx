"use client";

import { useDeferredValue, useState } from "react";

import { PaperInside } from "./paper-inside";
import { Button } from "@/components/ui/button";
import { Input, Select } from "@/components/ui/field";
import { Notice } from "@/components/ui/notice";
import { TextSkeleton } from "@/components/ui/skeleton";
import { RetractedMark } from "@/components/verdict";
import { api } from "@/lib/api/client";
import { byline, count, integer, labelWords } from "@/lib/format";
import { useFetched } from "@/lib/use-fetched";

const PAGE = 25;
const ORDERS = { title: "by title", newest: "newest first", oldest: "oldest first", id: "by id" } as const;

interface Props {
  collection: string;
  /** The label that names a paper's topics; null where the collection's domain knows none. */
  topicLabel: string | null;
  version: number;
}

export function PapersTable({ collection, topicLabel, version }: Props) {
  const [words, setWords] = useState("");
  const [order, setOrder] = useState<keyof typeof ORDERS>("title");
  const [offset, setOffset] = useState(0);
  const [open, setOpen] = useState<string | null>(null);
  const q = useDeferredValue(words.trim());
  const [shown, setShown] = useState(collection);
  if (shown !== collection) {
    setShown(collection);
    setOffset(0);
    setOpen(null);
  }
  const { data, error, loading } = useFetched(JSON.stringify([collection, version, q, order, offset]), () =>
    api.papers(collection, { q, order, offset, limit: PAGE }),
  );
  const total = data?.total ?? 0;

  return (
    <section aria-labelledby="papers-of" aria-busy={loading}>
      <div className="flex flex-wrap items-end justify-between gap-3">
        <h2 id="papers-of" className="label">
          {data ? count(total, "paper") : "Papers"}
        </h2>
        <div className="flex flex-wrap gap-2">
          <Input
            type="search"
            aria-label="Find papers by title or id"
            placeholder="Title or id"
            className="h-8 w-48 text-xs"
            value={words}
            onChange={(event) => {
              setWords(event.target.value);
              setOffset(0);
            }}
          />
          <Select aria-label="Order" className="h-8 text-xs" value={order} onChange={(event) => setOrder(event.target.value as keyof typeof ORDERS)}>
            {Object.entries(ORDERS).map(([key, name]) => (
              <option key={key} value={key}>
                {name}
              </option>
            ))}
          </Select>
        </div>
      </div>
      {error && (
        <Notice tone="bad" className="mt-3">
          {error}
        </Notice>
      )}
      {!data && loading && <TextSkeleton lines={8} className="mt-5" />}
      {data && (
        <table className="mt-3 w-full table-fixed border-y text-sm">
          <thead className="border-b">
            <tr className="text-left">
              <th scope="col" className="label py-2 pr-4">
                Title
              </th>
              <th scope="col" className="label hidden w-52 py-2 pr-4 md:table-cell">
                Topic
              </th>
              <th scope="col" className="label hidden w-40 py-2 pr-4 xl:table-cell">
                File
              </th>
              <th scope="col" className="label hidden w-20 py-2 text-right sm:table-cell">
                Passages
              </th>
            </tr>
          </thead>
          <tbody className="divide-y">
            {data.papers.map((paper) => (
              <tr key={paper.paper_id} className="align-top">
                <td className="py-2.5 pr-4">
                  <button
                    type="button"
                    aria-expanded={open === paper.paper_id}
                    className="text-left font-serif text-base leading-snug hover:text-primary"
                    onClick={() => setOpen(open === paper.paper_id ? null : paper.paper_id)}
                  >
                    {paper.display_title}
                  </button>
                  <p className="text-xs text-muted-foreground">
                    {[byline(paper), paper.paper_id].filter(Boolean).join(" · ")}{" "}
                    {paper.retracted && <RetractedMark />}
                  </p>
                  {open === paper.paper_id && <PaperInside paperId={paper.paper_id} collection={collection} />}
                </td>
                <td className="hidden py-3 pr-4 text-xs text-muted-foreground md:table-cell">
                  {(topicLabel && labelWords(paper.labels[topicLabel]).join("; ")) || "–"}
                </td>
                <td className="hidden truncate py-3 pr-4 text-xs text-muted-foreground xl:table-cell" title={paper.source_file ?? undefined}>
                  {paper.source_file ?? "–"}
                </td>
                <td className="hidden py-2.5 text-right sm:table-cell">{integer(paper.passages)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      {data && total === 0 && (
        <p className="py-6 text-center text-sm text-muted-foreground">
          {q ? "No paper has these words in its title or id." : "No papers yet. Add some above."}
        </p>
      )}
      {total > PAGE && (
        <nav aria-label="Pages of papers" className="mt-3 flex items-center justify-end gap-3 text-xs text-muted-foreground">
          <span>
            {integer(offset + 1)} to {integer(Math.min(offset + PAGE, total))} of {integer(total)}
          </span>
          <Button size="small" disabled={offset === 0} onClick={() => setOffset(Math.max(0, offset - PAGE))}>
            Previous
          </Button>
          <Button size="small" disabled={offset + PAGE >= total} onClick={() => setOffset(offset + PAGE)}>
            Next
          </Button>
        </nav>
      )}
    </section>
  );
}
