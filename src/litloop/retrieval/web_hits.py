"""What the web adds to a search: asked only when it may and should be, merged behind what the library holds.

The web is asked when the caller says so, or when retrieval confidence is below `search.web_trigger` and an engine is
switched on; never for a search that is local only. Results that repeat a local hit are dropped, age costs them up to
half, and reciprocal ranks put them among the local hits at `search.web_weight`.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from litloop.components import Components
from litloop.core.records import Anchor, Hit, Paper, Passage, Text
from litloop.embedding.protocol import EMBEDDER_FAULTS, Vector
from litloop.embedding.window import within_window
from litloop.index.engine import Ranking, Snapshot
from litloop.retrieval.fusion import RRF_K, Fused, Leg, reciprocal_rank_fusion

if TYPE_CHECKING:
    from litloop.scholarly.web import WebSearch
    from litloop.scholarly.web_engine import WebResult

OFF = "Web search is off: set TAVILY_ENABLED=true and TAVILY_API_KEY, or LITLOOP_WEB__SEARXNG__ENABLED and __BASE_URL."
PLACES = 3  # of so many hits one is kept for the web: k = 60 ranks it behind any list of local hits otherwise
LOCAL_LEG_WEIGHT = 1.0  # Neural_search's weight of BM25 and of the dense leg


@dataclass(frozen=True, slots=True)
class WebOutcome:
    """The hits with the web's among them. `used` is true only when a web result is among the hits returned."""

    hits: tuple[Hit, ...]
    used: bool = False
    warning: str | None = None
    vectors: Mapping[int, Vector] = field(default_factory=dict)  # of the web's hits, by their negative keys
    ms: float = 0.0


