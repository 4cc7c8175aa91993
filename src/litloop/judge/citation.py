"""Citation checks: does the cited text bear the sentence that cites it?

All claims go in one call, keyed by their own ids: two sentences that cite the same paper get a verdict each. What
code sees for certain (a changed figure, a negation, another name) lowers a model's verdict and never raises it.

Source: the NeuLitTrace citation check; its fault was to key verdicts by marker.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from pydantic import field_validator

from litloop.judge.contract import Reply
from litloop.judge.support.model import Statement, Support, SupportModel
from litloop.llm.chat import ChatModel
from litloop.llm.prompt import Document, Prompt
from litloop.portal import in_thread
from litloop.records import Check, CheckVerdict, Judged

PROMPT = Prompt(
    name="citation",
    version=1,
    system=(
        "You check whether documents bear statements. Judge each statement from its own document alone. Numbers, "
        "units, names and negations must agree."
    ),
    user=(
        "{documents}\n\nStatements:\n{statements}\n\nFor each statement: supported when its document says it, "
        "contradicted when it says otherwise, unsupported when it says nothing of it, unverifiable when you cannot "
        'tell. Answer as JSON: {"results": [{"id": "S1", "verdict": "supported", "why": "a few words"}]}'
    ),
)
TOKENS_PER_CLAIM = 40
MAX_DOCUMENT = 4000  # characters of a cited passage that are shown


@dataclass(frozen=True, slots=True)
class Claim:
    """One sentence under one of its markers. `text` is the cited passage as it stands in the original."""

    sentence: int
    marker: int
    claim: str
    text: str
    title: str = ""


class VerdictReply(Reply):
    id: str
    verdict: Literal["supported", "contradicted", "unsupported", "unverifiable"]
    why: str = ""

    @field_validator("id", mode="before")
    @classmethod
    def _as_text(cls, value: object) -> object:
        return str(value) if isinstance(value, int) else value

    @field_validator("verdict", mode="before")
    @classmethod
    def _as_word(cls, value: object) -> object:
        return value.strip().lower() if isinstance(value, str) else value


class VerdictReplies(Reply):
    results: list[VerdictReply]


class CitationJudge:
    """Checks with the model when one is given, otherwise by rules and the shipped verifier."""

    def __init__(self, model: ChatModel | None, support: SupportModel) -> None:
        self._model = model
        self._support = support

    async def judge(self, claims: Sequence[Claim]) -> Judged[tuple[Check, ...]]:
        """One check per claim, in order. A verdict that did not come is `unverified`, never `supported`."""
        statements = [Statement(claim.claim, claim.text, claim.title) for claim in claims]
        if self._model is None:
            found = await in_thread(lambda: self._support.check(statements))
            return Judged(tuple(_offline(c, s) for c, s in zip(claims, found, strict=True)), "offline")
        reply = await self._model.structured(
            PROMPT.render(
                documents=[Document(f"D{n}", c.text[:MAX_DOCUMENT], c.title) for n, c in enumerate(claims, start=1)],
                statements=[Document(f"S{n}", f"(of D{n}) {c.claim}") for n, c in enumerate(claims, start=1)],
            ),
            VerdictReplies,
            task="citation",
            max_tokens=40 + TOKENS_PER_CLAIM * len(claims),
        )
        if reply.parsed is None:
            return Judged(tuple(_unverified(claim) for claim in claims), "model", reply.reason, reply.ms)
        said = _by_id(reply.parsed)
        objections = await in_thread(lambda: [self._support.objection(statement) for statement in statements])
        checks = []
        for number, (claim, against) in enumerate(zip(claims, objections, strict=True), start=1):
            entry = said.get(f"S{number}")
            if entry is None:
                checks.append(_unverified(claim))
            elif against is not None and entry.verdict == "supported":
                checks.append(_check(claim, against.verdict, against.why, "model"))
            else:
                checks.append(_check(claim, entry.verdict, entry.why[:200], "model"))
        return Judged(tuple(checks), "model", ms=reply.ms)


def _by_id(replies: VerdictReplies) -> dict[str, VerdictReply]:
    """Verdicts by statement. A statement spoken of twice with different verdicts has none."""
    said: dict[str, list[VerdictReply]] = {}
    for entry in replies.results:
        digits = "".join(c for c in entry.id if c.isdigit()).lstrip("0")
        said.setdefault(f"S{digits}", []).append(entry)
    return {name: entries[0] for name, entries in said.items() if len({e.verdict for e in entries}) == 1}


def _offline(claim: Claim, support: Support) -> Check:
    return _check(claim, support.verdict, support.why, "offline")


def _unverified(claim: Claim) -> Check:
    return _check(claim, "unverified", "the check gave no clear verdict", "model")


def _check(claim: Claim, verdict: CheckVerdict, why: str, by: Literal["model", "offline"]) -> Check:
    return Check("citation", claim.sentence, claim.marker, verdict, why, by)
