import { describe, expect, test } from "vitest";

import { answer, events, paper, viewOf } from "./events";
import { choiceFrom, FIRST_CHOICE, objection, researchAsk, searchable } from "@/lib/choice";
import { linksOf, webAddress } from "@/lib/format";
import type { Answer, Provider } from "@/lib/api/types";
import { sourceOf } from "@/lib/run/reading";
import { researchOf } from "@/lib/run/research";
import { toMarkdown } from "@/lib/run/export";
import { replayed } from "@/lib/run/replay";
import { IDLE, reduce, type RunEventLike } from "@/lib/run/view";
import { explanation, roundOutcome, standing, stepWords } from "@/lib/run/words";
import { elsewhere } from "@/components/source/selection";

const verdict = (paper_id: string, said: string) => ({ paper_id, verdict: said, confidence: 0.5, why: "" });
const candidate = (id: string, retracted = false) => ({ paper: { id, title: id, year: 2020, retracted }, score: 0.5, signals: {} });
const reply = (provider: string, works: number) => ({ provider, works, total: works, failure: null, reason: "" });
const LOST = { crossref: "Crossref failed with status 500." };

const RESEARCH: RunEventLike[] = events(
  ["run_started", { question: "Why?", rules: { max_rounds: 2 }, research: { enabled: true, max_iterations: 1 } }],
  ["question_parsed", { shape: "single" }],
  ["providers", {
    queries: ["Why?"], asked: ["openalex", "pubmed", "crossref"], replies: [reply("openalex", 4), reply("pubmed", 1), reply("crossref", 0)],
    providers_lost: LOST, partly_lost: {},
  }],
  ["warning", { message: "crossref could not be searched: Crossref failed with status 500." }],
  ["retrieval", { round: 1, query: "Why?", confidence: null, candidates: [candidate("a"), candidate("b", true)], known: 4, new: 4 }],
  ["relevance_check", { round: 1, by: "offline", verdicts: [verdict("a", "relevant"), verdict("b", "irrelevant")] }],
  ["round_finished", { round: 1, entry: { query: "Why?", passed: false, verdicts: [] } }],
  ["coverage_assessed", { iteration: 0, sufficient: false, missing_aspects: ["dose"], why: "1 of at least 6 papers kept", by: "offline" }],
  ["follow_up", { iteration: 1, queries: ["dose of it", "dose in trials"] }],
  ["providers", {
    queries: ["dose of it", "dose in trials"], asked: ["openalex", "pubmed"],
    replies: [reply("openalex", 2), reply("pubmed", 1), reply("openalex", 3), reply("pubmed", 0)],
    providers_lost: {}, partly_lost: { pubmed: "PubMed timed out." },
  }],
  ["retrieval", { round: 2, query: "dose of it | dose in trials", candidates: [candidate("a")], known: 4, new: 0 }],
  ["round_finished", { round: 2, entry: { query: "dose of it | dose in trials", passed: false, verdicts: [verdict("a", "relevant")] } }],
  ["full_text", { papers: [{ paper_id: "a", whole: true, reason: "" }, { paper_id: "b", whole: false, reason: "No open copy is known." }] }],
);

