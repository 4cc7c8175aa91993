"use client";

import { Check, Copy, FileJson, FileText } from "lucide-react";
import { useState } from "react";

import { useAlternativesTitle } from "@/components/collection-provider";
import { Button } from "@/components/ui/button";
import { api, REFERENCE_FORMATS } from "@/lib/api/client";
import type { Answer } from "@/lib/api/types";
import { toMarkdown } from "@/lib/run/export";

export function ExportButtons({ answer, collection }: { answer: Answer; collection: string | null }) {
  const alternatives = useAlternativesTitle(collection);
  const markdown = () => toMarkdown(answer, alternatives);
  const [copied, setCopied] = useState(false);
  const copy = async () => {
    await navigator.clipboard.writeText(markdown());
    setCopied(true);
    setTimeout(() => setCopied(false), 2000);
  };
  const cited = answer.papers.some((paper) => paper.markers.length > 0);
  return (
    <>
      <div className="mt-6 flex flex-wrap items-center gap-2">
        <Button size="small" onClick={() => save(markdown(), `${answer.run_id}.md`, "text/markdown")}>
          <FileText aria-hidden /> Markdown
        </Button>
        <Button size="small" onClick={() => save(JSON.stringify(answer, null, 2), `${answer.run_id}.json`, "application/json")}>
          <FileJson aria-hidden /> JSON
        </Button>
        {/* Off this machine's own address a browser offers no clipboard without TLS. */}
        {typeof navigator !== "undefined" && "clipboard" in navigator && (
          <Button size="small" variant="ghost" onClick={() => void copy()}>
            {copied ? <Check aria-hidden /> : <Copy aria-hidden />} {copied ? "Copied" : "Copy"}
          </Button>
        )}
      </div>
      {cited && (
        <p className="mt-3 flex flex-wrap items-baseline gap-x-3 text-xs text-muted-foreground">
          <span>Cited papers for your reference manager:</span>
          {Object.entries(REFERENCE_FORMATS).map(([format, name]) => (
            <a
              key={format}
              href={api.references(answer.run_id, format as keyof typeof REFERENCE_FORMATS)}
              download
              className="link inline-flex min-h-6 min-w-6 items-center"
            >
              {name}
            </a>
          ))}
        </p>
      )}
    </>
  );
}

function save(text: string, name: string, type: string): void {
  const address = URL.createObjectURL(new Blob([text], { type: `${type};charset=utf-8` }));
  const link = document.createElement("a");
  link.href = address;
  link.download = name;
  link.click();
  URL.revokeObjectURL(address);
}
