import { describe, expect, test } from "vitest";

import { events, viewOf } from "./events";
import { IDLE, isOver, reduce } from "@/lib/run/view";
import { relevanceOf, roundOutcome, shareOf, standing, stepWords } from "@/lib/run/words";

const verdict = (paper_id: string, said: string) => ({ paper_id, verdict: said, confidence: 0.5, why: "" });
const candidate = (id: string) => ({ paper: { id, title: `Title of ${id}`, year: 2020 }, score: 0.5, signals: { bm25: 3 } });

describe("a run built from its events", () => {
  test("two rounds stand one under the other, the first with why it failed and what was asked next", () => {
    const view = viewOf(
      events(
        ["run_started", { question: "Why?", collection: "c", rules: { max_rounds: 2 }, collection_facts: { papers: 9 } }],
        ["hyde_expand", { round: 1, expansion: "An imagined passage.", by: "model" }],
        ["retrieval", { round: 1, query: "Why?", confidence: 0.4, candidates: [candidate("a"), candidate("b")] }],
        ["relevance_check", { round: 1, by: "model", verdicts: [verdict("a", "irrelevant"), verdict("b", "relevant")] }],
        ["refine_query", { round: 1, query: "Why exactly?", reason: "1/2", repeated: false }],
        ["round_finished", { round: 1, end: null, entry: { query: "Why?", passed: false, note: "flagged" } }],
        ["retrieval", { round: 2, query: "Why exactly?", confidence: 0.8, candidates: [candidate("c")] }],
      ),
    );
    expect(view.rounds.map((round) => round.number)).toEqual([1, 2]);
    expect(view.rounds[0]).toMatchObject({ passed: false, refined: { query: "Why exactly?" }, expansion: { text: "An imagined passage." } });
    expect(roundOutcome(view.rounds[0]!)).toBe("1 of 2 papers relevant. Too few, so the query is refined.");
    expect(view.rounds[1]).toMatchObject({ query: "Why exactly?", papers: [{ id: "c", year: 2020 }], verdicts: null });
    expect(standing(view)).toBe("Round 2: judging 1 paper");
    expect(view).toMatchObject({ question: "Why?", papersInCollection: 9, maxRounds: 2, phase: "running" });
  });

  test("the last round is not said to be followed by another", () => {
    const told = (more: Record<string, unknown>) =>
      viewOf(
        events(
          ["retrieval", { round: 2, query: "Q", candidates: [candidate("a")] }],
          ["relevance_check", { round: 2, by: "offline", verdicts: [verdict("a", "irrelevant")] }],
          ["round_finished", { round: 2, end: null, entry: { query: "Q", passed: false }, ...more }],
        ),
      );
    expect(roundOutcome(told({ last: true }).rounds[0]!)).toBe("0 of 1 paper relevant. All rounds are used.");
    expect(standing({ ...told({ last: true }), phase: "running" })).toBe("Deciding whether to answer");
    expect(roundOutcome(told({ last: false }).rounds[0]!)).toContain("the query is refined");
  });

  test("what signals alone kept is possibly relevant, and how sure a verdict is stands with it", () => {
    const judged = (said: "relevant" | "irrelevant" | "unknown", confidence: number) => ({ verdict: said, confidence });
    expect(shareOf([judged("relevant", 0.27), judged("relevant", 0.1), judged("irrelevant", 0.05)])).toBe(
      "2 of 3 papers possibly relevant",
    );
    expect(shareOf([judged("relevant", 0.9), judged("relevant", 0.1), judged("unknown", 0)])).toBe(
      "1 of 3 papers relevant, 1 possibly, 1 not judged",
    );
    expect(shareOf([])).toBe("No paper to judge");
    expect(relevanceOf("irrelevant", 0.1)).toMatchObject({ word: "not relevant", sure: 0.9 });
    expect(relevanceOf("relevant", 0.06)).toMatchObject({ word: "possibly relevant", sure: 0.06 });
  });

  test("going on to read promises no answer", () => {
    const step = { seq: 1, type: "gate" as const, ms: 1, data: { decision: "answer", why: "Relevant papers were found." } };
    expect(stepWords(step)).toMatchObject({ head: "Reading the papers" });
  });

  test("an event told twice, after a lost connection, counts once", () => {
    const call = { call: { attempt: 1, outcome: "ok", prompt_tokens: 10, completion_tokens: 5, cost: 0.01 } };
    const told = events(["run_started", { question: "Q" }], ["model_call", call]);
    const lost = reduce(viewOf(told), { do: "lost" });
    expect(lost.phase).toBe("reconnecting");
    const again = viewOf(told, lost);
    expect(again.spending.tokens).toBe(15);
    expect(again.phase).toBe("running");
  });

  test("a cost that is unknown once stays unknown, whatever else is known", () => {
    const call = (cost: number | null, outcome = "ok") =>
      ["model_call", { call: { attempt: 1, outcome, prompt_tokens: 1, completion_tokens: 0, cost } }] as ["model_call", object];
    const calls = [call(0.5), call(null), call(0.25)].map(([type, data]) => [type, data as Record<string, unknown>] as const);
    expect(viewOf(events(...calls.map(([a, b]) => [a, b] as ["model_call", Record<string, unknown>]))).spending.cost).toBeNull();
    const cached = viewOf(events(["model_call", call(null, "cached")[1] as Record<string, unknown>]));
    expect(cached.spending).toMatchObject({ cost: 0, tokens: 0, calls: 1 });
  });

  test("attempts of one call are attempts, not calls", () => {
    const attempt = (number: number, outcome: string): ["model_call", Record<string, unknown>] => [
      "model_call",
      { call: { attempt: number, outcome, prompt_tokens: 100, completion_tokens: 0, cost: null } },
    ];
    const { spending } = viewOf(events(attempt(1, "timeout"), attempt(2, "ok")));
    expect(spending).toMatchObject({ calls: 1, attempts: 2, failed: 1, tokens: 200 });
  });

  test("a judge that failed is told as such, never as papers that do not fit", () => {
    const view = viewOf(
      events(
        ["retrieval", { round: 1, query: "Q", candidates: [candidate("a")] }],
        ["relevance_check", { round: 1, by: "model", degraded: "gave no answer within 15 s.", verdicts: [verdict("a", "unknown")] }],
        ["round_finished", { round: 1, end: "judge_failed", entry: { query: "Q", passed: false } }],
      ),
    );
    expect(roundOutcome(view.rounds[0]!)).toBe("Relevance could not be judged: gave no answer within 15 s.");
  });

  test("the answer ends the run, and a cancelled one stays cancelled when a last event comes late", () => {
    const done = viewOf(events(["run_started", { question: "Q" }], ["answer", { status: "answered", question: "Q" }]));
    expect(done.phase).toBe("done");
    expect(isOver(done)).toBe(true);
    const stopped = reduce(viewOf(events(["run_started", { question: "Q" }])), { do: "stop" });
    const late = viewOf(events(["run_started", {}], ["gate", { decision: "answer" }]), stopped);
    expect(late.phase).toBe("cancelled");
  });

  test("events of a kind that this page does not know, and data of the wrong kind, break nothing", () => {
    const view = viewOf([
      ...events(["retrieval", { round: "one", candidates: "none", confidence: "high" }], ["question_parsed", {}]),
      { type: "telepathy" as never, data: {}, seq: 2, ms: 1, run_id: "run-1" },
    ]);
    expect(view.rounds[0]).toMatchObject({ number: 1, papers: [], confidence: null });
    expect(view.lastSeq).toBe(2);
  });

  test("a new question leaves nothing of the last run", () => {
    const before = viewOf(events(["warning", { message: "careful" }]));
    const after = reduce(before, { do: "ask", question: "Next?", collection: null, localOnly: true });
    expect(after).toEqual({ ...IDLE, phase: "connecting", question: "Next?", localOnly: true });
  });
});
