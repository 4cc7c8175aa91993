import type { Anchor, Verdict } from "@/lib/api/types";

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
}
