"""What the records of one work say together: field by field, with the provider each came from, and the conflicts."""

from __future__ import annotations

import datetime
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

from litloop.core.identifiers import KINDS, normal_doi
from litloop.papers.people import same_first_author
from litloop.papers.record_facts import RecordFacts, doi_key
from litloop.papers.titles import folded_words, similarity, title_name
from litloop.papers.works import FullTextLocation, Work, WorkKind
from litloop.text.tags import without_tags

T = TypeVar("T")

# Who keeps the record of reference for what it registers comes first; only ever a tie-break.
TRUST = ("crossref", "pubmed", "europepmc", "openalex", "semantic_scholar", "arxiv", "unpaywall")
_EARLIEST_YEAR = 1450
_SIMILAR = 0.5  # share of title words
_ABSTRACT_LETTERS = (60, 10_000)  # a shorter one is a remark, a longer one the paper
_MOST_AUTHORS = 20_000  # the longest list of a real paper has 15,025 (COVIDSurg Collaborative, 2021)
_NO_ABSTRACT = re.compile(
    r"^\W*+(?:(?:no )?abstract(?: (?:is )?(?:not )?(?:available|provided|found|present)\b.*)?|n/?a|none|null|"
    r"not available|"
    r"click (?:here|on).*|an abstract is not available.*|this article (?:has no|does not have an) abstract.*|"
    r"\[?no abstract.*|.*(?:enable javascript|accept cookies|purchase access|log ?in via).*)\W*$",
    re.IGNORECASE | re.DOTALL,
)
_VERSIONS = ("published", "accepted", "submitted", "unknown")
_FORMATS = ("jats", "pdf", "html", "unknown")


@dataclass(frozen=True, slots=True)
class Conflict:
    """A field on which the records of one work disagree, and what they say."""

    field: str
    values: tuple[str, ...]
    why: str

    def __str__(self) -> str:
        return f"{self.field}: {self.why} ({', '.join(self.values)})"


@dataclass(frozen=True, slots=True)
class Reconciled:
    """The fields of a merged work. `relations` holds DOIs."""

    title: str
    ids: dict[str, str]
    abstract: str
    authors: tuple[str, ...]
    year: int | None
    venue: str | None
    url: str | None
    kind: WorkKind
    citations: int | None
    references: tuple[str, ...]
    full_texts: tuple[FullTextLocation, ...]
    retracted: bool
    relations: dict[str, tuple[str, ...]]
    cross_verified: bool
    provenance: dict[str, str]
    conflicts: tuple[Conflict, ...]


def reconciled(records: Sequence[Work], facts: Sequence[RecordFacts]) -> Reconciled:
    """Reconcile the records of one work, given in an order that their content decides.

    The base record is the one with the fewest faults (its title or year against the majority, an impossible
    year), then the published before the preprint, then the most complete; never the most cited. The other fields
    are filled in from the rest.
    """
    return _Reconciliation(records, facts).result()


