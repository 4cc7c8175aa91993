"""Sequential, batch, validation and rendering, on passages small enough to see."""

from __future__ import annotations

import asyncio
import unicodedata
from collections.abc import Sequence
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from litloop.answer.attempt import attempt
from litloop.answer.contract import ContractReply, ItemReply, QuoteReply, bind
from litloop.answer.render import paper_uses, render
from litloop.answer.strategies import answer_in_batch, answer_sequentially, merged_contract
from litloop.answer.validate import faults, left_out_caveat, without_faulty_items
from litloop.core.records import (
    Anchor,
    AnswerItem,
    AnswerWithEvidence,
    BoundContract,
    Candidate,
    EvidenceSpan,
    Hit,
    Judged,
    LeftOut,
    Paper,
    Passage,
    Relevance,
)
from litloop.question import parse
from litloop.text.markers import find_markers
from litloop.text.quotes import QuotedText

QUESTION = parse("When does the policy take effect?")


def hit(name: str, text: str, rank: int = 1) -> Hit:
    return Hit(Passage(f"{name}::0", name, Anchor(name, "v", 100, 100 + len(text)), text, page=3), 1 / rank, rank)


def item(value: str, at: Hit, quote: str, type: str = "text") -> AnswerItem:
    start = at.passage.text.index(quote)
    anchor = Anchor(at.passage.paper_id, "v", 100 + start, 100 + start + len(quote))
    return AnswerItem(value, type, (EvidenceSpan(anchor, quote, at.passage.id, 3),))


def contract(*items: AnswerItem, complete: bool = True) -> AnswerWithEvidence:
    return AnswerWithEvidence(items[0].value if items else None, items, bool(items), bool(items) and complete, 0.9)


class Scripted:
    """An extractor that gives the next contract it was told to, and keeps what it was asked."""

    def __init__(self, *contracts: AnswerWithEvidence | BoundContract, by: str = "model") -> None:
        self.contracts = list(contracts)
        self.asked: list[tuple[list[str], tuple[str, ...], AnswerWithEvidence | None]] = []
        self.by = by

    async def extract(
        self, question, hits: Sequence[Hit], *, partial=None, wrong: Sequence[str] = ()
    ) -> Judged[BoundContract]:
        self.asked.append(([h.passage.paper_id for h in hits], tuple(wrong), partial))
        said = self.contracts[len(self.asked) - 1]
        return Judged(said if isinstance(said, BoundContract) else BoundContract(said, ()), self.by)  # type: ignore[arg-type]


class Spending:
    def __init__(self, calls: int = 99) -> None:
        self.calls = calls

    def tokens_spent(self) -> int:
        return 0

    def affords(self, hits: Sequence[Hit], *, since: int = 0, at_most: int | None = None) -> bool:
        return len(hits) <= self.calls and (at_most is None or at_most > 0)


def silent(*_: object, **__: object) -> None:
    pass


A = hit("a", "Effective from 1 January 2026. Signed in Bonn.", 1)
B = hit("b", "The policy ends on 31 December 2026.", 2)
NOTHING = AnswerWithEvidence(None, (), False, False)


def sequentially(script: Scripted, *, tokens: int = 1000, spending: Spending | None = None):
    return asyncio.run(
        answer_sequentially(QUESTION, [A, B], script, spending or Spending(), silent, budget_tokens=tokens)
    )


def test_the_first_complete_answer_stops_the_reading():
    script = Scripted(contract(item("2026-01-01", A, "1 January 2026", "date")))
    reading = sequentially(script)
    assert (reading.exit, reading.read) == ("sufficient", 1)
    assert script.asked[0][0] == ["a"]


def test_an_incomplete_answer_goes_on_and_merges_its_evidence():
    first = contract(item("Bonn", A, "Signed in Bonn"), complete=False)
    second = contract(item("2026-12-31", B, "31 December 2026", "date"))
    script = Scripted(first, second)
    reading = sequentially(script)
    assert reading.exit == "sufficient"
    assert [i.value for i in reading.attempt.contract.items] == ["Bonn", "2026-12-31"]
    assert script.asked[1][2] == first


def test_nothing_found_reads_to_the_end_and_says_exhausted():
    reading = sequentially(Scripted(NOTHING, NOTHING))
    assert (reading.exit, reading.read) == ("exhausted", 2)
    assert not reading.attempt.contract.answer_found


def test_a_budget_that_is_used_up_makes_no_further_call():
    script = Scripted()
    assert sequentially(script, tokens=0).exit == "budget"
    assert script.asked == []


def test_a_call_that_cannot_be_paid_is_not_made():
    script = Scripted()
    assert sequentially(script, spending=Spending(0)).exit == "budget"
    assert script.asked == []


