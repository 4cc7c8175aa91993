"""Trains the verifier: `python -m benchmarks.training.verification.train [--cache FOLDER]`.

Seeded; takes about a minute once the sentence vectors are cached.

Reads the train part only. Thresholds are chosen on predictions for documents that the networks had not seen (five folds
by document). Writes `src/litloop/verification/support/verifier.npz`, and what was reached on those folds to
`benchmarks/training/results/verification_folds.json`; `measure` reports on the test part.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.material.kept_vectors import kept_embedder
from benchmarks.material.result_files import measured_with, share
from benchmarks.material.reworded_sentences import reworded, word_frequencies
from benchmarks.material.verification_pairs import COLLECTIONS, Pair, load_pairs, pairs_hash, part_of
from benchmarks.places import LITLOOP, TRAINING_RESULTS, data_folder
from benchmarks.training.verification.fitting import Floats, Recipe, fit
from litloop.embedding import Embedder
from litloop.verification.support.model import Extent, StatementReading, extent, measured
from litloop.verification.support.objections import objection
from litloop.verification.support.verifier import CONTRADICTED, SUPPORTED, Ensemble, Verifier
from litloop.verification.support.wording import WordWeights

OUTPUT = LITLOOP / "verification" / "support" / "verifier.npz"
FOLDS_REPORT = TRAINING_RESULTS / "verification_folds.json"
AXES = 64  # of the sentence vectors' principal axes that are measured
FOLDS = 5
ENOUGH = 100  # pairs of a collection for it to have a say in a threshold
RARE = 2  # a stem in fewer texts weighs like one never seen
GOALS: dict[Extent, float] = {"passage": 0.8, "excerpt": 0.61}  # precision of "supported" aimed at, in each collection
CONTRADICTION = 0.5  # precision of "contradicted" aimed at


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cache", type=Path, default=Path(tempfile.gettempdir()) / "litloop-verification")
    parser.add_argument("--output", type=Path, default=OUTPUT)
    arguments = parser.parse_args()
    with kept_embedder(arguments.cache) as embedder:
        arrays, folds_report = trained(data_folder(), embedder)
    # numpy takes the arrays as keywords beside its own `allow_pickle`, and its types say so of all of them.
    np.savez_compressed(arguments.output, **arrays)  # type: ignore[arg-type]
    FOLDS_REPORT.write_text(json.dumps(folds_report, indent=1) + "\n", encoding="utf-8")
    print(f"{arguments.output}: {arguments.output.stat().st_size / 1e6:.2f} MB")


def trained(data: Path, embedder: Embedder) -> tuple[dict[str, NDArray[Any]], dict[str, Any]]:
    """The arrays of `verifier.npz`, and what both ensembles reached on documents they had not seen."""
    pairs = [pair for pair in load_pairs(data) if not pair.is_test]
    pairs += reworded(data)
    verifier, arrays = prepared(data, pairs, embedder)
    readings = [StatementReading(pair.statement) for pair in pairs]
    objected = np.array([_objected(reading, verifier) for reading in readings])
    recipe = Recipe()
    about = json.loads(arrays["about"].tobytes())
    folds_report: dict[str, Any] = {"measured": {**measured_with(embedder), "pairs": pairs_hash(pairs)}}
    for name, given in (("lexical", None), ("embedded", embedder)):
        table = measured(readings, verifier, given)
        unseen = out_of_fold(table, pairs, recipe)
        at = about["thresholds"][name] = thresholds(unseen, pairs, readings, objected)
        strict = out_of_fold(table, pairs, recipe, strict=True)
        folds_report[name] = {
            "document_unseen": reached(unseen, pairs, readings, objected, at),
            "document_and_claim_unseen": reached(strict, pairs, readings, objected, at),
        }
        arrays |= _arrays(name, _fitted(table, pairs, recipe))
    arrays["about"] = _bytes(json.dumps(about))
    return arrays, folds_report


def prepared(data: Path, pairs: Sequence[Pair], embedder: Embedder) -> tuple[Verifier, dict[str, NDArray[Any]]]:
    """A verifier with word weights and axes but no networks yet, and its arrays."""
    judged = [pair for pair in pairs if pair.collection in COLLECTIONS]
    documents, counts = word_frequencies(data, judged)
    kept = sorted(word for word, count in counts.items() if count >= RARE)
    texts = sorted({sentence.text for pair in judged for sentence in StatementReading(pair.statement).sentences[:1]})
    centre, axes = principal_axes(embedder.embed_passages([text[:1000] for text in texts]))
    about = {"documents": documents, "fingerprint": embedder.fingerprint, "thresholds": {}}
    arrays: dict[str, NDArray[Any]] = {
        "about": _bytes(json.dumps(about)),
        "words": _bytes("\n".join(kept)),
        "frequencies": np.array([counts[word] for word in kept], np.int32),
        "centre": centre,
        "axes": axes,
    }
    none = np.zeros(1, np.float32)
    empty = Ensemble(none, none, none, none, none, none, {})
    weights = WordWeights(documents, {word: counts[word] for word in kept})
    return Verifier(weights, empty, empty, embedder.fingerprint, centre, axes), arrays


def principal_axes(vectors: Floats) -> tuple[Floats, Floats]:
    """The mean (dimension,) and the first axes (dimension, AXES), each with its largest entry positive."""
    centre = vectors.mean(axis=0)
    _, axes = np.linalg.eigh(np.cov((vectors - centre).T.astype(np.float64)))
    first = axes[:, ::-1][:, :AXES]
    signs = np.sign(first[np.abs(first).argmax(axis=0), np.arange(AXES)])
    return centre.astype(np.float32), (first * signs).astype(np.float32)


def out_of_fold(table: Floats, pairs: Sequence[Pair], recipe: Recipe, *, strict: bool = False) -> Floats:
    """(n, 3): each row from networks that did not see its document (with `strict`, nor its claim)."""
    unseen = np.zeros((len(pairs), 3), np.float32)
    for held in folds(pairs):
        claims = {pairs[i].statement.claim for i in np.flatnonzero(held).tolist()} if strict else set()
        train = np.array(
            [not out and pair.statement.claim not in claims for out, pair in zip(held, pairs, strict=True)]
        )
        ensemble = _fitted(table[train], [pair for pair, kept in zip(pairs, train, strict=True) if kept], recipe)
        unseen[held] = ensemble.probabilities(table[held])
    return unseen


def folds(pairs: Sequence[Pair]) -> Iterator[NDArray[np.bool_]]:
    places = np.array([int(FOLDS * part_of(f"fold\0{pair.collection}\0{pair.document}")) for pair in pairs])
    for fold in range(FOLDS):
        yield places == fold


def thresholds(
    unseen: Floats, pairs: Sequence[Pair], readings: Sequence[StatementReading], objected: NDArray[np.bool_]
) -> dict[Extent, dict[str, float]]:
    """The lowest probabilities at which every collection reaches its precision, by extent of the text."""
    label, of, extents = _columns(pairs, readings)
    found: dict[Extent, dict[str, float]] = {}
    for name, goal in GOALS.items():
        there = (extents == name) & np.isin(of, COLLECTIONS)
        large = [collection for collection in COLLECTIONS if (there & (of == collection)).sum() >= ENOUGH]
        supported = max(
            _lowest(unseen[rows, SUPPORTED], label[rows] == SUPPORTED, goal)
            for rows in (there & (of == collection) & ~objected for collection in large)
        )
        contradicted = _lowest(unseen[there, CONTRADICTED], label[there] == CONTRADICTED, CONTRADICTION)
        found[name] = {"supported": round(supported, 3), "contradicted": round(contradicted, 3)}
    return found


def _columns(
    pairs: Sequence[Pair], readings: Sequence[StatementReading]
) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]:
    label = np.array([pair.column for pair in pairs])
    return label, np.array([pair.collection for pair in pairs]), np.array([extent(reading) for reading in readings])


def _lowest(chances: Floats, right: NDArray[np.bool_], precision: float) -> float:
    order = np.argsort(-chances, kind="stable")
    reached = np.cumsum(right[order]) / np.arange(1, len(order) + 1)
    enough = np.flatnonzero(reached >= precision)
    return float(chances[order[enough[-1]]]) if len(enough) else 1.0


def reached(
    unseen: Floats,
    pairs: Sequence[Pair],
    readings: Sequence[StatementReading],
    objected: NDArray[np.bool_],
    at: dict[Extent, dict[str, float]],
) -> dict[str, Any]:
    """Per collection, n and the precision and recall of both verdicts on unseen documents, with 95 % intervals."""
    label, of, extents = _columns(pairs, readings)
    said = (unseen[:, SUPPORTED] >= [at[name]["supported"] for name in extents]) & ~objected
    denied = (unseen[:, CONTRADICTED] >= [at[name]["contradicted"] for name in extents]) & ~said
    report: dict[str, Any] = {}
    for name in COLLECTIONS:
        rows = of == name
        report[name] = {"n": int(rows.sum())}
        for verdict, column, given in (("supported", SUPPORTED, said), ("contradicted", CONTRADICTED, denied)):
            right = int((given & (label == column))[rows].sum())
            meant = int((label[rows] == column).sum())
            report[name][verdict] = {"precision": share(right, int(given[rows].sum())), "recall": share(right, meant)}
    return report


def _objected(reading: StatementReading, verifier: Verifier) -> bool:
    if reading.settled:
        return False
    return objection(reading.claim, reading.sentences, reading.statement.title, verifier.weights) is not None


def _fitted(table: Floats, pairs: Sequence[Pair], recipe: Recipe) -> Ensemble:
    columns = np.array([pair.column for pair in pairs])
    documents = [f"{pair.collection}\0{pair.document}" for pair in pairs]
    return fit(table, columns, documents, _importance(pairs), {}, recipe)


def _importance(pairs: Sequence[Pair]) -> Floats:
    """A collection counts with the root of its size, so that the largest does not decide alone."""
    names, counts = np.unique([pair.collection for pair in pairs], return_counts=True)
    weight = dict(zip(names, counts**-0.5, strict=True))
    importance = np.array([weight[pair.collection] for pair in pairs], np.float32)
    importance /= importance.mean()
    return importance


def _arrays(name: str, ensemble: Ensemble) -> dict[str, NDArray[Any]]:
    return {
        f"{name}_{part}": getattr(ensemble, part).astype(np.float32)
        for part in ("mean", "scale", "w1", "b1", "w2", "b2")
    }


def _bytes(text: str) -> NDArray[np.uint8]:
    return np.frombuffer(text.encode(), np.uint8)


if __name__ == "__main__":
    main()
