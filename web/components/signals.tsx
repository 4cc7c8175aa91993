import { score, signalName } from "@/lib/format";

const ORDER = ["final", "first_stage", "dense", "cosine", "bm25", "rerank", "web", "boost", "coverage"];

/** Scores that lie between 0 and 1 are drawn; the others have scales of their own and are only told. */
export function SignalBars({ signals }: { signals: Record<string, number> }) {
  const rows = Object.entries(signals).toSorted(([a], [b]) => place(a) - place(b));
  if (rows.length === 0) return null;
  return (
    <table className="text-xs">
      <caption className="sr-only">Score of each signal</caption>
      <tbody>
        {rows.map(([name, value]) => (
          <tr key={name}>
            <th scope="row" className="py-0.5 pr-4 text-left font-normal whitespace-nowrap text-muted-foreground">
              {signalName(name)}
            </th>
            <td className="pr-3 text-right tabular-nums">{score(value)}</td>
            <td>{value >= 0 && value <= 1 && name !== "boost" && <Bar share={value} />}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

export function Bar({ share }: { share: number }) {
  return (
    <svg aria-hidden width="96" height="6" viewBox="0 0 96 6" className="block">
      <rect width="96" height="6" rx="1" className="fill-muted" />
      <rect width={Math.max(1, 96 * Math.min(1, share))} height="6" rx="1" className="fill-primary" />
    </svg>
  );
}

function place(name: string): number {
  const at = ORDER.indexOf(name);
  return at < 0 ? ORDER.length : at;
}
