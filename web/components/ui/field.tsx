import type { ComponentProps } from "react";

import { cn } from "@/lib/classes";

const look =
  "w-full rounded-md border border-input/60 bg-card text-sm text-foreground placeholder:text-muted-foreground hover:border-input disabled:opacity-50";

export function Input({ className, ...props }: ComponentProps<"input">) {
  return <input className={cn(look, "h-9 px-3", className)} {...props} />;
}

/** The browser's own list: it is reachable by every keyboard and reader there is, and needs no inline style. */
export function Select({ className, ...props }: ComponentProps<"select">) {
  return <select className={cn(look, "h-9 w-auto max-w-full cursor-pointer truncate px-2.5 pr-7", className)} {...props} />;
}
