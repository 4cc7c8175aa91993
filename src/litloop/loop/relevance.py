"""Relevance: which of these papers address the question? One call for all of them.

Offline the verdict is a calibrated probability from retrieval signals (`relevance.json`, fitted by
`benchmarks/training/calibration/fit_relevance.py`). Labels are never shown to a judge: a condition label would answer
the question that the judge is asked.
"""

from __future__ import annotations

import functools
import json
import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from importlib import resources
from typing import Any, Protocol

from pydantic import field_validator

from litloop.core.records import Candidate, Judged, Relevance
from litloop.llm.chat import ChatModel
from litloop.llm.prompt import Prompt, PromptDocument
from litloop.llm.reply_model import Confidence, ReplyModel

PROMPT = Prompt(
    name="relevance",
    version=1,
    system="You judge whether documents address a question. You never answer the question itself.",
    user=(
        "Question: {question}\n\n{documents}\n\nFor each document say whether it holds information that addresses "
        'the question. Answer as JSON: {"results": [{"id": "1", "relevant": true, "confidence": 0.9, '
        '"why": "a few words"}]} with one entry for each document.'
    ),
)
TOKENS_PER_PAPER = 45
UNUSABLE = "The relevance judge gave no verdict that could be used."
# Least probability of a paper whose best passage bears every word that names what is asked for, one of them rare.
NAMED = 0.5
# The signal for the share of the asked subject that a paper's title does not name. It weighs in no probability: the
# gate reads it.
SUBJECT_MISSING = "subject_missing"
EXCERPT = 900  # characters of each paper: a relevance call is no place for whole abstracts


class RelevanceEntry(ReplyModel):
    id: str
    relevant: bool
    confidence: Confidence = 0.5
    why: str = ""

    @field_validator("id", mode="before")
    @classmethod
    def _as_text(cls, value: object) -> object:
        return str(value) if isinstance(value, int) else value


class Verdicts(ReplyModel):
    results: list[RelevanceEntry]


class RelevanceModel(Protocol):
    """Gives the probability that a paper addresses the question, from its signals."""

    @property
    def relevant_at(self) -> float:
        """The probability from which a paper is kept."""
        ...

    def probability(self, signals: Mapping[str, float]) -> float: ...


class RelevanceJudge:
    """Judges with the model when one is given, otherwise from retrieval signals alone."""

    def __init__(self, model: ChatModel | None, offline: RelevanceModel) -> None:
        self._model = model
        self._offline_model = offline

    async def judge(self, question: str, candidates: Sequence[Candidate]) -> Judged[tuple[Relevance, ...]]:
        if self._model is None:
            return Judged(tuple(self._offline(candidate) for candidate in candidates), "offline")
        documents = [
            PromptDocument(str(number), _excerpt(candidate), candidate.paper.title)
            for number, candidate in enumerate(candidates, start=1)
        ]
        reply = await self._model.structured(
            PROMPT.render(question=question, documents=documents),
            Verdicts,
            task="relevance",
            max_tokens=40 + TOKENS_PER_PAPER * len(candidates),
        )
        if reply.parsed is None:
            # A judge that failed knows nothing. Calling these papers irrelevant would tell the reader "out of
            # scope", which is how NeuLitTrace misled its users.
            unknown = tuple(Relevance(candidate.paper.id, "unknown") for candidate in candidates)
            return Judged(unknown, "model", reply.reason or "The relevance judge gave no verdict.", reply.ms)
        verdicts = align(reply.parsed, candidates)
        nothing = bool(verdicts) and all(verdict.verdict == "unknown" for verdict in verdicts)
        # A judge that was shown, or read, a part of the papers has not judged the rest: its verdicts stand, and that is
        # said.
        degraded = reply.reason or UNUSABLE if nothing else reply.notice
        return Judged(verdicts, "model", degraded, reply.ms)

    def _offline(self, candidate: Candidate) -> Relevance:
        # A paper whose cosine is not known (no dense leg, a lost vector) is not far away: its words alone speak.
        model = self._offline_model if "cosine" in candidate.signals else relevance_model(None)
        probability = model.probability(candidate.signals)
        if candidate.signals.get("named"):
            probability = max(probability, NAMED)
        relevant = probability >= model.relevant_at
        # Rounded down where it was not enough: "0.06, kept from 0.06" would contradict itself.
        told = probability if relevant else math.floor(probability * 100) / 100
        why = f"by its signals {told:.2f}, kept from {model.relevant_at:.2f}"
        return Relevance(candidate.paper.id, "relevant" if relevant else "irrelevant", probability, why)


