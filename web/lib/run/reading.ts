/** What of a run can be read: its sentences with their verdicts as far as they are in, and its papers. */

import type { AnswerPaper, Check, Citation, Sentence, Verdict } from "@/lib/api/types";
import type { PaperBrief, SourcePaper } from "./paper";
import type { RunView } from "./view";

export interface ReadSentence {
  index: number;
  text: string;
  /** One per (sentence, marker): a sentence may quote the same passage twice. */
  citations: Citation[];
  verdicts: Verdict[];
  /** A short value that the sentence was asked for: a number, a date. */
  value: string | null;
}

/** The sentences of the answer, or of the draft while its checks come in. */
export function sentencesOf(view: RunView): ReadSentence[] {
  const sentences = view.answer?.sentences ?? view.draft?.sentences ?? [];
  return sentences.map((sentence, index) => {
    const citations = view.answer ? sentence.citations : withChecks(sentence, index, view.checks);
    return {
      index,
      text: sentence.text,
      citations,
      verdicts: citations.length > 0 ? citations.map((citation) => citation.verdict) : ["uncited"],
      value: valueIn(sentence, view.answer?.items[index]?.value ?? null),
    };
  });
}

function withChecks(sentence: Sentence, index: number, checks: readonly Check[]): Citation[] {
  return sentence.citations.map((citation) => {
    const check = checks.find((one) => one.sentence === index && one.marker === citation.marker);
    return check ? { ...citation, verdict: check.verdict } : citation;
  });
}

function valueIn(sentence: Sentence, value: string | null): string | null {
  return value && value.length < sentence.text.length && sentence.text.includes(value) ? value : null;
}

/** Why a (sentence, marker) pair has its verdict, in the words of the check. */
export function whyOf(view: RunView, sentence: number, marker: number): string | null {
  const checks = view.answer?.checks ?? view.checks;
  return checks.find((one) => one.sentence === sentence && one.marker === marker)?.why || null;
}

/** One chip per marker, however many quotes stand behind it. */
export function byMarker(citations: readonly Citation[]): Citation[][] {
  const groups = new Map<number, Citation[]>();
  for (const citation of citations) groups.set(citation.marker, [...(groups.get(citation.marker) ?? []), citation]);
  return [...groups.values()];
}

/** The disclaimer that stands before the text: sparse coverage, or a single paper. */
export function disclaimer(view: RunView): string | null {
  const { answer } = view;
  if (!answer || !(answer.sparse_coverage || answer.low_confidence) || answer.sentences.length === 0) return null;
  const [first, ...rest] = answer.text.split("\n\n");
  return rest.length > 0 && first ? first : null;
}

export function isList(view: RunView): boolean {
  return (view.answer?.text ?? view.draft?.text ?? "").split("\n").some((line) => line.startsWith("- "));
}

/** Columns of a table answer, in the order in which they first appear; none when the items are plain. */
export function columnsOf(view: RunView): string[] {
  const items = view.answer?.items ?? [];
  return [...new Set(items.flatMap((item) => Object.keys(item.fields)))];
}

/** Title and year of a paper, from the answer or, while it is awaited, from what the rounds retrieved. */
export function paperOf(view: RunView, paperId: string): Pick<AnswerPaper, "display_title" | "year" | "retracted"> | null {
  return view.answer?.papers.find((paper) => paper.paper_id === paperId) ?? briefOf(view, paperId) ?? null;
}

/** The same with its passages. */
export function sourceOf(view: RunView, paperId: string): SourcePaper | undefined {
  return view.answer?.papers.find((paper) => paper.paper_id === paperId) ?? briefOf(view, paperId);
}

function briefOf(view: RunView, paperId: string): PaperBrief | undefined {
  return view.rounds.flatMap((round) => round.papers ?? []).findLast((paper) => paper.id === paperId);
}
