"use client";

import { useState } from "react";

import { CollectionActions } from "./collection-actions";
import { PapersTable } from "./papers-table";
import { SkippedFiles } from "./skipped-files";
import { Upload } from "./upload";
import { useCollection } from "@/components/collection-provider";
import { PageHead } from "@/components/page-head";
import { Notice } from "@/components/ui/notice";
import { TextSkeleton } from "@/components/ui/skeleton";
import { cn } from "@/lib/classes";
import { count, integer } from "@/lib/format";

/** Collections, what they hold, and how more comes into them. */
export function LibraryView() {
  const holding = useCollection();
  const { collections, name, choose, again, detail } = holding;
  const [changes, setChanges] = useState(0);
  const changed = () => {
    setChanges((before) => before + 1);
    again();
  };

  return (
    <div className="mx-auto max-w-[100rem] px-4 py-10 sm:px-8">
      <PageHead title="Library">Your collections of papers, and the files they came from.</PageHead>
      {holding.error && (
        <Notice tone="bad" role="alert" className="mb-6">
          {holding.error}
        </Notice>
      )}
      <div className="grid gap-x-14 gap-y-10 lg:grid-cols-[16rem_minmax(0,1fr)]">
        <aside aria-labelledby="collections">
          <h2 id="collections" className="label border-b pb-2">
            Collections
          </h2>
          {holding.loading && collections.length === 0 && <TextSkeleton lines={2} className="mt-4" />}
          <ul>
            {collections.map((one) => (
              <li key={one.name} className="border-b">
                <button
                  type="button"
                  aria-pressed={one.name === name}
                  onClick={() => choose(one.name)}
                  className={cn(
                    "flex w-full items-baseline justify-between gap-3 py-2.5 text-left hover:text-primary",
                    one.name === name && "text-primary",
                  )}
                >
                  <span className={cn("font-serif text-lg leading-snug", one.name === name && "font-semibold")}>{one.name}</span>
                  <span className="text-xs text-muted-foreground">{integer(one.papers)}</span>
                </button>
              </li>
            ))}
          </ul>
          <CollectionActions name={name} papers={detail?.papers ?? 0} onChanged={again} onChoose={choose} />
        </aside>
        <div className="min-w-0 space-y-10">
          {name && (
            <section aria-labelledby="collection">
              <h2 id="collection" className="font-serif text-2xl">
                {name}
              </h2>
              {detail && (
                <p className="mt-1 text-sm text-muted-foreground">
                  {[
                    count(detail.papers, "paper"),
                    count(detail.passages, "passage"),
                    count(detail.files, "file"),
                    detail.quarantined.length > 0 ? `${detail.quarantined.length} skipped` : null,
                  ]
                    .filter(Boolean)
                    .join(" · ")}
                </p>
              )}
              {holding.detailError && (
                <Notice tone="bad" className="mt-4">
                  {holding.detailError}
                </Notice>
              )}
            </section>
          )}
          <Upload collection={name ?? "default"} onChanged={changed} />
          {detail && <SkippedFiles files={detail.quarantined} />}
          {name && <PapersTable collection={name} topicLabel={detail?.topic_label ?? null} version={changes} />}
        </div>
      </div>
    </div>
  );
}
