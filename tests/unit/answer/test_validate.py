from __future__ import annotations

import pytest

from litloop.answer.validate import item_faults, says_something
from litloop.core.records import Anchor, AnswerItem, EvidenceSpan, Hit, Passage

ANCHOR = Anchor("p", "v", 0, 10)


def faults(value: str, type: str, quote: str) -> list[str]:
    text = f"Before it. {quote} After it."
    hit = Hit(Passage("p::0", "p", ANCHOR, text), 1.0, 1)
    return item_faults(AnswerItem(value, type, (EvidenceSpan(ANCHOR, quote, "p::0"),)), {"p::0": hit})


@pytest.mark.parametrize(
    ("value", "type", "quote"),
    [
        ("EUR 150", "amount", "The deductible for water damage is EUR 300."),
        ("12 weeks", "duration", "Treatment lasted for 24 weeks."),
        ("61 %", "percentage", "In 16 % of the patients pain fell."),
        ("41", "number", "There were 14 patients in the group."),
        ("2011-03-04", "date", "The trial began on 4 March 2012."),
        ("yes", "boolean", "Damage by flood is not covered."),
        ("Yes.", "boolean", "No difference between the groups was found."),
    ],
)
def test_a_typed_value_that_its_quote_does_not_bear_is_a_fault(value: str, type: str, quote: str) -> None:
    assert faults(value, type, quote)


@pytest.mark.parametrize(
    ("value", "type", "quote"),
    [
        ("EUR 300", "amount", "The deductible for water damage is EUR 300."),
        ("6 months", "duration", "Treatment lasted for half a year (6 months)."),
        ("24 weeks", "duration", "Treatment lasted for 24 weeks."),
        ("86 %", "percentage", "It was seen in 12 of 14 patients."),
        ("14", "number", "There were fourteen patients in the group."),
        ("2012-03-04", "date", "The trial began on 4 March 2012."),
        ("yes", "boolean", "Damage by fire is covered."),
        ("no", "boolean", "Damage by flood is not covered."),
        ("yes", "boolean", "It covers not only fire but also hail."),
    ],
)
def test_a_typed_value_that_follows_from_its_quote_is_none(value: str, type: str, quote: str) -> None:
    assert not faults(value, type, quote)


@pytest.mark.parametrize("quote", ["a", "the", ".", "of the", "It was."])
def test_words_that_mean_nothing_are_no_evidence(quote: str) -> None:
    assert not says_something(quote)
    assert faults("take something else instead", "text", quote)


@pytest.mark.parametrize("quote", ["61", "hail", "患者", "It rained."])
def test_a_word_or_a_figure_is(quote: str) -> None:
    assert says_something(quote)