def align(verdicts: Verdicts, candidates: Sequence[Candidate]) -> tuple[Relevance, ...]:
    """One verdict per paper, in order. A paper left out, or spoken of twice with different verdicts, is unknown."""
    said: dict[str, list[RelevanceEntry]] = {}
    for entry in verdicts.results:
        said.setdefault(_number(entry.id), []).append(entry)
    return tuple(_verdict(candidate, said.get(str(n), [])) for n, candidate in enumerate(candidates, start=1))


def _verdict(candidate: Candidate, entries: Sequence[RelevanceEntry]) -> Relevance:
    if not entries or len({entry.relevant for entry in entries}) > 1:
        return Relevance(candidate.paper.id, "unknown", why="the judge gave no clear verdict")
    entry = entries[0]
    confidence = entry.confidence if entry.relevant else 1 - entry.confidence
    return Relevance(candidate.paper.id, "relevant" if entry.relevant else "irrelevant", confidence, entry.why[:200])


def _number(name: Any) -> str:
    """`1` from "1", "[1]", "doc 1", "#1"."""
    digits = "".join(c for c in str(name) if c.isdecimal())
    return digits.lstrip("0") or "0"


def _excerpt(candidate: Candidate) -> str:
    text = " … ".join(hit.passage.text for hit in candidate.hits[:2])
    return excerpt(text, EXCERPT)


ANY = "any"  # for an embedder that was not fitted: no cosines, whose scale it would not know
LEXICAL = "lexical"  # for a search without a dense leg


@dataclass(frozen=True, slots=True)
class LogisticRelevance:
    """P = 1 / (1 + exp(-(bias + Σ weight · signal))). A signal that is absent counts as 0.

    P is calibrated: the chance that the judgements call this paper relevant. A paper is kept from `relevant_at` on,
    far below one half: dropping the one paper that answers costs more than reading four that do not. It is the value
    at which "none of five papers is relevant" best tells questions of another field from answerable ones.
    """

    bias: float
    weights: Mapping[str, float]
    relevant_at: float = 0.1

    def probability(self, signals: Mapping[str, float]) -> float:
        logit = self.bias + sum(weight * signals.get(name, 0.0) for name, weight in self.weights.items())
        return 1.0 / (1.0 + math.exp(-max(-30.0, min(30.0, logit))))


def relevance_model(embedder: str | None) -> LogisticRelevance:
    """The model of an embedder by its name; None when the dense leg does not run."""
    models = _fitted()
    return models[LEXICAL] if embedder is None else models.get(embedder, models[ANY])


def relevance_signals(
    question: Mapping[str, float],
    terms: Collection[str],
    *,
    cosine: float | None,
    nearest: float | None,
    confidence: float | None,
) -> dict[str, float]:
    """The signals of one paper.

    `question`: its terms with their IDF weight. `terms`: those of the paper's best passage. `cosine`: of that
    passage; `nearest`: the highest of the retrieval. `confidence`: of the retrieval, as a probability.
    """
    total = sum(question.values())
    held = sum(weight for term, weight in question.items() if term in terms)
    signals = {"coverage": held / total if total else 0.0}
    if confidence is not None:
        clipped = min(max(confidence, 0.001), 0.999)
        signals["confidence_logit"] = math.log(clipped / (1 - clipped))
    if cosine is not None and nearest is not None:
        signals["cosine"] = cosine
        signals["behind"] = nearest - cosine
    return signals


@functools.cache
def _fitted() -> Mapping[str, LogisticRelevance]:
    text = resources.files(__package__).joinpath("relevance.json").read_text(encoding="utf-8")
    fitted: dict[str, Any] = json.loads(text)["models"]
    return {
        name: LogisticRelevance(model["bias"], model["weights"], model["relevant_at"]) for name, model in fitted.items()
    }


def excerpt(text: str, characters: int) -> str:
    """The beginning of `text`, cut between words."""
    return text if len(text) <= characters else text[:characters].rsplit(" ", 1)[0] + " …"
