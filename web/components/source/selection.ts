import type { Anchor, Verdict } from "@/lib/api/types";
import type { SourcePaper } from "@/lib/run/paper";

/** A place in a paper that the reader asked to see: a citation's quote, or a passage as a whole. */
export interface Selection {
  paperId: string;
  passageId: string;
  title: string;
  quote: string | null;
  anchor: Anchor | null;
  page: number | null;
  marker: number | null;
  sentence: number | null;
  verdict: Verdict | null;
  why: string | null;
  collection: string | null;
  /** Of a paper that the library does not hold: all that there is to show. */
  elsewhere: Elsewhere | null;
}

/** A paper as the answer, or the search before it, carries it, and the passage in question. */
export interface Elsewhere {
  paper: SourcePaper;
  text: string;
  heading: string | null;
}

/** Null where the library can be asked for the passage: it knows more of it than the answer does. */
export function elsewhere(paper: SourcePaper | undefined, passageId: string, quote: string | null): Elsewhere | null {
  if (!paper) return null;
  const passage =
    paper.passages.find((one) => one.passage_id === passageId) ??
    paper.passages.find((one) => quote !== null && one.text.includes(quote));
  // Answers of earlier versions do not say; theirs are all of libraries.
  if (!passage || passage.stored !== false) return null;
  return { paper, text: passage.text, heading: passage.heading };
}
