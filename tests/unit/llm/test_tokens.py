import hashlib
import socket

import pytest
import tiktoken
from hypothesis import given
from hypothesis import strategies as st

from litloop.llm import tokens
from litloop.llm.chat import Message
from litloop.llm.tokens import EstimatedTokens, RankedTokens, count_messages, counter_for, ranks_file

PUBLISHED_AT = "https://openaipublic.blob.core.windows.net/encodings/{}.tiktoken"


@pytest.fixture(scope="module")
def published(tmp_path_factory):
    """tiktoken's own encodings, read from a cache folder that is filled beforehand so that nothing is downloaded."""
    folder = tmp_path_factory.mktemp("ranks")
    for name in ("cl100k_base", "o200k_base"):
        cached = hashlib.sha1(PUBLISHED_AT.format(name).encode()).hexdigest()
        (folder / cached).write_bytes(ranks_file(name).read_bytes())
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TIKTOKEN_CACHE_DIR", str(folder))
        yield {name: tiktoken.get_encoding(name) for name in ("cl100k_base", "o200k_base")}


@pytest.mark.parametrize("encoding", ["cl100k_base", "o200k_base"])
@pytest.mark.parametrize(
    "text",
    [
        "",
        "Does the drug work? p < 0.001; α-synuclein 漢字",
        "don't I'LL they'VE\r\n\n  x \t y/z/",
        "1234567 12,345.6  ÀÉÎ naïve Straße 🙂👩‍🔬",
        " " * 37 + "\n" * 5,
    ],
)
def test_counts_equal_those_of_tiktoken(published, encoding, text):
    assert RankedTokens(encoding).count(text) == len(published[encoding].encode_ordinary(text))


def test_special_tokens_written_in_a_text_are_ordinary_text():
    assert RankedTokens("cl100k_base").count("<|endoftext|>") > 1


def test_counting_opens_no_connection(monkeypatch):
    monkeypatch.setattr(socket, "socket", None)
    monkeypatch.setattr(socket, "create_connection", None)
    tokens._encodings.clear()
    assert RankedTokens("o200k_base").count("no network") == 2


@given(st.text(max_size=200))
def test_any_text_can_be_counted(text):
    assert RankedTokens("o200k_base").count(text) >= bool(text)


def test_half_a_surrogate_pair_can_be_counted():
    assert RankedTokens("o200k_base").count("\ud800") > 0


@pytest.mark.parametrize(
    ("model", "encoding"),
    [
        ("gpt-4", "cl100k_base"),
        ("gpt-4-turbo", "cl100k_base"),
        ("llama-3.1-8b-instant", "cl100k_base"),
        ("meta-llama/Llama-3.3-70B", "cl100k_base"),
        ("gpt-4o-mini", "o200k_base"),
        ("gpt-4.1", "o200k_base"),
        ("gemini-flash-latest", "o200k_base"),
        ("", "o200k_base"),
    ],
)
def test_each_model_is_counted_with_its_ranks(model, encoding):
    assert counter_for(model).name == encoding


def test_the_chat_format_counts_too():
    counter = RankedTokens("o200k_base")
    assert (
        count_messages(counter, [Message("system", "Judge."), Message("user", "hi")])
        == counter.count("Judge.") + counter.count("hi") + 9
    )


def test_without_ranks_tokens_are_estimated_and_it_is_said(monkeypatch):
    monkeypatch.setattr(tokens, "find_spec", lambda name: None)
    ranks_file.cache_clear()
    try:
        counter = counter_for("gpt-4o")
        assert not counter.exact
        assert counter.count("αβγδ") == 2
    finally:
        ranks_file.cache_clear()


def test_damaged_ranks_are_refused(tmp_path, monkeypatch):
    damaged = tmp_path / "o200k_base.tiktoken"
    damaged.write_bytes(b"IQ== 0\n")
    monkeypatch.setattr(tokens, "ranks_file", lambda name: damaged)
    with pytest.raises(ValueError, match="reinstall the package paritok"):
        tokens._load("o200k_base")


def test_the_estimate_rounds_up():
    assert EstimatedTokens().count("a") == 1
