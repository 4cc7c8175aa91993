import { SentenceText } from "./sentence";
import type { Selection } from "@/components/source/selection";
import { sentenceCase } from "@/lib/format";
import type { ReadSentence } from "@/lib/run/reading";
import type { RunView } from "@/lib/run/view";

interface Props {
  view: RunView;
  sentences: ReadSentence[];
  columns: string[];
  selection: Selection | null;
  onSelect: (selection: Selection) => void;
}

/** Items with fields are a table: one row each, the cited sentence last. */
export function ValueTable({ view, sentences, columns, selection, onSelect }: Props) {
  return (
    <div className="mt-7 overflow-x-auto" tabIndex={0} role="region" aria-label="The answer as a table">
      <table className="w-full border-y font-serif text-base">
        <thead>
          <tr className="border-b text-left">
            {columns.map((column) => (
              <th key={column} scope="col" className="label py-2 pr-4 font-sans">
                {sentenceCase(column)}
              </th>
            ))}
            <th scope="col" className="label py-2 font-sans">
              As written
            </th>
          </tr>
        </thead>
        <tbody className="divide-y">
          {sentences.map((sentence) => (
            <tr key={sentence.index} className="align-baseline">
              {columns.map((column) => (
                <td key={column} className="py-2.5 pr-4">
                  {view.answer?.items[sentence.index]?.fields[column] ?? ""}
                </td>
              ))}
              <td className="py-2.5">
                <SentenceText view={view} sentence={sentence} selection={selection} onSelect={onSelect} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
