"use client";

import { Switch as Primitive } from "radix-ui";
import type { ComponentProps } from "react";

import { cn } from "@/lib/classes";

export function Switch({ className, ...props }: ComponentProps<typeof Primitive.Root>) {
  return (
    <Primitive.Root
      className={cn(
        "inline-flex h-5 w-9 shrink-0 items-center rounded-full border border-input bg-muted transition-colors data-[state=checked]:border-primary data-[state=checked]:bg-primary",
        className,
      )}
      {...props}
    >
      <Primitive.Thumb className="block size-3.5 translate-x-0.5 rounded-full bg-input transition-transform data-[state=checked]:translate-x-[1.15rem] data-[state=checked]:bg-primary-foreground" />
    </Primitive.Root>
  );
}
