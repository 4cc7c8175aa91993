"use client";

import { useMemo, useState } from "react";

import { useCollection } from "@/components/collection-provider";
import { PageHead } from "@/components/page-head";
import { useRun } from "@/components/run-provider";
import { Notice } from "@/components/ui/notice";
import { TextSkeleton } from "@/components/ui/skeleton";
import { request, sentence } from "@/lib/api/client";
import { type BrainShapes, type PlacedCondition, conditionsIn, litRegions, namesOf, unpacked } from "@/lib/brain";
import { count } from "@/lib/format";
import { useFetched } from "@/lib/use-fetched";

import { BrainCanvas } from "./canvas";

/** Where the conditions of a collection sit. Those of the papers that the last answer cites are lit to begin with. */
export default function Brain() {
  const { name } = useCollection();
  const { view } = useRun();
  const shapes = useFetched(name, () => json<BrainShapes>(`/brain?${query(name)}`));
  const placed = useFetched(name, () =>
    json<{ conditions: PlacedCondition[] }>(`/brain/conditions?${query(name)}`),
  );
  const brain = useMemo(() => (shapes.data ? unpacked(shapes.data) : null), [shapes.data]);
  const conditions = useMemo(() => placed.data?.conditions ?? [], [placed.data]);
  const cited = useMemo(() => citedConditions(view.answer?.papers ?? []), [view.answer]);
  const [picked, setPicked] = useState<Set<string> | null>(null);
  const [region, setRegion] = useState<number | null>(null);
  const chosen = picked ?? cited;
  const lit = useMemo(() => litRegions(conditions, chosen), [conditions, chosen]);
  const error = shapes.error ?? placed.error;

  const toggle = (condition: string) => {
    const next = new Set(chosen);
    if (!next.delete(condition)) next.add(condition);
    setPicked(next);
  };
  return (
    <div className="mx-auto max-w-[90rem] px-4 py-10 sm:px-8">
      <PageHead title="Brain">The regions of the brain that the papers of this collection name.</PageHead>
      {error && <Notice tone="bad">{sentence(new Error(error))}</Notice>}
      {!error && (!brain || placed.loading) && <TextSkeleton lines={8} />}
      {brain && placed.data && (
        <div className="grid gap-10 wide:grid-cols-[minmax(0,1fr)_24rem]">
          <div>
            <BrainCanvas brain={brain} lit={lit} chosen={region} onChoose={setRegion} />
            <RegionPanel
              region={region}
              name={region === null ? "" : (brain.regions.get(region)?.name ?? "")}
              conditions={region === null ? [] : conditionsIn(conditions, region)}
              onCondition={(condition) => setPicked(new Set([condition]))}
            />
            <p className="mt-6 text-xs text-muted-foreground">{shapes.data?.source}.</p>
          </div>
          <div className="space-y-10">
            <ConditionList conditions={conditions} chosen={chosen} onToggle={toggle} />
            <section aria-labelledby="lit">
              <h2 id="lit" className="label mb-2">
                Regions that are lit
              </h2>
              {lit.size === 0 && <p className="text-sm text-muted-foreground">Choose a condition to light its regions.</p>}
              <ul className="space-y-1">
                {namesOf(brain.regions, lit).map(([label, ids]) => (
                  <li key={label}>
                    <button type="button" className="link text-left text-sm" onClick={() => setRegion(ids[0] ?? null)}>
                      {label}
                    </button>
                  </li>
                ))}
              </ul>
            </section>
          </div>
        </div>
      )}
    </div>
  );
}

function ConditionList({
  conditions,
  chosen,
  onToggle,
}: {
  conditions: PlacedCondition[];
  chosen: ReadonlySet<string>;
  onToggle: (name: string) => void;
}) {
  return (
    <section>
      <h2 className="label mb-2">Conditions</h2>
      {conditions.length === 0 && <p className="text-sm text-muted-foreground">The papers name no conditions.</p>}
      <ul>
        {conditions.map((one) => (
          <li key={one.name} className="border-b py-2">
            <label className="flex cursor-pointer items-baseline gap-3">
              <input
                type="checkbox"
                className="accent-primary"
                checked={chosen.has(one.name)}
                disabled={one.regions.length === 0}
                onChange={() => onToggle(one.name)}
              />
              <span className="font-serif leading-snug">{one.name}</span>
              <span className="ml-auto shrink-0 text-xs text-muted-foreground">
                {one.regions.length ? count(one.papers, "paper") : "no region named"}
              </span>
            </label>
          </li>
        ))}
      </ul>
    </section>
  );
}

function RegionPanel({
  region,
  name,
  conditions,
  onCondition,
}: {
  region: number | null;
  name: string;
  conditions: PlacedCondition[];
  onCondition: (name: string) => void;
}) {
  return (
    <section aria-live="polite" data-testid="region" className="mt-6 min-h-20">
      <h2 className="label mb-2">{region === null ? "Click a region for its conditions" : name}</h2>
      {region !== null && conditions.length === 0 && (
        <p className="text-sm text-muted-foreground">No paper of this collection names it.</p>
      )}
      <ul className="flex flex-wrap gap-x-5 gap-y-1">
        {conditions.map((one) => (
          <li key={one.name}>
            <button type="button" className="link text-left font-serif" onClick={() => onCondition(one.name)}>
              {one.name}
            </button>
          </li>
        ))}
      </ul>
    </section>
  );
}

/** The conditions that the cited papers are labelled with. */
function citedConditions(papers: readonly { markers: readonly number[]; labels: object }[]): Set<string> {
  const labels = papers.filter((paper) => paper.markers.length > 0).map((paper) => paper.labels as Record<string, unknown>);
  return new Set(labels.flatMap((one) => one.condition).filter((name): name is string => typeof name === "string"));
}

function query(collection: string | null): URLSearchParams {
  return new URLSearchParams(collection ? { collection } : {});
}

async function json<T>(path: string): Promise<T> {
  return (await (await request(path)).json()) as T;
}
