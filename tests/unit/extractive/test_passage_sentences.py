"""Which lines of a passage are sentences, and what stands around them."""

from __future__ import annotations

from litloop.core.records import Anchor, Hit, Passage
from litloop.extractive.passage_sentences import passage_sentences


def of(text: str, *, title: str = "", heading: str = ""):
    return passage_sentences(
        [Hit(Passage("p::0", "p", Anchor("p", "v", 0, len(text)), text, title=title, heading=heading), 1.0, 1)]
    )


def test_headings_are_context_and_no_sentences():
    found = of("5 Theft\n\n5.1 Theft of the vehicle\n\nA theft must be reported within 48 hours.", title="Motor policy")
    assert [sentence.text for sentence in found] == ["A theft must be reported within 48 hours."]
    assert found[0].under == "Motor policy 5 Theft 5.1 Theft of the vehicle"
    assert found[0].heading == "5.1 Theft of the vehicle"


def test_a_new_heading_takes_the_place_of_the_one_before():
    found = of("5.1 Theft\n\nTheft must be reported soon.\n\n5.2 Personal effects\n\nPersonal effects are covered.")
    assert [sentence.heading for sentence in found] == ["5.1 Theft", "5.2 Personal effects"]
    assert [sentence.before for sentence in found] == ["", ""]


def test_the_head_of_a_table_stands_above_its_rows():
    found = of("Item\tSum insured\nBuilding\tEUR 465,000\nContents\tEUR 98,000")
    assert [sentence.text for sentence in found] == ["Building\tEUR 465,000", "Contents\tEUR 98,000"]
    assert found[0].heading == "Item\tSum insured"


def test_items_of_a_list_are_kept_though_they_have_no_end():
    found = of("The following are not covered:\n\n- jewellery and watches\n- cash and bank cards\n- tools of a trade")
    assert len(found) == 4


def test_a_passage_without_a_sentence_is_one():
    assert [sentence.text for sentence in of("Short")] == ["Short"]


def test_places_run_from_the_first_to_the_last():
    found = of("The first sentence stands here. The second sentence stands here. The third sentence stands here.")
    assert [sentence.position for sentence in found] == [0.0, 0.5, 1.0]
    assert found[1].before == "The first sentence stands here."
