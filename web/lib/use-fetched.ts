"use client";

import { useCallback, useEffect, useState } from "react";

import { sentence } from "@/lib/api/client";

export interface Fetched<T> {
  data: T | null;
  error: string | null;
  loading: boolean;
  again: () => void;
}

/**
 * What `fetcher` gives, fetched anew whenever `key` changes; nothing while `key` is null. A reply that comes after the
 * key has changed is dropped, so that a slow first answer cannot overwrite a quick second one.
 */
export function useFetched<T>(key: string | null, fetcher: () => Promise<T>): Fetched<T> {
  const [round, setRound] = useState(0);
  const [state, setState] = useState<{ for: string | null; data: T | null; error: string | null }>({
    for: null,
    data: null,
    error: null,
  });
  const wanted = key === null ? null : `${round} ${key}`;

  useEffect(() => {
    if (wanted === null) return;
    let current = true;
    fetcher().then(
      (data) => current && setState({ for: wanted, data, error: null }),
      (error: unknown) => current && setState((before) => ({ for: wanted, data: before.data, error: sentence(error) })),
    );
    return () => {
      current = false;
    };
    // The key stands for everything that the fetcher reads.
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, [wanted]);

  const again = useCallback(() => setRound((before) => before + 1), []);
  const settled = state.for === wanted;
  return {
    data: wanted !== null && sameKey(state.for, key) ? state.data : null,
    error: settled ? state.error : null,
    loading: wanted !== null && !settled,
    again,
  };
}

function sameKey(stored: string | null, key: string | null): boolean {
  return stored !== null && key !== null && stored.slice(stored.indexOf(" ") + 1) === key;
}
