"use client";

import { api } from "@/lib/api/client";
import type { LedgerTable } from "@/lib/api/types";
import { cost, count, integer, sentenceCase } from "@/lib/format";
import { useFetched } from "@/lib/use-fetched";

/** What model calls cost, by day and by task, from the ledger. */
export function TokenCharts() {
  const days = useFetched("ledger day", () => api.ledger("day"));
  const tasks = useFetched("ledger task", () => api.ledger("task"));
  const total = days.data?.total;
  if (!total) return null;
  if (total.attempts === 0) {
    return (
      <section aria-labelledby="ledger">
        <h2 id="ledger" className="label border-b pb-2">
          Token ledger
        </h2>
        <p className="mt-3 max-w-xl text-sm text-muted-foreground">
          No model has been used yet. Once you set one up, its tokens and their cost appear here, by day and by
          task.
        </p>
      </section>
    );
  }
  return (
    <section aria-labelledby="ledger">
      <h2 id="ledger" className="label border-b pb-2">
        Token ledger
      </h2>
      <dl className="mt-4 grid grid-cols-2 gap-x-8 gap-y-3 sm:grid-cols-4">
        {facts(total).map(([name, value, note]) => (
          <div key={name}>
            <dt className="text-xs text-muted-foreground">{name}</dt>
            <dd className="font-serif text-2xl">{value}</dd>
            {note && <dd className="text-xs text-muted-foreground">{note}</dd>}
          </div>
        ))}
      </dl>
      <div className="mt-8 grid gap-x-14 gap-y-8 md:grid-cols-2">
        <Days rows={days.data?.rows ?? []} />
        <Tasks rows={tasks.data?.rows ?? []} />
      </div>
    </section>
  );
}

type Row = LedgerTable["rows"][number];

function facts(total: Row): [string, string, string?][] {
  return [
    ["Tokens", integer(tokens(total)), `${integer(total.prompt_tokens)} in, ${integer(total.completion_tokens)} out`],
    ["Calls", integer(total.calls), total.failed > 0 ? `${count(total.failed, "attempt")} failed` : undefined],
    ["Cost", cost(total.cost), total.unpriced > 0 ? `${count(total.unpriced, "attempt")} without a price` : undefined],
    ["Saved by compression", integer(total.saved_tokens), total.cached > 0 ? `${integer(total.cached)} from the cache` : undefined],
  ];
}

function tokens(row: Row): number {
  return row.prompt_tokens + row.completion_tokens;
}

const WIDTH = 480;
const HEIGHT = 150;
const FLOOR = 122;
const MOST_DAYS = 30;

/** Tokens a day: what went in below, what came out above it. */
function Days({ rows }: { rows: Row[] }) {
  const shown = rows.toSorted((a, b) => a.group.localeCompare(b.group)).slice(-MOST_DAYS);
  const most = Math.max(1, ...shown.map(tokens));
  const step = WIDTH / Math.max(shown.length, 7);
  const tall = (value: number) => (value / most) * (FLOOR - 16);
  return (
    <figure>
      <figcaption className="text-sm font-medium">Tokens by day</figcaption>
      <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} className="mt-2 w-full" role="img" aria-label={told(shown)}>
        <text x={WIDTH} y={10} textAnchor="end" className="fill-muted-foreground text-[11px]">
          {integer(most)}
        </text>
        <line x1={0} x2={WIDTH} y1={16} y2={16} className="stroke-border" strokeDasharray="2 3" />
        {shown.map((row, index) => {
          const x = index * step + step * 0.15;
          const width = Math.min(step * 0.7, 36);
          return (
            <g key={row.group}>
              <title>{`${row.group}: ${integer(row.prompt_tokens)} in, ${integer(row.completion_tokens)} out, cost ${cost(row.cost)}`}</title>
              <rect x={x} width={width} y={FLOOR - tall(row.prompt_tokens)} height={tall(row.prompt_tokens)} className="fill-primary" />
              <rect x={x} width={width} y={FLOOR - tall(tokens(row))} height={tall(row.completion_tokens)} className="fill-primary/40" />
              {(index === 0 || index === shown.length - 1) && (
                <text x={x} y={HEIGHT - 10} className="fill-muted-foreground text-[11px]">
                  {row.group.slice(5)}
                </text>
              )}
            </g>
          );
        })}
        <line x1={0} x2={WIDTH} y1={FLOOR} y2={FLOOR} className="stroke-input" />
      </svg>
      <p className="flex gap-4 text-xs text-muted-foreground">
        <Key className="fill-primary" name="in" />
        <Key className="fill-primary/40" name="out" />
      </p>
    </figure>
  );
}

function Key({ className, name }: { className: string; name: string }) {
  return (
    <span className="inline-flex items-center gap-1.5">
      <svg aria-hidden width="10" height="10">
        <rect width="10" height="10" className={className} />
      </svg>
      {name}
    </span>
  );
}

function told(rows: Row[]): string {
  return `Tokens by day: ${rows.map((row) => `${row.group} ${integer(tokens(row))}`).join(", ")}`;
}

function Tasks({ rows }: { rows: Row[] }) {
  const shown = rows.toSorted((a, b) => tokens(b) - tokens(a));
  const most = Math.max(1, ...shown.map(tokens));
  return (
    <figure>
      <figcaption className="text-sm font-medium">Tokens by task</figcaption>
      <table className="mt-2 w-full text-sm">
        <thead className="sr-only">
          <tr>
            <th scope="col">Task</th>
            <th scope="col">Share</th>
            <th scope="col">Tokens</th>
            <th scope="col">Cost</th>
          </tr>
        </thead>
        <tbody>
          {shown.map((row) => (
            <tr key={row.group}>
              <th scope="row" className="py-1 pr-4 text-left font-normal whitespace-nowrap">
                {sentenceCase(row.group)}
              </th>
              <td className="w-full">
                <svg aria-hidden viewBox="0 0 100 6" preserveAspectRatio="none" className="h-2 w-full">
                  <rect width={Math.max(1, (100 * tokens(row)) / most)} height="6" className="fill-primary" />
                </svg>
              </td>
              <td className="py-1 pl-4 text-right">{integer(tokens(row))}</td>
              <td className="py-1 pl-4 text-right text-muted-foreground">{cost(row.cost)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </figure>
  );
}
