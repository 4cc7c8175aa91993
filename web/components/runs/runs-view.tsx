"use client";

import { Play } from "lucide-react";
import Link from "next/link";
import { useState } from "react";

import { TokenCharts } from "./token-charts";
import { PageHead } from "@/components/page-head";
import { Button } from "@/components/ui/button";
import { Notice } from "@/components/ui/notice";
import { TextSkeleton } from "@/components/ui/skeleton";
import { VerdictMark } from "@/components/verdict";
import { api } from "@/lib/api/client";
import type { RunRow } from "@/lib/api/types";
import { cost, count, day, integer, seconds } from "@/lib/format";
import { STATUSES, type Tone } from "@/lib/run/words";
import { useFetched } from "@/lib/use-fetched";

const PAGE = 20;

/** What was asked before, what came of it, and what it cost. */
export function RunsView() {
  const [offset, setOffset] = useState(0);
  const { data, error, loading } = useFetched(`runs ${offset}`, () => api.runs(offset, PAGE));
  const total = data?.total ?? 0;
  return (
    <div className="mx-auto max-w-[76rem] px-4 py-10 sm:px-8">
      <PageHead title="Runs">Every question asked of this library, with every step. You can replay any run.</PageHead>
      {error && (
        <Notice tone="bad" role="alert">
          {error}
        </Notice>
      )}
      <TokenCharts />
      <section aria-labelledby="past" aria-busy={loading} className="mt-12">
        <h2 id="past" className="label border-b pb-2">
          {data ? count(total, "run") : "Past runs"}
        </h2>
        {!data && loading && <TextSkeleton lines={8} className="mt-5" />}
        {data && total === 0 && (
          <p className="py-8 font-serif text-lg text-muted-foreground">
            Nothing has been asked yet.{" "}
            <Link href="/" className="link">
              Ask something.
            </Link>
          </p>
        )}
        <ul className="divide-y">
          {data?.runs.map((run) => (
            <RunItem key={run.run_id} run={run} />
          ))}
        </ul>
        {total > PAGE && (
          <nav aria-label="Pages of runs" className="mt-4 flex items-center justify-end gap-3 text-xs text-muted-foreground">
            <span>
              {integer(offset + 1)} to {integer(Math.min(offset + PAGE, total))} of {integer(total)}
            </span>
            <Button size="small" disabled={offset === 0} onClick={() => setOffset(Math.max(0, offset - PAGE))}>
              Newer
            </Button>
            <Button size="small" disabled={offset + PAGE >= total} onClick={() => setOffset(offset + PAGE)}>
              Older
            </Button>
          </nav>
        )}
      </section>
    </div>
  );
}

function RunItem({ run }: { run: RunRow }) {
  const { word, tone } = outcome(run);
  const facts = [
    day(run.started),
    run.collection,
    seconds(run.ms),
    count(run.rounds, "round"),
    run.tokens ? `${integer(run.tokens)} tokens, cost ${cost(run.cost_usd)}` : "no model used",
  ];
  return (
    <li className="flex items-start gap-4 py-4">
      <div className="min-w-0 flex-1">
        <Link href={`/?run=${encodeURIComponent(run.run_id)}`} className="font-serif text-lg leading-snug hover:text-primary">
          {run.question || run.run_id}
        </Link>
        {run.text && <p className="mt-0.5 line-clamp-2 text-sm text-muted-foreground">{run.text}</p>}
        <p className="mt-1 flex flex-wrap items-baseline gap-x-2.5 text-xs text-muted-foreground">
          <VerdictMark tone={tone} word={word} />
          {facts.filter(Boolean).map((fact) => (
            <span key={fact}>{fact}</span>
          ))}
        </p>
      </div>
      {run.events > 0 && run.state !== "running" && (
        <Button asChild size="small">
          <Link href={`/?run=${encodeURIComponent(run.run_id)}&replay=1`} aria-label={`Replay: ${run.question}`}>
            <Play aria-hidden /> Replay
          </Link>
        </Button>
      )}
    </li>
  );
}

function outcome(run: RunRow): { word: string; tone: Tone } {
  if (run.state === "running") return { word: "running", tone: "open" };
  if (run.state === "cancelled") return { word: "cancelled", tone: "open" };
  if (run.state === "interrupted") return { word: "interrupted", tone: "warn" };
  if (run.state === "failed" || !run.status) return { word: "failed", tone: "bad" };
  const good = run.status === "answered" || run.status === "partial";
  const bad = ["degraded", "retrieval_failed", "budget_ended"].includes(run.status);
  return { word: STATUSES[run.status], tone: good ? "good" : bad ? "bad" : "open" };
}
