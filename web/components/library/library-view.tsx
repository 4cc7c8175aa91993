"use client";

import { useState } from "react";

import { CollectionActions } from "./collection-actions";
import { PapersTable } from "./papers-table";
import { SetAside } from "./set-aside";
import { Upload } from "./upload";
import { useCollection } from "@/components/collection-provider";
import { PageHead } from "@/components/page-head";
import { Notice } from "@/components/ui/notice";
import { TextSkeleton } from "@/components/ui/skeleton";
import { api } from "@/lib/api/client";
import { cn } from "@/lib/classes";
import { count, integer } from "@/lib/format";
import { useFetched } from "@/lib/use-fetched";

/** Collections, what they hold, and how more comes into them. */
export function LibraryView() {
  const holding = useCollection();
  const { collections, name, choose, again } = holding;
  const [changes, setChanges] = useState(0);
  const detail = useFetched(name ? `${name} ${changes}` : null, () => api.collection(name ?? ""));
  const changed = () => {
    setChanges((before) => before + 1);
    again();
  };

  return (
    <div className="mx-auto max-w-[100rem] px-4 py-10 sm:px-8">
      <PageHead title="Library">What can be asked: collections of papers, and the files they came from.</PageHead>
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
          <CollectionActions name={name} papers={detail.data?.papers ?? 0} onChanged={again} onChoose={choose} />
        </aside>
        <div className="min-w-0 space-y-10">
          {name && (
            <section aria-labelledby="collection">
              <h2 id="collection" className="font-serif text-2xl">
                {detail.data?.title || name}
              </h2>
              {detail.data && (
                <p className="mt-1 text-sm text-muted-foreground">
                  {[
                    count(detail.data.papers, "paper"),
                    count(detail.data.passages, "passage"),
                    count(detail.data.files, "file"),
                    detail.data.quarantined.length > 0 ? `${detail.data.quarantined.length} set aside` : null,
                  ]
                    .filter(Boolean)
                    .join(" · ")}
                </p>
              )}
              {detail.error && (
                <Notice tone="bad" className="mt-4">
                  {detail.error}
                </Notice>
              )}
            </section>
          )}
          <Upload collection={name ?? "default"} onChanged={changed} />
          {detail.data && <SetAside files={detail.data.quarantined} />}
          {name && <PapersTable collection={name} version={changes} />}
        </div>
      </div>
    </div>
  );
}
