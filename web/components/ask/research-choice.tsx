"use client";

import { ChevronRight } from "lucide-react";
import { useId } from "react";

import { Input } from "@/components/ui/field";
import { Notice } from "@/components/ui/notice";
import type { Provider } from "@/lib/api/types";
import { able, searchable, type Choice } from "@/lib/choice";
import { cn } from "@/lib/classes";
import { count, databaseName } from "@/lib/format";

interface ModeProps {
  mode: Choice["mode"];
  localOnly: boolean;
  onMode: (mode: Choice["mode"]) => void;
}

/** Which literature is asked: the library, or the databases with it. */
export function ModeSwitch({ mode, localOnly, onMode }: ModeProps) {
  const id = useId();
  const shown = localOnly ? "library" : mode;
  return (
    <fieldset className="mb-2.5 flex flex-wrap items-baseline gap-x-5 gap-y-1">
      <legend className="sr-only">Where to look for the answer</legend>
      {MODES.map(({ name, label, more }) => {
        const off = localOnly && name === "research";
        return (
          <label key={name} className={cn("group text-sm", off ? "cursor-not-allowed" : "cursor-pointer")}>
            <input
              type="radio"
              name={`${id}-mode`}
              className="peer sr-only"
              checked={shown === name}
              disabled={off}
              aria-describedby={off ? `${id}-why` : undefined}
              onChange={() => onMode(name)}
            />
            <span className="block border-b-2 border-transparent pb-1 font-medium text-muted-foreground peer-checked:border-primary peer-checked:text-foreground peer-focus-visible:rounded-xs peer-focus-visible:outline-2 peer-focus-visible:outline-offset-2 peer-focus-visible:outline-ring peer-enabled:group-hover:text-foreground">
              {label}
              {more && <span className="font-normal"> {more}</span>}
            </span>
          </label>
        );
      })}
      {localOnly && mode === "research" && (
        <span id={`${id}-why`} className="text-xs text-muted-foreground">
          Local only is on, so no database is asked.
        </span>
      )}
    </fieldset>
  );
}

const MODES = [
  { name: "library", label: "This library", more: null },
  { name: "research", label: "Research", more: "(databases too)" },
] as const;

interface OptionsProps {
  compact: boolean;
  choice: Choice;
  collection: string | null;
  providers: Provider[] | null;
  error: string | null;
  onChange: (change: Partial<Choice>) => void;
}

/** Which databases, from which year on, and whether what is found stays. */
export function ResearchOptions({ compact, choice, collection, providers, error, onChange }: OptionsProps) {
  const id = useId();
  const rows = searchable(providers ?? [], choice);
  const asked = rows.filter((one) => one.asked).length;
  const summary = [
    providers ? `${asked} of ${count(rows.length, "database")}` : "Databases",
    choice.since ? `since ${choice.since}` : null,
    choice.keep ? "adds relevant papers" : null,
  ];
  return (
    <details className="group/options mt-2 border-b pb-2" open={!compact}>
      <summary className="flex w-fit list-none items-center gap-1.5 py-1 text-xs text-muted-foreground hover:text-foreground">
        <ChevronRight aria-hidden className="size-3.5 transition-transform group-open/options:rotate-90" />
        {summary.filter(Boolean).join(", ")}
      </summary>
      {error && <Notice tone="warn" className="mt-2">{error}</Notice>}
      <fieldset className="mt-2">
        <legend className="sr-only">Databases to ask</legend>
        <ul className={cn("grid gap-x-8 gap-y-2.5", !compact && "sm:grid-cols-2")}>
          {rows.map((one) => (
            <Database
              key={one.name}
              provider={one}
              asked={one.asked}
              onToggle={() =>
                onChange({ off: one.asked ? [...choice.off, one.name] : choice.off.filter((name) => name !== one.name) })
              }
            />
          ))}
        </ul>
      </fieldset>
      <div className="mt-4 flex flex-wrap items-center gap-x-8 gap-y-3 pb-1 text-sm">
        <label htmlFor={`${id}-since`} className="flex items-center gap-2">
          Papers since
          <Input
            id={`${id}-since`}
            inputMode="numeric"
            maxLength={4}
            placeholder="any year"
            value={choice.since}
            onChange={(event) => onChange({ since: event.target.value.replace(/\D/g, "") })}
            className="h-8 w-24"
          />
        </label>
        <label className="flex items-center gap-2">
          <input type="checkbox" className="accent-primary" checked={choice.keep} onChange={() => onChange({ keep: !choice.keep })} />
          Add relevant papers{collection ? ` to ${collection}` : ""}
        </label>
      </div>
    </details>
  );
}

function Database({ provider, asked, onToggle }: { provider: Provider; asked: boolean; onToggle: () => void }) {
  const id = useId();
  const off = !able(provider);
  return (
    <li className="grid grid-cols-[1rem_1fr] items-baseline gap-x-2">
      <input
        id={id}
        type="checkbox"
        className="translate-y-[0.1em] accent-primary"
        checked={asked}
        disabled={off}
        aria-describedby={`${id}-help`}
        onChange={onToggle}
      />
      <div>
        <label htmlFor={id} className={cn("text-sm", off && "text-muted-foreground")}>
          {databaseName(provider.name)}
          {off && <span className="text-xs"> (off)</span>}
        </label>
        <p id={`${id}-help`} className={cn("text-xs", provider.state === "warn" ? "text-warn" : "text-muted-foreground")}>
          {provider.sentence}
        </p>
      </div>
    </li>
  );
}
