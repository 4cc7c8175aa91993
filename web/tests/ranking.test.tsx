import { renderToStaticMarkup } from "react-dom/server";
import { expect, test } from "vitest";

import { Ranking } from "@/components/search/ranking";
import type { SearchAnswer, SearchHit } from "@/lib/api/types";

const hit = (rank: number, title: string, retracted: boolean): SearchHit => ({
  chunk_id: `c${rank}`,
  paper_id: `p${rank}`,
  title,
  retracted,
  source_file: null,
  page: null,
  heading: null,
  text: "A passage.",
  score: 1 / rank,
  rank,
  rerank_score: null,
  source: "local",
  source_url: null,
  signals: {},
});

test("a retracted paper is marked where it is found, and no other", () => {
  const results = [hit(1, "A sound trial", false), hit(2, "A withdrawn trial", true)];
  const found = { results, warning: null } as unknown as SearchAnswer;
  const html = renderToStaticMarkup(<Ranking found={found} own="hybrid" others={{}} pointed={null} onPoint={() => undefined} />);
  const [, sound, withdrawn] = html.split("<li");
  expect(sound).not.toContain("Retracted");
  expect(withdrawn).toContain("A withdrawn trial");
  expect(withdrawn).toContain("Retracted");
});
