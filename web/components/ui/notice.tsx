import { cva, type VariantProps } from "class-variance-authority";
import type { ComponentProps } from "react";

import { cn } from "@/lib/classes";

const variants = cva("rounded-md border-l-[3px] px-4 py-3 text-sm", {
  variants: {
    tone: {
      plain: "border-l-input bg-muted",
      warn: "border-l-warn bg-warn-soft",
      bad: "border-l-bad bg-bad-soft",
    },
  },
  defaultVariants: { tone: "plain" },
});

export function Notice({ className, tone, ...props }: ComponentProps<"div"> & VariantProps<typeof variants>) {
  return <div className={cn(variants({ tone }), className)} {...props} />;
}
