import { describe, expect, test } from "vitest";

import { answer, citation, events, paper, viewOf } from "./events";
import { toMarkdown } from "@/lib/run/export";
import { byMarker, disclaimer, sentencesOf } from "@/lib/run/reading";
import { worst } from "@/lib/run/words";

describe("what is read of a run", () => {
  test("checks reach the sentence and marker that they are about, while the draft stands", () => {
    const view = viewOf(
      events(
        ["answer_drafted", { text: "", sentences: [{ text: "A.", citations: [citation(1)] }, { text: "B.", citations: [citation(1)] }] }],
        ["check", { kind: "citation", sentence: 1, marker: 1, verdict: "unsupported", why: "", by: "offline" }],
      ),
    );
    expect(sentencesOf(view).map((one) => one.verdicts)).toEqual([["unverified"], ["unsupported"]]);
  });

  test("a sentence is as good as its worst pair, and one that cites nothing is uncited", () => {
    expect(worst(["supported", "contradicted", "unverified"])).toBe("contradicted");
    expect(worst(["supported", "supported"])).toBe("supported");
    expect(worst([])).toBe("uncited");
    const view = viewOf(events(["answer_drafted", { sentences: [{ text: "Bare.", citations: [] }] }]));
    expect(sentencesOf(view)[0]?.verdicts).toEqual(["uncited"]);
  });

  test("two quotes of one passage stand behind one chip", () => {
    const groups = byMarker([citation(2, "supported", "x"), citation(1), citation(2, "supported", "y")]);
    expect(groups.map((group) => group.map((one) => one.quote))).toEqual([["x", "y"], ["quote 1"]]);
  });

  test("the short value that was asked for is found in its sentence", () => {
    const items = [{ value: "19", type: "number", evidence: [], fields: {} }];
    const given = answer({ sentences: [{ text: "An SUVmax of 19.", citations: [citation(1, "supported")] }], items });
    expect(sentencesOf(viewOf(events(["answer", { ...given }])))[0]?.value).toBe("19");
  });

  test("the disclaimer is taken from before the text, and from nowhere else", () => {
    const sentences = [{ text: "It is so.", citations: [citation(1)] }];
    const sparse = answer({ sentences, sparse_coverage: true, text: "Few papers (4).\n\nIt is so [1]." });
    expect(disclaimer(viewOf(events(["answer", { ...sparse }])))).toBe("Few papers (4).");
    const plain = answer({ sentences, text: "Two paragraphs.\n\nIt is so [1]." });
    expect(disclaimer(viewOf(events(["answer", { ...plain }])))).toBeNull();
  });
});

describe("an answer as Markdown", () => {
  const given = answer({
    question: "Is <b>this</b> *so*?",
    sentences: [
      { text: "It is so.", citations: [citation(1, "supported", "so it is")] },
      { text: "It is not.", citations: [citation(1, "contradicted", "so it is")] },
    ],
    papers: [paper("p1", [1], { ids: { doi: "10.1/x", pmid: "javascript:alert(1)" }, retracted: true }), paper("p2", [])],
    differentials: [{ condition: "Other", why: "alike", paper_id: "p1", quote: "", verdict: "supported" }],
  });
  const text = toMarkdown(given);

  test("carries verdicts, quotes, papers and what it cost", () => {
    expect(text).toContain("It is so. [1] It is not. [1] *(contradicted)*");
    expect(text).toContain("> so it is");
    expect(text.match(/> so it is/g)).toHaveLength(1);
    expect(text).toContain("Title of p1");
    expect(text).not.toContain("Title of p2");
    expect(text).toContain("**Retracted**");
    expect(text).toContain("**Other** (supported)");
    expect(text).toContain("No model was called");
  });

  test("document text does not become markup, and no id becomes an address of another kind", () => {
    expect(text).toContain("# Is \\<b\\>this\\</b\\> \\*so\\*?");
    expect(text).toContain("https://doi.org/10.1/x");
    expect(text).not.toMatch(/\]\(javascript:/);
  });

  test("names of authors and journals, numbers and addresses are no markup either", () => {
    const odd = { authors: ["[A](http://evil.example)", "<img src=x>"], venue: "*J* of `x`", ids: { doi: "10.1002/(SICI)1<1::AID-X_>3.0" } };
    const exported = toMarkdown(answer({ papers: [paper("p1", [1], odd)] }));
    expect(exported).toContain("\\[A\\](http://evil.example), \\<img src=x\\> · \\*J\\* of \\`x\\`");
    expect(exported).toContain("10.1002/(SICI)1\\<1::AID-X\\_\\>3.0](https://doi.org/");
    expect(exported).not.toMatch(/doi\.org\/[^)]*[<>(]/);
  });

  test("no answer says why, with the closest topics", () => {
    const none = toMarkdown(answer({ status: "out_of_scope", closest_topics: [{ name: "T", similarity: 0.5, papers: 3 }] }));
    expect(none).toContain("nothing was written");
    expect(none).toContain("- T (3 papers)");
  });
});
