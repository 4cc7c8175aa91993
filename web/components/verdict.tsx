import { Ban, Check, CircleDashed, CircleHelp, TriangleAlert, X } from "lucide-react";

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

/** A paper that was withdrawn. It stands wherever the paper does: by shape, word and colour. */
export function RetractedMark({ className }: { className?: string }) {
  return (
    <span
      data-retracted
      className={cn(
        "inline-flex items-center gap-1 rounded-sm border border-bad bg-bad-soft px-1 align-middle font-sans text-2xs font-bold tracking-[0.04em] whitespace-nowrap text-bad uppercase",
        className,
      )}
    >
      <Ban aria-hidden className="size-3 shrink-0" strokeWidth={2.5} />
      Retracted
    </span>
  );
}