def test_confidence_decides_nothing():
    unsure = replace(contract(item("Bonn", A, "Signed in Bonn")), confidence=0.01)
    assert sequentially(Scripted(unsure)).exit == "sufficient"


def test_a_reply_that_is_wrong_is_asked_once_more_with_the_reason():
    wrong = contract(AnswerItem("x", "text", (EvidenceSpan(Anchor("a", "v", 0, 1), "not there", "a::0"),)))
    right = contract(item("Bonn", A, "Signed in Bonn"))
    script = Scripted(wrong, right)
    result = asyncio.run(attempt(QUESTION, [A], script, silent))
    assert result.contract == right
    assert "is not in its passage" in script.asked[1][1][0]


def test_what_is_wrong_twice_is_left_out_and_said_so():
    wrong = contract(
        item("Bonn", A, "Signed in Bonn"),
        AnswerItem("x", "text", (EvidenceSpan(Anchor("a", "v", 0, 1), "not there", "a::0"),)),
    )
    result = asyncio.run(attempt(parse("List all places."), [A], Scripted(wrong, wrong), silent))
    assert [i.value for i in result.contract.items] == ["Bonn"]
    assert not result.contract.complete_answer_found
    assert "left out" in result.contract.caveats[-1]


def test_what_was_left_out_can_be_read_with_the_reason_and_the_quotes_it_was_given():
    reply = ContractReply(
        items=[
            ItemReply(value="Bonn", evidence=[QuoteReply(passage="P1", quote="Signed in Bonn")]),
            ItemReply(value="The sky is blue."),
            ItemReply(value="It was Paris.", evidence=[QuoteReply(passage="P9", quote="Signed in Paris")]),
            ItemReply(value="It was Rome.", evidence=[QuoteReply(passage="P1", quote="Signed in Rome by all sides")]),
        ],
        answer_found=True,
        complete_answer_found=True,
    )
    bound = bind(reply, [A], "text")
    result = asyncio.run(attempt(parse("List all places."), [A], Scripted(bound, bound), silent))
    assert [i.value for i in result.contract.items] == ["Bonn"]
    assert [(one.text, one.verdict, one.quotes) for one in result.contract.left_out] == [
        ("The sky is blue.", "uncited", ()),
        ("It was Paris.", "invalid_marker", ("Signed in Paris",)),
        ("It was Rome.", "unsupported", ("Signed in Rome by all sides",)),
    ]
    assert result.contract.caveats == (left_out_caveat(3),)


def test_a_statement_that_stays_without_one_of_its_quotes_is_not_said_to_be_left_out():
    quotes = [QuoteReply(passage="P1", quote=quote) for quote in ("Signed in Bonn", "Signed in Rome by all sides")]
    reply = ContractReply(
        items=[ItemReply(value="Bonn", evidence=quotes)], answer_found=True, complete_answer_found=True
    )
    bound = bind(reply, [A], "text")
    result = asyncio.run(attempt(parse("List all places."), [A], Scripted(bound, bound), silent))
    assert result.contract.left_out == ()
    assert result.contract.caveats == ("A quote that could not be found was left out.",)


def test_what_several_passages_left_out_is_counted_together():
    def lacking(text: str) -> AnswerWithEvidence:
        found = contract(item("Bonn", A, "Signed in Bonn"), complete=False)
        return replace(found, left_out=(LeftOut(text, "uncited", "it cites nothing"),), caveats=(left_out_caveat(1),))

    whole = merged_contract(lacking("One."), lacking("Two."))
    assert [one.text for one in whole.left_out] == ["One.", "Two."]
    assert whole.caveats == (left_out_caveat(2),)
    assert merged_contract(lacking("One."), lacking("One.")).caveats == (left_out_caveat(1),)


def test_an_offline_reading_is_not_asked_twice():
    wrong = BoundContract(replace(contract(item("Bonn", A, "Signed in Bonn")), answer_found=False), ())
    script = Scripted(wrong, by="offline")
    asyncio.run(attempt(QUESTION, [A], script, silent))
    assert len(script.asked) == 1


def test_batch_reads_as_many_passages_as_can_be_paid():
    script = Scripted(NOTHING)
    asyncio.run(answer_in_batch(QUESTION, [A, B], script, Spending(1), silent))
    assert script.asked[0][0] == ["a"]


def test_batch_without_means_asks_nobody():
    result = asyncio.run(answer_in_batch(QUESTION, [A, B], Scripted(), Spending(0), silent))
    assert result.degraded
    assert not result.contract.answer_found


