"use client";

import { useCollection } from "@/components/collection-provider";
import { PageHead } from "@/components/page-head";
import { Notice } from "@/components/ui/notice";
import { TextSkeleton } from "@/components/ui/skeleton";
import { request, sentence } from "@/lib/api/client";
import type { components } from "@/lib/api/schema";
import { count } from "@/lib/format";
import { useFetched } from "@/lib/use-fetched";

type Atlas = components["schemas"]["AtlasOut"];

/** The regions that the papers of a collection speak of, with their conditions. */
export default function Brain() {
  const { name } = useCollection();
  const { data, error, loading } = useFetched(name, () => atlasOf(name ?? ""));
  return (
    <div className="mx-auto max-w-[76rem] px-4 py-10 sm:px-8">
      <PageHead title="Brain">Where in the brain this literature looks, by the regions its papers name.</PageHead>
      {error && <Notice tone="bad">{sentence(new Error(error))}</Notice>}
      {loading && <TextSkeleton lines={8} />}
      {data?.regions.length === 0 && <Notice>The papers of this collection name no region of the brain.</Notice>}
      <ul className="columns-1 gap-x-12 md:columns-2">
        {data?.regions.map((region) => (
          <li key={region.name} className="break-inside-avoid border-b py-3">
            <h2 className="flex items-baseline justify-between gap-4 font-serif text-lg leading-snug">
              {region.name}
              <span className="shrink-0 font-sans text-xs text-muted-foreground">{count(region.papers, "paper")}</span>
            </h2>
            <p className="text-sm text-muted-foreground">{region.conditions.join(", ")}</p>
          </li>
        ))}
      </ul>
    </div>
  );
}

async function atlasOf(collection: string): Promise<Atlas> {
  const response = await request(`/atlas?${new URLSearchParams({ collection })}`);
  return (await response.json()) as Atlas;
}
