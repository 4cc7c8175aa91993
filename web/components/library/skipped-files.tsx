import { useId } from "react";

import { VerdictMark } from "@/components/verdict";

interface Skipped {
  name: string;
  reason: string | null;
}

/** Files that were not read, each with the reason. They are listed, and never counted as part of the library. */
export function SkippedFiles({ title = "Skipped files", files }: { title?: string; files: readonly Skipped[] }) {
  const id = useId();
  if (files.length === 0) return null;
  return (
    <section aria-labelledby={id}>
      <h2 id={id} className="label">
        {title}
      </h2>
      <ul className="mt-2 divide-y border-y">
        {files.map((file) => (
          <li key={file.name} className="flex flex-wrap items-baseline gap-x-4 gap-y-0.5 py-2.5">
            <VerdictMark tone="warn" word="not read" />
            <span className="font-medium break-all">{file.name}</span>
            <span className="w-full text-sm text-muted-foreground sm:w-auto">{file.reason ?? "No reason was recorded."}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}