describe("a research run built from its events", () => {
  const view = viewOf(RESEARCH);

  test("each round says who was asked, how many records each had, and who was lost", () => {
    expect(view.research).toBe(true);
    expect(view.maxRounds).toBe(2);
    expect(view.rounds[0]?.databases).toEqual([
      { name: "openalex", records: 4, lost: null, partly: null },
      { name: "pubmed", records: 1, lost: null, partly: null },
      { name: "crossref", records: 0, lost: LOST.crossref, partly: null },
    ]);
    expect(view.rounds[1]?.databases).toEqual([
      { name: "openalex", records: 5, lost: null, partly: null },
      { name: "pubmed", records: 1, lost: null, partly: "PubMed timed out." },
    ]);
  });

  test("a loss is told once, where it happened, and still counts among the warnings", () => {
    expect(view.steps.filter((step) => step.type === "warning")).toEqual([]);
    expect(view.warnings).toHaveLength(1);
    const other = viewOf(events(["warning", { message: "Something else." }]), view);
    expect(other.steps).toEqual(view.steps); // an event told before changes nothing
    const fresh = reduce(view, { do: "event", event: { type: "warning", data: { message: "Something else." }, seq: 99, ms: 1, run_id: "run-1" } });
    expect(fresh.steps.at(-1)?.type).toBe("warning");
  });

  test("coverage and what is looked for once more stand at the round that they judge", () => {
    expect(view.rounds[0]).toMatchObject({
      coverage: { sufficient: false, missing: ["dose"], by: "offline" },
      followUps: ["dose of it", "dose in trials"],
    });
    expect(view.rounds[1]).toMatchObject({ coverage: null, followUps: [] });
  });

  test("a round that brings nothing new keeps the verdicts of the one before", () => {
    expect(roundOutcome(view.rounds[0]!)).toBe("4 works after merging. 1 of the 2 best papers address the question.");
    expect(roundOutcome(view.rounds[1]!)).toBe("0 new, 4 works in all. 1 of 1 paper addresses the question.");
  });

  test("full texts are counted, with the reasons why others stay abstracts", () => {
    const step = view.steps.find((one) => one.type === "full_text")!;
    expect(stepWords(step)).toEqual({
      head: "Read 1 of 2 papers in full", detail: "Of the others, only the abstract: No open copy is known.", tone: "good",
    });
  });

  test("a retraction is known before the answer comes", () => {
    expect(view.rounds[0]?.papers?.map((one) => one.retracted)).toEqual([false, true]);
  });

  test("a citation that is looked at before the answer comes finds its passage among what was retrieved and read", () => {
    const hit = (id: string, text: string, key: number) => ({ passage: { id, text, key, page: null, heading: "" } });
    const found = [{ ...candidate("a"), hits: [hit("a::1", "An abstract.", 0)] }, { ...candidate("b"), hits: [hit("b::1", "Of the library.", 7)] }];
    const drafted = viewOf(events(["retrieval", { round: 1, candidates: found, known: 2, new: 2 }]));
    expect(elsewhere(sourceOf(drafted, "a"), "a::1", "abstract")).toMatchObject({ text: "An abstract." });
    expect(elsewhere(sourceOf(drafted, "b"), "b::1", "library")).toBeNull();
    const whole = { ...candidate("a"), hits: [hit("a::9", "From the whole text.", 0)] };
    const read = viewOf([...events(["retrieval", { round: 1, candidates: found, known: 2, new: 2 }], ["full_text", { candidates: [whole], papers: [] }])]);
    expect(elsewhere(sourceOf(read, "a"), "a::9", "whole")).toMatchObject({ text: "From the whole text." });
    expect(read.rounds[0]?.papers?.map((one) => one.id)).toEqual(["a", "b"]);
  });

  test("where the run stands is told in its own words", () => {
    const at = (events: number) => standing(viewOf(RESEARCH.slice(0, events)));
    expect(at(2)).toBe("Asking the databases");
    expect(at(3)).toBe("Round 1: merging and ranking what was found");
    expect(at(5)).toBe("Round 1: judging 2 papers");
    expect(at(7)).toBe("Assessing coverage");
    expect(at(8)).toBe("Round 1: coverage is thin");
    expect(at(9)).toBe("Round 1: looking for what is missing");
  });

  test("a stream, a run taken up again in the middle and a replay end in the same view", async () => {
    const lost = reduce(viewOf(RESEARCH.slice(0, 7)), { do: "lost" });
    expect(viewOf(RESEARCH.slice(5), lost)).toEqual(view);
    let again = IDLE;
    for await (const event of replayed(RESEARCH, new AbortController().signal, async () => undefined)) {
      again = reduce(again, { do: "event", event });
    }
    expect(again).toEqual(view);
  });

  test("nonsense in the events of research breaks nothing", () => {
    const broken = viewOf(
      events(["providers", { asked: 3, replies: "none", providers_lost: [] }], ["coverage_assessed", {}], ["follow_up", { queries: null }], ["full_text", {}]),
    );
    expect(broken.rounds.every((round) => round.databases.length === 0 && round.followUps.length === 0)).toBe(true);
  });

  test("without research a run is told as before", () => {
    const plain = viewOf(
      events(
        ["run_started", { question: "Q", rules: { max_rounds: 2 } }],
        ["retrieval", { round: 1, candidates: [candidate("a")] }],
        ["round_finished", { round: 1, entry: { passed: true, verdicts: [verdict("a", "relevant")] } }],
      ),
    );
    expect(plain).toMatchObject({ research: false, maxRounds: 2 });
    expect(plain.rounds[0]).toMatchObject({ verdicts: null, worksKnown: null, databases: [] });
  });
});

