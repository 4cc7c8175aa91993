"use client";

import { useCallback, useEffect, useRef, useState } from "react";

import { AskForm } from "./ask-form";
import { Contents } from "./contents";
import { AnswerArticle } from "@/components/answer/answer-article";
import { useCollection } from "@/components/collection-provider";
import { useRun } from "@/components/run-provider";
import { SourceList } from "@/components/source/source-list";
import { SourcePane } from "@/components/source/source-pane";
import type { Selection } from "@/components/source/selection";
import { Timeline } from "@/components/timeline/timeline";
import { Button } from "@/components/ui/button";
import { Notice } from "@/components/ui/notice";
import { api } from "@/lib/api/client";
import { researchAsk } from "@/lib/choice";
import { useChoice } from "@/lib/use-choice";
import { useFetched } from "@/lib/use-fetched";
import { isLive } from "@/lib/run/view";

export function AskView() {
  const run = useRun();
  const holding = useCollection();
  const { view } = run;
  const [selection, setSelection] = useState<Selection | null>(null);
  const [localOnly, setLocalOnly] = useState(false);
  const [choice, setChoice] = useChoice();
  const source = useRef<HTMLDivElement>(null);
  const course = useRef<HTMLElement>(null);
  const chip = useRef<Element | null>(null);

  const providers = useFetched(choice.mode === "research" ? "providers" : null, api.providers);

  // What happens now stays in sight while it happens; then the question stands whole at the top again.
  const live = isLive(view);
  useEffect(() => {
    if (course.current) course.current.scrollTop = live ? course.current.scrollHeight : 0;
  }, [view, live]);

  // A run's address can be kept and opened again.
  useAddressOfRun();

  const ask = useCallback(
    async (question: string) => {
      setSelection(null);
      const listed = providers.data?.providers ?? (choice.off.length > 0 ? (await api.providers()).providers : []);
      const research = researchAsk(choice, listed, localOnly);
      run.ask({ question, collection: holding.name, localOnly, research });
      window.scrollTo({ top: 0, behavior: "smooth" });
    },
    [run, holding.name, localOnly, choice, providers.data],
  );

  const select = (next: Selection) => {
    chip.current = document.activeElement;
    setSelection(next);
    // Below the wide layout the source stands under the answer.
    requestAnimationFrame(() => {
      if (window.matchMedia("(max-width: 63.99rem)").matches) source.current?.scrollIntoView({ behavior: "smooth" });
    });
  };
  const close = () => {
    setSelection(null);
    if (chip.current instanceof HTMLElement) chip.current.focus();
  };

  const form = (compact: boolean) => (
    <AskForm
      compact={compact}
      question={view.question}
      collections={holding.collections}
      collection={holding.name}
      localOnly={localOnly}
      choice={choice}
      providers={providers.data?.providers ?? null}
      providersError={providers.error}
      webEnabled={holding.webEnabled}
      hint={compact ? null : (holding.detail?.generic_hint ?? null)}
      busy={isLive(view)}
      onCollection={holding.choose}
      onLocalOnly={setLocalOnly}
      onChoice={setChoice}
      onAsk={ask}
    />
  );

  if (view.phase === "idle") {
    return (
      <Front
        form={form(false)}
        examples={holding.detail?.example_questions ?? []}
        contents={
          holding.name && (
            <Contents collection={holding.name} topics={holding.detail?.topics ?? []} onAsk={ask} />
          )
        }
        error={holding.error}
        empty={choice.mode === "library" && !holding.loading && !holding.error && holding.collections.every(({ papers }) => papers === 0)}
        onAsk={ask}
      />
    );
  }

  return (
    <div className="mx-auto grid max-w-[100rem] gap-x-12 gap-y-10 px-4 pt-6 pb-16 sm:px-8 lg:grid-cols-[minmax(0,1fr)_22rem] xl:grid-cols-[19rem_minmax(0,43rem)_minmax(22rem,1fr)]">
      <aside
        ref={course}
        aria-label="Question and timeline"
        className="space-y-6 lg:col-span-2 xl:sticky xl:top-20 xl:col-span-1 xl:max-h-[calc(100vh-6rem)] xl:self-start xl:overflow-y-auto xl:px-1 xl:pb-4"
      >
        {form(true)}
        <Timeline view={view} onCancel={run.cancel} />
      </aside>
      <AnswerArticle view={view} selection={selection} onSelect={select} onAsk={ask} />
      <aside
        ref={source}
        aria-label="Source"
        className="scroll-mt-20 lg:sticky lg:top-20 lg:max-h-[calc(100vh-6rem)] lg:self-start lg:overflow-y-auto lg:px-1 lg:pb-4"
      >
        {selection ? (
          <SourcePane selection={selection} onClose={close} />
        ) : (
          <SourceList view={view} onSelect={select} />
        )}
      </aside>
    </div>
  );
}

interface FrontProps {
  form: React.ReactNode;
  contents: React.ReactNode;
  examples: string[];
  error: string | null;
  empty: boolean;
  onAsk: (question: string) => void;
}

function Front({ form, contents, examples, error, empty, onAsk }: FrontProps) {
  return (
    <div className="mx-auto grid max-w-[76rem] gap-x-24 gap-y-14 px-4 pt-10 pb-20 sm:px-8 md:pt-20 lg:grid-cols-[minmax(0,1fr)_24rem]">
      <div>
        <h1 className="font-serif text-[2.25rem] leading-[1.1] font-normal tracking-[-0.02em] md:text-[3.25rem]">
          Ask your papers.
        </h1>
        <p className="mt-4 max-w-[36rem] text-pretty font-serif text-lg leading-relaxed text-muted-foreground md:text-xl">
          Every sentence of the answer cites a passage and is checked against it. If the papers do not hold the answer,
          you are told so.
        </p>
        <div className="mt-8">{form}</div>
        {error && (
          <Notice tone="bad" className="mt-6" role="alert">
            {error}
          </Notice>
        )}
        {empty && (
          <Notice className="mt-6">
            This library is empty.{" "}
            <a href="/library/" className="link">
              Add papers
            </a>{" "}
            to ask about them.
          </Notice>
        )}
        {examples.length > 0 && (
          <section className="mt-8" aria-labelledby="examples">
            <h2 id="examples" className="label">
              For example
            </h2>
            <ul className="mt-2 space-y-1">
              {examples.map((example) => (
                <li key={example}>
                  <Button variant="link" className="h-auto justify-start py-0.5 text-left font-serif text-base whitespace-normal" onClick={() => onAsk(example)}>
                    {example}
                  </Button>
                </li>
              ))}
            </ul>
          </section>
        )}
      </div>
      <aside className="lg:pt-3">{contents}</aside>
    </div>
  );
}

/** Keeps `?run=` in step with the run that is shown, and opens the one that the address names. */
function useAddressOfRun(): void {
  const { view, open, replay } = useRun();
  const opened = useRef(false);

  useEffect(() => {
    if (opened.current) return;
    opened.current = true;
    const query = new URLSearchParams(window.location.search);
    const named = query.get("run");
    if (!named) return;
    if (query.has("replay")) replay(named);
    else if (named !== view.runId) open(named);
  }, [open, replay, view.runId]);

  useEffect(() => {
    const address = new URL(window.location.href);
    if (view.runId) address.searchParams.set("run", view.runId);
    else if (view.phase === "idle" && opened.current && address.searchParams.has("run")) return;
    address.searchParams.delete("replay");
    if (address.href !== window.location.href) window.history.replaceState(null, "", address);
  }, [view.runId, view.phase]);
}
