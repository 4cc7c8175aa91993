/** The rankings that are set side by side, and what each is. */

export interface Method {
  key: string;
  name: string;
  about: string;
  body: Record<string, unknown>;
}

export const METHODS: Method[] = [
  { key: "sparse", name: "BM25", about: "Words, weighted by how rare they are", body: { mode: "sparse" } },
  { key: "dense", name: "Dense", about: "Meaning, by cosine of embeddings", body: { mode: "dense" } },
  { key: "rrf", name: "RRF", about: "Both, fused by rank", body: { mode: "hybrid", fusion: "rrf" } },
  { key: "blend", name: "Blend", about: "Both, fused by score", body: { mode: "hybrid", fusion: "blend" } },
];

export interface Filters {
  yearFrom: string;
  yearTo: string;
  labels: Record<string, string>;
}

export const NO_FILTERS: Filters = { yearFrom: "", yearTo: "", labels: {} };

export function filterBody({ yearFrom, yearTo, labels }: Filters): Record<string, unknown> | undefined {
  const chosen = Object.entries(labels).filter(([, value]) => value !== "");
  const body: Record<string, unknown> = {};
  if (/^\d{1,4}$/.test(yearFrom)) body.year_from = Number(yearFrom);
  if (/^\d{1,4}$/.test(yearTo)) body.year_to = Number(yearTo);
  if (chosen.length > 0) body.labels = Object.fromEntries(chosen.map(([name, value]) => [name, [value]]));
  return Object.keys(body).length > 0 ? body : undefined;
}
