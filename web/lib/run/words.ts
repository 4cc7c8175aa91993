/** What the page says of verdicts, statuses and steps: one place, so that a word means the same everywhere. */

import type { Answer, Relevance, Status, Verdict } from "@/lib/api/types";
import { fullTexts } from "./research";
import runWords from "./run-words.json";
import statuses from "./statuses.json";
import type { RoundView, RunView, Step } from "./view";
import { count, seconds } from "@/lib/format";

export type Tone = "good" | "bad" | "warn" | "open";

export const VERDICTS: Record<Verdict, { word: string; tone: Tone; meaning: string }> = {
  quoted: {
    word: "quoted",
    tone: "good",
    meaning: "The source contains these words. Whether they answer the question is for you to judge.",
  },
  supported: { word: "supported", tone: "good", meaning: "The cited passages support this sentence." },
  partly: { word: "partly supported", tone: "warn", meaning: "The cited passages support part of this sentence." },
  unsupported: { word: "unsupported", tone: "bad", meaning: "The cited passages do not support this sentence." },
  contradicted: { word: "contradicted", tone: "bad", meaning: "The cited passages say the opposite." },
  uncited: { word: "uncited", tone: "warn", meaning: "This sentence has no citation." },
  invalid_marker: { word: "invalid marker", tone: "bad", meaning: "This sentence cites a paper that was not given." },
  unverifiable: { word: "unverifiable", tone: "warn", meaning: "The cited passages neither confirm nor deny this sentence." },
  unverified: { word: "not verified", tone: "open", meaning: "This sentence has not been checked." },
};

/** The probability from which a paper that was kept is called relevant without a "possibly", as in run_words.py. */
const LIKELY = 0.5;

/** What is said of a judged paper, and how sure that is (0-1): of an irrelevant one the rest of its probability. */
export function relevanceOf(verdict: Relevance["verdict"], confidence: number): { word: string; tone: Tone; sure: number | null } {
  const { relevant, possibly, irrelevant, unknown } = runWords.relevance;
  if (verdict === "relevant") {
    return confidence >= LIKELY
      ? { word: relevant, tone: "good", sure: confidence }
      : { word: possibly, tone: "open", sure: confidence };
  }
  if (verdict === "irrelevant") return { word: irrelevant, tone: "open", sure: 1 - confidence };
  return { word: unknown, tone: "warn", sure: null };
}

/** "2 of 5 papers relevant, 1 possibly", as the command line has it. */
export function shareOf(verdicts: readonly Pick<Relevance, "verdict" | "confidence">[]): string {
  if (verdicts.length === 0) return "No paper to judge";
  const { relevant, possibly, unknown } = runWords.relevance;
  const kept = verdicts.filter(({ verdict }) => verdict === "relevant");
  const likely = kept.filter(({ confidence }) => confidence >= LIKELY).length;
  const unjudged = verdicts.filter(({ verdict }) => verdict === "unknown").length;
  const of = count(verdicts.length, "paper");
  const said =
    likely > 0 || kept.length === 0
      ? `${likely} of ${of} ${relevant}${kept.length > likely ? `, ${kept.length - likely} possibly` : ""}`
      : `${kept.length} of ${of} ${possibly}`;
  return unjudged > 0 ? `${said}, ${unjudged} ${unknown}` : said;
}

/** Of a paper that was kept, where none of them turned out to address the question. */
export const WEAK: { word: string; tone: Tone } = { word: "weak match", tone: "open" };

/** The verdict of a sentence as a whole: the worst of its pairs decides, and a sentence without citations is uncited. */
export function worst(verdicts: readonly Verdict[]): Verdict {
  const order: Verdict[] = [
    "contradicted",
    "unsupported",
    "invalid_marker",
    "uncited",
    "partly",
    "unverifiable",
    "unverified",
    "supported",
    "quoted",
  ];
  return order.find((verdict) => verdicts.includes(verdict)) ?? "uncited";
}

/** From the table that the command line and the documentation read, too: see scripts/reference.py. */
export const STATUSES = Object.fromEntries(
  Object.entries(statuses).map(([status, { label }]) => [status, label]),
) as Record<Status, string>;

/** What a status means, in a sentence; null where the answer speaks for itself. */
export function explanation(answer: Answer): string | null {
  switch (answer.status) {
    case "answered":
      return null;
    case "out_of_scope":
      // A filter left nothing to search: the answer's text names it.
      if (answer.trace.length > 0 && answer.trace.every((round) => round.retrieved.length === 0)) return null;
      // A run of research looked beyond the collection.
      return answer.research
        ? "None of the papers found addresses the question, so nothing was written."
        : statuses[answer.status].meaning;
    case "degraded":
      return answer.papers.some((paper) => paper.relevance === "unknown") ? statuses[answer.status].meaning : null;
    default:
      return statuses[answer.status].meaning;
  }
}

const GATES: Record<string, string> = runWords.gate;

