/**
 * A run as the page shows it, built from its events and nothing else. The live stream, a run opened again and a replay
 * of a recording all go through `reduce`: there is no second path.
 */

import { list, number, record, text, texts } from "./loose";
import { paperBrief, type PaperBrief } from "./paper";
import { coverageOf, databaseReplies, tellsOfLoss, type CoverageView, type DatabaseReply } from "./research";
import type { Answer, Check, Differential, EventName, Relevance, Sentence, Status, Topic } from "@/lib/api/types";

export interface RunEventLike {
  type: EventName;
  run_id: string;
  seq: number;
  ms: number;
  data: Record<string, unknown>;
}

export interface Expansion {
  kind: "hyde_expand" | "paraphrase";
  text: string;
  by: string;
  degraded: string | null;
}

export interface RoundView {
  number: number;
  query: string | null;
  startedMs: number;
  endedMs: number | null;
  expansion: Expansion | null;
  papers: PaperBrief[] | null;
  confidence: number | null;
  retrievalFailed: string | null;
  reranked: boolean;
  verdicts: Relevance[] | null;
  judgedBy: string | null;
  judgeDegraded: string | null;
  refined: { query: string; reason: string; repeated: boolean; by: string } | null;
  passed: boolean | null;
  note: string | null;
  end: string | null;
  /** Whether no round follows; null in traces that do not tell. */
  last: boolean | null;
  /** The rest is of research: null, or empty, where a library alone is asked. */
  databases: DatabaseReply[];
  worksKnown: number | null;
  worksNew: number | null;
  coverage: CoverageView | null;
  /** What is searched for next, beside the question. */
  followUps: string[];
}

export interface Step {
  seq: number;
  type: EventName;
  ms: number;
  data: Record<string, unknown>;
}

export interface Spending {
  calls: number;
  attempts: number;
  tokens: number;
  /** null as soon as one price is unknown: a sum that leaves calls out would say too little. */
  cost: number | null;
  failed: number;
}

export interface Draft {
  text: string;
  sentences: Sentence[];
  status: Status;
  differentials: Differential[];
  fields: Record<string, string>;
}

export type Phase = "idle" | "connecting" | "running" | "reconnecting" | "done" | "failed" | "cancelled";

export interface RunView {
  phase: Phase;
  question: string;
  collection: string | null;
  localOnly: boolean;
  research: boolean;
  runId: string | null;
  papersInCollection: number | null;
  maxRounds: number | null;
  ms: number;
  lastSeq: number;
  parsed: { ms: number; shape: string; intent: string; kind: string; concepts: string[]; clarification: string | null } | null;
  rounds: RoundView[];
  steps: Step[];
  spending: Spending;
  draft: Draft | null;
  checks: Check[];
  topics: Topic[];
  warnings: string[];
  answer: Answer | null;
  error: string | null;
  recorded: boolean;
}

export const IDLE: RunView = {
  phase: "idle",
  question: "",
  collection: null,
  localOnly: false,
  research: false,
  runId: null,
  papersInCollection: null,
  maxRounds: null,
  ms: 0,
  lastSeq: -1,
  parsed: null,
  rounds: [],
  steps: [],
  spending: { calls: 0, attempts: 0, tokens: 0, cost: 0, failed: 0 },
  draft: null,
  checks: [],
  topics: [],
  warnings: [],
  answer: null,
  error: null,
  recorded: false,
};

export type RunAction =
  | { do: "ask"; question: string; collection: string | null; localOnly: boolean; research?: boolean }
  | { do: "open"; runId: string; recorded: boolean }
  | { do: "event"; event: RunEventLike }
  | { do: "lost" }
  | { do: "fail"; message: string }
  | { do: "stop" }
  | { do: "reset" };

export function reduce(view: RunView, action: RunAction): RunView {
  switch (action.do) {
    case "ask":
      return {
        ...IDLE,
        phase: "connecting",
        question: action.question,
        collection: action.collection,
        localOnly: action.localOnly,
        research: action.research === true,
      };
    case "open":
      return { ...IDLE, phase: "connecting", runId: action.runId, recorded: action.recorded };
    case "event":
      return withEvent(view, action.event);
    case "lost":
      return isOver(view) ? view : { ...view, phase: "reconnecting" };
    case "fail":
      return { ...view, phase: "failed", error: action.message };
    case "stop":
      return isOver(view) ? view : { ...view, phase: "cancelled" };
    case "reset":
      return IDLE;
  }
}

