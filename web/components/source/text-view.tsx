"use client";

import { useEffect, useRef } from "react";

import type { Place } from "@/lib/api/types";

type Shown = Pick<Place, "before" | "quote" | "after" | "heading" | "page">;

/** A quote in its surroundings, as text. */
export function TextView({ place }: { place: Shown }) {
  const mark = useRef<HTMLElement>(null);

  useEffect(() => {
    mark.current?.scrollIntoView({ block: "nearest", behavior: "smooth" });
  }, [place.quote]);

  return (
    <div>
      {place.heading && <p className="label mb-2">{place.heading}</p>}
      <p className="source-text whitespace-pre-line">
        <span className="text-muted-foreground">{place.before}</span>
        <mark ref={mark} data-testid="highlight">
          {place.quote}
        </mark>
        <span className="text-muted-foreground">{place.after}</span>
      </p>
      {place.page !== null && <p className="mt-3 text-xs text-muted-foreground">Page {place.page}</p>}
    </div>
  );
}
