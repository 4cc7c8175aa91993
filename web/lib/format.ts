/** Numbers and names as the page writes them. */

export function seconds(ms: number): string {
  if (ms < 10_000) return `${(ms / 1000).toFixed(1)} s`;
  if (ms < 120_000) return `${Math.round(ms / 1000)} s`;
  return `${Math.floor(ms / 60_000)} min ${Math.round((ms % 60_000) / 1000)} s`;
}

export function integer(value: number): string {
  return value.toLocaleString("en-GB", { maximumFractionDigits: 0 });
}

/** A cost in dollars. What is not known is "unknown", never 0. */
export function cost(value: number | string | null | undefined): string {
  if (typeof value !== "number") return "unknown";
  if (value === 0) return "$0";
  return value < 0.01 ? `$${value.toFixed(4)}` : `$${value.toFixed(2)}`;
}

export function score(value: number): string {
  return Math.abs(value) >= 100 ? value.toFixed(0) : value.toFixed(2);
}

export function count(number: number, one: string, many = `${one}s`): string {
  return `${integer(number)} ${number === 1 ? one : many}`;
}

export function bytes(size: number): string {
  if (size < 1024) return `${size} B`;
  if (size < 1024 ** 2) return `${(size / 1024).toFixed(0)} KB`;
  return `${(size / 1024 ** 2).toFixed(1)} MB`;
}

export function day(iso: string): string {
  const date = new Date(iso);
  if (Number.isNaN(date.getTime())) return iso;
  return date.toLocaleString("en-GB", { day: "numeric", month: "short", year: "numeric", hour: "2-digit", minute: "2-digit" });
}

const SIGNALS: Record<string, string> = {
  bm25: "BM25",
  dense: "Dense",
  cosine: "Cosine",
  first_stage: "Fused",
  final: "Final",
  rerank: "Reranker",
  boost: "Boost",
  web: "Web",
  coverage: "Terms covered",
  confidence_logit: "Confidence (logit)",
  behind: "Behind the best",
};

export function signalName(name: string): string {
  return SIGNALS[name] ?? sentenceCase(name);
}

export function sentenceCase(name: string): string {
  const words = name.replaceAll("_", " ");
  return words.charAt(0).toUpperCase() + words.slice(1);
}

const LINKS: Record<string, { name: string; url: (id: string) => string }> = {
  doi: { name: "DOI", url: (id) => `https://doi.org/${id}` },
  pmid: { name: "PMID", url: (id) => `https://pubmed.ncbi.nlm.nih.gov/${encodeURIComponent(id)}/` },
  pmcid: { name: "PMCID", url: (id) => `https://pmc.ncbi.nlm.nih.gov/articles/${encodeURIComponent(id)}/` },
  arxiv: { name: "arXiv", url: (id) => `https://arxiv.org/abs/${id}` },
  openalex: { name: "OpenAlex", url: (id) => `https://openalex.org/${encodeURIComponent(id)}` },
  s2: { name: "Semantic Scholar", url: (id) => `https://www.semanticscholar.org/paper/${encodeURIComponent(id)}` },
};

export interface PaperLink {
  name: string;
  id: string;
  href: string;
}

/** Where a paper's identifiers lead. Built here from the id; an address in a file is never followed as it stands. */
export function paperLinks(ids: Record<string, string>): PaperLink[] {
  return Object.entries(ids).flatMap(([kind, id]) => {
    const link = LINKS[kind];
    return link && /^[\w./:;()<>+-]+$/u.test(id) ? [{ name: link.name, id, href: link.url(id) }] : [];
  });
}

/** The address that a source gave for a paper, when it is one of the web and nothing else. */
export function webAddress(url: string | null | undefined): string | null {
  if (!url) return null;
  try {
    const { protocol, username, password, href } = new URL(url);
    return (protocol === "https:" || protocol === "http:") && !username && !password ? href : null;
  } catch {
    return null;
  }
}

/** The links of a paper's identifiers and, where it says something else, the one to its own page. */
export function linksOf(paper: { ids: Record<string, string>; url?: string | null }): PaperLink[] {
  const links = paperLinks(paper.ids);
  const page = webAddress(paper.url);
  if (!page || links.some(({ href }) => new URL(href).href === page)) return links;
  return [...links, { name: new URL(page).hostname.replace(/^www\./, ""), id: "", href: page }];
}

const DATABASES: Record<string, string> = {
  openalex: "OpenAlex",
  semantic_scholar: "Semantic Scholar",
  arxiv: "arXiv",
  pubmed: "PubMed",
  crossref: "Crossref",
  europepmc: "Europe PMC",
  unpaywall: "Unpaywall",
  library: "this library",
};

/** A database under its own name; one that another package adds under the name it has there. */
export function databaseName(name: string): string {
  return DATABASES[name] ?? sentenceCase(name);
}

/** A label of a paper has one value or several; a figure or a flag is none of words. */
export function labelWords(label: string | number | boolean | string[] | undefined): string[] {
  return Array.isArray(label) ? label : typeof label === "string" && label ? [label] : [];
}

/** A title as it is shown; a work without one goes by what it came from. */
export function titleOr(title: string | null | undefined, origin: string): string {
  return title?.trim() || `(untitled) ${origin}`;
}

/** Words as a sentence has them: "a, b and c". */
export function listed(words: readonly string[]): string {
  return words.length < 2 ? (words[0] ?? "") : `${words.slice(0, -1).join(", ")} and ${words.at(-1)}`;
}

export function byline(paper: { authors?: readonly string[]; year?: number | null; venue?: string | null }): string {
  const authors = paper.authors ?? [];
  const names = authors.length > 3 ? `${authors[0]} and ${authors.length - 1} others` : authors.join(", ");
  return [names, paper.venue ?? "", paper.year ? String(paper.year) : ""].filter(Boolean).join(" · ");
}
