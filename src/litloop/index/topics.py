"""Topics: what a collection is about, as points in the space of its vectors.

Where papers carry a label that names topics, each of its values is a topic. Where they carry none, topics come from
clustering and are named by their own terms. A question outside the collection is answered with the topics closest
to it, if any is close enough; the threshold is calibrated per embedder by the caller.
"""

from __future__ import annotations

import json
import math
import zlib
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from litloop.core.records import ClosestTopic
from litloop.index.analyser import Analyser
from litloop.index.durable import write_atomically
from litloop.index.engine import Snapshot

Matrix = NDArray[np.float32]
Texts = Callable[[Sequence[str]], Mapping[str, str]]  # paper ids -> a text to name their topic by (title, abstract)

MOST_CLUSTERS = 40
FRESH = 0.05  # share of changed passages up to which topics are kept
_SEED = 20
_ROUNDS = 25
_FITTED = 20_000  # papers that k-means is fitted on; the rest are only assigned
_READ = 4096  # papers whose vectors are read at a time
_NAMED_BY = 60  # papers nearest the centroid whose texts name a cluster
_NAME_TERMS = 3
_TITLE = 3  # how many times a word of the rest a word of the title counts in a name
_FORMAT = 1


@dataclass(frozen=True, eq=False)
class Topics:
    """`centroids` is (topics, dimension), rows of unit length, in the order of `names`."""

    names: tuple[str, ...]
    centroids: Matrix
    papers: tuple[int, ...]  # how many papers each topic has
    seq: int  # outbox row up to which they were computed
    count: int  # passages then
    label: str | None = None  # whose values the topics are; None for clusters

    def closest(self, vector: NDArray[np.float32], k: int, threshold: float) -> list[ClosestTopic]:
        """At most k topics whose cosine with `vector` is at least `threshold`, nearest first; ties by name."""
        similarity = np.vecdot(self.centroids, np.asarray(vector, dtype=np.float32)).tolist()
        near = [
            ClosestTopic(name, value, papers)
            for name, value, papers in zip(self.names, similarity, self.papers, strict=True)
            if value >= threshold
        ]
        return sorted(near, key=lambda topic: (-topic.similarity, topic.name))[:k]

    def fresh(self, snapshot: Snapshot) -> bool:
        """Whether so little has changed since that they still hold. Outbox rows count changed passages."""
        return 0 <= snapshot.seq - self.seq <= FRESH * self.count or snapshot.seq == self.seq


def labelled_topics(
    snapshot: Snapshot, label: str, papers: Mapping[str, Sequence[int]], values: Mapping[str, Sequence[str]]
) -> Topics:
    """One topic per value of `label`: the unit-normalised mean of its papers' vectors.

    `papers` gives each paper's passage keys, `values` each paper's values of the label. A paper's vector is the
    unit-normalised mean of its passages, so a long paper weighs no more than a short one.
    """
    ids = [one for one in papers if values.get(one) and papers[one]]
    names = sorted({value for one in ids for value in values[one]})
    place = {name: number for number, name in enumerate(names)}
    sums = np.zeros((len(names), _dimension(snapshot)), dtype=np.float64)
    sizes = [0] * len(names)
    for start in range(0, len(ids), _READ):
        part = ids[start : start + _READ]
        for one, vector in zip(part, _paper_vectors(snapshot, [papers[one] for one in part]), strict=True):
            for value in dict.fromkeys(values[one]):
                sums[place[value]] += vector
                sizes[place[value]] += 1
    return Topics(tuple(names), _unit(sums), tuple(sizes), snapshot.seq, snapshot.count, label)


