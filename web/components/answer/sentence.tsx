"use client";

import { Fragment } from "react";

import { CitationChip } from "./citation-chip";
import { RetractedMark, VerdictMark } from "@/components/verdict";
import type { Citation } from "@/lib/api/types";
import { cn } from "@/lib/classes";
import { byMarker, paperOf, sourceOf, whyOf, type ReadSentence } from "@/lib/run/reading";
import type { RunView } from "@/lib/run/view";
import { isLive } from "@/lib/run/view";
import { VERDICTS, worst, type Tone } from "@/lib/run/words";
import { elsewhere, type Selection } from "@/components/source/selection";

const FLAGS: Record<Tone, string> = { good: "", bad: "flag-bad", warn: "flag-warn", open: "flag-open" };

interface Props {
  view: RunView;
  sentence: ReadSentence;
  selection: Selection | null;
  onSelect: (selection: Selection) => void;
}

/** A sentence, its citations, and its flag in a word when it is not borne out. Nothing is hidden or reworded. */
export function SentenceText({ view, sentence, selection, onSelect }: Props) {
  const verdict = worst(sentence.verdicts);
  const { word, tone } = VERDICTS[verdict];
  const awaited = verdict === "unverified" && isLive(view);
  const here = selection?.sentence === sentence.index;
  return (
    <span
      data-sentence={sentence.index}
      data-verdict={verdict}
      className={cn("rounded-sm transition-colors", here && "bg-primary-soft/70")}
    >
      <span className={awaited ? undefined : FLAGS[tone]}>
        <WithValue text={sentence.text} value={sentence.value} />
      </span>
      {byMarker(sentence.citations).map((citations) => {
        const marker = citations[0]?.marker ?? 0;
        const paper = paperOf(view, citations[0]?.paper_id ?? "");
        return (
          <Fragment key={marker}>
            <CitationChip
              citations={citations}
              title={paper?.display_title ?? citations[0]?.paper_id ?? ""}
              retracted={paper?.retracted ?? false}
              why={whyOf(view, sentence.index, marker)}
              selected={here && selection?.marker === marker}
              onSelect={(citation: Citation) => onSelect(selectionOf(view, citation, sentence.index))}
            />
            {paper?.retracted && <RetractedMark className="ml-1" />}
          </Fragment>
        );
      })}
      {tone !== "good" && !awaited && (
        <VerdictMark tone={tone} word={word} className="ml-1.5 translate-y-[-0.05em] font-sans whitespace-nowrap" />
      )}
    </span>
  );
}

function WithValue({ text, value }: { text: string; value: string | null }) {
  const at = value ? text.indexOf(value) : -1;
  if (!value || at < 0) return text;
  return (
    <>
      {text.slice(0, at)}
      <strong className="font-semibold">{value}</strong>
      {text.slice(at + value.length)}
    </>
  );
}

export function selectionOf(view: RunView, citation: Citation, sentence: number | null): Selection {
  return {
    paperId: citation.paper_id,
    passageId: citation.passage_id,
    title: paperOf(view, citation.paper_id)?.display_title ?? citation.paper_id,
    quote: citation.quote,
    anchor: citation.anchor,
    page: citation.page,
    marker: citation.marker,
    sentence,
    verdict: citation.verdict,
    why: sentence === null ? null : whyOf(view, sentence, citation.marker),
    collection: view.collection,
    elsewhere: elsewhere(sourceOf(view, citation.paper_id), citation.passage_id, citation.quote),
  };
}
