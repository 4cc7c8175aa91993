"""Citation checks: does the cited text bear the sentence that cites it?

All claims go in one call, keyed by their own ids: two sentences that cite the same paper get a verdict each. What code
sees (a changed figure, a negation, another name) is a reason for the model to look again, with the objection before it;
its second word stands. Objections alone were right in a third of their cases, so they are no veto. Where one is sure
(a sentence repeated with another figure, a text about something else) and the model insists, nobody can say: the
verdict is `unverifiable`, never "contradicted" by rules alone.

Source: the NeuLitTrace citation check; its fault was to key verdicts by marker.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

from pydantic import field_validator

from litloop.core.portal import in_thread
from litloop.core.records import Check, CheckVerdict, Judged, JudgePath
from litloop.llm.chat import ChatModel, ChatResult, RenderedPrompt
from litloop.llm.prompt import Prompt, PromptDocument
from litloop.llm.reply_model import ReplyModel
from litloop.verification.support.model import Statement, SupportModel

PROMPT = Prompt(
    name="citation",
    version=3,
    system=(
        "You check whether documents bear statements. Judge each statement from its own document alone. Numbers, "
        "units, names and negations must agree."
    ),
    user=(
        "{documents}\n\nThe statements, each with the document it is judged from:\n{statements}\n\nFor each statement: "
        "supported when its document says it, contradicted when it says otherwise, unsupported when it says nothing "
        "of it, partly when it says only a part of it, unverifiable when you cannot tell. Answer as JSON: "
        '{"results": [{"id": "S1", "verdict": "supported", "why": "a few words"}]}'
    ),
)
AGAIN = Prompt(
    name="citation-again",
    version=1,
    system=PROMPT.system,
    user=(
        "{documents}\n\nThe statements, each with the document it is judged from:\n{statements}\n\nYou called them "
        "supported. A program doubts it, for the reasons below; it is often wrong. Look again at each.\n{doubts}\n\n"
        "For each statement: supported, partly, contradicted, unsupported or unverifiable. Answer as JSON: "
        '{"results": [{"id": "S1", "verdict": "supported", "why": "a few words"}]}'
    ),
)
TOKENS_PER_CLAIM = 40
MAX_DOCUMENT = 4000  # characters of a cited passage that are shown
_NUMBER = re.compile(r"\W*+(?:s|statement)?\W*+(\d{1,4})\W*+", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Claim:
    """One sentence, and all that it cites as it stands in the original. `marker` is None where it has several."""

    sentence: int
    marker: int | None
    claim: str
    text: str
    title: str = ""


class VerdictReply(ReplyModel):
    id: str
    verdict: Literal["supported", "partly", "contradicted", "unsupported", "unverifiable"]
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
    """Checks with the model when one is given, otherwise (and when it fails) by rules and the shipped verifier."""

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
        reply = await self._ask(self._model, claims)
        said = by_number(reply.parsed) if reply.parsed else {}
        if not said.keys() & set(range(1, len(claims) + 1)):
            by_rules = await self._offline(claims, statements)
            why = reply.reason or "the model gave no verdict that could be used."
            return replace(by_rules, degraded=by_rules.degraded or why, ms=reply.ms)
        checks = tuple(_modelled(claim, said.get(number)) for number, claim in enumerate(claims, start=1))
        checks = await self._looked_at_again(self._model, claims, statements, checks)
        return Judged(checks, "model", reply.notice, reply.ms)

    async def _ask(
        self, model: ChatModel, claims: Sequence[Claim], doubts: Sequence[str] = ()
    ) -> ChatResult[VerdictReplies]:
        limit = 40 + TOKENS_PER_CLAIM * len(claims)
        return await model.structured(_rendered(claims, doubts), VerdictReplies, task="citation", max_tokens=limit)

    async def _looked_at_again(
        self, model: ChatModel, claims: Sequence[Claim], statements: Sequence[Statement], checks: tuple[Check, ...]
    ) -> tuple[Check, ...]:
        """What the model called supported and rules object to is asked once more, the objection beside it."""
        objections = await in_thread(lambda: self._support.doubts(statements))
        doubtful = [
            at
            for at, (check, against) in enumerate(zip(checks, objections, strict=True))
            if check.verdict == "supported" and against is not None
        ]
        if not doubtful:
            return checks
        doubts = [against.why for at in doubtful if (against := objections[at]) is not None]
        reply = await self._ask(model, [claims[at] for at in doubtful], doubts)
        said = by_number(reply.parsed) if reply.parsed else {}
        again = list(checks)
        for number, at in enumerate(doubtful, start=1):
            against = objections[at]
            if number in said and said[number].verdict == "supported" and against is not None and against.outlasts:
                # A judge that calls everything supported, or that a text has captured, says so a second time as well.
                why = f"the model supports it, against what litloop sees: {against.why}"
                again[at] = _check(claims[at], "unverifiable", why, "model")
            elif number in said:
                again[at] = _modelled(claims[at], said[number])
            else:  # nobody can say now whether the objection holds
                again[at] = _check(claims[at], "unverifiable", doubts[number - 1], "model")
        return tuple(again)

    async def _offline(self, claims: Sequence[Claim], statements: Sequence[Statement]) -> Judged[tuple[Check, ...]]:
        try:
            found = await in_thread(lambda: self._support.check(statements))
        except Exception as error:
            # Whatever broke (an embedder without its files, say), a sentence that was not checked is not supported.
            reason = f"The support check failed: {error}"
            return Judged(tuple(_unverified(claim, reason, "offline") for claim in claims), "offline", reason)
        checks = (_check(c, s.verdict, s.why, "offline") for c, s in zip(claims, found, strict=True))
        return Judged(tuple(checks), "offline")


def _rendered(claims: Sequence[Claim], doubts: Sequence[str] = ()) -> RenderedPrompt:
    """A passage that several statements cite is shown once. `doubts`: what rules object to each of them."""
    names: dict[tuple[str, str], str] = {}
    for claim in claims:
        names.setdefault((claim.title, claim.text), f"D{len(names) + 1}")
    shown = {
        "documents": [PromptDocument(name, text[:MAX_DOCUMENT], title) for (title, text), name in names.items()],
        "statements": [
            PromptDocument(f"S{number}", claim.claim, judged_from=names[claim.title, claim.text])
            for number, claim in enumerate(claims, start=1)
        ],
    }
    if not doubts:
        return PROMPT.render(**shown)
    # An objection quotes the document, so it is data as the document is.
    reasons = [PromptDocument(f"S{number}", why) for number, why in enumerate(doubts, start=1)]
    return AGAIN.render(**shown, doubts=reasons)


def by_number(replies: VerdictReplies) -> dict[int, VerdictReply]:
    """Verdicts by the number of their statement. One spoken of twice with different verdicts has none."""
    said: dict[int, list[VerdictReply]] = {}
    for entry in replies.results:
        number = _NUMBER.fullmatch(entry.id)
        if number:
            said.setdefault(int(number[1]), []).append(entry)
    return {number: entries[0] for number, entries in said.items() if len({entry.verdict for entry in entries}) == 1}


def _modelled(claim: Claim, entry: VerdictReply | None) -> Check:
    if entry is None:
        return _unverified(claim, "the check gave no clear verdict", "model")
    return _check(claim, entry.verdict, entry.why[:200], "model")


def _unverified(claim: Claim, why: str, by: JudgePath) -> Check:
    return _check(claim, "unverified", why, by)


def _check(claim: Claim, verdict: CheckVerdict, why: str, by: JudgePath) -> Check:
    return Check("citation", claim.sentence, claim.marker, verdict, why, by)
