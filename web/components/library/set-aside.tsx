import { VerdictMark } from "@/components/verdict";

interface Aside {
  name: string;
  reason: string | null;
}

/** Files that were not read, each with the reason. They are listed, and never counted as part of the library. */
export function SetAside({ files }: { files: readonly Aside[] }) {
  if (files.length === 0) return null;
  return (
    <section aria-labelledby="set-aside">
      <h2 id="set-aside" className="label">
        Set aside
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
