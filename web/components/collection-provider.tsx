"use client";

import { createContext, useCallback, useContext, useMemo, useState, useSyncExternalStore } from "react";
import type { ReactNode } from "react";

import { api } from "@/lib/api/client";
import type { Collection, CollectionDetail } from "@/lib/api/types";
import { useFetched } from "@/lib/use-fetched";

interface Holding {
  collections: Collection[];
  /** The collection that is asked, searched and shown: the one chosen, else the largest. */
  name: string | null;
  webEnabled: boolean;
  loading: boolean;
  error: string | null;
  choose: (name: string) => void;
  /** What the collection holds and what its domain says of it, fetched once for all parts of the page. */
  detail: CollectionDetail | null;
  detailError: string | null;
  again: () => void;
}

const HoldingContext = createContext<Holding | null>(null);
const KEPT_AS = "litloop-collection";

export function useCollection(): Holding {
  const holding = useContext(HoldingContext);
  if (!holding) throw new Error("useCollection needs a CollectionProvider above it.");
  return holding;
}

/** What the domain of a collection calls the alternatives of an answer. */
export function useAlternativesTitle(collection: string | null): string {
  const { name, detail } = useCollection();
  return (name === collection && detail?.page.alternatives_title) || "Also possible";
}

export function CollectionProvider({ children }: { children: ReactNode }) {
  const { data, error, loading, again: listAgain } = useFetched("collections", api.collections);
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

  const collections = useMemo(() => data?.collections ?? [], [data]);
  const name = useMemo(() => {
    const held = (wanted: string | null) => collections.find((one) => one.name === wanted)?.name;
    const largest = collections.toSorted((a, b) => b.papers - a.papers)[0]?.name;
    return held(chosen) ?? held(kept) ?? largest ?? null;
  }, [collections, chosen, kept]);
  const { data: detail, error: detailError, again: detailAgain } = useFetched(name, () => api.collection(name ?? ""));

  const again = useCallback(() => {
    listAgain();
    detailAgain();
  }, [listAgain, detailAgain]);

  const webEnabled = data?.web_enabled ?? false;
  const holding = useMemo(
    () => ({ collections, name, webEnabled, loading, error, choose, detail, detailError, again }),
    [collections, name, webEnabled, loading, error, choose, detail, detailError, again],
  );

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
