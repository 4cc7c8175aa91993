import { cva, type VariantProps } from "class-variance-authority";
import { Slot } from "radix-ui";
import type { ComponentProps } from "react";

import { cn } from "@/lib/classes";

const variants = cva(
  "inline-flex items-center justify-center gap-1.5 rounded-md text-sm font-medium whitespace-nowrap transition-colors select-none disabled:cursor-not-allowed disabled:opacity-50 [&_svg]:size-4 [&_svg]:shrink-0",
  {
    variants: {
      variant: {
        primary: "bg-primary text-primary-foreground hover:bg-primary/90",
        outline: "border bg-card hover:bg-muted",
        ghost: "text-muted-foreground hover:bg-muted hover:text-foreground",
        danger: "border border-bad/40 text-bad hover:bg-bad-soft",
        link: "link h-auto! px-0! font-normal",
      },
      size: { default: "h-9 px-3.5", small: "h-8 px-2.5 text-xs", icon: "size-9" },
    },
    defaultVariants: { variant: "outline", size: "default" },
  },
);

type Props = ComponentProps<"button"> & VariantProps<typeof variants> & { asChild?: boolean };

export function Button({ className, variant, size, asChild = false, ...props }: Props) {
  const Part = asChild ? Slot.Root : "button";
  return <Part type={asChild ? undefined : "button"} className={cn(variants({ variant, size }), className)} {...props} />;
}
