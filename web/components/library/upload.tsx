"use client";

import { FileUp } from "lucide-react";
import { useRef, useState } from "react";

import { SkippedFiles } from "./skipped-files";
import { Button } from "@/components/ui/button";
import { Notice } from "@/components/ui/notice";
import { request, sentence, upload } from "@/lib/api/client";
import type { Job } from "@/lib/api/types";
import { cn } from "@/lib/classes";
import { bytes, count } from "@/lib/format";
import { readEvents } from "@/lib/sse";

type State =
  | { at: "rest" }
  | { at: "sending"; sent: number; total: number; abort: () => void }
  | { at: "reading"; job: Job }
  | { at: "done"; job: Job }
  | { at: "failed"; message: string };

/** Files go up, are read in the background, and each one that is not read says why. */
export function Upload({ collection, onChanged }: { collection: string; onChanged: () => void }) {
  const [state, setState] = useState<State>({ at: "rest" });
  const [over, setOver] = useState(false);
  const input = useRef<HTMLInputElement>(null);
  const busy = state.at === "sending" || state.at === "reading";

  const send = async (files: readonly File[]) => {
    if (files.length === 0 || busy) return;
    const total = files.reduce((sum, file) => sum + file.size, 0);
    try {
      const sending = upload(files, collection, (sent, of) => setState({ at: "sending", sent, total: of, abort: sending.abort }));
      setState({ at: "sending", sent: 0, total, abort: sending.abort });
      const job = await sending.done;
      setState({ at: "reading", job });
      const ended = await followed(job, (now) => setState({ at: "reading", job: now }));
      setState({ at: "done", job: ended });
      onChanged();
    } catch (error) {
      setState({ at: "failed", message: sentence(error) });
    }
  };

  return (
    <section aria-labelledby="upload">
      <h2 id="upload" className="label">
        Add papers to {collection}
      </h2>
      <div
        onDragOver={(event) => {
          event.preventDefault();
          setOver(true);
        }}
        onDragLeave={() => setOver(false)}
        onDrop={(event) => {
          event.preventDefault();
          setOver(false);
          void send([...event.dataTransfer.files]);
        }}
        className={cn(
          "mt-2 flex flex-wrap items-center gap-x-4 gap-y-2 rounded-lg border border-dashed border-input/70 px-5 py-5 transition-colors",
          over && "border-primary bg-primary-soft",
        )}
      >
        <input
          ref={input}
          type="file"
          multiple
          aria-label="Files to add"
          className="sr-only"
          tabIndex={-1}
          onChange={(event) => {
            void send([...(event.target.files ?? [])]);
            event.target.value = "";
          }}
        />
        <Button onClick={() => input.current?.click()} disabled={busy}>
          <FileUp aria-hidden /> Choose files
        </Button>
        <p className="text-sm text-muted-foreground">
          or drop them here: PDF, DOCX, Markdown, text, HTML, JATS, corpus JSON or JSONL. A file with the name
          of an earlier one replaces it.
        </p>
      </div>
      <div role="status" aria-live="polite" className="mt-3">
        <Progress state={state} />
      </div>
      {state.at === "done" && <SkippedFiles title="Not accepted" files={state.job.rejected} />}
    </section>
  );
}

function Progress({ state }: { state: State }) {
  switch (state.at) {
    case "rest":
      return null;
    case "sending":
      return (
        <div className="flex items-center gap-4 text-sm">
          <Meter label="Upload" value={state.sent} max={state.total} />
          <span className="whitespace-nowrap text-muted-foreground">
            {bytes(state.sent)} of {bytes(state.total)}
          </span>
          <Button size="small" variant="ghost" onClick={state.abort}>
            Stop
          </Button>
        </div>
      );
    case "reading": {
      const { files_done, files_total, current, passages } = state.job.progress;
      return (
        <div className="flex flex-wrap items-center gap-x-4 gap-y-1 text-sm">
          <Meter label="Reading" value={files_done} max={Math.max(1, files_total)} />
          <span className="text-muted-foreground">
            {files_done} of {count(files_total, "file")} read, {count(passages, "passage")}
            {current && `; now ${current}`}
          </span>
        </div>
      );
    }
    case "failed":
      return <Notice tone="bad">{state.message}</Notice>;
    case "done":
      return <Done job={state.job} />;
  }
}

function Done({ job }: { job: Job }) {
  const { report } = job;
  if (!report) return <Notice tone="bad">{job.error ?? "The files could not be read."}</Notice>;
  const skipped = job.rejected.length + report.quarantined.length;
  return (
    <Notice tone={skipped > 0 ? "warn" : "plain"}>
      {[
        `${count(report.papers_added, "paper")} added with ${count(report.passages, "passage")}`,
        report.papers_unchanged + report.unchanged > 0 ? `${count(report.unchanged, "file")} unchanged` : null,
        skipped > 0 ? `${count(skipped, "file")} skipped` : null,
      ]
        .filter(Boolean)
        .join(", ")}
      .{report.warnings.length > 0 && <span className="mt-1 block text-muted-foreground">{report.warnings.join(" ")}</span>}
    </Notice>
  );
}

function Meter({ label, value, max }: { label: string; value: number; max: number }) {
  return <progress aria-label={label} value={value} max={max} className="h-1.5 w-full max-w-xs accent-primary" />;
}

/** A job's progress until it ends. */
async function followed(job: Job, told: (job: Job) => void): Promise<Job> {
  let last = job;
  const response = await request(job.events_url);
  if (!response.body) return last;
  for await (const event of readEvents(response.body)) {
    last = JSON.parse(event.data) as Job;
    if (event.event === "done") return last;
    told(last);
  }
  return last;
}
