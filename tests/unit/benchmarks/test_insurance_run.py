"""The insurance benchmark goes on where it stopped, and adds up right."""

from __future__ import annotations

import json

from benchmarks.material.answer_cases import Case
from benchmarks.quality.insurance import PERFECT, REGIMES, Answerer, Priced, answered, summary

from litloop.core.records import Anchor, Hit, Passage
from litloop.extractive.sentence_reader import SentenceReader
from litloop.extractive.sentence_scores import SentenceScorer
from litloop.index.analyser import Analyser
from litloop.question import parse

FILLER = " ".join(f"Clause {n} of the general terms says nothing of the matter." for n in range(30))
TEXTS = [f"{FILLER} For escape of water the excess is EUR 400 for each event. {FILLER}", *[FILLER] * 4]
HITS = tuple(
    Hit(Passage(f"p{n}::0", f"p{n}", Anchor(f"p{n}", "v", 0, len(text)), text), 1 / n, n)
    for n, text in enumerate(TEXTS, 1)
)
QUESTION = parse("What is the amount of the excess for escape of water?")
CASES = [
    Case("m1", QUESTION, HITS, lambda _: False, "lookup", (("EUR 400",),)),
    Case("a1", parse("What is the amount of the toll for lorries?"), HITS, lambda _: False, "absent", ()),
]


def answers() -> Answerer:
    scorer = SentenceScorer(None, Analyser().terms, lambda terms: {}, 100)
    calls: list[tuple[int, int]] = []
    return Answerer(Priced(SentenceReader(scorer), calls), calls)


def test_what_was_answered_is_not_answered_again(tmp_path):
    path = tmp_path / "answers.jsonl"
    rows = list(answered(CASES, answers(), path))
    lines = path.read_text(encoding="utf-8").splitlines()
    assert len(rows) == len(lines) == 2 * len(CASES) * len(REGIMES)
    path.write_text("\n".join(lines[:3]) + "\n", encoding="utf-8")
    again = list(answered(CASES, answers(), path))
    assert again == rows
    assert [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()] == rows


def test_a_perfect_reader_saves_four_passages_of_five_and_windows_save_more(tmp_path):
    report = summary(list(answered(CASES, answers(), tmp_path / "answers.jsonl")))["perfect_reader"]
    assert report["batch"]["saved"] == 0
    assert report["share_of_ceiling"] > 0.8
    assert report["windows"]["saved"] > report["dispatch"]["saved"]
    for regime in REGIMES:
        assert report[regime]["lookups_right"] == 1
        assert report[regime]["absent_not_found"] == 1
    assert PERFECT.strip() == "perfect"
