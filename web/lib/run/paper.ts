/** A paper as retrieval found it, before the answer tells of it. */

import { list, number, record, sentences, text, texts } from "./loose";
import type { AnswerPaper } from "@/lib/api/types";
import { titleOr } from "@/lib/format";

/** What is shown of a paper that the library cannot be asked for. */
export type SourcePaper = Pick<AnswerPaper, "ids" | "url" | "authors" | "year" | "venue" | "retracted" | "passages">;

export interface PaperBrief extends SourcePaper {
  id: string;
  display_title: string;
  score: number;
  signals: Record<string, number>;
}

export function paperBrief(candidate: Record<string, unknown>): PaperBrief {
  const paper = record(candidate.paper);
  const id = text(paper.id) ?? text(candidate.paper_id) ?? "";
  // The same words as those of the server's display_title, which the events do not carry.
  const origin = Object.values(sentences(paper.provenance))[0] ?? id;
  return {
    id,
    display_title: titleOr(text(paper.title) ?? text(candidate.title), origin),
    authors: texts(paper.authors),
    year: number(paper.year),
    venue: text(paper.venue),
    ids: Object.fromEntries(Object.entries(record(paper.ids)).filter((id): id is [string, string] => typeof id[1] === "string")),
    url: text(paper.url),
    retracted: paper.retracted === true,
    passages: list(candidate.hits).map((hit) => passageOf(record(hit.passage))),
    score: number(candidate.score) ?? 0,
    signals: record(candidate.signals) as Record<string, number>,
  };
}

function passageOf(passage: Record<string, unknown>): AnswerPaper["passages"][number] {
  return {
    passage_id: text(passage.id) ?? "",
    page: number(passage.page),
    heading: text(passage.heading),
    text: text(passage.text) ?? "",
    // The library numbers what it stores from 1; an event of an earlier version may not say.
    stored: number(passage.key) !== 0,
  };
}
