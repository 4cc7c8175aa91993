"use client";

import { useEffect, useRef, useState } from "react";

import { Skeleton } from "@/components/ui/skeleton";
import type { Place } from "@/lib/api/types";

type Shown = Pick<Place, "pages" | "quote" | "title">;

/** The pages on which a quote stands, as pictures, with the quote marked where it stands. */
export function PageView({ place }: { place: Shown }) {
  return (
    <div className="space-y-5">
      {place.pages.map((page, index) => (
        <Page key={page.page} page={page} title={place.title} first={index === 0} />
      ))}
      <p className="sr-only">Marked on the page: {place.quote}</p>
    </div>
  );
}

function Page({ page, title, first }: { page: Place["pages"][number]; title: string; first: boolean }) {
  const [state, setState] = useState<"loading" | "shown" | "failed">("loading");
  const mark = useRef<SVGRectElement>(null);

  useEffect(() => {
    if (state === "shown" && first) mark.current?.scrollIntoView({ block: "center", behavior: "smooth" });
  }, [state, first]);

  return (
    <figure>
      <div className="relative overflow-hidden rounded-sm border bg-white shadow-sm">
        {state === "loading" && <Skeleton className="absolute inset-0 h-full" />}
        {/* eslint-disable-next-line @next/next/no-img-element -- drawn by the server at the width asked for */}
        <img
          src={page.image}
          alt={`Page ${page.page} of ${title}`}
          width={Math.round(page.width)}
          height={Math.round(page.height)}
          className="relative block h-auto w-full"
          onLoad={() => setState("shown")}
          onError={() => setState("failed")}
        />
        <svg
          aria-hidden
          data-testid="highlight"
          className="pointer-events-none absolute inset-0 size-full mix-blend-multiply"
          viewBox="0 0 1 1"
          preserveAspectRatio="none"
        >
          {page.boxes.map((box, index) => (
            <rect
              key={`${box.x}-${box.y}`}
              ref={index === 0 ? mark : undefined}
              x={box.x}
              y={box.y}
              width={box.width}
              height={box.height}
              fill="#fbe27a"
            />
          ))}
        </svg>
      </div>
      <figcaption className="mt-1.5 text-xs text-muted-foreground">
        Page {page.page}
        {state === "failed" && ". The page could not be drawn. Its text is shown instead."}
      </figcaption>
    </figure>
  );
}
