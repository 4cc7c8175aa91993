import { cn } from "@/lib/classes";

/** Lines where text will stand. Told to readers of screens as a status by whoever shows it. */
export function Skeleton({ className }: { className?: string }) {
  return <div aria-hidden className={cn("breathe h-4 rounded-sm bg-muted", className)} />;
}

export function TextSkeleton({ lines = 4, className }: { lines?: number; className?: string }) {
  const widths = ["w-full", "w-[94%]", "w-[97%]", "w-[88%]", "w-[92%]", "w-1/2"];
  return (
    <div className={cn("space-y-3", className)} aria-hidden>
      {Array.from({ length: lines }, (_, line) => (
        <Skeleton key={line} className={line === lines - 1 ? "w-3/5" : widths[line % widths.length]} />
      ))}
    </div>
  );
}
