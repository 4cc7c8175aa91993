/** Short names for what the server says. The schema itself is generated: `npm run api`. */

import type { components } from "./schema";

type Schemas = components["schemas"];

export type Answer = Schemas["AskAnswer"];
export type AnswerPaper = Schemas["AnswerPaper"];
export type Sentence = Schemas["SentenceOut"];
export type Citation = Schemas["CitationOut"];
export type Check = Schemas["CheckOut"];
export type Differential = Schemas["DifferentialOut"];
export type Topic = Schemas["TopicOut"];
export type Round = Schemas["RoundOut"];
export type Relevance = Schemas["RelevanceOut"];
export type Anchor = Schemas["AnchorOut"];
export type Verdict = Citation["verdict"];
export type Status = Answer["status"];
export type RunEvent = Schemas["RunEvent"];
export type EventName = RunEvent["type"];
export type RunRow = Schemas["RunOut"];
export type RunDetail = Schemas["RunDetail"];
export type Place = Schemas["PassageOut"];
export type PaperDetail = Schemas["PaperDetail"];
export type PaperRow = Schemas["PaperRow"];
export type PaperTable = Schemas["PaperTable"];
export type Collection = Schemas["CollectionOut"];
export type CollectionDetail = Schemas["CollectionDetail"];
export type CollectionList = Schemas["CollectionList"];
export type RunList = Schemas["RunList"];
export type CollectionTopic = Schemas["CollectionTopic"];
export type StoredFile = Schemas["FileOut"];
export type Job = Schemas["JobOut"];
export type Health = Schemas["HealthOut"];
export type SearchHit = Schemas["SearchHit"];
export type SearchAnswer = Schemas["SearchAnswer"];
export type LedgerTable = Schemas["LedgerTable"];
export type Provider = Schemas["ProviderOut"];
export type ProviderList = Schemas["ProviderList"];
export type Problem = Schemas["Problem"];