/** A step as a headline and, where there is one, a line that says why. */
export function stepWords({ type, data }: Step): { head: string; detail?: string; tone?: Tone } | null {
  const say = (value: unknown): string => (typeof value === "string" ? value : "");
  switch (type) {
    case "gate": {
      const decision = say(data.decision);
      return { head: GATES[decision] ?? decision, detail: say(data.why), tone: decision === "answer" ? "good" : "warn" };
    }
    case "dispatch":
      return {
        head: data.mode === "sequential" ? "Read the papers one at a time" : "Read the papers together",
        detail: say(data.reason),
      };
    case "compress":
      return data.passthrough
        ? { head: "Passages sent uncompressed", detail: say(data.passthrough) }
        : { head: `Compressed ${data.tokens_before} tokens to ${data.tokens_after}` };
    case "extract": {
      const contract = (data.contract ?? {}) as Record<string, unknown>;
      const read = Array.isArray(data.passages) ? data.passages.length : 0;
      const found = contract.complete_answer_found ? "the answer" : contract.answer_found ? "a part" : "no answer";
      return {
        head: `Read ${count(read, "passage")}: ${found}`,
        detail: say(data.degraded) || (data.retried ? "The first reply of the model was not valid, so it was asked again." : ""),
        tone: contract.answer_found ? "good" : "warn",
      };
    }
    case "answer_drafted":
      return { head: "Answer drafted" };
    case "citation_check":
      return data.degraded
        ? { head: data.by === "offline" ? "Citations checked without the model" : "Citations checked in part", detail: say(data.degraded), tone: "warn" }
        : { head: `${count(Number(data.checks ?? 0), "citation")} checked against the original text` };
    case "differential_check":
      return { head: "Alternatives checked", detail: say(data.degraded) };
    case "full_text": {
      const { whole, papers, reasons } = fullTexts(data);
      return {
        head: `Read ${whole} of ${count(papers, "paper")} in full`,
        detail: reasons.length > 0 ? `Of the others, only the abstract: ${reasons.join(" ")}` : "",
        tone: whole > 0 ? "good" : "open",
      };
    }
    case "summarize":
      return { head: "Summarised", detail: say(data.degraded) };
    case "warning":
      return { head: "Warning", detail: say(data.message), tone: "warn" };
    case "rerank":
      return { head: "Reranked" };
    default:
      return null;
  }
}

const ENDS: Record<string, string> = runWords.end;

/** Why a round ended as it did. */
export function roundOutcome(round: RoundView): string | null {
  if (round.retrievalFailed) return round.retrievalFailed;
  if (round.judgeDegraded) return `Relevance could not be judged: ${round.judgeDegraded}`;
  if (round.passed === null) return null;
  const verdicts = round.verdicts ?? [];
  if (round.worksKnown !== null) return found(round, verdicts);
  const share = `${shareOf(verdicts)}.`;
  if (round.passed) return share;
  return [share, ENDS[round.end ?? (round.last ? "exhausted" : "next")]].filter(Boolean).join(" ");
}

function found(round: RoundView, verdicts: readonly Relevance[]): string {
  const relevant = verdicts.filter((verdict) => verdict.verdict === "relevant").length;
  const works = count(round.worksKnown ?? 0, "work");
  const fresh = round.number === 1 ? `${works} after merging.` : `${round.worksNew ?? 0} new, ${works} in all.`;
  if (verdicts.length === 1) return `${fresh} ${relevant} of 1 paper addresses the question.`;
  return `${fresh} ${relevant} of the ${count(verdicts.length, "best paper")} address the question.`;
}

export const COVERAGE = {
  sufficient: { word: "Coverage sufficient", tone: "good" },
  thin: { word: "Coverage thin", tone: "warn" },
} as const satisfies Record<string, { word: string; tone: Tone }>;

/** Why research ended when coverage was still thin. */
export const RESEARCH_ENDS: Record<string, string> = {
  nothing_new: "The further search found no new paper.",
  exhausted: "All rounds are used.",
  no_follow_up: "There were no further queries to try.",
  budget: "The budget is too small for another round.",
  retrieval_failed: "The further search failed.",
  disabled: "Further searches are switched off.",
  judge_failed: "Relevance could not be judged.",
};

/** One line for screen readers and for the narrow page: where the run stands now. */
export function standing(view: RunView): string {
  switch (view.phase) {
    case "idle":
      return "";
    case "connecting":
      return "Sending the question";
    case "reconnecting":
      return "Connection lost, reconnecting";
    case "failed":
      return "No answer"; // the reason stands once, where the answer would
    case "cancelled":
      return "Cancelled";
    case "done":
      return view.answer ? `${STATUSES[view.answer.status]} after ${seconds(view.ms)}` : "Done";
    case "running":
      return doing(view);
  }
}

function doing(view: RunView): string {
  if (view.draft) return `Checking citations, ${view.checks.length} done`;
  if (view.steps.some((step) => step.type === "dispatch")) return "Reading the papers";
  const round = view.rounds.at(-1);
  if (!round) return view.research && view.parsed ? "Asking the databases" : "Understanding the question";
  const name = `Round ${round.number}`;
  if (view.research) return researching(round, name);
  if (round.passed !== null) {
    return round.passed || round.last ? "Deciding whether to answer" : `${name} found too little, searching again`;
  }
  if (round.verdicts) return `${name}: refining the question`;
  if (round.papers) return `${name}: judging ${count(round.papers.length, "paper")}`;
  return `${name}: searching`;
}

function researching(round: RoundView, name: string): string {
  if (round.followUps.length > 0) return `${name}: looking for what is missing`;
  if (round.coverage) return round.coverage.sufficient ? "Deciding whether to answer" : `${name}: coverage is thin`;
  if (round.endedMs !== null) return "Assessing coverage";
  if (round.papers) return `${name}: judging ${count(round.papers.length, "paper")}`;
  return `${name}: merging and ranking what was found`;
}
