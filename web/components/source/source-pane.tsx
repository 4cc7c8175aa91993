"use client";

import { X } from "lucide-react";
import { useEffect, useRef } from "react";

import { PageView } from "./page-view";
import type { Elsewhere, Selection } from "./selection";
import { TextView } from "./text-view";
import { PaperLinks } from "@/components/answer/paper-facts";
import { Button } from "@/components/ui/button";
import { Notice } from "@/components/ui/notice";
import { TextSkeleton } from "@/components/ui/skeleton";
import { Tabs, TabsContent, TabsList, TabsTrigger } from "@/components/ui/tabs";
import { RetractedMark, VerdictMark } from "@/components/verdict";
import { api, ApiError } from "@/lib/api/client";
import type { Place } from "@/lib/api/types";
import { byline } from "@/lib/format";
import { VERDICTS } from "@/lib/run/words";
import { useFetched } from "@/lib/use-fetched";

interface Props {
  selection: Selection;
  onClose: () => void;
}

/** The paper behind a claim: the passage marked at its place on its page, or in its text where there are no pages. */
export function SourcePane({ selection, onClose }: Props) {
  const heading = useRef<HTMLHeadingElement>(null);
  const key = JSON.stringify([selection.paperId, selection.passageId, selection.anchor, selection.quote]);
  const { elsewhere } = selection;
  // What the library does not hold cannot be asked of it: the answer carries it.
  const place = useFetched(elsewhere ? null : key, () => placeOf(selection));
  const held = useFetched(elsewhere ? null : selection.paperId, () => api.paper(selection.paperId, selection.collection));
  const paper = elsewhere?.paper ?? held.data;

  useEffect(() => {
    heading.current?.focus({ preventScroll: true });
  }, [key]);

  return (
    <section aria-labelledby="source-title" data-testid="source">
      <div className="flex min-h-8 items-center justify-between">
        <p className="label">{selection.marker ? `Source ${selection.marker}` : "Source"}</p>
        <Button size="icon" variant="ghost" className="-mr-2 size-8" onClick={onClose} aria-label="Close the source">
          <X aria-hidden />
        </Button>
      </div>
      <h2
        id="source-title"
        ref={heading}
        tabIndex={-1}
        className="mt-1 font-serif text-xl leading-snug font-medium outline-none"
      >
        {selection.title}
      </h2>
      {paper && (
        <p className="mt-1.5 flex flex-wrap gap-x-3 gap-y-0.5 text-xs text-muted-foreground">
          {paper.retracted && <RetractedMark />}
          {byline(paper) && <span>{byline(paper)}</span>}
          <PaperLinks paper={paper} />
        </p>
      )}
      {selection.verdict && <Verdict selection={selection} />}
      <div className="mt-4">
        {elsewhere ? (
          <>
            <TextView place={placeIn(elsewhere, selection.quote)} />
            <p className="mt-4 text-xs text-muted-foreground">
              The library does not hold this paper. This is the text that was read.
            </p>
          </>
        ) : place.data ? (
          <PlaceView place={place.data} />
        ) : place.error ? (
          <Notice tone="warn">
            {place.error}
            {selection.quote && <blockquote className="source-text mt-2">{selection.quote}</blockquote>}
          </Notice>
        ) : (
          <TextSkeleton lines={7} />
        )}
      </div>
    </section>
  );
}

function Verdict({ selection }: { selection: Selection }) {
  const verdict = VERDICTS[selection.verdict ?? "unverified"];
  return (
    <p className="mt-3 flex flex-wrap items-baseline gap-x-2 border-y py-2 text-xs text-muted-foreground">
      <VerdictMark tone={verdict.tone} word={verdict.word} />
      <span>{selection.why ?? verdict.meaning}</span>
    </p>
  );
}

type ShownPlace = Omit<Place, "passage_id" | "tokens">;

function PlaceView({ place }: { place: ShownPlace }) {
  if (place.pages.length === 0) {
    return (
      <>
        <TextView place={place} />
        {place.unshown && place.page !== null && <p className="mt-4 text-xs text-muted-foreground">{place.unshown}</p>}
      </>
    );
  }
  return (
    <Tabs defaultValue="page">
      <TabsList aria-label="How to show the source">
        <TabsTrigger value="page">On its page</TabsTrigger>
        <TabsTrigger value="text">As text</TabsTrigger>
      </TabsList>
      <TabsContent value="page">
        <PageView place={place} />
      </TabsContent>
      <TabsContent value="text">
        <TextView place={place} />
      </TabsContent>
    </Tabs>
  );
}

/** By its anchor, which outlives passages; by the passage where there is none, or where the paper was read anew. */
async function placeOf(selection: Selection): Promise<ShownPlace> {
  const { anchor, passageId, quote, collection } = selection;
  if (anchor) {
    try {
      return await api.anchor(anchor, collection);
    } catch (error) {
      if (!(error instanceof ApiError && error.status === 410) || !passageId) throw error;
    }
  }
  return api.passage(passageId, quote ?? undefined, collection);
}

function placeIn({ text, heading }: Elsewhere, quote: string | null): Parameters<typeof TextView>[0]["place"] {
  const at = quote ? text.indexOf(quote) : -1;
  const [start, end] = quote && at >= 0 ? [at, at + quote.length] : [0, text.length];
  return { before: text.slice(0, start), quote: text.slice(start, end), after: text.slice(end), heading: heading ?? "", page: null };
}
