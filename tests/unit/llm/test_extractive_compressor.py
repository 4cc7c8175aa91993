import asyncio
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from litloop.llm.extractive_compressor import ExtractiveCompressor
from litloop.llm.prompt import PromptDocument
from litloop.llm.tokens import RankedTokens
from litloop.text.sentences import sentence_spans

COUNTER = RankedTokens()
TRIAL = PromptDocument(
    "p1",
    "Migraine is a common disorder. We enrolled 210 adults at four clinics. Patients kept a diary for twelve weeks. "
    "The nurse called them every fortnight. Sumatriptan did not reduce the number of migraine days. "
    "Blood pressure was recorded at each visit. The study was paid for by the state.",
)
OTHER = PromptDocument(
    "p2", "Knees were examined. Cartilage was thin in older men. Walking was slow. No patient had migraine."
)
QUESTION = "Does sumatriptan reduce migraine days?"


class Axes:
    """An embedder whose space has one axis for each word it knows."""

    name, precision, fingerprint, dimension = "axes", "f32", "axes/1", 4
    words = ("sumatriptan", "migraine", "knee", "diary")

    tokenizer = SimpleNamespace(
        window=64, special=2, spans=lambda text: [(start, start + 1) for start in range(len(text))]
    )

    def __init__(self):
        self.longest = 0

    def _vector(self, text):
        vector = np.array([word in text.lower() for word in self.words], dtype=np.float32) + np.float32(0.01)
        return vector / np.linalg.norm(vector)

    def embed_passages(self, texts):
        self.longest = max(map(len, texts))
        return np.stack([self._vector(text) for text in texts])

    def embed_query(self, text):
        return self._vector(text)


def compress(documents, query=QUESTION, **options):
    return asyncio.run(ExtractiveCompressor(COUNTER, **options).compress(documents, query=query))


@pytest.mark.parametrize("embedder", [None, Axes()])
def test_the_sentence_that_answers_is_kept_with_its_negation(embedder):
    text = compress([TRIAL, OTHER], embedder=embedder).documents[0].text
    assert "Sumatriptan did not reduce the number of migraine days." in text


def test_about_half_of_the_tokens_go():
    report = compress([TRIAL, OTHER]).report
    assert 0.4 < report.saved < 0.75
    assert report.passthrough is None
    assert report.tokens_before == COUNTER.count(TRIAL.text) + COUNTER.count(OTHER.text)


def test_a_number_that_the_question_names_is_kept():
    assert "210 adults" in compress([TRIAL], "How were the 210 chosen for sumatriptan?", keep=0.1).documents[0].text


def test_every_document_keeps_at_least_one_sentence_under_its_id():
    short = compress([TRIAL, OTHER], keep=0.01).documents
    assert [document.id for document in short] == ["p1", "p2"]
    assert all(document.text for document in short)


def test_what_was_left_out_leaves_a_line_break_so_that_no_quote_bridges_it():
    text = compress([TRIAL], keep=0.4).documents[0].text
    for line in text.split("\n"):
        assert line in TRIAL.text


def test_texts_of_one_sentence_pass_through():
    result = compress([PromptDocument("1", "Only one sentence stands here.")])
    assert result.report.passthrough == "No document has more than one sentence."


def test_empty_documents_pass_through():
    assert compress([PromptDocument("1", ""), PromptDocument("2", "")]).report.passthrough


def test_nothing_is_gained_when_everything_is_kept():
    assert compress([TRIAL], keep=1.0).report.passthrough == "The selection was not shorter."


def test_a_sentence_longer_than_the_embedder_s_window_is_shortened_for_it_only():
    embedder = Axes()
    long = PromptDocument("1", "Sumatriptan " + "very " * 40 + "strongly helps. It is dear. It is old.")
    text = compress([long], embedder=embedder).documents[0].text
    assert embedder.longest <= 62
    assert "strongly helps." in text


SENTENCE = st.text(st.characters(codec="utf-8", exclude_characters="\n"), min_size=1, max_size=40).map(
    lambda words: words + ". Then "
)


@settings(max_examples=60, deadline=None)
@given(st.lists(st.lists(SENTENCE, max_size=6).map("".join), min_size=1, max_size=4), st.text(max_size=30))
def test_whatever_is_kept_are_whole_sentences_word_for_word(texts, query):
    documents = [PromptDocument(str(number), text) for number, text in enumerate(texts)]
    result = compress(documents, query)
    assert len(result.documents) == len(documents)
    assert result.report.tokens_after <= result.report.tokens_before
    for before, after in zip(documents, result.documents, strict=True):
        assert after == before or is_made_of(
            after.text, [before.text[start:end] for start, end in sentence_spans(before.text)]
        )


def is_made_of(text, sentences):
    """Whether `text`, white space aside, is some of the sentences one after the other, each at most once."""
    bare = "".join(text.split())
    reached = {0}
    for sentence in map("".join, map(str.split, sentences)):
        reached |= {at + len(sentence) for at in reached if bare.startswith(sentence, at)}
    return len(bare) in reached
