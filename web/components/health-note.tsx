"use client";

import { useEffect, useState } from "react";

import { VerdictMark } from "@/components/verdict";
import { api } from "@/lib/api/client";
import { healthInWords } from "@/lib/health";
import { useFetched } from "@/lib/use-fetched";
import type { Tone } from "@/lib/run/words";

const EVERY_MS = 30_000;

const PARTS: Record<string, Tone> = { ok: "good", warn: "warn", fail: "bad", off: "open" };

/** How the server is, with a sentence for each part. */
export function HealthNote() {
  const [tick, setTick] = useState(0);
  useEffect(() => {
    const timer = setInterval(() => setTick((before) => before + 1), EVERY_MS);
    return () => clearInterval(timer);
  }, []);
  const { data, error } = useFetched(`health ${tick}`, api.health);
  if (error) return <VerdictMark tone="bad" word={error} />;
  if (!data) return <span>litloop</span>;
  const { word, tone } = healthInWords(data);
  return (
    <details>
      <summary className="flex list-none items-center gap-3">
        <span>litloop {data.version}</span>
        <VerdictMark tone={tone} word={word} className="underline decoration-dotted underline-offset-4" />
      </summary>
      <ul className="mt-3 space-y-1">
        {data.parts.map((part) => (
          <li key={part.name} className="flex flex-wrap items-baseline gap-x-2">
            <VerdictMark tone={PARTS[part.state] ?? "open"} word={part.state} className="w-14" />
            <span className="font-medium text-foreground">{part.name}</span>
            <span>{part.sentence}</span>
          </li>
        ))}
      </ul>
    </details>
  );
}
