"""Citation checks: does the cited text bear the sentence that cites it?

All claims go in one call, keyed by their own ids: two sentences that cite the same paper get a verdict each. What
code sees for certain (a changed figure, a negation, another name) lowers a model's verdict and never raises it.

Source: the NeuLitTrace citation check; its fault was to key verdicts by marker.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from pydantic import field_validator

from litloop.core.portal import in_thread
from litloop.core.records import Check, CheckVerdict, Judged, JudgePath
from litloop.llm.chat import ChatModel, Rendered
from litloop.llm.prompt import Document, Prompt
from litloop.llm.reply_model import ReplyModel
from litloop.verification.support.model import Statement, SupportModel
from litloop.verification.support.objections import Objection

PROMPT = Prompt(
    name="citation",
    version=1,
    system=(
        "You check whether documents bear statements. Judge each statement from its own document alone. Numbers, "
        "units, names and negations must agree."
    ),
    user=(
        "{documents}\n\nThe statements, each with the document it is judged from:\n{statements}\n\nFor each statement: "
        "supported when its document says it, contradicted when it says otherwise, unsupported when it says nothing "
        "of it, unverifiable when you cannot tell. Answer as JSON: "
        '{"results": [{"id": "S1", "verdict": "supported", "why": "a few words"}]}'
    ),
)
TOKENS_PER_CLAIM = 40
MAX_DOCUMENT = 4000  # characters of a cited passage that are shown
_NUMBER = re.compile(r"\W*(?:s|statement)?\W*(\d{1,4})\W*", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Claim:
    """One sentence under one of its markers. `text` is the cited passage as it stands in the original."""

    sentence: int
    marker: int
    claim: str
    text: str
    title: str = ""


class VerdictReply(ReplyModel):
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


class VerdictReplies(ReplyModel):
    results: list[VerdictReply]


class CitationJudge:
    """Checks with the model when one is given, otherwise by rules and the shipped verifier."""

    def __init__(self, model: ChatModel | None, support: SupportModel) -> None:
        self._model = model
        self._support = support

    async def judge(self, claims: Sequence[Claim]) -> Judged[tuple[Check, ...]]:
        """One check per claim, in order. A verdict that did not come is `unverified`, never `supported`."""
        if not claims:
            return Judged((), "offline" if self._model is None else "model")
        statements = [Statement(claim.claim, claim.text, claim.title) for claim in claims]
        if self._model is None:
            return await self._offline(claims, statements)
        reply = await self._model.structured(
            _rendered(claims), VerdictReplies, task="citation", max_tokens=40 + TOKENS_PER_CLAIM * len(claims)
        )
        if reply.parsed is None:
            reason = reply.reason or "The citation judge gave no verdict."
            return Judged(tuple(_unverified(claim, reason, "model") for claim in claims), "model", reason, reply.ms)
        said = by_number(reply.parsed)
        objections = await in_thread(lambda: [self._support.objection(statement) for statement in statements])
        checks = tuple(
            _modelled(claim, said.get(number), against)
            for number, (claim, against) in enumerate(zip(claims, objections, strict=True), start=1)
        )
        nothing = all(check.verdict == "unverified" for check in checks)
        degraded = (reply.reason or "The citation judge gave no verdict that could be used.") if nothing else None
        return Judged(checks, "model", degraded, reply.ms)

    async def _offline(self, claims: Sequence[Claim], statements: Sequence[Statement]) -> Judged[tuple[Check, ...]]:
        try:
            found = await in_thread(lambda: self._support.check(statements))
        except Exception as error:
            # Whatever broke (an embedder without its files, say), a sentence that was not checked is not supported.
            reason = f"The support check failed: {error}"
            return Judged(tuple(_unverified(claim, reason, "offline") for claim in claims), "offline", reason)
        checks = (_check(c, s.verdict, s.why, "offline") for c, s in zip(claims, found, strict=True))
        return Judged(tuple(checks), "offline")


def _rendered(claims: Sequence[Claim]) -> Rendered:
    """A passage that several statements cite is shown once."""
    names: dict[tuple[str, str], str] = {}
    for claim in claims:
        names.setdefault((claim.title, claim.text), f"D{len(names) + 1}")
    return PROMPT.render(
        documents=[Document(name, text[:MAX_DOCUMENT], title) for (title, text), name in names.items()],
        statements=[
            Document(f"S{number}", claim.claim, f"judge from {names[claim.title, claim.text]}")
            for number, claim in enumerate(claims, start=1)
        ],
    )


def by_number(replies: VerdictReplies) -> dict[int, VerdictReply]:
    """Verdicts by the number of their statement. One spoken of twice with different verdicts has none."""
    said: dict[int, list[VerdictReply]] = {}
    for entry in replies.results:
        number = _NUMBER.fullmatch(entry.id)
        if number:
            said.setdefault(int(number[1]), []).append(entry)
    return {number: entries[0] for number, entries in said.items() if len({entry.verdict for entry in entries}) == 1}


def _modelled(claim: Claim, entry: VerdictReply | None, against: Objection | None) -> Check:
    if entry is None:
        return _unverified(claim, "the check gave no clear verdict", "model")
    if against is not None and entry.verdict == "supported":
        return _check(claim, against.verdict, against.why, "model")
    return _check(claim, entry.verdict, entry.why[:200], "model")


def _unverified(claim: Claim, why: str, by: JudgePath) -> Check:
    return _check(claim, "unverified", why, by)


def _check(claim: Claim, verdict: CheckVerdict, why: str, by: JudgePath) -> Check:
    return Check("citation", claim.sentence, claim.marker, verdict, why, by)
