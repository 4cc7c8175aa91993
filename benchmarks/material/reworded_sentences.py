"""What the verifier is trained on: the train part of the pairs, and sentences reworded by rule.

The judged pairs hold few claims that say in other words what one sentence says, which is what answers are made of.
Reworded sentences of abstracts fill that gap: shortened, turned round at a comma, with common words exchanged.
"""

from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from benchmarks.material.verification_pairs import TEST_SHARE, Pair, abstracts, part_of
from litloop.text.sentences import sentences
from litloop.verification.support.model import Statement
from litloop.verification.support.wording import read

REWORDED = 300  # abstracts of which a sentence is reworded; as many sentences are put to another abstract
_EXCHANGES = {
    "showed": "demonstrated", "demonstrated": "showed", "found": "observed", "observed": "found", "suggest": "indicate",
    "indicate": "suggest", "patients": "people", "used": "employed", "required": "needed", "examined": "studied",
    "role": "part", "reveal": "show", "significantly": "markedly", "mice": "animals", "using": "with", "also": "too",
    "important": "major", "known": "understood", "identified": "found", "associated with": "linked to",
    "caused by": "due to", "in addition": "moreover", "however": "yet", "approximately": "about", "children": "kids",
    "developed": "created", "cancer": "tumour", "obtained": "gained", "results in": "leads to", "whole": "entire",
}  # fmt: skip
_PARENTHESIS = re.compile(r"\s*\([^()]*\)")
_LEAD = re.compile(r"^(?:however|moreover|thus|therefore|in addition|furthermore|here|in conclusion|finally),?\s", re.I)


def word_frequencies(data: Path, pairs: Sequence[Pair]) -> tuple[int, Counter[str]]:
    """The number of texts and in how many of them each stem stands: all abstracts, and the cited texts of `pairs`."""
    texts = dict.fromkeys(f"{document['title']} {document['text']}" for document in abstracts(data))
    texts |= dict.fromkeys(pair.statement.text for pair in pairs if pair.collection != "scifact")
    counts: Counter[str] = Counter()
    for text in texts:
        counts.update({stem for sentence in sentences(text) for stem in read(sentence).stems})
    return len(texts), counts


def reworded(data: Path, seed: int = 5) -> list[Pair]:
    """Reworded sentences with their own abstract (supported) and with another one (neutral)."""
    chosen = random.Random(seed)
    documents = [d for d in abstracts(data) if part_of(f"scifact\0{d['_id']}") >= TEST_SHARE]
    chosen.shuffle(documents)
    found: list[Pair] = []
    for document, other in zip(documents[:REWORDED], documents[REWORDED:], strict=False):
        candidates = [s for s in sentences(document["text"]) if 60 < len(s) < 260]
        claim = _reword(chosen.choice(candidates), chosen) if candidates else ""
        if claim:
            name = str(document["_id"])
            found.append(Pair("reworded", Statement(claim, document["text"], document["title"]), "supported", name))
            found.append(Pair("reworded", Statement(claim, other["text"], other["title"]), "neutral", name))
    return found


def _reword(sentence: str, chosen: random.Random) -> str:
    changed = _PARENTHESIS.sub("", _LEAD.sub("", sentence)).strip()
    first, comma, rest = changed.rstrip(".").partition(", ")
    if comma and 3 <= len(first.split()) <= len(rest.split()) and chosen.random() < 0.7:
        changed = f"{rest[:1].upper()}{rest[1:]}, {first[:1].lower()}{first[1:]}."
    for word, other in _EXCHANGES.items():
        changed = re.sub(rf"\b{word}\b", f"\0{other}\0", changed)  # marked, so that no exchange undoes another
    return changed.replace("\0", "") if changed != sentence else ""
