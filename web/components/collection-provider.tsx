"use client";

import { createContext, useCallback, useContext, useMemo, useState, useSyncExternalStore } from "react";
import type { ReactNode } from "react";

import { api } from "@/lib/api/client";
import type { Collection } from "@/lib/api/types";
import { useFetched } from "@/lib/use-fetched";

interface Holding {
  collections: Collection[];
  /** The collection that is asked, searched and shown: the one chosen, else the largest. */
  name: string | null;
  webEnabled: boolean;
  loading: boolean;
  error: string | null;
  choose: (name: string) => void;
  again: () => void;
}

const HoldingContext = createContext<Holding | null>(null);
const KEPT_AS = "litloop-collection";

export function useCollection(): Holding {
  const holding = useContext(HoldingContext);
  if (!holding) throw new Error("useCollection needs a CollectionProvider above it.");
  return holding;
}

export function CollectionProvider({ children }: { children: ReactNode }) {
  const { data, error, loading, again } = useFetched("collections", api.collections);
  const kept = useSyncExternalStore(subscribe, readKept, () => null);
  const [chosen, setChosen] = useState<string | null>(null);

  const choose = useCallback((name: string) => {
    setChosen(name);
    try {
      window.localStorage.setItem(KEPT_AS, name);
    } catch {
      // Storage may be refused; the choice then lasts as long as the page.
    }
  }, []);

  const holding = useMemo(() => {
    const collections = data?.collections ?? [];
    const held = (name: string | null) => collections.find((one) => one.name === name)?.name;
    const largest = collections.toSorted((a, b) => b.papers - a.papers)[0]?.name;
    return {
      collections,
      name: held(chosen) ?? held(kept) ?? largest ?? null,
      webEnabled: data?.web_enabled ?? false,
      loading,
      error,
      choose,
      again,
    };
  }, [data, chosen, kept, loading, error, choose, again]);

  return <HoldingContext.Provider value={holding}>{children}</HoldingContext.Provider>;
}

function subscribe(changed: () => void): () => void {
  window.addEventListener("storage", changed);
  return () => window.removeEventListener("storage", changed);
}

function readKept(): string | null {
  try {
    return window.localStorage.getItem(KEPT_AS);
  } catch {
    return null;
  }
}
