"use client";

import { useCallback, useMemo, useState, useSyncExternalStore } from "react";

import { choiceFrom, type Choice } from "./choice";

const KEPT_AS = "litloop-research";

/** The choice, kept in this browser as the collection and the theme are. */
export function useChoice(): [Choice, (change: Partial<Choice>) => void] {
  const kept = useSyncExternalStore(subscribe, read, () => null);
  const [chosen, setChosen] = useState<Choice | null>(null);
  const choice = useMemo(() => chosen ?? choiceFrom(kept), [chosen, kept]);
  const change = useCallback(
    (changed: Partial<Choice>) => {
      const next = { ...choice, ...changed };
      setChosen(next);
      try {
        window.localStorage.setItem(KEPT_AS, JSON.stringify(next));
      } catch {
        // Storage may be refused; the choice then lasts as long as the page.
      }
    },
    [choice],
  );
  return [choice, change];
}

function subscribe(changed: () => void): () => void {
  window.addEventListener("storage", changed);
  return () => window.removeEventListener("storage", changed);
}

function read(): string | null {
  try {
    return window.localStorage.getItem(KEPT_AS);
  } catch {
    return null;
  }
}
