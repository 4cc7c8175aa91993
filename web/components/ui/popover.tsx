"use client";

import { Popover as Primitive } from "radix-ui";
import type { ComponentProps } from "react";

import { cn } from "@/lib/classes";

export const Popover = Primitive.Root;
export const PopoverAnchor = Primitive.Anchor;

export function PopoverContent({ className, sideOffset = 6, ...props }: ComponentProps<typeof Primitive.Content>) {
  return (
    <Primitive.Portal>
      <Primitive.Content
        sideOffset={sideOffset}
        collisionPadding={12}
        className={cn(
          "arrive z-50 w-88 max-w-[calc(100vw-1.5rem)] rounded-lg border bg-card p-4 text-foreground shadow-[0_8px_30px_rgb(0_0_0/0.12)] outline-none",
          className,
        )}
        {...props}
      />
    </Primitive.Portal>
  );
}
