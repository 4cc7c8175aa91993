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
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.material.kept_vectors import kept_embedder
from benchmarks.material.result_files import measured_with, share
from benchmarks.material.reworded_sentences import reworded, word_frequencies
from benchmarks.material.verification_pairs import (
    COLLECTIONS,
    Pair,
    load_pairs,
    pairs_hash,
    part_of,
    without_evidence_of,
)
from benchmarks.places import LITLOOP, TRAINING_RESULTS, data_folder
from benchmarks.training.verification.comparing import compared, contradicted_by_rules
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
# Precision of "supported" aimed at where neither evidence, claim nor subject was seen.
GOALS: dict[Extent, dict[str, float]] = {
    "passage": {"scifact": 0.8, "healthver": 0.63, "climate_fever": 0.63},
    "excerpt": {"scifact": 0.63, "healthver": 0.63, "climate_fever": 0.61},
}
TEMPERATURES = (0.5, 0.6, 0.7, 0.8, 0.9, 1.0, 1.15, 1.3, 1.5, 1.75, 2.0)
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
    judged = load_pairs(data)
    held = [pair for pair in judged if pair.is_test]
    pairs = without_evidence_of(held, [pair for pair in judged if not pair.is_test] + reworded(data))
    verifier, arrays = prepared(data, pairs, embedder)
    readings = [StatementReading(pair.statement) for pair in pairs]
    objected = np.array([_objected(reading, verifier) for reading in readings])
    recipe = Recipe()
    about = json.loads(arrays["about"].tobytes())
    folds_report: dict[str, Any] = {"measured": {**measured_with(embedder), "pairs": pairs_hash(pairs)}}
    for name, given in (("lexical", None), ("embedded", embedder)):
        table = measured(readings, verifier, given)
        temperature, strict = tempered_out_of_fold(table, pairs, recipe)
        unseen = out_of_fold(table, pairs, recipe, temperature)
        at = about["thresholds"][name] = thresholds(strict, pairs, readings, objected)
        folds_report[name] = {
            "document_unseen": reached(unseen, pairs, readings, objected, at),
            "document_and_claim_unseen": reached(strict, pairs, readings, objected, at),
            "temperature": temperature,
            "probability_of_support": compared(strict, table if given else None, pairs, objected),
        }
        arrays |= _arrays(name, tempered(_fitted(table, pairs, recipe), temperature))
    folds_report["contradicted_by_rules"] = contradicted_by_rules(judged, verifier)
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
    """The mean (dimension,) and the first axes (dimension, AXES), each with its largest entry positive and
    scaled so that coordinates have unit variance."""
    centre = vectors.mean(axis=0)
    _, axes = np.linalg.eigh(np.cov((vectors - centre).T.astype(np.float64)))
    first = axes[:, ::-1][:, :AXES]
    signs = np.sign(first[np.abs(first).argmax(axis=0), np.arange(AXES)])
    oriented = first * signs
    return centre.astype(np.float32), (oriented / ((vectors - centre) @ oriented).std(axis=0)).astype(np.float32)


def tempered_out_of_fold(table: Floats, pairs: Sequence[Pair], recipe: Recipe) -> tuple[float, Floats]:
    """The temperature at which unseen labels of the judged pairs are likeliest, and (n, 3) strict probabilities."""
    label = np.array([pair.column for pair in pairs])
    judged = np.array([pair.collection in COLLECTIONS for pair in pairs])
    weight = _importance(pairs)[judged]
    by_temperature = out_of_fold_at(table, pairs, recipe, TEMPERATURES, strict=True)
    losses = [float(-(weight * np.log(unseen[judged, label[judged]] + 1e-6)).mean()) for unseen in by_temperature]
    best = int(np.argmin(losses))
    return TEMPERATURES[best], by_temperature[best]


def tempered(ensemble: Ensemble, temperature: float) -> Ensemble:
    """The same order of rows of one member, with probabilities drawn towards even ones (above 1) or away from them."""
    return replace(ensemble, w2=ensemble.w2 / np.float32(temperature), b2=ensemble.b2 / np.float32(temperature))


def out_of_fold(table: Floats, pairs: Sequence[Pair], recipe: Recipe, temperature: float = 1.0) -> Floats:
    """(n, 3): each row from networks that did not see its document."""
    return out_of_fold_at(table, pairs, recipe, (temperature,))[0]


def out_of_fold_at(
    table: Floats, pairs: Sequence[Pair], recipe: Recipe, temperatures: Sequence[float], *, strict: bool = False
) -> list[Floats]:
    """(n, 3) for each temperature: each row from networks that did not see its document (with `strict`, nor its claim
    nor anything of its subject)."""
    unseen = [np.zeros((len(pairs), 3), np.float32) for _ in temperatures]
    for held in folds(pairs, by_subject=strict):
        claims = {pairs[i].statement.claim for i in np.flatnonzero(held).tolist()} if strict else set()
        train = np.array(
            [not out and pair.statement.claim not in claims for out, pair in zip(held, pairs, strict=True)]
        )
        ensemble = _fitted(table[train], [pair for pair, kept in zip(pairs, train, strict=True) if kept], recipe)
        for at, temperature in enumerate(temperatures):
            unseen[at][held] = tempered(ensemble, temperature).probabilities(table[held])
    return unseen


def folds(pairs: Sequence[Pair], *, by_subject: bool = False) -> Iterator[NDArray[np.bool_]]:
    names = [(by_subject and pair.subject) or pair.document for pair in pairs]
    places = np.array(
        [int(FOLDS * part_of(f"fold\0{pair.collection}\0{name}")) for pair, name in zip(pairs, names, strict=True)]
    )
    for fold in range(FOLDS):
        yield places == fold


def thresholds(
    unseen: Floats, pairs: Sequence[Pair], readings: Sequence[StatementReading], objected: NDArray[np.bool_]
) -> dict[Extent, dict[str, float]]:
    """The lowest probabilities at which every collection reaches its precision, by extent of the text."""
    label, of, extents = _columns(pairs, readings)
    found: dict[Extent, dict[str, float]] = {}
    for name, goals in GOALS.items():
        there = (extents == name) & np.isin(of, COLLECTIONS)
        large = [collection for collection in COLLECTIONS if (there & (of == collection)).sum() >= ENOUGH]
        supported = max(
            _lowest(unseen[rows, SUPPORTED], label[rows] == SUPPORTED, goals[collection])
            for collection, rows in ((each, there & (of == each) & ~objected) for each in large)
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
