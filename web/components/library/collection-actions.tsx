"use client";

import { Plus, Trash2 } from "lucide-react";
import { useState } from "react";

import { Button } from "@/components/ui/button";
import { Input } from "@/components/ui/field";
import { api, sentence } from "@/lib/api/client";
import { count } from "@/lib/format";

interface Props {
  name: string | null;
  papers: number;
  onChanged: () => void;
  onChoose: (name: string) => void;
}

export function CollectionActions({ name, papers, onChanged, onChoose }: Props) {
  const [fresh, setFresh] = useState("");
  const [asking, setAsking] = useState<string | null>(null);
  const [problem, setProblem] = useState<string | null>(null);

  const doing = async (work: () => Promise<unknown>) => {
    try {
      setProblem(null);
      await work();
      onChanged();
    } catch (error) {
      setProblem(sentence(error));
    }
  };

  return (
    <div className="mt-4 space-y-4">
      <form
        className="flex gap-2"
        onSubmit={(event) => {
          event.preventDefault();
          const wanted = fresh.trim();
          if (!wanted) return;
          void doing(async () => {
            await api.createCollection(wanted);
            setFresh("");
            onChoose(wanted);
          });
        }}
      >
        <Input aria-label="Name of a new collection" placeholder="New collection" value={fresh} maxLength={100} onChange={(event) => setFresh(event.target.value)} />
        <Button type="submit" size="icon" aria-label="Make the collection" className="shrink-0">
          <Plus aria-hidden />
        </Button>
      </form>
      {name &&
        (asking === name ? (
          <div className="space-y-2 rounded-md border border-bad/40 p-3 text-sm">
            <p>
              Forget {name} and its {count(papers, "paper")}? Uploaded copies are deleted; your own files are kept.
            </p>
            <div className="flex gap-2">
              <Button
                size="small"
                variant="danger"
                onClick={() => {
                  setAsking(null);
                  void doing(async () => {
                    await api.deleteCollection(name);
                    onChoose(""); // what is shown next is what the list then holds
                  });
                }}
              >
                Forget it
              </Button>
              <Button size="small" variant="ghost" autoFocus onClick={() => setAsking(null)}>
                Keep it
              </Button>
            </div>
          </div>
        ) : (
          <Button size="small" variant="ghost" className="-ml-2.5" onClick={() => setAsking(name)}>
            <Trash2 aria-hidden /> Forget {name}
          </Button>
        ))}
      {problem && (
        <p role="alert" className="text-sm text-bad">
          {problem}
        </p>
      )}
    </div>
  );
}