class _Reconciliation:
    def __init__(self, records: Sequence[Work], facts: Sequence[RecordFacts]) -> None:
        self._facts = {id(record): fact for record, fact in zip(records, facts, strict=True)}
        self._records = sorted(records, key=_trust)  # stable: content decides within a provider
        stages = {facts.stage for facts in self._facts.values()}
        self._published = [r for r in self._records if self._of(r).stage == "published"]
        self._spans_stages = "published" in stages and "preprint" in stages
        self._conflicts: list[Conflict] = []
        self._provenance: dict[str, str] = {}
        # The published version speaks for the work; its drafts fill in what it leaves out.
        self._first = [*self._published, *(r for r in self._records if self._of(r).stage != "published")]
        self._year = self._voted_year()
        self._base = self._best_record()

    def result(self) -> Reconciled:
        base = self._base
        ids = self._ids()
        self._compare_titles()
        self._provenance["title"] = base.provider
        if self._year is not None:
            told = next((r for r in (base, *self._first) if r.year == self._year), base)
            self._provenance["year"] = told.provider
        citations = max((r.citations for r in self._records if r.citations is not None), default=None)
        if citations is not None:
            self._provenance["citations"] = next(r.provider for r in self._records if r.citations == citations)
        retracting = [r for r in self._records if r.retracted or self._of(r).name.withdrawn]
        if retracting:
            self._provenance["retracted"] = retracting[0].provider
        return Reconciled(
            title=base.title,
            ids=ids,
            abstract=self._abstract(),
            authors=self._authors(),
            year=self._year,
            venue=self._filled("venue", lambda record: record.venue or None),
            url=self._filled("url", lambda record: record.url or None)
            or (f"https://doi.org/{ids['doi']}" if "doi" in ids else None),
            kind=self._kind(),
            citations=citations,
            references=tuple(dict.fromkeys(ref for r in (base, *self._first) for ref in r.references)),
            full_texts=self._full_texts(),
            retracted=bool(retracting),
            relations=self._relations(ids),
            cross_verified=self._cross_verified(),
            provenance=dict(sorted(self._provenance.items())),
            conflicts=tuple(sorted(self._conflicts, key=lambda conflict: conflict.field)),
        )

    def _of(self, record: Work) -> RecordFacts:
        return self._facts[id(record)]

    # --- Year and base ---

    def _voted_year(self) -> int | None:
        """The year that most providers tell, one vote each. Without a majority it stays in doubt, and is said to."""
        # A record of both versions often carries the year of the draft.
        final = [r for r in self._published if not self._of(r).of("preprint")]
        voters = next(
            (some for some in (final, self._published) if any(_plausible(r.year) for r in some)), self._records
        )
        votes = Counter(year for _, year in {(r.provider, r.year) for r in voters} if year and _plausible(year))
        if not votes:
            return None
        (year, most), *others = sorted(votes.items(), key=lambda vote: (-vote[1], vote[0]))
        if not others or most * 2 > votes.total():
            return year
        told = tuple(str(year) for year in sorted(votes))
        self._conflicts.append(Conflict("year", told, "no majority of the providers agrees"))
        leading = {year for year, count in votes.items() if count == most}
        return next(r.year for r in sorted(voters, key=_completeness, reverse=True) if r.year in leading)

    def _best_record(self) -> Work:
        titles = Counter(key for _, key in {(r.provider, self._of(r).name.key) for r in self._records})
        common = max(titles.values())
        usual = [r.title for r in self._records if titles[self._of(r).name.key] == common]

        def faults(record: Work) -> int:
            odd_title = not any(similarity(record.title, title) >= _SIMILAR for title in usual)
            odd_year = record.year is not None and not _plausible(record.year)
            far = record.year is not None and self._year is not None and abs(record.year - self._year) > 1
            return (4 if not record.title.strip() else 0) + 2 * odd_title + 2 * odd_year + far

        def worth(record: Work) -> tuple[int, bool, int]:
            return (-faults(record), self._of(record).stage == "published", _completeness(record))

        return max(self._records, key=worth)  # the first of equals, which is the most trusted

    def _compare_titles(self) -> None:
        odd = {r.title for r in self._records if similarity(r.title, self._base.title) < _SIMILAR and r.title.strip()}
        if odd:
            self._conflicts.append(
                Conflict("title", tuple(sorted({self._base.title, *odd})), "records of one id have different titles")
            )

    # --- Ids and relations ---

    def _ids(self) -> dict[str, str]:
        votes: dict[str, Counter[str]] = defaultdict(Counter)
        for _, kind, value in {(r.provider, *pair) for r in self._records for pair in self._of(r).told.items()}:
            votes[kind][value] += 1
        ids: dict[str, str] = {}
        for kind in KINDS:
            if kind not in votes:
                continue
            values = votes[kind]
            final = [doi for doi in values if doi_key(doi)[0] == "doi"] if kind == "doi" else []
            ids[kind] = min(final or values, key=lambda value: (-values[value], self._rank_of(kind, value), value))
            self._provenance[kind] = next(r.provider for r in self._records if self._of(r).told.get(kind) == ids[kind])
            if len(final) > 1:
                self._conflicts.append(Conflict("doi", tuple(sorted(final)), "more than one DOI"))
            elif kind in ("pmid", "pmcid") and len(values) > 1:
                self._conflicts.append(Conflict(kind, tuple(sorted(values)), f"more than one {kind.upper()}"))
        return ids

    def _rank_of(self, kind: str, value: str) -> int:
        return next(
            at for at, record in enumerate([self._base, *self._first]) if self._of(record).told.get(kind) == value
        )

    def _relations(self, ids: Mapping[str, str]) -> dict[str, tuple[str, ...]]:
        found: dict[str, set[str]] = defaultdict(set)
        own = {doi for r in self._records if (doi := self._of(r).told.get("doi"))}
        for record in self._records:
            for name, targets in record.relations.items():
                found[name].update(normal_doi(target) or target for target in targets)
        if self._spans_stages and doi_key(ids.get("doi", ""))[0] == "doi":
            drafts = {value for r in self._records for kind, value in self._of(r).ids if kind == "preprint"}
            found["has_preprint"] |= drafts
        return {
            name: tuple(sorted(dois)) for name, dois in sorted(found.items()) if dois - own or name == "has_preprint"
        }

    # --- The rest ---

    def _abstract(self) -> str:
        """The longest sane abstract, of those that share a word with the title where any does."""
        words = set(folded_words(self._base.title))
        told = {record.abstract: record for record in reversed(self._first)}
        fallback: tuple[int, str, str] = (0, "", "")
        for raw in sorted(told, key=lambda text: (-len(text), text)):
            text = sane_abstract(raw, self._base.title)
            if not text:
                continue
            shares = len(words & set(folded_words(text))) > len(words) // 4
            worth = 1 + shares + 2 * (shares and len(text) >= _ABSTRACT_LETTERS[0])
            if worth > fallback[0]:
                fallback = (worth, text, told[raw].provider)
            if worth == 4:
                break
        if fallback[0]:
            self._provenance["abstract"] = fallback[2]
        return fallback[1]

    def _authors(self) -> tuple[str, ...]:
        """The list of the record that tells most of them, most fully, among those that begin as the base does."""
        told = [r for r in (self._base, *self._first) if 0 < len(r.authors) <= _MOST_AUTHORS]
        if not told:
            return ()
        leading = self._base if self._base.authors else told[0]
        agreeing = [r for r in told if same_first_author(leading.authors, r.authors) is not False]
        if len(agreeing) < len(told):
            firsts = sorted({r.authors[0] for r in told})
            self._conflicts.append(Conflict("authors", tuple(firsts), "the first author differs"))
        best = max(agreeing or told, key=lambda r: (len(r.authors), sum(len(name) for name in r.authors)))
        self._provenance["authors"] = best.provider
        return best.authors

    def _filled(self, name: str, get: Callable[[Work], T | None]) -> T | None:
        """The base's value, else the first of the others: of the published version before its drafts."""
        for record in (self._base, *self._first):
            value = get(record)
            if value is not None:
                self._provenance[name] = record.provider
                return value
        return None

    def _kind(self) -> WorkKind:
        told: Counter[str] = Counter(r.kind for r in self._published or self._records if r.kind != "other")
        if not told:
            return self._base.kind
        most = max(told.values())
        kind = next(r.kind for r in (self._base, *self._first) if told.get(r.kind) == most)
        self._provenance["kind"] = next(r.provider for r in (self._base, *self._first) if r.kind == kind)
        return kind

    def _full_texts(self) -> tuple[FullTextLocation, ...]:
        by_url: dict[str, FullTextLocation] = {}
        for location in (location for record in self._records for location in record.full_texts):
            known = by_url.get(location.url)
            if known is None or _nearness(location) < _nearness(known):
                by_url[location.url] = location
        return tuple(sorted(by_url.values(), key=_nearness))

    def _cross_verified(self) -> bool:
        """Whether at least two providers tell the same title, and the same year within one."""
        agreeing = {
            r.provider
            for r in self._records
            if similarity(r.title, self._base.title) >= _SIMILAR
            and (r.year is None or self._year is None or abs(r.year - self._year) <= 1)
        }
        return len(agreeing) > 1


