"""The reader without a model: which sentences it chooses, and that it only ever quotes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from litloop.core.records import RELEVANCE, Anchor, Hit, Passage
from litloop.embedding.hashing import HashingEmbedder
from litloop.extractive.answer_noun import AnswerNounMatcher
from litloop.extractive.passage_sentences import passage_sentences
from litloop.extractive.sentence_reader import GAP, ReaderRules, SentenceReader
from litloop.extractive.sentence_scores import COLUMNS, SentenceScorer, is_anaphoric
from litloop.index.analyser import Analyser
from litloop.question import parse

ANALYSER = Analyser()
START = 1000  # where passages begin in their papers
EVERYTHING = ReaderRules(found=0, found_statement=0, found_member=0)


def hit(text: str, *, rank: int = 1, paper: str = "p", title: str = "", heading: str = "") -> Hit:
    anchor = Anchor(paper, "v", START, START + len(text))
    return Hit(Passage(f"{paper}::{rank}", paper, anchor, text, page=2, heading=heading, title=title), 1 / rank, rank)


def reader(*hits: Hit, rules: ReaderRules | None = None, embedder: HashingEmbedder | None = None) -> SentenceReader:
    frequency = Counter(term for h in hits for term in set(ANALYSER.terms(h.passage.text)))

    def frequencies(terms: Sequence[str]) -> Mapping[str, int]:
        return {term: frequency[term] for term in terms}

    return SentenceReader(SentenceScorer(embedder, ANALYSER.terms, frequencies, 1000), rules)


def answer(question: str, *hits: Hit, rules: ReaderRules | None = None):
    return reader(*hits, rules=rules).read(parse(question), hits, None).contract


ABSTRACT = hit(
    "The aim of this study was to determine whether FDG-PET is useful in corticobasal syndrome. "
    "Twenty patients with corticobasal syndrome were recruited and underwent FDG-PET. "
    "FDG-PET showed asymmetric hypometabolism of the parietal cortex in corticobasal syndrome."
)


def test_a_finding_is_chosen_before_the_sentence_that_announces_it():
    found = answer("What does FDG-PET show in corticobasal syndrome?", ABSTRACT, rules=EVERYTHING)
    assert found.items[0].value.startswith("FDG-PET showed asymmetric hypometabolism")


@pytest.mark.parametrize("aside", [
    "Herein, we reported FDG-PET of corticobasal syndrome in a 59-year-old man.",
    "The background reminds readers that corticobasal syndrome on FDG-PET is rare.",
    "FDG-PET was performed and corticobasal syndrome was assessed in twenty patients.",
])  # fmt: skip
def test_an_account_leaves_out_what_was_aimed_at_or_done_and_what_names_itself_background(aside):
    finding = "FDG-PET showed asymmetric hypometabolism in corticobasal syndrome."
    found = answer("What does FDG-PET show in corticobasal syndrome?", hit(f"{aside} {finding}"), rules=EVERYTHING)
    assert [item.value for item in found.items] == [finding]


def test_an_account_keeps_the_sentences_of_a_paper_together_in_their_order():
    one = hit(
        "FDG-PET showed hypometabolism. Asymmetric hypometabolism on FDG-PET marked corticobasal syndrome.", paper="a"
    )
    other = hit("FDG-PET showed hypometabolism of the thalamus in corticobasal syndrome.", paper="b", rank=2)
    question = "What does FDG-PET show in corticobasal syndrome?"
    papers = [item.evidence[0].anchor.paper_id for item in answer(question, one, other, rules=EVERYTHING).items]
    assert sorted(papers) == ["a", "a", "b"]
    assert papers in (["a", "a", "b"], ["b", "a", "a"])
    own = [item.value for item in answer(question, one, other, rules=EVERYTHING).items if "thalamus" not in item.value]
    assert own == [
        "FDG-PET showed hypometabolism.",
        "Asymmetric hypometabolism on FDG-PET marked corticobasal syndrome.",
    ]


def test_a_title_that_stands_in_the_text_is_not_told_in_an_account():
    text = "FDG-PET in corticobasal syndrome. FDG-PET showed asymmetric hypometabolism in corticobasal syndrome."
    found = answer(
        "What does FDG-PET show in corticobasal syndrome?", hit(text, title="FDG-PET in Corticobasal Syndrome"),
        rules=EVERYTHING,
    )  # fmt: skip
    assert [item.value for item in found.items] == [text.partition(". ")[2]]


def test_an_account_from_a_single_paper_tells_more_than_two_of_its_sentences():
    faults = hit(
        "High vibration comes from a misaligned coupling. High vibration comes from cavitation of the impeller. "
        "High vibration comes from loose anchor bolts. The manual was printed in Aldermark."
    )
    told = [item.value for item in answer("Summarise the causes of high vibration.", faults, rules=EVERYTHING).items]
    assert sum("High vibration" in sentence for sentence in told) == 3
    causes = (
        "a bent shaft",
        "worn bearings of the motor",
        "operation far below the lowest flow",
        "a hollow foundation",
    )
    others = [hit(f"High vibration comes from {cause}.", rank=n, paper=f"p{n}") for n, cause in enumerate(causes, 2)]
    many = answer("Summarise the causes of high vibration.", faults, *others, rules=EVERYTHING).items
    assert Counter(span.anchor.paper_id for item in many for span in item.evidence)["p"] <= 2


POLICY = hit(
    "4 Escape of water\n\n4.3 Excess\n\nFor escape of water the excess is EUR 400 for each event. "
    "It takes the place of the general excess. The policy begins on 1 March 2026 and ends on 28 February 2027."
)


def test_an_amount_is_given_with_its_currency():
    found = answer("What is the amount of the excess for escape of water?", POLICY, rules=EVERYTHING)
    assert (found.items[0].value, found.items[0].type) == ("EUR 400", "amount")


@pytest.mark.parametrize(
    ("question", "date"),
    [("When does the policy begin?", "2026-03-01"), ("On which date does the policy end?", "2027-02-28")],
)
def test_of_two_dates_the_one_beside_the_words_of_the_question_is_given(question, date):
    assert answer(question, POLICY, rules=EVERYTHING).value == date


def test_a_question_for_a_date_is_not_answered_by_a_passage_without_one():
    found = answer("When was the chassis of the lorry inspected?", hit("The lorry is insured for its declared value."))
    assert not found.answer_found
    assert found.items == ()


def test_nothing_to_read_is_nothing_found():
    assert not answer("When does the policy begin?").answer_found


def test_a_list_takes_the_members_that_stand_under_one_heading():
    text = (
        "5.2 Exclusions of the liability cover\n\nLiability for asbestos is excluded. Liability for war is excluded. "
        "Liability for fines is excluded.\n\n6 Premium\n\nThe premium is due on the first of January."
    )
    found = answer("List all exclusions of the liability cover.", hit(text), rules=EVERYTHING)
    said = [item.value for item in found.items]
    assert {"Liability for asbestos is excluded.", "Liability for war is excluded."} <= set(said)
    assert said == sorted(said, key=text.index)


def test_a_summary_takes_at_most_two_sentences_of_one_paper():
    hits = [
        hit("Statins lowered mortality. Statins lowered stroke. Statins lowered infarction.", rank=1, paper="a"),
        hit("Statins raised the risk of diabetes. Statins caused myalgia in some.", rank=2, paper="b"),
    ]
    found = answer("Summarise what is known about statins.", *hits, rules=EVERYTHING)
    papers = Counter(span.anchor.paper_id for item in found.items for span in item.evidence)
    assert max(papers.values()) <= 2


STRUCTURED = (
    "OBJECTIVE: To learn whether statins lower mortality in women. PARTICIPANTS: Women on statins and women without. "
    "RESULTS: Statins lowered mortality. Statins lowered stroke."
)


@pytest.mark.parametrize("question", ["Summarise what is known about statins.", "Do statins lower mortality in women?"])
def test_what_was_studied_and_in_whom_is_no_finding_to_tell(question):
    found = answer(question, hit(STRUCTURED), rules=EVERYTHING)
    said = " ".join(span.quote for item in found.items for span in item.evidence)
    assert "Statins lowered mortality." in said
    assert "OBJECTIVE" not in said
    assert "PARTICIPANTS" not in said


def test_who_was_studied_can_be_asked():
    found = answer("Who were the participants?", hit(STRUCTURED), rules=EVERYTHING)
    assert "PARTICIPANTS" in " ".join(span.quote for item in found.items for span in item.evidence)


def test_an_account_of_one_paper_adds_only_what_is_likely_an_answer():
    text = "Statins lowered mortality. Statins lowered stroke. Statins caused myalgia. Statins lowered infarction."
    certain = ReaderRules(found=0, found_statement=1, found_member=0)
    scorer = reader(hit(text), rules=certain)
    ranked = scorer._ranked(parse("Summarise what is known about statins."), [hit(text)])
    assert len(scorer._account(ranked)) == 2  # what a paper may always say
    assert len(answer("Summarise what is known about statins.", hit(text), rules=EVERYTHING).items) == 4


@pytest.mark.parametrize(("likely", "found"), [({}, False), ({RELEVANCE: 0.3}, False), ({RELEVANCE: 0.5}, True)])
def test_less_of_a_sentence_is_asked_in_a_paper_that_is_likely_relevant(likely, found):
    rules = ReaderRules(found_statement=1, found_in_likely=0, likely=0.4, complete=1)
    told = replace(hit("Epileptic patients improved after surgery."), signals=likely)
    contract = answer("Does surgery help in epilepsy?", told, rules=rules)
    assert contract.answer_found == found
    assert not contract.complete_answer_found  # as a part only


def test_a_value_is_asked_as_much_of_in_a_likely_paper_as_in_any():
    rules = ReaderRules(found=1, found_statement=1, found_in_likely=0, likely=0.4)
    told = replace(hit("The policy begins on 4 May 2025."), signals={RELEVANCE: 0.9})
    assert not answer("When does the policy begin?", told, rules=rules).answer_found


def test_the_same_sentence_of_two_papers_is_told_once():
    hits = [
        hit("Statins lowered mortality in women.", paper="a"),
        hit("Statins lowered mortality in women.", paper="b"),
    ]
    assert len(answer("Summarise what is known about statins.", *hits, rules=EVERYTHING).items) == 1


def test_a_look_up_of_which_the_reader_is_unsure_is_not_complete():
    sure = ReaderRules(found=0, found_statement=0, complete=0)
    unsure = ReaderRules(found=0, found_statement=0, complete=1)
    assert answer("When does the policy begin?", POLICY, rules=sure).complete_answer_found
    assert not answer("When does the policy begin?", POLICY, rules=unsure).complete_answer_found


def test_a_passage_reads_the_same_alone_and_beside_others():
    hits = [POLICY, hit("The lorry begins its tour on 4 May 2025.", rank=2, paper="q")]
    both = reader(*hits, rules=EVERYTHING)
    question = parse("When does the policy begin?")
    alone = both.read(question, hits[:1], None).contract
    assert both.read(question, hits, None).contract.confidence == pytest.approx(alone.confidence)


def test_a_sentence_is_embedded_once_for_a_run():
    class Counting(HashingEmbedder):
        texts = 0

        def embed_passages(self, texts):
            self.texts += len(texts)
            return super().embed_passages(texts)

    embedder = Counting()
    twice = reader(POLICY, embedder=embedder)
    twice.read(parse("When does the policy begin?"), [POLICY], None)
    once = embedder.texts
    twice.window(parse("When does the policy begin?"), POLICY)
    assert embedder.texts == once > 0


def test_a_sentence_longer_than_the_window_of_the_embedder_is_read_all_the_same():
    long = hit("the excess of " + "water " * 3000 + "is EUR 400")
    found = reader(long, rules=EVERYTHING, embedder=HashingEmbedder()).read(parse("What is the excess?"), [long], None)
    assert found.contract.items


def test_a_window_is_a_verbatim_stretch_that_holds_the_best_match():
    filler = " ".join(f"Clause {n} of the general terms says nothing of the matter." for n in range(20))
    passage = hit(f"{filler} For escape of water the excess is EUR 400 for each event. {filler}")
    window = reader(passage).window(parse("What is the excess for escape of water?"), passage)
    assert "EUR 400" in window
    assert all(stretch in passage.passage.text for stretch in window.split(GAP))
    assert len(window) < len(passage.passage.text) / 4


def test_a_window_of_a_short_passage_is_all_of_it():
    passage = hit("The excess is EUR 400.")
    assert reader(passage).window(parse("What is the excess?"), passage) == passage.passage.text


WORDS = st.sampled_from(
    ["excess", "water", "EUR", "400", "12 %", "1 March 2026", "[1]", "<b>", "The", "policy", "ends", ".", "!", "?",
     "\n", "\n\n", "\t", "|", "·", "5.1", "results", "showed", "é", "的", "\u200b", "e.g.", "Fig.", "days"]
)  # fmt: skip
QUESTIONS = st.sampled_from(
    ["What is the excess?", "When does the policy end?", "List all events.", "Compare water and fire.",
     "Summarise the results.", "Is water covered?", "How long does it last?", "Who signed?"]
)  # fmt: skip


@given(st.lists(st.lists(WORDS, min_size=1, max_size=60).map(" ".join), min_size=1, max_size=4), QUESTIONS)
def test_every_quote_stands_in_its_passage_where_its_anchor_says(texts, question):
    hits = [hit(text, rank=n, paper=f"p{n}") for n, text in enumerate(texts, 1)]
    shown = {h.passage.id: h.passage for h in hits}
    contract = answer(question, *hits, rules=EVERYTHING)
    assert contract.answer_found == bool(contract.items)
    for item in contract.items:
        for span in item.evidence:
            passage = shown[span.passage_id]
            assert passage.text[span.anchor.start - START : span.anchor.end - START] == span.quote
            assert span.quote.strip()


@given(st.lists(WORDS, min_size=1, max_size=80).map(" ".join), QUESTIONS)
def test_every_window_stands_in_its_passage(text, question):
    passage = hit(text)
    window = reader(passage).window(parse(question), passage)
    assert all(stretch in text for stretch in window.split(GAP))


def test_reading_twice_gives_the_same():
    assert answer("When does the policy end?", POLICY) == answer("When does the policy end?", POLICY)


def test_a_passage_of_a_title_alone_is_no_fault():
    titled = hit("Statins and stroke")
    titled = replace(titled, passage=replace(titled.passage, anchor=Anchor("p", "v", 0, 0)))
    span = answer("Summarise statins and stroke.", titled, rules=EVERYTHING).items[0].evidence[0]
    assert (span.anchor.start, span.anchor.end) == (0, 0)


# Of one by-law: a fee, an issuer, an age, a fine. The subject stands in the title and in the first sentence.
BY_LAW = hit(
    "A licence for keeping goats costs 40 euros and is issued by the Office of Works within 9 days. "
    "An applicant is at least 17 years old. Whoever acts without a licence pays a fine of 300 euros. "
    "The licence for keeping goats lapses after 2 years unless it is renewed.",
    title="Keeping goats",
)


@pytest.mark.parametrize(("question", "value"), [
    ("What is the fine for keeping goats without a licence?", "300 euros"),
    ("How much does a licence for keeping goats cost?", "40 euros"),
    ("How old is an applicant for keeping goats?", "17 years"),
    ("Who issues the licence for keeping goats?", "Office of Works"),
    ("By whom is the licence for keeping goats issued?", "Office of Works"),
])  # fmt: skip
def test_the_value_of_what_is_asked_for_is_told_and_not_its_neighbours(question, value):
    assert answer(question, BY_LAW, rules=EVERYTHING).value == value


@pytest.mark.parametrize(("second", "goes_first"), [("The fine for goats is 90 euros.", True),
                                                 ("The fine for geese is 90 euros.", False)])  # fmt: skip
def test_a_sum_with_the_asked_name_goes_first_unless_it_is_of_another_thing(second, goes_first):
    sentences = passage_sentences([hit(f"Whoever keeps goats unlicensed pays 300 euros. {second}", title="Animals")])
    asked = AnswerNounMatcher("What is the fine for goats?", lambda text: set(ANALYSER.terms(text)))
    ranks, chances = asked.first(sentences, [1, 1], np.array([2.0, 1.0]), np.array([0.9, 0.1]))
    assert (ranks.tolist(), chances.tolist()) == (([1.0, 2.0], [0.1, 0.9]) if goes_first else ([2.0, 1.0], [0.9, 0.1]))


def test_a_value_that_fits_the_type_less_well_does_not_go_first():
    sentences = passage_sentences([hit("Whoever keeps goats pays 300 euros. The fine for goats is 90 %.")])
    asked = AnswerNounMatcher("What is the fine for goats?", lambda text: set(ANALYSER.terms(text)))
    ranks, _ = asked.first(sentences, [1, 0.5], np.array([2.0, 1.0]), np.array([0.9, 0.1]))
    assert ranks.tolist() == [2.0, 1.0]


def test_a_sum_of_a_passage_that_does_not_name_it_is_told_as_partial_and_why():
    found = answer("What is the deposit for keeping goats?", BY_LAW, rules=EVERYTHING)
    assert not found.complete_answer_found
    assert found.caveats == ("The quoted passage does not contain 'deposit': it may be about something else.",)


def test_a_sum_that_the_title_names_needs_no_caveat():
    titled = hit("Keeping goats: 300 euros.", title="Fines")
    found = answer("What is the fine for keeping goats?", titled, rules=replace(EVERYTHING, complete=0))
    assert found.complete_answer_found
    assert not found.caveats


RYE = hit("Rye bread is baked at 200 °C for 70 minutes and uses 70 % rye flour.", paper="rye", title="Rye bread")
SOURDOUGH = hit("Salt is added at 2 % of the weight of the flour.", rank=2, paper="sourdough", title="Sourdough")


def test_a_comparison_quotes_both_sides_however_far_one_is_from_the_question():
    found = answer("Compare rye bread and sourdough.", RYE, SOURDOUGH, rules=replace(EVERYTHING, side_near=0))
    assert {item.evidence[0].anchor.paper_id for item in found.items} == {"rye", "sourdough"}
    assert not found.caveats


def test_a_comparison_names_the_side_that_nothing_quoted_speaks_of():
    found = answer("Compare sourdough and rye bread.", RYE, rules=EVERYTHING)
    assert not found.complete_answer_found
    assert found.caveats == ("No quote is about sourdough, so the answer covers only one side of the comparison.",)


def test_a_verb_that_no_passage_uses_makes_no_look_up_unlikely():
    sauce = hit("Béchamel is stirred from butter and flour. It simmers for 20 minutes.", title="Béchamel")
    held = Counter(ANALYSER.terms(sauce.passage.text))
    scorer = SentenceScorer(None, ANALYSER.terms, lambda terms: {term: held[term] for term in terms}, 3)
    sentences = passage_sentences([sauce])
    plain = scorer.features("How long must béchamel simmer, does it require flour?", sentences)
    used = scorer.features("How long must béchamel simmer, does it require flour?", sentences, lookup=True)
    covered = COLUMNS.index("passage_covered")
    assert plain[0, covered] < used[0, covered] == 1
    missing = scorer.features("How long must béchamel simmer, does it require saffron?", sentences, lookup=True)
    assert missing[0, covered] < 1


def test_an_account_tells_no_sentence_that_begins_with_what_another_one_named():
    told = answer(
        "What does FDG-PET show in corticobasal syndrome?",
        hit("Two patients with corticobasal syndrome had FDG-PET. The second showed FDG-PET hypometabolism on both sides "
            "in corticobasal syndrome. FDG-PET showed asymmetric hypometabolism of the parietal cortex."),
        rules=EVERYTHING,
    )  # fmt: skip
    assert not any(item.value.startswith("The second") for item in told.items)
    assert told.items


@pytest.mark.parametrize(("text", "leans"), [
    ("He recovered within a week.", True),
    ("The latter was treated with steroids.", True),
    ("It spread to the thalamus.", True),
    ("It was found that uptake falls with age.", False),
    ("It remains unclear whether uptake falls.", False),
    ("The first case of the disease in Norway is described.", False),
    ("Heart failure was common.", False),
    ("Both PET and MRI were normal.", False),
])  # fmt: skip
def test_a_sentence_that_leans_on_the_one_before_is_known_by_its_beginning(text, leans):
    assert is_anaphoric(text) is leans
