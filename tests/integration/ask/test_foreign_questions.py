"""Questions of another field that share the method of a collection, asked of the neurology demo."""

from __future__ import annotations

import pytest

from litloop.domains import domain_pack
from litloop.library import Library


@pytest.fixture(scope="module")
def neurology(tmp_path_factory):
    corpus = domain_pack("neurology").demo_corpus
    with Library.open(tmp_path_factory.mktemp("demo") / "library") as library:
        library.add(corpus, collection="neurology", domain="neurology")
        yield library


@pytest.mark.parametrize(
    "question",
    [
        "lung nodule FDG-PET",
        "liver cancer PET scan imaging",
        "Does FDG-PET find recurrent bladder carcinoma?",
        "FDG uptake in tuberculous lymphadenitis",
        "PET/CT staging of testicular seminoma",
        "What does a PET scan show in Crohn's disease?",
    ],
)
def test_another_organ_under_the_same_scanner_is_out_of_scope_with_the_closest_topics(neurology, question):
    answer = neurology.ask(question, collection="neurology")
    assert answer.status == "out_of_scope"
    assert answer.sentences == ()
    assert len(answer.closest_topics) == 3


@pytest.mark.parametrize(
    "question",
    [
        "What does FDG-PET show in corticobasal syndrome?",
        "Is the visual cortex affected in dementia with Lewy bodies?",
        "FDG-PET before epilepsy surgery",
        "scalp angiosarcoma PET",
    ],
)
def test_a_subject_of_the_library_is_in_scope(neurology, question):
    assert neurology.ask(question, collection="neurology").status in ("answered", "partial", "not_found")


def test_words_that_the_library_does_not_know_are_told_no_topic(neurology):
    answer = neurology.ask("asdkjh qweoiu", collection="neurology")
    assert (answer.status, answer.closest_topics) == ("out_of_scope", ())


def test_a_refusal_says_what_was_searched_names_the_language_and_suggests_the_spelling(neurology):
    german = neurology.ask("Wie wird die Lewy-Körperchen-Demenz erkannt?", collection="neurology")
    assert german.sentences == ()
    assert any("seems to be in German" in note for note in german.notes)
    assert any(note.startswith(("Searched: ", "Read: ")) for note in german.notes)
    misspelt = neurology.ask("What is a teratmoa of the kidneey?", collection="neurology")
    assert "“teratmoa” stands nowhere in this collection. Did you mean “teratoma”?" in misspelt.notes
