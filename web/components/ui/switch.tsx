"use client";

import type { ComponentProps } from "react";

import { cn } from "@/lib/classes";

interface Props extends Omit<ComponentProps<"button">, "onChange"> {
  checked: boolean;
  onCheckedChange: (checked: boolean) => void;
}

/** A button of its own: the ready-made one puts a hidden field with inline style into the page, which the policy refuses. */
export function Switch({ checked, onCheckedChange, className, ...props }: Props) {
  return (
    <button
      type="button"
      role="switch"
      aria-checked={checked}
      onClick={() => onCheckedChange(!checked)}
      className={cn(
        "inline-flex h-5 w-9 shrink-0 items-center rounded-full border border-input bg-muted transition-colors aria-checked:border-primary aria-checked:bg-primary",
        className,
      )}
      {...props}
    >
      <span
        aria-hidden
        className={cn(
          "block size-3.5 rounded-full transition-transform",
          checked ? "translate-x-[1.1rem] bg-primary-foreground" : "translate-x-0.5 bg-input",
        )}
      />
    </button>
  );
}
