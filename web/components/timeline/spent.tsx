"use client";

import { useEffect, useState } from "react";

import { cost, integer, seconds } from "@/lib/format";
import { isLive, type RunView } from "@/lib/run/view";

/** Time and tokens as they are spent. A cost that is not fully known is unknown, never 0. */
export function Spent({ view }: { view: RunView }) {
  const ms = useElapsed(view);
  const { calls, attempts, tokens, cost: dollars, failed } = view.spending;
  const rows: [string, string][] = [
    ["Time", seconds(ms)],
    ["Model calls", calls === 0 ? "none" : attempts > calls ? `${calls} (${attempts} attempts)` : String(calls)],
  ];
  if (attempts > 0) rows.push(["Tokens", integer(tokens)], ["Cost", cost(dollars)]);
  if (failed > 0) rows.push(["Failed attempts", String(failed)]);
  return (
    <dl className="mt-3 grid grid-cols-[auto_1fr] gap-x-4 gap-y-0.5 border-t pt-3 text-xs">
      {rows.map(([name, value]) => (
        <div key={name} className="contents">
          <dt className="text-muted-foreground">{name}</dt>
          <dd className="text-right">{value}</dd>
        </div>
      ))}
    </dl>
  );
}

const TICK_MS = 100;

/** The run's own clock, carried on between events while it is live. */
function useElapsed(view: RunView): number {
  const [since, setSince] = useState(0);
  const live = isLive(view) && !view.recorded;
  useEffect(() => {
    if (!live) return;
    const from = performance.now();
    const timer = setInterval(() => setSince(performance.now() - from), TICK_MS);
    return () => {
      clearInterval(timer);
      setSince(0);
    };
  }, [live, view.lastSeq]);
  return view.answer ? Math.max(view.ms, 0) : view.ms + since;
}
