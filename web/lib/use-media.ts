"use client";

import { useCallback, useSyncExternalStore } from "react";

/** Whether a media query holds now. False while the page is being exported. */
export function useMedia(query: string): boolean {
  const subscribe = useCallback(
    (changed: () => void) => {
      const media = window.matchMedia(query);
      media.addEventListener("change", changed);
      return () => media.removeEventListener("change", changed);
    },
    [query],
  );
  return useSyncExternalStore(
    subscribe,
    () => window.matchMedia(query).matches,
    () => false,
  );
}

export const THREE_COLUMNS = "(min-width: 80rem)";