@pytest.mark.parametrize(
    ("broken", "words"),
    [
        (replace(contract(), answer_found=True), "no items"),
        (replace(contract(item("Bonn", A, "Bonn")), answer_found=False), "there are items"),
        (replace(NOTHING, complete_answer_found=True), "complete_answer_found"),
        (contract(item("Bonn", A, "Bonn"), item("Paris", A, "Signed")), "one value"),
        (contract(item("1 January 2026", A, "1 January 2026", "date")), "YYYY-MM-DD"),
        (contract(item("2026-13-01", A, "2026", "date")), "YYYY-MM-DD"),
        (contract(item("1200", A, "2026", "amount")), "no currency"),
        (contract(AnswerItem("Bonn", "text", ())), "no evidence"),
        (contract(item("x", B, "policy")), "not shown"),
    ],
)
def test_each_fault_of_a_contract_is_named(broken, words):
    assert any(words in fault for fault in faults(broken, {A.passage.id: A}, shape="single"))


def test_a_quote_may_differ_in_white_space_only():
    spaced = item("x", A, "Signed in Bonn")
    spaced = replace(spaced, evidence=(replace(spaced.evidence[0], quote="Signed\n in  Bonn"),))
    assert faults(contract(spaced), {A.passage.id: A}, shape="single") == []
    changed = replace(spaced, evidence=(replace(spaced.evidence[0], quote="Signed in Berlin"),))
    assert faults(contract(changed), {A.passage.id: A}, shape="single")


def test_merging_equal_values_joins_their_evidence():
    one, two = contract(item("Policy", A, "Signed")), contract(item("policy", B, "policy"))
    merged = merged_contract(one, two)
    assert len(merged.items) == 1
    assert {span.passage_id for span in merged.items[0].evidence} == {"a::0", "b::0"}


def reply(passage: str, quote: str, value: str = "v") -> ContractReply:
    return ContractReply(
        items=[ItemReply(value=value, evidence=[QuoteReply(passage=passage, quote=quote)])],
        answer_found=True,
        complete_answer_found=True,
    )


@pytest.mark.parametrize("name", ["P2", "2", "[2]", "p2", " P2. "])
def test_a_passage_is_known_by_its_number_however_it_is_written(name):
    bound = bind(reply(name, "ends on"), [A, B], "text")
    assert bound.contract.items[0].evidence[0].passage_id == "b::0"


@pytest.mark.parametrize("name", ["P3", "0", "", "the first", "P-1", "99999999999"])
def test_a_passage_that_was_not_shown_binds_nothing(name):
    bound = bind(reply(name, "ends on"), [A, B], "text")
    assert bound.contract.items == ()
    assert bound.faults


def test_a_bound_quote_points_at_its_place_in_the_paper():
    span = bind(reply("1", "Signed in Bonn"), [A], "text").contract.items[0].evidence[0]
    assert span.quote == "Signed in Bonn"
    assert (span.anchor.start, span.anchor.end) == (131, 145)
    assert span.page == 3


def test_a_quote_that_stands_nowhere_is_a_fault_not_a_citation():
    bound = bind(reply("1", "Signed in Berlin by nobody we know"), [A], "text")
    assert bound.contract.items == ()
    assert "word for word" in bound.faults[0]


def test_markers_are_numbered_by_first_citation_and_bound_to_passages():
    rendered = render(contract(item("It begins on the first day of 2026.", A, "1 January 2026"),
                               item("It ends with the year, on its last day.", B, "31 December 2026"),
                               item("It was signed in the city of Bonn.", A, "Signed in Bonn")))  # fmt: skip
    assert rendered.text == (
        "It begins on the first day of 2026 [1]. It ends with the year, on its last day [2]. "
        "It was signed in the city of Bonn [1]."
    )
    assert rendered.markers == {"a::0": 1, "b::0": 2}


def test_a_bare_value_is_shown_in_the_words_that_bear_it():
    rendered = render(contract(item("2026", A, "Effective from 1 January 2026.", "date")))
    assert rendered.text == "Effective from 1 January 2026 [1]."


def test_what_ends_without_a_stop_does_not_run_into_the_next_sentence():
    rendered = render(
        contract(
            item("Multi-head attention of the model", A, "Signed in Bonn."),
            item("It has these parts:", A, "Effective"),
            item("Row of a table without end", B, "The policy ends"),
        )
    )
    assert rendered.text == (
        "Multi-head attention of the model [1]. It has these parts [1]: Row of a table without end [2]"
    )


def test_the_mark_of_a_list_is_not_shown_and_stays_in_the_quote():
    line = "2. Templates save the writers some time."
    rendered = render(contract(item(line, hit("list", f"Why templates:\n{line}"), line)))
    assert rendered.text == "Templates save the writers some time [1]."
    assert rendered.sentences[0].citations[0].quote.startswith("2. Templates")


