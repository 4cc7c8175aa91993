"use client";

import { CornerDownLeft } from "lucide-react";
import { useEffect, useId, useRef, useState } from "react";

import { ModeSwitch, ResearchOptions } from "./research-choice";
import { Button } from "@/components/ui/button";
import { Select } from "@/components/ui/field";
import { Switch } from "@/components/ui/switch";
import type { Collection, Provider } from "@/lib/api/types";
import { objection, type Choice } from "@/lib/choice";
import { cn } from "@/lib/classes";

interface Props {
  compact: boolean;
  question: string;
  collections: Collection[];
  collection: string | null;
  localOnly: boolean;
  choice: Choice;
  providers: Provider[] | null;
  providersError: string | null;
  webEnabled: boolean;
  hint: string | null;
  busy: boolean;
  onCollection: (name: string) => void;
  onLocalOnly: (only: boolean) => void;
  onChoice: (change: Partial<Choice>) => void;
  onAsk: (question: string) => void;
}

const LONGEST = 8000; // the server's own bound

export function AskForm(props: Props) {
  const { compact, collections, collection, localOnly, choice, hint, busy } = props;
  const [text, setText] = useState(props.question);
  const [wrong, setWrong] = useState<string | null>(null);
  const research = choice.mode === "research" && !localOnly;
  const box = useRef<HTMLTextAreaElement>(null);
  const id = useId();

  // A question asked from elsewhere (an example, a topic, a run opened again) stands in the box.
  const [shown, setShown] = useState(props.question);
  if (shown !== props.question) {
    setShown(props.question);
    setText(props.question);
  }

  useEffect(() => {
    // Not where it would call up a keyboard that covers half of the page.
    if (!compact && window.matchMedia("(pointer: fine)").matches) box.current?.focus({ preventScroll: true });
  }, [compact]);

  const submit = () => {
    const question = text.trim();
    const reason = question === "" ? "Write a question first." : research ? objection(choice, props.providers ?? []) : null;
    setWrong(reason);
    if (question === "") return box.current?.focus();
    if (reason === null) props.onAsk(question);
  };

  const change = (changed: Partial<Choice>) => {
    setWrong(null);
    props.onChoice(changed);
  };

  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        submit();
      }}
      role="search"
      aria-label="Ask your papers"
    >
      <label htmlFor={id} className={compact ? "label flex min-h-8 items-center" : "sr-only"}>
        {compact ? "Ask again" : "Your question"}
      </label>
      <ModeSwitch mode={choice.mode} localOnly={localOnly} onMode={(mode) => change({ mode })} />
      <div className="rounded-lg border border-input/70 bg-card transition-colors focus-within:border-primary focus-within:ring-1 focus-within:ring-primary hover:border-input">
        <textarea
          id={id}
          ref={box}
          value={text}
          maxLength={LONGEST}
          rows={compact ? 2 : 3}
          placeholder="Ask a question about these papers"
          aria-invalid={wrong !== null || undefined}
          aria-describedby={`${id}-hint`}
          onChange={(event) => {
            setText(event.target.value);
            setWrong(null);
          }}
          onKeyDown={(event) => {
            if (event.key === "Enter" && !event.shiftKey && !event.nativeEvent.isComposing) {
              event.preventDefault();
              submit();
            }
          }}
          className={cn(
            "block field-sizing-content w-full resize-none bg-transparent font-serif outline-none placeholder:text-muted-foreground",
            compact ? "min-h-14 px-3 pt-2.5 pb-1 text-base leading-snug" : "min-h-24 px-5 pt-4 pb-2 text-xl leading-snug",
          )}
        />
        <div className={cn("flex flex-wrap items-center gap-y-2", compact ? "gap-x-2 px-2 pb-2" : "gap-x-4 px-3 pb-3")}>
          {collections.length > 0 && (
            <Select
              aria-label="Collection"
              value={collection ?? ""}
              onChange={(event) => props.onCollection(event.target.value)}
              className="h-8 border-transparent bg-transparent px-1.5 text-xs hover:bg-muted"
            >
              {collections.map(({ name }) => (
                <option key={name}>{name}</option>
              ))}
            </Select>
          )}
          <label className="flex items-center gap-2 text-xs text-muted-foreground">
            <Switch checked={localOnly} onCheckedChange={props.onLocalOnly} aria-label="Local only" />
            Local only
          </label>
          <Button type="submit" variant="primary" size={compact ? "small" : "default"} disabled={busy} className="ml-auto">
            Ask <CornerDownLeft aria-hidden className="opacity-80" />
          </Button>
        </div>
      </div>
      <p id={`${id}-hint`} className={cn("mt-2 text-xs", wrong ? "text-bad" : "text-muted-foreground")} role={wrong ? "alert" : undefined}>
        {wrong ?? (localOnly ? "The question stays on this machine." : (hint ?? ""))}
      </p>
      {research && (
        <ResearchOptions
          compact={compact}
          choice={choice}
          collection={collection}
          providers={props.providers}
          error={props.providersError}
          onChange={change}
        />
      )}
    </form>
  );
}
