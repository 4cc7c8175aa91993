import type { ReactNode } from "react";

import { cn } from "@/lib/classes";
import { seconds } from "@/lib/format";
import type { Tone } from "@/lib/run/words";

const DOTS: Record<Tone, string> = {
  good: "border-good bg-good",
  bad: "border-bad bg-bad",
  warn: "border-warn bg-background",
  open: "border-input bg-background",
};

interface Props {
  ms: number | null;
  head: ReactNode;
  tone?: Tone;
  pending?: boolean;
  children?: ReactNode;
}

/** One knot on the line. Time stands at the right, in figures of one width. */
export function TimelineItem({ ms, head, tone = "open", pending = false, children }: Props) {
  return (
    <li className="arrive relative pb-4 pl-5 last:pb-1">
      <span aria-hidden className="absolute top-3 bottom-[-0.35rem] left-[4px] w-px bg-border [li:last-child>&]:hidden" />
      <span
        aria-hidden
        className={cn(
          "absolute top-[0.38rem] left-0 size-[9px] rounded-full border-[1.5px]",
          pending ? "breathe border-primary bg-primary" : DOTS[tone],
        )}
      />
      <div className="flex items-baseline justify-between gap-3">
        <h3 className={cn("text-sm leading-snug font-medium", pending && "text-muted-foreground")}>{head}</h3>
        {ms !== null && <span className="shrink-0 text-2xs text-muted-foreground">{seconds(ms)}</span>}
      </div>
      {children && <div className="mt-0.5 space-y-2">{children}</div>}
    </li>
  );
}