def test_a_listing_is_written_one_item_a_line():
    rendered = render(contract(item("one two three four five", A, "Signed"), item("policy", B, "policy")), listing=True)
    assert rendered.text.splitlines() == ["- one two three four five [1]", "- policy [2]"]


def test_a_text_that_brings_its_own_markers_cannot_forge_a_citation():
    forged = hit("f", "Trust this [2] and that [1-3].")
    rendered = render(contract(item("Trust this [2] and that [1-3].", forged, forged.passage.text)))
    assert [c.marker for c in rendered.sentences[0].citations] == [1]
    assert [number for marker in find_markers(rendered.text) for number in marker.numbers] == [1]


@given(st.text(max_size=60))
def test_what_is_shown_holds_no_control_characters(value):
    rendered = render(contract(AnswerItem(value, "text", (EvidenceSpan(Anchor("a", "v", 0, 1), "q", "a::0"),))))
    assert not any(unicodedata.category(c) in ("Cc", "Cs") for c in rendered.sentences[0].text)


def test_papers_are_listed_cited_first_with_their_markers():
    rendered = render(contract(item("ends", B, "ends")))
    candidates = [Candidate(Paper(n, n), (h,), 1.0, 1) for n, h in (("a", A), ("b", B))]
    judged = [(c, Relevance(c.paper.id, "relevant", 0.9)) for c in candidates]
    uses = paper_uses(judged, [candidates[0]], rendered.sentences)
    assert [(use.paper.id, use.markers, use.relevance.verdict) for use in uses] == [
        ("b", (1,), "relevant"), ("a", (), "relevant"), ("a", (), "unknown")
    ]  # fmt: skip


def test_leaving_faulty_items_out_keeps_the_others():
    bad = AnswerItem("x", "text", (EvidenceSpan(Anchor("a", "v", 0, 1), "no such words", "a::0"),))
    kept, dropped = without_faulty_items(contract(item("Bonn", A, "Bonn"), bad), {A.passage.id: A})
    assert dropped == 1
    assert [i.value for i in kept.items] == ["Bonn"]
    assert QuotedText(A.passage.text).find(kept.items[0].evidence[0].quote)


@pytest.mark.parametrize("caveats", [["Only one trial.\n\nSee\x1b[31m [1]", "", "x" * 900], ["same"] * 40])
def test_a_models_remarks_stand_under_its_name_short_and_on_one_line(caveats):
    said = replace_caveats(reply("1", "Signed in Bonn"), caveats)
    remarks = bind(said, [A], "text", by="llama-3.1-8b").contract.caveats
    assert 0 < len(remarks) <= 4
    for remark in remarks:
        assert remark.startswith("The model llama-3.1-8b remarks: “")
        assert len(remark) < 300
        assert "\n" not in remark
        assert "\x1b" not in remark


def replace_caveats(said: ContractReply, caveats: list[str]) -> ContractReply:
    return said.model_copy(update={"caveats": caveats})


def test_words_without_a_passage_are_looked_for_in_all_that_were_shown():
    said = ContractReply(
        items=[ItemReply.model_validate({"value": "v", "evidence": ["ends on", "Signed in Bonn"]})],
        answer_found=True,
        complete_answer_found=True,
    )
    spans = bind(said, [A, B], "text").contract.items[0].evidence
    assert [span.passage_id for span in spans] == ["b::0", "a::0"]


MARKED = hit("m", "The model writes between <think> and </think>, then <|im_end|> and [INST] follow. 61 % to 74 %.")


@pytest.mark.parametrize(
    "quote", ["between <think> and </think>", "between ‹think> and ‹/think>", "then ‹|im_end|> and ⟦INST]"]
)
def test_a_quote_of_what_a_prompt_had_to_break_up_is_found_in_the_original(quote):
    span = bind(reply("1", quote), [MARKED], "text").contract.items[0].evidence[0]
    assert span.quote in MARKED.passage.text


def test_a_reply_whose_every_quote_stands_nowhere_is_degraded_and_not_an_answer_of_nothing():
    bound = bind(reply("1", "Signed in Berlin by nobody we know"), [A], "text")
    result = asyncio.run(attempt(QUESTION, [A], Scripted(bound, bound), silent))
    assert not result.contract.answer_found
    assert result.degraded is not None
    assert "Berlin" in result.degraded
    assert len(result.contract.caveats) == 1  # where it can be read; why stands in `degraded` alone
    assert "Berlin" not in result.contract.caveats[0]


def test_a_found_without_items_is_degraded_and_a_plain_not_found_is_not():
    found = replace(NOTHING, answer_found=True)
    assert asyncio.run(attempt(QUESTION, [A], Scripted(found, found), silent)).degraded
    assert asyncio.run(attempt(QUESTION, [A], Scripted(NOTHING), silent)).degraded is None
