"""Alternatives: is another topic really made plausible by the paper it is taken from?

A candidate that merely restates the matched topic is dropped before anything is asked.

Source: NeuLitTrace's check of differential diagnoses, which drops candidates
that name the matched condition again.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from litloop.core.records import Alternative, CheckVerdict, Judged
from litloop.llm.chat import ChatModel
from litloop.llm.prompt import Prompt, PromptDocument
from litloop.text.acronyms import find_acronyms, spelled_from
from litloop.text.folding import fold
from litloop.text.lexicon import FUNCTION_WORDS
from litloop.text.negation import is_negated, negation_scopes
from litloop.text.sentences import Span, sentences
from litloop.verification.citation import PROMPT as CITATION_PROMPT
from litloop.verification.citation import TOKENS_PER_CLAIM, VerdictReplies, by_number
from litloop.verification.support.wording import read

PROMPT = Prompt(
    name="differential",
    version=3,
    system=CITATION_PROMPT.system,
    user=(
        "{documents}\n\nThe candidates, each with the document it is judged from:\n{candidates}\n\nFor each candidate: "
        "supported when its document makes that topic a plausible alternative for what is described, contradicted "
        "when it rules it out, unsupported when it says nothing of it, unverifiable when you cannot tell. Answer as "
        'JSON: {"results": [{"id": "S1", "verdict": "supported", "why": "a few words"}]}'
    ),
)
MAX_DOCUMENT = 4000  # characters of a paper's text that are shown
_WORD = re.compile(r"[^\W_]+")
_GENERAL = frozenset(
    {
        "disease",
        "diseases",
        "syndrome",
        "disorder",
        "of",
        "the",
        "with",
        "and",
        "in",
        "type",
        "probable",
        "primary",
        "s",
        # An encephalitis with antibodies against something is the same with and without these.
        "anti",
        "antibody",
        "antibodies",
        "associated",
        "mediated",
    }
)


def distinct(
    candidates: Sequence[Alternative], matched: str | None, acronyms: Mapping[str, str] | None = None
) -> tuple[Alternative, ...]:
    """The candidates that are not the matched topic under another form of its name, each once. `acronyms` are the
    short forms the cited texts define."""
    kept: list[Alternative] = []
    for candidate in candidates:
        others = [matched or "", *(other.name for other in kept)]
        if not candidate.name.strip():
            continue
        if not any(same_topic(candidate.name, other, acronyms) for other in others):
            kept.append(candidate)
    return tuple(kept)


def same_topic(one: str, other: str, acronyms: Mapping[str, str] | None = None) -> bool:
    """Whether two names mean one topic: the words of one all in the other, in any order and number, or one with an
    acronym of the other's words ("svPPA", "NMDAR encephalitis"). Names that each have a word of their own differ: two
    variants of one thing are two topics."""
    a, b = _name_words(one, acronyms or {}), _name_words(other, acronyms or {})
    if not a or not b:
        return False
    if a <= b or b <= a:
        return True
    if _initials(other) & a or _initials(one) & b:
        return True
    spelled_one, spelled_other = _name_words(spelled_from(one, other), {}), _name_words(spelled_from(other, one), {})
    return spelled_one <= b or spelled_other <= a


class AlternativeJudge:
    """Checks with the model when one is given. Offline the cited text must name the candidate, not exclude it, and
    name it near a finding that the candidate is put forward for."""

    def __init__(self, model: ChatModel | None) -> None:
        self._model = model

    async def judge(
        self, candidates: Sequence[Alternative], texts: Mapping[str, str]
    ) -> Judged[tuple[Alternative, ...]]:
        """`texts` are the original texts by paper id. A candidate that cites none of them is unsupported."""
        if self._model is None:
            return Judged(tuple(_by_rules(candidate, texts) for candidate in candidates), "offline")
        citing = [candidate for candidate in candidates if candidate.paper_id in texts]
        if not citing:
            return Judged(tuple(replace(candidate, verdict="unsupported") for candidate in candidates), "model")
        papers = {name: f"D{number}" for number, name in enumerate(dict.fromkeys(c.paper_id or "" for c in citing), 1)}
        reply = await self._model.structured(
            PROMPT.render(
                documents=[PromptDocument(name, texts[paper][:MAX_DOCUMENT]) for paper, name in papers.items()],
                candidates=[
                    PromptDocument(f"S{number}", f"{c.name}: {c.why}", judged_from=papers[c.paper_id or ""])
                    for number, c in enumerate(citing, start=1)
                ],
            ),
            VerdictReplies,
            task="differential",
            max_tokens=40 + TOKENS_PER_CLAIM * len(citing),
        )
        if reply.parsed is None:
            return _in_its_place(candidates, texts, reply.reason, reply.ms)
        said = by_number(reply.parsed)
        if not said:
            return _in_its_place(candidates, texts, reply.reason, reply.ms)
        numbers = range(1, len(citing) + 1)
        verdicts: Iterator[CheckVerdict] = iter([said[n].verdict if n in said else "unverified" for n in numbers])
        judged = [replace(c, verdict=next(verdicts) if c.paper_id in texts else "unsupported") for c in candidates]
        return Judged(tuple(judged), "model", ms=reply.ms)


def _in_its_place(
    candidates: Sequence[Alternative], texts: Mapping[str, str], reason: str | None, ms: float
) -> Judged[tuple[Alternative, ...]]:
    """The verdicts of the rules where the model gave none, and why."""
    why = reason or "the model gave no verdict that could be used."
    return Judged(tuple(_by_rules(candidate, texts) for candidate in candidates), "offline", why, ms)


def _by_rules(candidate: Alternative, texts: Mapping[str, str]) -> Alternative:
    return replace(candidate, verdict=_verdict(candidate, texts.get(candidate.paper_id or "", "")))


def _verdict(candidate: Alternative, text: str) -> CheckVerdict:
    acronyms = find_acronyms(text)
    spoken = sentences(text)
    named = [number for number, sentence in enumerate(spoken) if _mention(candidate.name, sentence, acronyms)]
    if not named:
        return "unsupported"
    open_ = [number for number in named if not _excluded(candidate.name, spoken[number], acronyms)]
    if not open_:
        return "contradicted"
    findings = read(candidate.why).content - read(candidate.name).content
    near = [spoken[place] for number in open_ for place in range(max(0, number - 1), min(len(spoken), number + 2))]
    shared = not findings or any(findings & read(sentence).content for sentence in near)
    return "supported" if shared else "unverifiable"


def _mention(name: str, sentence: str, acronyms: Mapping[str, str]) -> Span | None:
    """The first stretch of a sentence that names a topic: its words near each other, or its acronym."""
    there = [(match[0].casefold(), match.span()) for match in _WORD.finditer(sentence)]
    for short in _short_forms(name, acronyms):
        for match in re.finditer(rf"(?<!\w){re.escape(short)}(?!\w)", sentence):
            return match.span()
    wanted = _name_words(name, {})
    there = [(_singular(word), span) for word, span in there]
    reach = 2 * len(wanted) + 2
    for first in range(len(there)):
        window = there[first : first + reach]
        if window[0][0] in wanted and wanted <= {word for word, _ in window}:
            last = max(place for place, (word, _) in enumerate(window) if word in wanted)
            return window[0][1][0], window[last][1][1]
    return None


def _excluded(name: str, sentence: str, acronyms: Mapping[str, str]) -> bool:
    span = _mention(name, sentence, acronyms)
    return span is not None and is_negated(negation_scopes(sentence), *span)


def _short_forms(name: str, acronyms: Mapping[str, str]) -> set[str]:
    """The acronyms under which a text may name a topic, in capitals."""
    defined = {short for short, long in acronyms.items() if _name_words(long, {}) == _name_words(name, {})}
    return defined | {initials.upper() for initials in _initials(name) if len(initials) > 2}


def _name_words(name: str, acronyms: Mapping[str, str]) -> frozenset[str]:
    """The words that tell a name from others, singular, acronyms spelled out."""
    spelled = [part for word in _WORD.findall(fold(name)) for part in _WORD.findall(acronyms.get(word, word))]
    return frozenset(_singular(word.casefold()) for word in spelled) - _GENERAL


def _singular(word: str) -> str:
    if len(word) > 4 and word.endswith("ies"):
        return f"{word[:-3]}y"
    return word[:-1] if len(word) > 3 and word.endswith("s") and not word.endswith(("ss", "is", "us")) else word


def _initials(name: str) -> set[str]:
    """The acronyms a name can have: of all its words, and of all but the function words."""
    words = [word.casefold() for word in _WORD.findall(fold(name)) if word != "s"]
    short = [word for word in words if word not in FUNCTION_WORDS]
    return {"".join(word[0] for word in some) for some in (words, short) if len(some) > 1}
