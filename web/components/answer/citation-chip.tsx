"use client";

import { Check, CircleDashed, CircleHelp, TriangleAlert, X } from "lucide-react";
import { useRef, useState } from "react";

import { Button } from "@/components/ui/button";
import { Popover, PopoverAnchor, PopoverContent } from "@/components/ui/popover";
import { RetractedMark, VerdictMark } from "@/components/verdict";
import type { Citation } from "@/lib/api/types";
import { cn } from "@/lib/classes";
import { VERDICTS, worst, type Tone } from "@/lib/run/words";

const SHAPES: Record<Tone, string> = {
  good: "border-transparent bg-primary-soft text-primary hover:border-primary",
  bad: "border-bad bg-bad-soft text-bad",
  warn: "border-dashed border-warn bg-warn-soft text-warn",
  open: "border-dotted border-input bg-transparent text-muted-foreground",
};

const OPEN_AFTER_MS = 140;
const CLOSE_AFTER_MS = 180;

interface Props {
  citations: Citation[];
  title: string;
  retracted: boolean;
  why: string | null;
  selected: boolean;
  onSelect: (citation: Citation) => void;
}

/** A numbered citation. Pointing at it, or reaching it by keyboard, shows the quote; a click opens it at its place. */
export function CitationChip({ citations, title, retracted, why, selected, onSelect }: Props) {
  const [shown, setShown] = useState(false);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const touched = useRef(false);
  const first = citations[0];
  if (!first) return null;
  const verdict = VERDICTS[worst(citations.map((citation) => citation.verdict))];

  const later = (show: boolean) => {
    clearTimeout(timer.current);
    timer.current = setTimeout(() => setShown(show), show ? OPEN_AFTER_MS : CLOSE_AFTER_MS);
  };
  const select = (citation: Citation) => {
    clearTimeout(timer.current);
    setShown(false);
    onSelect(citation);
  };

  return (
    <Popover open={shown} onOpenChange={setShown}>
      <PopoverAnchor asChild>
        <button
          type="button"
          data-citation={first.marker}
          data-verdict={first.verdict}
          aria-pressed={selected}
          aria-label={`Citation ${first.marker}, ${verdict.word}: ${title}`}
          className={cn(
            "ml-[0.2em] inline-flex h-[1.32em] min-w-[1.32em] translate-y-[-0.22em] items-center justify-center gap-[0.15em] rounded-full border px-[0.34em] align-baseline font-sans text-[0.68em] leading-none font-semibold tabular-nums lining-nums transition-colors",
            SHAPES[verdict.tone],
            selected && "border-primary! bg-primary text-primary-foreground",
          )}
          onPointerEnter={(event) => event.pointerType === "mouse" && later(true)}
          onPointerLeave={(event) => event.pointerType === "mouse" && later(false)}
          onPointerDown={(event) => {
            touched.current = event.pointerType === "touch";
          }}
          onFocus={(event) => event.currentTarget.matches(":focus-visible") && later(true)}
          onBlur={() => later(false)}
          onClick={() => {
            if (touched.current) setShown(true);
            else select(first);
            touched.current = false;
          }}
        >
          {first.marker}
          <ChipMark tone={verdict.tone} word={verdict.word} />
        </button>
      </PopoverAnchor>
      <PopoverContent
        aria-label={`Citation ${first.marker}`}
        side="top"
        onOpenAutoFocus={(event) => event.preventDefault()}
        onCloseAutoFocus={(event) => event.preventDefault()}
        onPointerEnter={() => clearTimeout(timer.current)}
        onPointerLeave={(event) => event.pointerType === "mouse" && later(false)}
        onFocus={() => clearTimeout(timer.current)}
        className="space-y-2.5 font-sans"
      >
        <p className="text-xs leading-snug font-medium text-balance">{title}</p>
        {retracted && <RetractedMark />}
        {citations.map((citation) => (
          <blockquote
            key={`${citation.passage_id}-${citation.anchor?.start ?? citation.quote}`}
            className="line-clamp-6 border-l-2 border-primary/40 pl-3 font-serif text-[0.9375rem] leading-normal"
          >
            {citation.quote}
          </blockquote>
        ))}
        <div className="flex flex-wrap items-baseline justify-between gap-x-3 gap-y-1">
          <VerdictMark tone={verdict.tone} word={verdict.word} />
          {first.page && <span className="text-xs text-muted-foreground">page {first.page}</span>}
        </div>
        <p className="text-xs text-muted-foreground">{why ? `${capital(why)}.` : verdict.meaning}</p>
        <Button size="small" className="w-full" onClick={() => select(first)} tabIndex={-1}>
          Show it in its place
        </Button>
      </PopoverContent>
    </Popover>
  );
}

function ChipMark({ tone, word }: { tone: Tone; word: string }) {
  const look = "size-[0.95em] shrink-0";
  if (tone === "good") return <Check aria-hidden className={look} strokeWidth={2.75} />;
  if (tone === "bad") return <X aria-hidden className={look} strokeWidth={2.75} />;
  if (word === "unverifiable") return <CircleHelp aria-hidden className={look} strokeWidth={2.5} />;
  if (tone === "warn") return <TriangleAlert aria-hidden className={look} strokeWidth={2.5} />;
  return <CircleDashed aria-hidden className={look} strokeWidth={2.5} />;
}

function capital(text: string): string {
  return (text.charAt(0).toUpperCase() + text.slice(1)).replace(/\.$/, "");
}