export function isOver(view: RunView): boolean {
  return view.phase === "done" || view.phase === "failed" || view.phase === "cancelled";
}

export function isLive(view: RunView): boolean {
  return view.phase === "connecting" || view.phase === "running" || view.phase === "reconnecting";
}

function withEvent(before: RunView, event: RunEventLike): RunView {
  // A stream taken up again may tell an event twice.
  if (event.seq <= before.lastSeq) return before.phase === "reconnecting" ? { ...before, phase: "running" } : before;
  const view: RunView = {
    ...before,
    phase: isOver(before) ? before.phase : "running",
    runId: event.run_id,
    lastSeq: event.seq,
    ms: event.ms,
  };
  const apply = HANDLERS[event.type];
  return apply ? apply(view, event) : withStep(view, event);
}

type Handler = (view: RunView, event: RunEventLike) => RunView;

const HANDLERS: Partial<Record<EventName, Handler>> = {
  run_started: (view, { data }) => {
    const facts = record(data.collection_facts);
    const rules = record(data.rules);
    const research = data.research ? record(data.research) : null;
    const iterations = research?.enabled === true ? (number(research.max_iterations) ?? 0) : 0;
    return {
      ...view,
      question: text(data.question) ?? view.question,
      collection: text(data.collection) ?? view.collection,
      localOnly: data.local_only === true,
      papersInCollection: number(facts.papers),
      research: research !== null,
      maxRounds: research ? 1 + iterations : number(rules.max_rounds),
    };
  },
  question_parsed: (view, { data, ms }) => ({
    ...view,
    parsed: {
      ms,
      shape: text(data.shape) ?? "",
      intent: text(data.intent) ?? "",
      kind: text(data.query_kind) ?? "",
      concepts: texts(data.core_concepts),
      clarification: text(data.clarification),
    },
  }),
  hyde_expand: expanded,
  paraphrase: expanded,
  retrieval: (view, event) =>
    withRound(view, event, (round) => ({
      ...round,
      query: text(event.data.query),
      confidence: number(event.data.confidence),
      retrievalFailed: text(event.data.failed),
      papers: list(event.data.candidates).map(paperBrief),
      reranked: event.data.rerank_engaged === true,
      worksKnown: number(event.data.known),
      worksNew: number(event.data.new),
    })),
  // Databases are asked before the round has a number: it is the one after the last that was retrieved.
  providers: (view, event) =>
    withRound(view, event, (round) => ({ ...round, databases: databaseReplies(event.data) }), retrieved(view) + 1),
  coverage_assessed: (view, event) =>
    withRound(view, event, (round) => ({ ...round, coverage: coverageOf(event.data) }), retrieved(view)),
  follow_up: (view, event) =>
    withRound(view, event, (round) => ({ ...round, followUps: texts(event.data.queries) }), retrieved(view)),
  relevance_check: (view, event) =>
    withRound(view, event, (round) => ({
      ...round,
      verdicts: list(event.data.verdicts) as unknown as Relevance[],
      judgedBy: text(event.data.by),
      judgeDegraded: text(event.data.degraded),
    })),
  refine_query: (view, event) =>
    withRound(view, event, (round) => ({
      ...round,
      refined: {
        query: text(event.data.query) ?? "",
        reason: text(event.data.reason) ?? "",
        repeated: event.data.repeated === true,
        by: text(event.data.by) ?? "",
      },
    })),
  round_finished: (view, event) =>
    withRound(view, event, (round) => {
      const entry = record(event.data.entry);
      return {
        ...round,
        query: text(entry.query) ?? round.query,
        // A round of research that brings nothing new judges nothing: what was judged before stands.
        verdicts: round.verdicts ?? (round.worksKnown === null ? null : (list(entry.verdicts) as unknown as Relevance[])),
        endedMs: event.ms,
        passed: entry.passed === true,
        note: text(entry.note),
        end: text(event.data.end),
        last: typeof event.data.last === "boolean" ? event.data.last : null,
      };
    }),
  // What was read whole is cited by passages that retrieval did not have.
  full_text: (view, event) => {
    const read = new Map(list(event.data.candidates).map(paperBrief).map((paper) => [paper.id, paper]));
    const papers = (round: RoundView) => round.papers?.map((paper) => read.get(paper.id) ?? paper) ?? null;
    return { ...withStep(view, event), rounds: view.rounds.map((round) => ({ ...round, papers: papers(round) })) };
  },
  topics: (view, { data }) => ({ ...view, topics: list(data.closest_topics) as unknown as Topic[] }),
  model_call: (view, { data }) => ({ ...view, spending: spent(view.spending, record(data.call)) }),
  answer_drafted: (view, event) => ({
    ...withStep(view, event),
    draft: {
      text: text(event.data.text) ?? "",
      sentences: list(event.data.sentences) as unknown as Sentence[],
      status: (text(event.data.status) ?? "answered") as Status,
      differentials: list(event.data.differentials) as unknown as Differential[],
      fields: record(event.data.fields) as Record<string, string>,
    },
  }),
  check: (view, { data }) => ({ ...view, checks: [...view.checks, data as unknown as Check] }),
  warning: (view, event) => {
    const message = text(event.data.message) ?? "";
    const told = tellsOfLoss(message, view.rounds.at(-1)?.databases ?? []);
    return { ...(told ? view : withStep(view, event)), warnings: [...view.warnings, message] };
  },
  answer: (view, { data }) => {
    const answer = record("answer" in data && !("status" in data) ? data.answer : data) as unknown as Answer;
    return { ...view, phase: "done", answer, question: answer.question ?? view.question };
  },
  error: (view, { data }) => ({ ...view, phase: "failed", error: text(data.message) ?? "The run failed." }),
  cancelled: (view) => ({ ...view, phase: "cancelled" }),
};

