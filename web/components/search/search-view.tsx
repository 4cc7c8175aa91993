"use client";

import { Search } from "lucide-react";
import { useState } from "react";

import { FilterFields } from "./filter-fields";
import { filterBody, METHODS, NO_FILTERS } from "./methods";
import { Ranking } from "./ranking";
import { useCollection } from "@/components/collection-provider";
import { PageHead } from "@/components/page-head";
import { Button } from "@/components/ui/button";
import { Input, Select } from "@/components/ui/field";
import { Notice } from "@/components/ui/notice";
import { TextSkeleton } from "@/components/ui/skeleton";
import { api } from "@/lib/api/client";
import type { SearchAnswer } from "@/lib/api/types";
import { useFetched } from "@/lib/use-fetched";

const SHOWN = 8;

/** One query, ranked four ways side by side. Pointing at a passage shows where the other rankings have it. */
export function SearchView() {
  const { collections, name, choose, detail } = useCollection();
  const [text, setText] = useState("");
  const [query, setQuery] = useState("");
  const [filters, setFilters] = useState(NO_FILTERS);
  const [pointed, setPointed] = useState<string | null>(null);
  const chosen = filterBody(filters);
  const key = query && name ? JSON.stringify([query, name, chosen]) : null;
  const { data, error, loading } = useFetched(key, () => allRankings(query, name ?? "", chosen));

  return (
    <div className="mx-auto max-w-[100rem] px-4 py-10 sm:px-8">
      <PageHead title="Search">One query, ranked in four ways, with every score.</PageHead>
      <form
        role="search"
        aria-label="Compare rankings"
        className="flex flex-wrap gap-2"
        onSubmit={(event) => {
          event.preventDefault();
          setQuery(text.trim());
        }}
      >
        <Input
          aria-label="Query"
          placeholder={detail?.page.search_example || "Words or a question"}
          value={text}
          onChange={(event) => setText(event.target.value)}
          className="h-10 min-w-60 flex-1 font-serif text-base md:max-w-2xl"
        />
        {collections.length > 1 && (
          <Select aria-label="Collection" className="h-10" value={name ?? ""} onChange={(event) => choose(event.target.value)}>
            {collections.map((one) => (
              <option key={one.name}>{one.name}</option>
            ))}
          </Select>
        )}
        <Button type="submit" variant="primary" className="h-10">
          <Search aria-hidden /> Search
        </Button>
      </form>
      <FilterFields filters={filters} labels={detail?.labels ?? {}} onChange={setFilters} />
      {error && (
        <Notice tone="bad" role="alert" className="mt-6">
          {error}
        </Notice>
      )}
      {!query && (
        <p className="mt-12 max-w-xl font-serif text-lg text-muted-foreground">
          Nothing has been searched yet. The results appear in four columns, one for each way of ranking. Point at a
          passage to highlight it in all columns.
        </p>
      )}
      {key && (
        <div className="mt-8 grid gap-x-8 gap-y-10 sm:grid-cols-2 xl:grid-cols-4" aria-busy={loading}>
          {METHODS.map((method) => {
            const found = data?.[method.key];
            return (
              <section key={method.key} aria-labelledby={`method-${method.key}`}>
                <h2 id={`method-${method.key}`} className="font-serif text-xl">
                  {method.name}
                </h2>
                <p className="border-b pb-2 text-xs text-muted-foreground">
                  {method.about}
                  {found && `, ${Math.round(found.latency.total_ms ?? 0)} ms`}
                </p>
                {found ? (
                  <Ranking found={found} pointed={pointed} onPoint={setPointed} others={data} own={method.key} />
                ) : (
                  !error && <TextSkeleton lines={6} className="mt-5" />
                )}
              </section>
            );
          })}
        </div>
      )}
    </div>
  );
}

async function allRankings(
  query: string,
  collection: string,
  filters: Record<string, unknown> | undefined,
): Promise<Record<string, SearchAnswer>> {
  const found = await Promise.all(
    METHODS.map((method) =>
      api.search({ query, collection, k: SHOWN, rerank: false, local_only: true, ...(filters && { filters }), ...method.body }),
    ),
  );
  return Object.fromEntries(METHODS.map((method, index) => [method.key, found[index] as SearchAnswer]));
}
