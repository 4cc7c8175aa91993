import type { Answer, AnswerPaper, Citation, EventName } from "@/lib/api/types";
import { IDLE, reduce, type RunEventLike, type RunView } from "@/lib/run/view";

/** Numbered events of one run, a hundred milliseconds apart. */
export function events(...told: [EventName, Record<string, unknown>][]): RunEventLike[] {
  return told.map(([type, data], seq) => ({ type, data, seq, ms: seq * 100, run_id: "run-1" }));
}

export function viewOf(told: RunEventLike[], from: RunView = IDLE): RunView {
  return told.reduce((view, event) => reduce(view, { do: "event", event }), from);
}

export function citation(marker: number, verdict: Citation["verdict"] = "unverified", quote = `quote ${marker}`): Citation {
  return { marker, verdict, quote, paper_id: `p${marker}`, passage_id: `p${marker}::a`, page: null, anchor: null };
}

export function paper(id: string, markers: number[], more: Partial<AnswerPaper> = {}): AnswerPaper {
  return {
    paper_id: id, title: `Title of ${id}`, display_title: `Title of ${id}`, authors: [], year: null, venue: null, ids: {}, url: null, labels: {},
    retracted: false, markers, relevance: "relevant", confidence: 0.8, why: "", passages: [], score: 1, signals: {},
    ...more,
  };
}

export function answer(more: Partial<Answer> = {}): Answer {
  return {
    question: "What?", status: "answered", text: "It is so [1].", sentences: [], papers: [], items: [],
    answer_found: true, complete_answer_found: true, caveats: [], left_out: [], trace: [], closest_topics: [], differentials: [],
    fields: {}, notes: [], dispatch: {}, checks: [],
    ledger: { calls: 0, attempts: 0, tokens: 0, cost_usd: 0, ms: 1200, tokens_by_task: {}, budget_refusals: [] },
    degraded: false, degraded_reason: null, run_id: "run-1", summary_text: "", citations: [], no_match: false,
    suggested_conditions: [], low_confidence: false, sparse_coverage: false, corpus_paper_count: null,
    best_condition: null, research: null,
    ...more,
  };
}
