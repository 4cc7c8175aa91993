import { Check, CircleDashed, CircleHelp, TriangleAlert, X } from "lucide-react";

import { cn } from "@/lib/classes";
import type { Tone } from "@/lib/run/words";

const MARKS = { good: Check, bad: X, warn: TriangleAlert, open: CircleDashed } as const;

export const INK: Record<Tone, string> = {
  good: "text-good",
  bad: "text-bad",
  warn: "text-warn",
  open: "text-muted-foreground",
};

interface Props {
  tone: Tone;
  word: string;
  /** Only the shape: for where the word stands beside it already. */
  bare?: boolean;
  className?: string;
}

/** A verdict by shape, word and colour: each of the three alone says which it is. */
export function VerdictMark({ tone, word, bare = false, className }: Props) {
  const Mark = word === "not judged" || word === "unverifiable" ? CircleHelp : MARKS[tone];
  return (
    <span className={cn("inline-flex items-baseline gap-1 text-xs font-medium", INK[tone], className)}>
      <Mark aria-hidden className="size-3.5 shrink-0 self-center" strokeWidth={2.25} />
      {!bare && word}
    </span>
  );
}