def clustered_topics(
    snapshot: Snapshot, papers: Mapping[str, Sequence[int]], texts: Texts, analyser: Analyser
) -> Topics:
    """Topics of papers without labels: spherical k-means with about sqrt(n / 2) clusters, at most 40, each named by
    the three terms that set it apart from the others. The same papers give the same topics.

    Source of the names: class-based TF-IDF, Grootendorst 2022.
    """
    ids = sorted(one for one in papers if papers[one])
    if not ids:
        return Topics((), np.zeros((0, _dimension(snapshot)), dtype=np.float32), (), snapshot.seq, snapshot.count)
    parts = [ids[start : start + _READ] for start in range(0, len(ids), _READ)]
    vectors = np.concatenate([_paper_vectors(snapshot, [papers[one] for one in part]) for part in parts])
    wanted = min(MOST_CLUSTERS, max(1, round(math.sqrt(len(ids) / 2))))
    centroids = spherical_kmeans(vectors, wanted)
    nearest = np.argmax(vectors @ centroids.T, axis=1)
    used = np.unique(nearest)
    members = [np.flatnonzero(nearest == number) for number in used]
    central = [_central(vectors, rows, centroids[number]) for number, rows in zip(used, members, strict=True)]
    found = texts([ids[row] for rows in central for row in rows])
    names = topic_names([[found.get(ids[row], "") for row in rows] for rows in central], analyser)
    order = sorted(range(len(used)), key=lambda number: (-len(members[number]), names[number]))
    return Topics(
        names=tuple(names[number] for number in order),
        centroids=_unit(np.stack([vectors[members[number]].sum(axis=0, dtype=np.float64) for number in order])),
        papers=tuple(len(members[number]) for number in order),
        seq=snapshot.seq,
        count=snapshot.count,
    )


def spherical_kmeans(vectors: Matrix, clusters: int) -> Matrix:
    """(at most `clusters`, dimension): unit centroids of unit vectors, by cosine. Seeded, so always the same."""
    random = np.random.default_rng(_SEED)
    fitted = vectors if len(vectors) <= _FITTED else vectors[np.sort(random.choice(len(vectors), _FITTED, False))]
    centroids = _spread_out(fitted, clusters, random)
    nearest = np.full(len(fitted), -1)
    for _ in range(_ROUNDS):
        similarity = fitted @ centroids.T
        moved = np.argmax(similarity, axis=1)
        if (moved == nearest).all():
            break
        nearest = moved
        sums = np.zeros(centroids.shape, dtype=np.float64)
        np.add.at(sums, nearest, fitted)
        kept = np.bincount(nearest, minlength=len(centroids)) > 0
        centroids = _unit(sums[kept])
        if not kept.all():
            nearest = np.full(len(fitted), -1)
    return centroids


def topic_names(topics: Sequence[Sequence[str]], analyser: Analyser) -> list[str]:
    """A name for each topic from the texts of its papers: the words frequent in it and rare in the others, each in the
    form in which it stands most often. No two names are equal.

    The first line of a text is its title. It weighs more, and words of more than half of all texts name nothing: so a
    language needs no list of function words.
    """
    counts: list[Counter[str]] = []
    forms: dict[str, Counter[str]] = {}
    held: Counter[str] = Counter()
    for texts in topics:
        count: Counter[str] = Counter()
        for text in texts:
            # Once per text: a paper that repeats a word does not name the topic by itself.
            title, _, rest = text.partition("\n")
            for line, times in ((title, _TITLE), (rest, 1)):
                for word, term in set(analyser.naming_words(line)):
                    count[term] += times
                    forms.setdefault(term, Counter())[word] += 1
            held.update({term for _, term in analyser.naming_words(text)})
        counts.append(count)
    everywhere = {term for term, n in held.items() if len(topics) > 1 and n > sum(map(len, topics)) / 2}
    total = sum(counts, Counter())
    average = sum(total.values()) / max(len(topics), 1)
    names: list[str] = []
    for number, count in enumerate(counts):
        size = max(sum(count.values()), 1)
        telling = [term for term in count if len(term) > (2 if term.isascii() else 1) and term not in everywhere]
        weight = {term: count[term] / size * math.log(1 + average / total[term]) for term in telling}
        terms = sorted(weight, key=lambda term: (-weight[term], term))
        words = [min(forms[term], key=lambda word: (-forms[term][word], word)) for term in terms]
        taken = _NAME_TERMS
        while " · ".join(words[:taken]) in names and taken < len(words):
            taken += 1
        name = " · ".join(words[:taken]) or "unnamed"
        names.append(name if name not in names else f"{name} ({number + 1})")
    return names


