/** What research adds to a run: who was asked, how well the papers cover the question, what was looked for once more. */

import { list, number, record, sentences, text, texts } from "./loose";
import type { Answer } from "@/lib/api/types";

export interface DatabaseReply {
  name: string;
  /** Records over all queries, before records of one work are merged. */
  records: number;
  /** Why nothing came of it; null when it answered. */
  lost: string | null;
  /** Why some of its queries went unanswered. */
  partly: string | null;
}

export interface CoverageView {
  sufficient: boolean;
  missing: string[];
  why: string;
  by: string;
  degraded: string | null;
}

export interface FullTexts {
  whole: number;
  /** Why the others stay abstracts, each reason once. */
  reasons: string[];
  papers: number;
}

/** The `research` of an answer. */
export interface ResearchSummary {
  coverage: CoverageView | null;
  end: string | null;
  followUps: string[];
  worksKnown: number | null;
  papersKept: number | null;
  providers: string[];
  lost: Record<string, string>;
  kept: { papers: number; collection: string | null; reason: string | null } | null;
}

/** The replies of a `providers` event, one for each database however many queries it was asked. */
export function databaseReplies(data: Record<string, unknown>): DatabaseReply[] {
  const lost = sentences(data.providers_lost);
  const partly = sentences(data.partly_lost);
  const replies = list(data.replies);
  return texts(data.asked).map((name) => ({
    name,
    records: replies
      .filter((reply) => reply.provider === name)
      .reduce((sum, reply) => sum + (number(reply.works) ?? 0), 0),
    lost: lost[name] ?? null,
    partly: partly[name] ?? null,
  }));
}

/** A `coverage_assessed` event, or the assessment that an answer carries: they have the same fields. */
export function coverageOf(data: Record<string, unknown>): CoverageView {
  return {
    sufficient: data.sufficient === true,
    missing: texts(data.missing_aspects),
    why: text(data.why) ?? "",
    by: text(data.by) ?? "",
    degraded: text(data.degraded),
  };
}

export function fullTexts(data: Record<string, unknown>): FullTexts {
  const papers = list(data.papers);
  const abstracts = papers.filter((paper) => paper.whole !== true);
  return {
    papers: papers.length,
    whole: papers.length - abstracts.length,
    reasons: [...new Set(abstracts.map((paper) => text(paper.reason)).filter((why): why is string => why !== null))],
  };
}

/** The warning that tells of a lost database says what its reply says already. */
export function tellsOfLoss(message: string, replies: readonly DatabaseReply[]): boolean {
  return replies.some(
    ({ name, lost, partly }) =>
      message === `${name} could not be searched: ${lost}` || message === `${name} answered only in part: ${partly}`,
  );
}

export function researchOf(answer: Answer | null): ResearchSummary | null {
  if (!answer?.research) return null;
  const told = answer.research as Record<string, unknown>;
  const kept = record(told.kept);
  return {
    coverage: told.coverage_assessment ? coverageOf(record(told.coverage_assessment)) : null,
    end: text(told.end),
    followUps: texts(told.follow_ups),
    worksKnown: number(told.works_known),
    papersKept: number(told.papers_kept),
    providers: texts(told.providers),
    lost: sentences(told.providers_lost),
    kept: told.kept
      ? { papers: number(kept.papers) ?? 0, collection: text(kept.collection), reason: text(kept.reason) }
      : null,
  };
}
