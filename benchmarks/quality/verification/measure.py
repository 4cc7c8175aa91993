"""Measure the support check: `python -m benchmarks.quality.verification.measure [--cache FOLDER] [--no-embedder]`.

On the test documents, which training and thresholds have not seen: precision and recall of every verdict with 95 %
intervals. On edits of true sentences and on faithful rewordings: how many are called supported. Writes
`benchmarks/quality/baselines/verification.json`.

`unverifiable` and `unsupported` are both held against the label "neutral": people were not asked to tell a text that
does not bear a claim from one that leaves it open.
"""

from __future__ import annotations

import argparse
import json
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from benchmarks.material.kept_vectors import kept_embedder
from benchmarks.material.result_files import measured_with, page, share, table
from benchmarks.material.reworded_sentences import reworded
from benchmarks.material.verification_pairs import COLLECTIONS, Pair, load_pairs, pairs_hash
from benchmarks.places import BASELINES, data_folder
from benchmarks.quality.verification.edits import edits
from benchmarks.quality.verification.paraphrases import paraphrases
from litloop.embedding import Embedder
from litloop.verification.support.model import Statement, Support, SupportModel

BASELINE = BASELINES / "verification.json"
EDITED_DOCUMENTS, EDIT_SEED = 1500, 101  # a seed that no rule was written against
REWORDING_SEED = 303  # another than training's
_SIDES = {"supported": "supported", "contradicted": "contradicted", "unverifiable": "neutral", "unsupported": "neutral"}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cache", type=Path, default=Path(tempfile.gettempdir()) / "litloop-verification")
    parser.add_argument("--no-embedder", action="store_true", help="measure the lexical verifier alone")
    parser.add_argument("--output", type=Path, default=BASELINE)
    arguments = parser.parse_args()
    with ExitStack() as kept:
        embedder = None if arguments.no_embedder else kept.enter_context(kept_embedder(arguments.cache))
        report = measured(data_folder(), embedder)
    report["page"] = told({name: one for name, one in report.items() if name != "measured"})
    arguments.output.write_text(json.dumps(report, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    print(json.dumps(report, indent=1, ensure_ascii=False))


def measured(data: Path, embedder: Embedder | None) -> dict[str, Any]:
    """Both verifiers; the lexical one alone without an embedder."""
    models = {"lexical": SupportModel()}
    if embedder:
        models["embedded"] = SupportModel(embedder)
    pairs = load_pairs(data)
    report: dict[str, Any] = {"measured": {**measured_with(embedder), "pairs": pairs_hash(pairs)}}
    for name, model in models.items():
        report[name] = {
            "test_documents": judged(model, [pair for pair in pairs if pair.is_test]),
            "edits_called_supported": called_supported_edits(model, data),
            "rewordings_called_supported": called_supported_rewordings(model, data),
        }
        if name == "lexical":
            report[name]["pairs_per_second"] = round(speed(model, pairs[:600]))
    return report


def told(report: dict[str, Any]) -> dict[str, Any]:
    verdicts = [
        [name, collection, found["n"], label, _cell(found[label]["precision"]), _cell(found[label]["recall"])]
        for name, one in report.items()
        for collection, found in one["test_documents"].items()
        for label in ("supported", "contradicted")
    ]
    called = [
        [what, kind, *(f"{one[key][kind]['supported']} of {one[key][kind]['of']}" for one in report.values())]
        for key, what in (("edits_called_supported", "changed: none may be"),
                          ("rewordings_called_supported", "faithfully reworded: all should be"))
        for kind in next(iter(report.values()))[key]
    ]  # fmt: skip
    return page(
        "Verification",
        "Does a cited text bear a sentence? Pairs of cited documents that neither training nor thresholds have "
        "seen; 95 % intervals.",
        table("", ["verifier", "collection", "pairs", "verdict", "precision", "recall"], verdicts),
        table("Sentences called supported.", ["sentences", "by", *report], called),
    )  # fmt: skip


def _cell(share: dict[str, Any]) -> str:
    return f"{share['value']:.2f} [{share['low']:.2f}, {share['high']:.2f}]" if share["of"] else ""


def judged(model: SupportModel, pairs: Sequence[Pair]) -> dict[str, Any]:
    """Per collection, n and the precision and recall of each verdict."""
    verdicts = model.check([pair.statement for pair in pairs])
    return {
        collection: {
            "n": sum(pair.collection == collection for pair in pairs),
            **{
                label: _precision_and_recall(
                    label, [(p, v) for p, v in zip(pairs, verdicts, strict=True) if p.collection == collection]
                )
                for label in ("supported", "contradicted", "neutral")
            },
        }
        for collection in COLLECTIONS
    }


def _precision_and_recall(label: str, judged_pairs: Sequence[tuple[Pair, Support]]) -> dict[str, Any]:
    said = [pair.label == label for pair, verdict in judged_pairs if _SIDES[verdict.verdict] == label]
    meant = [_SIDES[verdict.verdict] == label for pair, verdict in judged_pairs if pair.label == label]
    return {"precision": share(sum(said), len(said)), "recall": share(sum(meant), len(meant))}


def called_supported_edits(model: SupportModel, data: Path) -> dict[str, Any]:
    made = edits(data, documents=EDITED_DOCUMENTS, seed=EDIT_SEED)
    found = model.check([Statement(edit.claim, edit.text, edit.title) for edit in made])
    return _by_kind([edit.kind for edit in made], found)


def called_supported_rewordings(model: SupportModel, data: Path) -> dict[str, Any]:
    own = paraphrases()
    found = model.check([Statement(row.paraphrase, row.text) for row in own])
    systematic = [pair for pair in reworded(data, seed=REWORDING_SEED) if pair.label == "supported"]
    found += model.check([pair.statement for pair in systematic])
    return _by_kind([row.by for row in own] + ["abstracts, by rule"] * len(systematic), found)


def _by_kind(kinds: Sequence[str], found: Sequence[Support]) -> dict[str, Any]:
    supported = Counter(kind for kind, support in zip(kinds, found, strict=True) if support.verdict == "supported")
    return {kind: {"supported": supported[kind], "of": n} for kind, n in Counter(kinds).items()}


def speed(model: SupportModel, pairs: Sequence[Pair]) -> float:
    started = time.perf_counter()
    model.check([pair.statement for pair in pairs])
    return len(pairs) / (time.perf_counter() - started)


if __name__ == "__main__":
    main()
