/** How a question is asked: of the library alone or of the databases too. Pure; the hook that keeps it is beside. */

import type { Provider } from "@/lib/api/types";

export interface Choice {
  mode: "library" | "research";
  /** Databases that the reader has switched off. Those that are not named are asked, new ones too. */
  off: string[];
  since: string;
  keep: boolean;
}

/** What a research question carries beside its words. */
export interface ResearchAsk {
  /** null: all that are enabled. */
  providers: string[] | null;
  since: number | null;
  keep: boolean;
}

export const FIRST_CHOICE: Choice = { mode: "library", off: [], since: "", keep: false };

/** What was kept in the browser, made whole: it may stem from another version, or be nonsense. */
export function choiceFrom(kept: string | null): Choice {
  if (!kept) return FIRST_CHOICE;
  try {
    const found = JSON.parse(kept) as Partial<Record<keyof Choice, unknown>>;
    return {
      mode: found.mode === "research" ? "research" : "library",
      off: Array.isArray(found.off) ? found.off.filter((name): name is string => typeof name === "string") : [],
      since: typeof found.since === "string" ? found.since.slice(0, 4) : "",
      keep: found.keep === true,
    };
  } catch {
    return FIRST_CHOICE;
  }
}

/** The databases that answer questions, with whether each will be asked. */
export function searchable(providers: readonly Provider[], choice: Choice): (Provider & { asked: boolean })[] {
  return providers
    .filter((one) => one.searched)
    .map((one) => ({ ...one, asked: able(one) && !choice.off.includes(one.name) }));
}

/** Whether a database can be asked at all. */
export function able(provider: Provider): boolean {
  return provider.enabled && provider.state !== "off";
}

/** Why the choice cannot be asked, in a sentence; null when it can. */
export function objection(choice: Choice, providers: readonly Provider[]): string | null {
  if (choice.since && !/^[12]\d{3}$/.test(choice.since)) return "Write the year with four digits, such as 2015.";
  if (providers.length > 0 && !searchable(providers, choice).some((one) => one.asked)) return "Choose at least one database.";
  return null;
}

/** Null where the library alone is asked. */
export function researchAsk(choice: Choice, providers: readonly Provider[], localOnly: boolean): ResearchAsk | null {
  if (choice.mode !== "research" || localOnly) return null;
  const rows = searchable(providers, choice);
  const asked = rows.filter((one) => one.asked).map(({ name }) => name);
  return {
    providers: rows.every((one) => one.asked || !able(one)) ? null : asked,
    since: choice.since ? Number(choice.since) : null,
    keep: choice.keep,
  };
}