def sane_abstract(abstract: str, title: str = "") -> str:
    """The abstract on one line without tags, or nothing where it is a placeholder, the title, noise or far too long."""
    text = " ".join(without_tags(abstract).split())
    sample = text[:400].replace(" ", "")
    if len(text) > _ABSTRACT_LETTERS[1] or sum(map(str.isalpha, sample)) < 0.6 * len(sample) or "\ufffd\ufffd" in text:
        return ""
    if len(text) < 400 and _NO_ABSTRACT.match(text):
        return ""
    return "" if len(text) < 2 * len(title) and title_name(text).key == title_name(title).key else text


def _plausible(year: int | None) -> bool:
    return year is not None and _EARLIEST_YEAR <= year <= datetime.date.today().year + 1


def _completeness(record: Work) -> int:
    filled: Iterable[object] = (
        record.title.strip(), record.abstract, record.authors, record.year, record.venue, record.url,
        record.ids.get("doi"), record.ids, record.kind != "other",
    )  # fmt: skip
    return sum(bool(value) for value in filled)


def _trust(record: Work) -> int:
    return TRUST.index(record.provider) if record.provider in TRUST else len(TRUST)


def _nearness(location: FullTextLocation) -> tuple[int, int, str]:
    return (_VERSIONS.index(location.version), _FORMATS.index(location.format), location.url)
