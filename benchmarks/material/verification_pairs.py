"""Claims with the texts they cite and what people said of them: SciFact, HealthVer, Climate-FEVER.

A pair belongs to the train or the test part by its cited document (abstract, evidence text, article), never by itself.
"""

from __future__ import annotations

import gzip
import hashlib
import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal

from litloop.verification.support.model import Statement

Label = Literal["neutral", "supported", "contradicted"]
LABELS: tuple[Label, ...] = ("neutral", "supported", "contradicted")  # in the order of the verifier's columns
COLLECTIONS = ("scifact", "healthver", "climate_fever")
TEST_SHARE = 0.2
_WORDS = re.compile(r"\w+")

_LABELS: dict[str, Label] = {
    "SUPPORT": "supported", "CONTRADICT": "contradicted", "Supports": "supported", "Refutes": "contradicted",
    "Neutral": "neutral", "SUPPORTS": "supported", "REFUTES": "contradicted", "NOT_ENOUGH_INFO": "neutral",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Pair:
    collection: str
    statement: Statement
    label: Label
    document: str  # what the pair is split by
    subject: str = ""  # what several documents are about, where the collection says so

    @property
    def is_test(self) -> bool:
        return part_of(f"{self.collection}\0{self.document}") < TEST_SHARE

    @property
    def column(self) -> int:
        return LABELS.index(self.label)


def without_evidence_of(held: Sequence[Pair], pairs: Sequence[Pair]) -> list[Pair]:
    """`pairs` without those whose evidence is, holds or lies within the evidence of a pair of `held`, whatever its
    case, spaces and punctuation. Documents of one collection repeat each other's sentences."""
    texts = {_bare(pair.statement.text) for pair in held}
    joined = "\n".join(sorted(texts))
    shared: dict[str, bool] = {}
    for pair in pairs:
        text = _bare(pair.statement.text)
        if text not in shared:
            shared[text] = text in joined or any(other in text for other in texts)
    return [pair for pair in pairs if not shared[_bare(pair.statement.text)]]


def _bare(text: str) -> str:
    return " ".join(_WORDS.findall(text.casefold()))


def pairs_hash(pairs: Sequence[Pair]) -> str:
    held = sorted(json.dumps([pair.collection, asdict(pair.statement), pair.label]) for pair in pairs)
    return hashlib.sha256("\n".join(held).encode()).hexdigest()[:16]


def part_of(name: str) -> float:
    """A number in 0-1 that depends on the name alone."""
    return int.from_bytes(hashlib.sha256(name.encode()).digest()[:6]) / 2**48


def load_pairs(data: Path) -> list[Pair]:
    folder = data / "verification"
    return [*_scifact(folder / "scifact"), *_healthver(folder / "healthver"), *_climate(folder / "climate_fever")]


def abstracts(data: Path) -> Iterator[dict[str, Any]]:
    """The SciFact abstracts: `_id`, `title`, `text`, `sentences`."""
    for number in (0, 1):
        yield from _lines(data / "verification" / "scifact" / f"corpus_sentences_{number}.jsonl.gz")


def _scifact(folder: Path) -> Iterator[Pair]:
    documents = {str(document["_id"]): document for document in abstracts(folder.parent.parent)}
    for claim in _lines(folder / "claims_train.jsonl"):
        for cited in map(str, claim["cited_doc_ids"]):
            evidence = claim["evidence"].get(cited)
            label = _LABELS[evidence[0]["label"]] if evidence else "neutral"
            document = documents[cited]
            yield Pair("scifact", Statement(claim["claim"], document["text"], document["title"]), label, cited)


def _healthver(folder: Path) -> Iterator[Pair]:
    for row in _lines(folder / "dev.jsonl"):
        statement = Statement(row["claim"].strip(), row["evidence"])
        yield Pair("healthver", statement, _LABELS[row["label"]], row["evidence"], row["question"])


def _climate(folder: Path) -> Iterator[Pair]:
    for row in _lines(folder / "claims.jsonl.gz"):
        for evidence in row["evidences"]:
            statement = Statement(row["claim"], evidence["text"], evidence["article"])
            yield Pair("climate_fever", statement, _LABELS[evidence["label"]], evidence["article"])


def _lines(path: Path) -> Iterator[dict[str, Any]]:
    opener = gzip.open if path.suffix == ".gz" else open
    with opener(path, "rt", encoding="utf-8") as file:
        yield from map(json.loads, file)
