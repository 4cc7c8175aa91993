/** What the page asks of the server. Paths and shapes are checked against the generated schema. */

import type { paths } from "./schema";
import type {
  Anchor,
  CollectionDetail,
  CollectionList,
  Health,
  Job,
  LedgerTable,
  PaperDetail,
  PaperTable,
  Place,
  Problem,
  ProviderList,
  RunDetail,
  RunList,
  SearchAnswer,
} from "./types";

type Path = keyof paths & string;

/** A refusal or failure in one sentence that can be shown as it is. */
export class ApiError extends Error {
  constructor(
    message: string,
    readonly status: number,
    readonly retryAfter: number | null = null,
    readonly requestId: string | null = null,
  ) {
    super(message);
  }
}

const UNREACHABLE = "The server cannot be reached. Is `litloop serve` still running?";

/** A request to a path of the schema, with `{names}` filled in. Raises ApiError with the server's own sentence. */
export async function request(path: string, init?: RequestInit): Promise<Response> {
  let response: Response;
  try {
    response = await fetch(path, { ...init, credentials: "same-origin" });
  } catch (error) {
    if (error instanceof DOMException && error.name === "AbortError") throw error;
    throw new ApiError(UNREACHABLE, 0);
  }
  if (!response.ok) throw await problemOf(response);
  return response;
}

async function problemOf(response: Response): Promise<ApiError> {
  const retryAfter = Number(response.headers.get("retry-after"));
  const wait = Number.isFinite(retryAfter) && retryAfter > 0 ? retryAfter : null;
  try {
    const problem = (await response.json()) as Problem;
    return new ApiError(problem.detail || problem.title, response.status, wait, problem.request_id);
  } catch {
    return new ApiError(`The server answered ${response.status} without a reason.`, response.status, wait);
  }
}

async function json<T>(path: string, init?: RequestInit): Promise<T> {
  return (await (await request(path, init)).json()) as T;
}

function filled(path: Path, names: Record<string, string> = {}, query: Record<string, unknown> = {}): string {
  const place = path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = names[name] ?? "";
    // Ids may hold slashes; the routes that take them read the rest of the path.
    return name === "paper_id" || name === "passage_id"
      ? value.split("/").map(encodeURIComponent).join("/")
      : encodeURIComponent(value);
  });
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined && value !== null && value !== "") search.set(name, String(value));
  }
  const tail = search.toString();
  return tail ? `${place}?${tail}` : place;
}

function posted(body: unknown): RequestInit {
  return { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) };
}

export interface QuestionBody {
  query: string;
  collection?: string;
  local_only?: boolean;
}

export interface ResearchBody extends QuestionBody {
  providers?: string[];
  since?: number;
  keep?: boolean;
}

export const REFERENCE_FORMATS = { bibtex: "BibTeX", ris: "RIS", "csl-json": "CSL-JSON", markdown: "Markdown" } as const;

export const api = {
  stream: (body: QuestionBody, signal: AbortSignal) =>
    request(filled("/query/stream"), { ...posted(body), signal }),

  research: (body: ResearchBody, signal: AbortSignal) =>
    request(filled("/research/stream"), { ...posted(body), signal }),

  providers: () => json<ProviderList>(filled("/providers")),

  /** Where the papers that a run cites are had as a file. */
  references: (runId: string, format: keyof typeof REFERENCE_FORMATS) =>
    filled("/runs/{run_id}/export", { run_id: runId }, { format }),

  events: (runId: string, lastSeq: number, signal: AbortSignal) =>
    request(filled("/runs/{run_id}/events", { run_id: runId }), {
      signal,
      headers: lastSeq >= 0 ? { "Last-Event-ID": String(lastSeq) } : {},
    }),

  cancel: (runId: string) => json<unknown>(filled("/runs/{run_id}", { run_id: runId }), { method: "DELETE" }),

  runs: (offset = 0, limit = 50) =>
    json<RunList>(filled("/runs", {}, { offset, limit })),

  run: (runId: string) => json<RunDetail>(filled("/runs/{run_id}", { run_id: runId })),

  collections: () => json<CollectionList>(filled("/collections")),

  collection: (name: string) => json<CollectionDetail>(filled("/collections/{name}", { name })),

  createCollection: (name: string, domain?: string) =>
    json<unknown>(filled("/collections"), posted(domain ? { name, domain } : { name })),

  deleteCollection: (name: string) =>
    json<unknown>(filled("/collections/{name}", { name }), { method: "DELETE" }),

  papers: (name: string, query: { q?: string; order?: string; offset?: number; limit?: number }) =>
    json<PaperTable>(filled("/collections/{name}/papers", { name }, query)),

  paper: (paperId: string, collection?: string | null) =>
    json<PaperDetail>(filled("/papers/{paper_id}", { paper_id: paperId }, { collection })),

  anchor: (anchor: Anchor, collection?: string | null) =>
    json<Omit<Place, "passage_id" | "tokens">>(filled("/anchors", {}, { ...anchor, collection })),

  passage: (passageId: string, quote?: string, collection?: string | null) =>
    json<Place>(filled("/passages/{passage_id}", { passage_id: passageId }, { quote, collection })),

  search: (body: Record<string, unknown>) => json<SearchAnswer>(filled("/search"), posted(body)),

  searchDebug: (query: string, collection: string, k: number) =>
    json<Record<string, SearchAnswer>>(filled("/search/debug", {}, { query, collection, k })),

  ledger: (by: LedgerTable["by"], since?: string) => json<LedgerTable>(filled("/ledger", {}, { by, since })),

  job: (jobId: string) => json<Job>(filled("/jobs/{job_id}", { job_id: jobId })),

  health: () => json<Health>(filled("/health")),

  signIn: (key: string) => json<unknown>(filled("/session"), posted({ key })),
};

/** Upload files with progress. XMLHttpRequest, because fetch does not tell how much has been sent. */
export function upload(
  files: readonly File[],
  collection: string,
  progress: (sent: number, total: number) => void,
): { done: Promise<Job>; abort: () => void } {
  const form = new FormData();
  form.set("collection", collection);
  for (const file of files) form.append("files", file, file.name);
  const sending = new XMLHttpRequest();
  const done = new Promise<Job>((resolve, reject) => {
    sending.upload.onprogress = (event) => progress(event.loaded, event.total);
    sending.onerror = () => reject(new ApiError(UNREACHABLE, 0));
    sending.onabort = () => reject(new ApiError("The upload was stopped.", 0));
    sending.onload = () => {
      try {
        const body = JSON.parse(sending.responseText) as Job & Problem;
        if (sending.status < 300) resolve(body);
        else reject(new ApiError(body.detail || body.title, sending.status));
      } catch {
        reject(new ApiError(`The server answered ${sending.status} without a reason.`, sending.status));
      }
    };
    sending.open("POST", filled("/ingest"));
    sending.send(form);
  });
  return { done, abort: () => sending.abort() };
}

export function sentence(error: unknown): string {
  if (error instanceof ApiError) {
    const wait = error.retryAfter ? ` Try again in ${error.retryAfter} s.` : "";
    return `${error.message}${wait}`;
  }
  return error instanceof Error ? error.message : "Something went wrong.";
}
