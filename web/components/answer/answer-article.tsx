"use client";

import { Byline } from "./byline";
import { Coverage } from "./coverage";
import { ExportButtons } from "./export-buttons";
import { FoundNothing } from "./found-nothing";
import { Alternatives, Fields } from "./alternatives";
import { LeftOut } from "./left-out";
import { Papers } from "./papers";
import { SentenceText } from "./sentence";
import { ValueTable } from "./value-table";
import type { Selection } from "@/components/source/selection";
import { Notice } from "@/components/ui/notice";
import { TextSkeleton } from "@/components/ui/skeleton";
import { columnsOf, disclaimer, isList, sentencesOf } from "@/lib/run/reading";
import { isLive, type RunView } from "@/lib/run/view";
import { explanation, VERDICTS, worst } from "@/lib/run/words";

interface Props {
  view: RunView;
  selection: Selection | null;
  onSelect: (selection: Selection) => void;
  onAsk: (question: string) => void;
}

export function AnswerArticle({ view, selection, onSelect, onAsk }: Props) {
  const sentences = sentencesOf(view);
  const { answer } = view;
  const reading = { view, selection, onSelect };
  return (
    <article aria-labelledby="question-asked" aria-busy={isLive(view)} className="max-w-[42rem]">
      <header>
        <h1
          id="question-asked"
          tabIndex={-1}
          className="font-serif text-2xl leading-tight font-medium tracking-[-0.01em] outline-none md:text-[2rem]"
        >
          {view.question || "A run"}
        </h1>
        <Byline view={view} />
      </header>
      {view.phase === "failed" && (
        <Notice tone="bad" className="mt-7" role="alert">
          {view.error}
        </Notice>
      )}
      {answer && <Coverage answer={answer} />}
      <Notes view={view} />
      {sentences.length > 0 ? (
        <Body {...reading} sentences={sentences} />
      ) : answer ? (
        <FoundNothing {...reading} answer={answer} onAsk={onAsk} />
      ) : (
        <Awaiting view={view} />
      )}
      {answer && (
        <>
          <LeftOut answer={answer} />
          <Fields answer={answer} />
          <Alternatives answer={answer} {...reading} />
          <Papers answer={answer} {...reading} />
          <ExportButtons answer={answer} collection={view.collection} />
        </>
      )}
    </article>
  );
}

function Body({ sentences, ...reading }: Omit<Props, "onAsk"> & { sentences: ReturnType<typeof sentencesOf> }) {
  const columns = columnsOf(reading.view);
  if (columns.length > 0) return <ValueTable {...reading} sentences={sentences} columns={columns} />;
  if (isList(reading.view)) {
    return (
      <ul className="reading mt-7 space-y-3.5">
        {sentences.map((sentence) => (
          <li key={sentence.index} className="relative pl-6 before:absolute before:left-0 before:text-muted-foreground before:content-['–']">
            <SentenceText {...reading} sentence={sentence} />
          </li>
        ))}
      </ul>
    );
  }
  return (
    <p className="reading mt-7">
      {sentences.map((sentence) => (
        <span key={sentence.index}>
          <SentenceText {...reading} sentence={sentence} />{" "}
        </span>
      ))}
    </p>
  );
}

function Notes({ view }: { view: RunView }) {
  const { answer } = view;
  if (!answer) return null;
  const before = disclaimer(view);
  const said = answer.sentences.length > 0 ? explanation(answer) : null;
  const degraded = answer.degraded && answer.status !== "degraded" ? answer.degraded_reason : null;
  const flagged = sentencesOf(view).filter((one) => ["bad", "warn"].includes(VERDICTS[worst(one.verdicts)].tone)).length;
  const asked = view.parsed?.clarification ?? "";
  const notes = [...new Set([asked, ...answer.notes, ...answer.caveats])].filter(
    (note) => note !== "" && note !== answer.degraded_reason,
  );
  if (!before && !said && !degraded && notes.length === 0 && flagged === 0) return null;
  return (
    <div className="mt-6 space-y-2">
      {before && (
        <Notice>
          <strong className="font-semibold">{answer.sparse_coverage ? "Sparse coverage." : "Low confidence."}</strong>{" "}
          {before}
        </Notice>
      )}
      {said && <Notice>{said}</Notice>}
      {flagged > 0 && (
        <Notice tone="bad">
          {flagged === 1 ? "One sentence is" : `${flagged} sentences are`} not fully supported. Each is marked in the text,
          with its verdict.
        </Notice>
      )}
      {degraded && (
        <Notice tone="warn">
          <strong className="font-semibold">Part of this run could not be done.</strong> {degraded}
        </Notice>
      )}
      {notes.map((note) => (
        <Notice key={note}>{note}</Notice>
      ))}
    </div>
  );
}

function Awaiting({ view }: { view: RunView }) {
  if (view.phase === "failed") return null;
  if (view.phase === "cancelled") {
    return <Notice className="mt-7">The run was cancelled. The timeline shows what it had found by then.</Notice>;
  }
  return <TextSkeleton lines={6} className="mt-8" />;
}