def save_topics(folder: Path, topics: Topics) -> None:
    """Keep topics in the collection's folder, in one file for labels and one for clusters."""
    content = {
        "format": _FORMAT,
        "names": topics.names,
        "papers": topics.papers,
        "seq": topics.seq,
        "count": topics.count,
        "label": topics.label,
        "dimension": topics.centroids.shape[1],
    }
    vectors = np.ascontiguousarray(topics.centroids, dtype="<f4").tobytes()
    kept = json.dumps(content).encode() + b"\n" + vectors
    write_atomically(_path(folder, topics.label), b"%d\n" % zlib.crc32(kept) + kept)


def load_topics(folder: Path, label: str | None) -> Topics | None:
    """The topics kept for the values of `label` (None: clusters); None when there are none that can be read."""
    try:
        head, _, vectors = _kept(_path(folder, label)).partition(b"\n")
        raw = json.loads(head)
        if raw["format"] != _FORMAT or raw["label"] != label:
            return None
        centroids = np.frombuffer(vectors, dtype="<f4").reshape(len(raw["names"]), raw["dimension"])
        return Topics(tuple(raw["names"]), centroids, tuple(raw["papers"]), raw["seq"], raw["count"], raw["label"])
    except (OSError, ValueError, KeyError, TypeError):
        return None


def topics_problems(folder: Path) -> list[str]:
    """Kept topics that are not what was written, in sentences. They are made again when they are next asked for."""
    found = []
    for label in (None, ""):
        path = _path(folder, label)
        try:
            _kept(path)
        except FileNotFoundError:
            continue
        except (OSError, ValueError):
            found.append(f"{path.name} does not match its checksum: the topics are made again when they are asked for.")
    return found


def _kept(path: Path) -> bytes:
    """Raises ValueError for what was not written so."""
    told, _, kept = path.read_bytes().partition(b"\n")
    if told.startswith(b"{"):
        raise FileNotFoundError(f"{path.name} is of before 0.2, and has no checksum.")
    if int(told) != zlib.crc32(kept):
        raise ValueError(f"{path.name} does not match its checksum.")
    return kept


def _path(folder: Path, label: str | None) -> Path:
    return folder / ("topics-clusters.bin" if label is None else "topics-labels.bin")


def _dimension(snapshot: Snapshot) -> int:
    dimension: int = snapshot.vectors([]).shape[1]
    return dimension


def _paper_vectors(snapshot: Snapshot, passages: Sequence[Sequence[int]]) -> Matrix:
    """(papers, dimension), rows of unit length."""
    vectors = snapshot.vectors([key for keys in passages for key in keys])
    starts = np.cumsum([0, *(len(keys) for keys in passages[:-1])])
    return _unit(np.add.reduceat(vectors, starts, axis=0, dtype=np.float64))


def _central(vectors: Matrix, rows: NDArray[np.int64], centroid: Matrix) -> NDArray[np.int64]:
    """The rows nearest the centroid."""
    return rows[np.argsort(-(vectors[rows] @ centroid), kind="stable")[:_NAMED_BY]]


def _spread_out(vectors: Matrix, clusters: int, random: np.random.Generator) -> Matrix:
    """First centroids far from each other. Source: Arthur and Vassilvitskii 2007 (k-means++)."""
    chosen = [int(random.integers(len(vectors)))]
    distance = 1 - vectors @ vectors[chosen[0]]
    while len(chosen) < clusters:
        weight = np.maximum(distance, 0).astype(np.float64)
        if weight.sum() <= 0:
            break  # fewer different vectors than clusters
        chosen.append(int(random.choice(len(vectors), p=weight / weight.sum())))
        distance = np.minimum(distance, 1 - vectors @ vectors[chosen[-1]])
    return vectors[chosen]


def _unit(rows: NDArray[np.float64]) -> Matrix:
    """Rows scaled to unit length; a row of zeros stays one."""
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    return (rows / np.where(lengths > 0, lengths, 1)).astype(np.float32)