class WebHits:
    """Adds web results to the hits of one library's searches."""

    def __init__(self, components: Components, web: WebSearch | None = None) -> None:
        self._components = components
        if web is not None:
            self._web = web

    @property
    def enabled(self) -> bool:
        web = self._components.settings.web
        return web.tavily.enabled or web.searxng.enabled

    def close(self) -> None:
        if "_web" in self.__dict__:
            self._web.close()

    @cached_property
    def _web(self) -> WebSearch:
        from litloop.scholarly.web import WebSearch  # a search that stays here does not wait for a network client

        return WebSearch(self._components.settings)

    def merged_into(
        self,
        query: str,
        hits: Sequence[Hit],
        snapshot: Callable[[], Snapshot],
        *,
        k: int,
        legs: Sequence[str],
        confidence: float,
        asked_for: bool | None,
        local_only: bool,
        filtered: bool = False,
    ) -> WebOutcome:
        """At most `k` hits in one ranking. The local ones keep their order; `asked_for` None leaves it to the gate."""
        local = tuple(hits)
        if local_only or asked_for is False:
            refused = "Local only: the web was not searched." if asked_for else None
            return WebOutcome(local, warning=refused)
        if not self.enabled:
            return WebOutcome(local, warning=OFF if asked_for else None)
        if filtered:  # pages carry no labels, and seldom a year
            unfiltered = "The web cannot be filtered, so it was not searched." if asked_for else None
            return WebOutcome(local, warning=unfiltered)
        if asked_for is None and confidence >= self._components.settings.search.web_trigger:
            return WebOutcome(local)
        reply = self._web.ask(query)
        found = [result for result in reply.results if result.text]
        if not found:
            return WebOutcome(local, warning=reply.reason or "The web gave no results.", ms=reply.ms)
        return self._merged(
            found, local, snapshot(), k, legs, WebOutcome(local, warning=reply.reason or None, ms=reply.ms)
        )

    def search(self, query: str, *, k: int, local_only: bool) -> WebOutcome:
        """The web's own ranking, for comparison with the others. A call of today's few, so only when asked for."""
        if local_only or not self.enabled:
            return WebOutcome((), warning="Local only: the web was not searched." if local_only else OFF)
        reply = self._web.ask(query)
        hits = sorted(_hits_of(reply.results), key=lambda hit: -hit.score)[:k]
        ranked = tuple(replace(hit, rank=rank) for rank, hit in enumerate(hits, start=1))
        return WebOutcome(ranked, used=bool(ranked), warning=reply.reason or None, ms=reply.ms)

    def _merged(
        self,
        found: Sequence[WebResult],
        local: tuple[Hit, ...],
        snapshot: Snapshot,
        k: int,
        legs: Sequence[str],
        outcome: WebOutcome,
    ) -> WebOutcome:
        settings = self._components.settings.search
        web = _hits_of(found)
        vectors = self._vectors(web)
        if vectors is not None and local:
            held = snapshot.vectors([hit.passage.key for hit in local])
            copies = near_copies(vectors, held, threshold=settings.web_duplicate_cosine)
            kept = np.flatnonzero(~copies)
            web, vectors = [web[place] for place in kept], vectors[kept]
        if not web:
            return replace(outcome, warning="The web only repeated what the library holds.")
        shown = sorted(web, key=lambda hit: -hit.score)[: max(k // PLACES, k - len(local))]
        if not shown:
            return outcome
        known = {} if vectors is None else {hit.passage.key: vectors[place] for place, hit in enumerate(web)}
        local = local[: k - len(shown)]
        fused = merge_web(
            [("local", _as_ranked(local), LOCAL_LEG_WEIGHT * max(1, len(legs)))],
            _by_score(shown),
            web_weight=settings.web_weight,
            k=settings.rrf_k,
        )
        by_key = {hit.passage.key: hit for hit in (*local, *shown)}
        pairs = zip(fused.ranking.keys.tolist(), fused.ranking.scores.tolist(), strict=True)
        hits = tuple(replace(by_key[key], score=score, rank=rank) for rank, (key, score) in enumerate(pairs, start=1))
        return replace(outcome, hits=hits, used=True, vectors=known)

    def _vectors(self, web: Sequence[Hit]) -> NDArray[np.float32] | None:
        """Unit vectors of the results, as passages would have them; None where there is no embedder."""
        try:
            embedder = self._components.embedder
            texts = [within_window(hit.passage.embedded_text, embedder.tokenizer) for hit in web]
            return embedder.embed_passages(texts)
        except EMBEDDER_FAULTS:
            return None  # nothing is called a copy then


def _as_ranked(local: Sequence[Hit]) -> Ranking:
    """The local hits as one ranking: their order counts here, their scores have a scale of their own."""
    keys = np.array([hit.passage.key for hit in local], np.int64)
    return Ranking(keys, -np.arange(len(local), dtype=np.float32))


def _by_score(web: Sequence[Hit]) -> Ranking:
    return Ranking(
        np.array([hit.passage.key for hit in web], np.int64), np.array([hit.score for hit in web], np.float32)
    )


def _hits_of(found: Sequence[WebResult]) -> list[Hit]:
    today = datetime.now(UTC).date()
    return [_hit(-number, result, today) for number, result in enumerate(found, start=1)]


def _hit(key: int, result: WebResult, today: date) -> Hit:
    """A page as a hit. Its text is the passage; nothing of it is stored, and its id is that of its address."""
    weight = freshness(result.published, today)
    paper_id = f"web:{hashlib.sha256(result.url.encode('utf-8', 'replace')).hexdigest()[:12]}"
    text = Text(result.text, parser=f"{result.engine}/1")
    paper = Paper(
        id=paper_id,
        title=result.title,
        abstract=result.text,
        year=result.published.year if result.published else None,
        url=result.url,
        provenance=dict.fromkeys(("title", "abstract", "url"), result.engine),
    )
    passage = Passage(
        id=f"{paper_id}::0",
        paper_id=paper_id,
        anchor=Anchor(paper_id, text.version, 0, len(result.text)),
        text=result.text,
        title=result.title,
        key=key,
    )
    return Hit(
        passage,
        score=result.score * weight,
        rank=-key,
        signals={"web": result.score, "freshness": weight},
        source="web",
        source_url=result.url,
        paper=paper,
    )


UNDATED = 0.8
STALE = 0.5
STALE_DAYS = 180


def freshness(published: date | None, today: date) -> float:
    """What a page's age leaves of its score: 1 today, falling evenly to 0.5 at 180 days and after; 0.8 undated."""
    if published is None:
        return UNDATED
    age = min(max((today - published).days, 0), STALE_DAYS)
    return 1.0 - (1.0 - STALE) * age / STALE_DAYS


def near_copies(web: NDArray[np.float32], local: NDArray[np.float32], *, threshold: float = 0.85) -> NDArray[np.bool_]:
    """Which web results repeat a local one: (len(web),), True where a cosine to any local vector is above
    `threshold`. Both are unit vectors. Keeping copies would only amplify what the library already found."""
    if not len(web) or not len(local):
        return np.zeros(len(web), np.bool_)
    copies: NDArray[np.bool_] = (web @ local.T).max(axis=1) > threshold
    return copies


def merge_web(
    legs: Sequence[tuple[str, Ranking, float]],
    web: Ranking,
    *,
    web_weight: float = 0.6,
    k: int = RRF_K,
) -> Fused:
    """Weighted RRF of the local rankings (name, ranking, weight) and the web's.

    Ranks, because a web engine's scores share no scale with ours. Web keys must be negative: engine keys are
    positive and never reused.
    """
    if (web.keys >= 0).any():
        raise ValueError("Web results need negative keys.")
    local = [Leg(name, ranking, weight) for name, ranking, weight in legs]
    return reciprocal_rank_fusion([*local, Leg("web", web, web_weight)], k=k)
