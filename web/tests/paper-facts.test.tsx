import { renderToStaticMarkup } from "react-dom/server";
import { expect, test } from "vitest";

import { answer, paper } from "./events";
import { Coverage } from "@/components/answer/coverage";
import { DatabaseDetails, DatabaseFacts, PaperLinks } from "@/components/answer/paper-facts";

const LABELS = {
  providers: ["openalex", "pubmed"],
  cross_verified: true,
  citations: 1200,
  conflicts: ["year: the records disagree (2004, 2005)"],
  has_preprint: ["doi:10.1101/2020.01.01"],
  retracted_by: ["arxiv:2101.00001", "javascript:alert(1)"],
};

const words = (html: string) => html.replace(/<[^>]+>/g, " ").replace(/\s+/g, " ").trim();

test("a paper of the databases says who has it, how often it is cited and that records disagree", () => {
  const facts = words(renderToStaticMarkup(<DatabaseFacts labels={LABELS} />));
  expect(facts).toBe("records disagree cited by 1,200 found in OpenAlex and PubMed");
  expect(words(renderToStaticMarkup(<DatabaseFacts labels={{ ...LABELS, conflicts: [] }} />))).toMatch(/which agree$/);
  expect(words(renderToStaticMarkup(<DatabaseFacts labels={{ providers: ["openalex"] }} />))).toBe(
    "citations unknown found in OpenAlex",
  );
  expect(renderToStaticMarkup(<DatabaseFacts labels={{ condition: "PSP" }} />)).toBe("");
});

test("what records disagree on and the works that belong to a paper are told, those with a known id as links", () => {
  const html = renderToStaticMarkup(<DatabaseDetails labels={LABELS} />);
  expect(words(html)).toContain("year: the records disagree (2004, 2005)");
  expect([...html.matchAll(/href="([^"]+)"/g)].map(([, href]) => href)).toEqual([
    "https://doi.org/10.1101/2020.01.01",
    "https://arxiv.org/abs/2101.00001",
  ]);
});

test("links open apart from the page and lead nowhere but into the web", () => {
  const html = renderToStaticMarkup(<PaperLinks paper={paper("p", [1], { ids: { doi: "10.1/x" }, url: "javascript:alert(1)" })} />);
  expect(html.match(/<a /g)).toHaveLength(1);
  expect(html).toContain('href="https://doi.org/10.1/x"');
  expect(html).toContain('rel="noopener noreferrer"');
});

test("coverage says what is missing, who was lost and why looking again ended", () => {
  const research = {
    coverage_assessment: { sufficient: false, missing_aspects: ["dose", "children"], why: "1 of at least 6 papers kept", by: "offline" },
    end: "nothing_new", follow_ups: ["dose in children"], works_known: 5, papers_kept: 1, providers: ["openalex", "crossref"],
    providers_lost: { crossref: "Crossref failed with status 500." }, kept: { papers: 1, collection: "glia", reason: null },
  };
  const told = words(renderToStaticMarkup(<Coverage answer={answer({ research })} />));
  for (const said of [
    "Coverage thin : 1 of at least 6 papers kept.", "found no new paper", "Missing: dose; children.",
    "Crossref could not be searched: Crossref failed with status 500.", "From OpenAlex and the library: 5 works after merging, 1 of the best addresses the question.",
    "1 paper kept in glia.",
  ]) {
    expect(told).toContain(said);
  }
  expect(renderToStaticMarkup(<Coverage answer={answer()} />)).toBe("");
});
