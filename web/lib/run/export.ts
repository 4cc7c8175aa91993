/** An answer as Markdown, complete enough to be checked away from the page: verdicts, quotes and papers included. */

import { byline, cost, count, databaseName, paperLinks, seconds } from "@/lib/format";
import type { Answer, Sentence } from "@/lib/api/types";
import { researchOf } from "./research";
import { COVERAGE, explanation, STATUSES, VERDICTS, worst } from "./words";

export function toMarkdown(answer: Answer, alternativesTitle = "Also possible"): string {
  const parts = [
    `# ${escape(answer.question)}`,
    `${STATUSES[answer.status]}. Run ${answer.run_id}.`,
    ...answer.notes.map((note) => `> ${escape(note)}`),
    coverage(answer),
    body(answer),
    fields(answer),
    alternatives(answer, alternativesTitle),
    topics(answer),
    sources(answer),
    ledger(answer),
  ];
  return `${parts.filter(Boolean).join("\n\n")}\n`;
}

function body(answer: Answer): string {
  if (answer.sentences.length === 0) return explanation(answer) ?? escape(answer.text);
  return answer.sentences.map(sentenceText).join(" ");
}

function sentenceText(sentence: Sentence): string {
  const verdict = worst(sentence.citations.map((citation) => citation.verdict));
  const flag = verdict === "supported" || verdict === "quoted" ? "" : ` *(${VERDICTS[verdict].word})*`;
  const markers = [...new Set(sentence.citations.map((citation) => `[${citation.marker}]`))].join("");
  return `${escape(sentence.text)}${markers ? ` ${markers}` : ""}${flag}`;
}

function coverage(answer: Answer): string {
  const research = researchOf(answer);
  if (!research) return "";
  const { coverage: verdict, lost } = research;
  const said = verdict && (verdict.sufficient ? COVERAGE.sufficient : COVERAGE.thin).word;
  const lines = [
    verdict ? `${said}: ${escape(verdict.why)}.` : "",
    verdict && verdict.missing.length > 0 ? `Missing: ${escape(verdict.missing.join("; "))}.` : "",
    ...Object.entries(lost).map(([name, why]) => `${escape(databaseName(name))} could not be searched: ${escape(why)}`),
  ];
  return lines.filter(Boolean).map((line) => `> ${line}`).join("\n>\n");
}

function fields(answer: Answer): string {
  return Object.entries(answer.fields)
    .map(([name, value]) => `**${escape(name.replaceAll("_", " "))} (not checked).** ${escape(value)}`)
    .join("\n\n");
}

function alternatives(answer: Answer, title: string): string {
  if (answer.differentials.length === 0) return "";
  const lines = answer.differentials.map(
    (one) => `- **${escape(one.condition)}** (${VERDICTS[one.verdict].word}): ${escape(one.why)}`,
  );
  return [`## ${escape(title)}`, lines.join("\n")].join("\n\n");
}

function topics(answer: Answer): string {
  if (answer.closest_topics.length === 0) return "";
  const lines = answer.closest_topics.map((topic) => `- ${escape(topic.name)} (${count(topic.papers, "paper")})`);
  return ["## Closest topics", lines.join("\n")].join("\n\n");
}

function sources(answer: Answer): string {
  const cited = answer.papers.filter((paper) => paper.markers.length > 0);
  if (cited.length === 0) return "";
  const lines = cited.map((paper) => {
    const markers = paper.markers.map((marker) => `[${marker}]`).join("");
    const links = paperLinks(paper.ids).map((link) => `[${link.name} ${escape(link.id)}](${address(link.href)})`);
    const about = [escape(byline(paper)), ...links, paper.retracted ? "**Retracted**" : ""].filter(Boolean).join(". ");
    const quotes = answer.sentences
      .flatMap((sentence) => sentence.citations)
      .filter((citation) => paper.markers.includes(citation.marker))
      .map((citation) => `  > ${escape(citation.quote)}${citation.page ? ` (p. ${citation.page})` : ""}`);
    return [`- ${markers} ${escape(paper.display_title)}${about ? ` ${about}` : ""}`, ...new Set(quotes)].join("\n\n");
  });
  return ["## Sources", lines.join("\n\n")].join("\n\n");
}

function ledger(answer: Answer): string {
  const spent = answer.ledger as { calls?: number; tokens?: number; cost_usd?: number | string; ms?: number };
  const calls = spent.calls ?? 0;
  const price = calls > 0 ? `, ${spent.tokens ?? 0} tokens, cost ${cost(spent.cost_usd)}` : "";
  return `---\n\n${calls === 0 ? "No model was called" : count(calls, "model call")}${price}, ${seconds(spent.ms ?? 0)}.`;
}

// Document text is data: it may not become markup in what is exported either.
function escape(text: string): string {
  return text.replace(/[\\`*_{}[\]<>#|]/g, "\\$&").replace(/\s+/g, " ").trim();
}

// A bracket would end a link's address: those of old DOIs are written as the web writes them.
function address(href: string): string {
  return href.replace(/[()<>]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`);
}
