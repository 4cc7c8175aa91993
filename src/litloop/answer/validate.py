"""What code checks of a contract before anyone sees it. No model is asked."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from datetime import date

from litloop.core.records import AnswerItem, AnswerWithEvidence, EvidenceSpan, Hit, LeftOut
from litloop.text.lexicon import FUNCTION_WORDS
from litloop.text.negation import negation_scopes
from litloop.text.numbers import find_quantities
from litloop.text.quotes import QuotedText
from litloop.text.supported_quantities import stated, unsupported

_AMOUNT = re.compile(r"[€$£¥₹]|\b(?:[A-Z]{3}|dollars?|euros?|pounds?|francs?|yen)\b", re.IGNORECASE)
_DIGIT = re.compile(r"\d")
_FIRST_OF_CJK = 0x2E80  # from here on one character may be a word
_FIGURES = frozenset({"number", "amount", "percentage", "duration", "date"})
_NOT_ONLY = re.compile(r"\bnot\s+(?:only|just|merely)\b|\bno\s+(?:later|more|less|fewer)\s+than\b", re.IGNORECASE)


def faults(contract: AnswerWithEvidence, hits: Mapping[str, Hit], *, shape: str) -> list[str]:
    """Everything wrong with a contract, in sentences a model can act on. Empty when it may be shown.

    found ⇔ items; every quote verbatim in its passage up to white space; one value for a single question; dates
    ISO; amounts with their currency. Source: the iterate-top-k article's validator.
    """
    found = []
    if contract.answer_found and not contract.items:
        found.append("answer_found is true but there are no items with evidence.")
    if not contract.answer_found and contract.items:
        found.append("answer_found is false but there are items.")
    if contract.complete_answer_found and not contract.answer_found:
        found.append("complete_answer_found is true but answer_found is false.")
    if shape == "single" and len({item.value.casefold() for item in contract.items}) > 1:
        found.append("The question asks for one value; give one item.")
    for item in contract.items:
        found += item_faults(item, hits)
    return found


def item_faults(item: AnswerItem, hits: Mapping[str, Hit]) -> list[str]:
    found = []
    if not item.evidence:
        found.append(f"The item {item.value[:80]!r} has no evidence.")
    for span in item.evidence:
        hit = hits.get(span.passage_id)
        if hit is None:
            found.append(f"The item {item.value[:80]!r} cites a passage that was not shown.")
        elif not _stands(span, hit):
            found.append(f"The quote {span.quote[:80]!r} is not in its passage.")
        elif not says_something(span.quote):
            found.append(f"The quote {span.quote[:80]!r} has no content words; quote the words that support the value.")
    found += _value_faults(item)
    if item.type == "date" and not _is_iso(item.value):
        found.append(f"Write the date {item.value[:40]!r} as YYYY-MM-DD, YYYY-MM or YYYY.")
    if item.type == "amount" and _DIGIT.search(item.value) and not _AMOUNT.search(item.value):
        found.append(f"The amount {item.value[:40]!r} has no currency.")
    return found


def _stands(span: EvidenceSpan, hit: Hit) -> bool:
    """Whether the quote is in its passage or, where it names no place in the text, in the title above it."""
    of_title = span.anchor.start == span.anchor.end
    texts = [hit.passage.text, hit.passage.title] if of_title else [hit.passage.text]
    return any(QuotedText(text).find(span.quote) is not None for text in texts)


def says_something(quote: str) -> bool:
    """Whether a quote has a word that carries meaning, or a figure: "the" and "." are evidence of nothing."""
    telling = (word for word in re.findall(r"\w+", quote.casefold()) if word not in FUNCTION_WORDS)
    return any(len(word) > 1 or word.isdecimal() or ord(word) > _FIRST_OF_CJK for word in telling)


def _value_faults(item: AnswerItem) -> list[str]:
    """Whether a typed value follows from its quotes: its figures stand in them, and a yes is not denied by them."""
    quotes = " ".join(span.quote for span in item.evidence)
    if not quotes or (item.type not in _FIGURES and item.type != "boolean"):
        return []
    if item.type == "boolean":
        said = item.value.strip().casefold().rstrip(".!")
        if said == "yes" and all(_denied(span.quote) for span in item.evidence):
            return [f"The value is yes, and its quote denies something: {quotes[:120]!r}."]
        return []
    if item.type == "date":
        # An ISO date stands in its quote as its year, whatever way the rest is written.
        year = item.value.strip()[:4]
        missing = [] if year in quotes else [year]
    else:
        missing = [str(q.value) for q in unsupported(find_quantities(item.value), stated(quotes))]
    if missing:
        return [f"The value {item.value[:80]!r} does not follow from its quote {quotes[:120]!r}."]
    return []


def _denied(quote: str) -> bool:
    """Whether the quote denies what it says as a whole: "is not covered", but not "not only … but also"."""
    return bool(negation_scopes(quote)) and not _NOT_ONLY.search(quote)


def without_faulty_items(contract: AnswerWithEvidence, hits: Mapping[str, Hit]) -> tuple[AnswerWithEvidence, int]:
    """The contract with only the items that hold, and how many were left out: they can be read in `left_out`."""
    checked = [(item, item_faults(item, hits)) for item in contract.items]
    kept = tuple(item for item, wrong in checked if not wrong)
    left_out = tuple(_left_out(item, wrong) for item, wrong in checked if wrong)
    dropped = len(left_out)
    complete = contract.complete_answer_found and bool(kept) and not dropped
    return AnswerWithEvidence(
        value=kept[0].value if kept else None,
        items=kept,
        answer_found=bool(kept),
        complete_answer_found=complete,
        confidence=contract.confidence if kept else 0.0,
        caveats=contract.caveats,
        left_out=(*contract.left_out, *left_out),
    ), dropped


def left_out_caveat(statements: int) -> str | None:
    """What is said of so many statements in `left_out`."""
    if not statements:
        return None
    what = "1 statement was left out: its" if statements == 1 else f"{statements} statements were left out: their"
    return f"{what} evidence could not be found. What was left out can be read beside the answer."


def _left_out(item: AnswerItem, wrong: Sequence[str]) -> LeftOut:
    quotes = tuple(span.quote for span in item.evidence)
    return LeftOut(item.value, "unsupported" if quotes else "uncited", " ".join(wrong), quotes)


def _is_iso(value: str) -> bool:
    match = re.fullmatch(r"(\d{4})(?:-(\d{2})(?:-(\d{2}))?)?", value.strip())
    if not match:
        return False
    try:
        date(int(match[1]), int(match[2] or 1), int(match[3] or 1))
    except ValueError:
        return False
    return True
