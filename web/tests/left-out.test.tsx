import { renderToStaticMarkup } from "react-dom/server";
import { expect, test } from "vitest";

import { answer } from "./events";
import { LeftOut } from "@/components/answer/left-out";

const words = (html: string) => html.replace(/<[^>]+>/g, " ").replace(/\s+/g, " ").trim();

test("statements that were left out can be read, each with its verdict, the reason and its quotes", () => {
  const left_out = [
    { text: "Sales <b>doubled</b>.", verdict: "unsupported" as const, why: "its quote is not there", quotes: ["sales doubled"] },
    { text: "Nobody knows.", verdict: "uncited" as const, why: "it cites nothing", quotes: [] },
  ];
  const html = renderToStaticMarkup(<LeftOut answer={answer({ left_out })} />);
  expect(html).not.toContain("<b>");
  expect(words(html)).toMatch(/^2 statements left out of the answer .*unsupported .*its quote is not there sales doubled Nobody knows. .*uncited/);
});

test("an answer that left nothing out, or was kept before this was told, shows nothing", () => {
  expect(renderToStaticMarkup(<LeftOut answer={answer()} />)).toBe("");
  expect(renderToStaticMarkup(<LeftOut answer={answer({ left_out: undefined })} />)).toBe("");
});