describe("what an answer says of its research", () => {
  test("is read field by field", () => {
    const told = researchOf(
      answer({
        research: {
          coverage_assessment: { sufficient: true, missing_aspects: [], why: "7 of at least 6 papers kept", by: "model" },
          end: "sufficient", follow_ups: [], works_known: 31, papers_kept: 7, providers: ["openalex"], providers_lost: LOST,
          kept: { papers: 7, collection: "c", reason: null },
        },
      }),
    );
    expect(told).toMatchObject({
      coverage: { sufficient: true, by: "model" }, worksKnown: 31, lost: LOST, kept: { papers: 7, collection: "c", reason: null },
    });
    expect(researchOf(answer({ research: null }))).toBeNull();
  });

  test("tells databases that cannot be reached from a literature without papers", () => {
    const research = { providers: ["openalex"], providers_lost: { openalex: "OpenAlex cannot be reached." } };
    expect(explanation(answer({ status: "retrieval_failed", research }))).toMatch(/could not be searched/);
    expect(explanation(answer({ status: "out_of_scope", research }))).toMatch(/papers found/);
    expect(explanation(answer({ status: "out_of_scope" }))).toMatch(/of this collection/);
  });

  test("leaves it to the answer's own text which filter left nothing, and which part did not work", () => {
    const round = { retrieved: [] } as unknown as Answer["trace"][number];
    expect(explanation(answer({ status: "out_of_scope", trace: [round] }))).toBeNull();
    expect(explanation(answer({ status: "degraded", papers: [] }))).toBeNull();
  });

  test("goes along when the answer is taken away as Markdown, markup in it undone", () => {
    const research = {
      coverage_assessment: { sufficient: false, missing_aspects: ["<b>dose</b>"], why: "1 of at least 6 papers kept", by: "offline" },
      providers_lost: LOST,
    };
    const taken = toMarkdown(answer({ research }));
    expect(taken).toContain("> Coverage thin: 1 of at least 6 papers kept.");
    expect(taken).toContain("> Missing: \\<b\\>dose\\</b\\>.");
    expect(taken).toContain("> Crossref could not be searched: Crossref failed with status 500.");
    expect(toMarkdown(answer())).not.toContain("Coverage");
  });
});

describe("how a question is asked", () => {
  const provider = (name: string, more: Partial<Provider> = {}): Provider => ({
    name, searched: true, enabled: true, state: "ok", sentence: "", ...more,
  });
  const there = [provider("openalex"), provider("pubmed"), provider("arxiv", { enabled: false, state: "off" }), provider("unpaywall", { searched: false })];
  const research = { ...FIRST_CHOICE, mode: "research" as const };

  test("databases that are off or cannot be searched are not asked", () => {
    expect(searchable(there, research).map(({ name, asked }) => [name, asked])).toEqual([["openalex", true], ["pubmed", true], ["arxiv", false]]);
    expect(researchAsk(research, there, false)).toEqual({ providers: null, since: null, keep: false });
    expect(researchAsk({ ...research, off: ["pubmed"], since: "2015" }, there, false)).toEqual({ providers: ["openalex"], since: 2015, keep: false });
  });

  test("local only asks no database whatever was chosen", () => {
    expect(researchAsk(research, there, true)).toBeNull();
    expect(researchAsk(FIRST_CHOICE, there, false)).toBeNull();
  });

  test("no database at all, and half a year, are objected to", () => {
    expect(objection(research, there)).toBeNull();
    expect(objection({ ...research, off: ["openalex", "pubmed"] }, there)).toMatch(/at least one/);
    expect(objection({ ...research, since: "20" }, there)).toMatch(/four digits/);
  });

  test("what the browser kept is made whole", () => {
    expect(choiceFrom(JSON.stringify({ ...research, keep: true }))).toEqual({ ...research, keep: true });
    for (const nonsense of [null, "", "{", "[]", "null", '{"mode":"all","off":7,"since":2015,"keep":"yes"}']) {
      expect(choiceFrom(nonsense)).toEqual(FIRST_CHOICE);
    }
  });
});

describe("links and papers from elsewhere", () => {
  test("only addresses of the web become links", () => {
    expect(webAddress("https://doi.org/10.1/x")).toBe("https://doi.org/10.1/x");
    for (const bad of ["javascript:alert(1)", "data:text/html,x", "file:///etc/passwd", "//x", "x", "", null, "https://a:b@c.org/"]) {
      expect(webAddress(bad)).toBeNull();
    }
    expect(linksOf({ ids: { doi: "10.1/x" }, url: "https://doi.org/10.1/x" })).toHaveLength(1);
    expect(linksOf({ ids: {}, url: "https://www.example.org/a" })).toEqual([{ name: "example.org", id: "", href: "https://www.example.org/a" }]);
    expect(linksOf({ ids: { doi: 'javascript:"' }, url: "javascript:alert(1)" })).toEqual([]);
  });

  test("a passage that is not stored is shown from the answer, a stored one is asked for", () => {
    const passage = { passage_id: "p::1", page: null, heading: null, text: "It was so." };
    const remote = paper("p", [1], { passages: [{ ...passage, stored: false }] });
    expect(elsewhere(remote, "p::1", "so")).toMatchObject({ text: "It was so." });
    expect(elsewhere(remote, "p::2", "was so")).toMatchObject({ text: "It was so." });
    expect(elsewhere(paper("p", [1], { passages: [{ ...passage, stored: true }] }), "p::1", "so")).toBeNull();
    expect(elsewhere(undefined, "p::1", "so")).toBeNull();
  });
});