function expanded(view: RunView, event: RunEventLike): RunView {
  const kind = event.type === "paraphrase" ? "paraphrase" : "hyde_expand";
  return withRound(view, event, (round) => ({
    ...round,
    expansion: {
      kind,
      text: text(event.data.expansion) ?? "",
      by: text(event.data.by) ?? "",
      degraded: text(event.data.degraded),
    },
  }));
}

function retrieved(view: RunView): number {
  return view.rounds.filter((round) => round.papers !== null).length;
}

function withRound(
  view: RunView,
  event: RunEventLike,
  change: (round: RoundView) => RoundView,
  which = number(event.data.round) ?? 1,
): RunView {
  const known = view.rounds.some((round) => round.number === which);
  const rounds = known ? view.rounds : [...view.rounds, newRound(which, event.ms)];
  return { ...view, rounds: rounds.map((round) => (round.number === which ? change(round) : round)) };
}

function newRound(which: number, ms: number): RoundView {
  return {
    number: which,
    query: null,
    startedMs: ms,
    endedMs: null,
    expansion: null,
    papers: null,
    confidence: null,
    retrievalFailed: null,
    reranked: false,
    verdicts: null,
    judgedBy: null,
    judgeDegraded: null,
    refined: null,
    passed: null,
    note: null,
    end: null,
    last: null,
    databases: [],
    worksKnown: null,
    worksNew: null,
    coverage: null,
    followUps: [],
  };
}

function withStep(view: RunView, event: RunEventLike): RunView {
  return {
    ...view,
    steps: [...view.steps, { seq: event.seq, type: event.type, ms: event.ms, data: event.data }],
  };
}

function spent(before: Spending, call: Record<string, unknown>): Spending {
  const free = call.outcome === "cached";
  const cost = free ? 0 : number(call.cost);
  const failed = ["error", "timeout", "rate_limited", "invalid"].includes(String(call.outcome));
  return {
    calls: before.calls + (call.attempt === 1 ? 1 : 0),
    attempts: before.attempts + 1,
    tokens: before.tokens + (free ? 0 : (number(call.prompt_tokens) ?? 0) + (number(call.completion_tokens) ?? 0)),
    cost: cost === null || before.cost === null ? null : before.cost + cost,
    failed: before.failed + (failed ? 1 : 0),
  };
}
