"""The page of a run: `speed.md` from `speed.json`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from benchmarks.speed.goals import SOURCES, Verdict, verdicts

Parts = Mapping[str, Any]
NAMES = {"litloop": "litloop", "tantivy": "tantivy", "bm25s": "bm25s, numpy", "lancedb_fts": "LanceDB, words",
         "lancedb_vectors": "LanceDB, IVF_HNSW_SQ", "numpy": "numpy, one product", "paper_qa": "paper-qa",
         "haiku": "haiku.rag"}  # fmt: skip


def page(result: Mapping[str, Any]) -> str:
    parts = result["parts"]
    sections = [
        _head(result),
        goals(verdicts(parts)),
        *(_section(part, write, parts) for part, write in _SECTIONS.items() if part in parts),
    ]
    return "\n\n".join(sections) + "\n"


def _section(part: str, write: Callable[[Parts], str], parts: Parts) -> str:
    """A part that an earlier version measured must not cost a run its page."""
    try:
        return write(parts)
    except (KeyError, TypeError, IndexError) as error:
        return f"## {part}\n\nMeasured by an earlier version, without {error}: run this part again."


def goals(found: Sequence[Verdict]) -> str:
    met, missed, open_ = (sum(one.met is state for one in found) for state in (True, False, None))
    blocks = [f"## Goals\n\n{met} met, {missed} missed, {open_} not measured."]
    for source, title in SOURCES.items():
        rows = [_goal(one) for one in found if one.goal.source == source]
        blocks.append(f"{title[0].upper()}{title[1:]}:\n\n" + table(["goal", "limit", "measured", ""], rows))
    return "\n\n".join(blocks)


def _goal(one: Verdict) -> list[str]:
    goal = one.goal
    limit = f"{'at most' if goal.comparison == '<=' else 'at least'} {_number(goal.limit)} {goal.unit}".strip()
    if one.measured is None:
        return [goal.name, limit, "", "not measured"]
    said = "met" if one.met else f"missed by {100 * one.beyond:.0f} %"
    return [goal.name, limit, f"{_number(one.measured)} {goal.unit}".strip(), said]


def _head(result: Mapping[str, Any]) -> str:
    machine = result["machine"]
    versions = ", ".join(f"{name} {number}" for name, number in machine["packages"].items())
    lines = [
        "# Speed",
        "",
        f"Written by `make bench`. {machine['processor']}, {machine['cores']} cores, {machine['memory_gb']:g} GB, "
        f"{machine['system']}, Python {machine['python']}; {versions}.",
        "",
        table(
            ["part", "on", "load before", "took, s"],
            [
                [name, part["run"]["date"], _number(part["run"]["load"]), _number(part["run"]["seconds"])]
                for name, part in result["parts"].items()
            ],
        ),
        "",
        "Times are wall-clock medians unless another is named. Texts and vectors beside engines and frameworks and",
        "under growth are synthetic: they say nothing of quality.",
    ]
    return "\n".join(lines)


def _cold(parts: Parts) -> str:
    found = parts["cold"]
    names = {"bare_python_s": "python, nothing else", "import_s": "import litloop", "help_s": "litloop --help",
             "cold_search_s": "first search, demo library", "cold_ask_s": "first answer, demo library",
             "help_uncompiled_s": "--help, no bytecode",
             "cold_search_uncompiled_s": "first search, no bytecode"}  # fmt: skip
    return "## Starting\n\n" + table(["process", "s"], [[name, _number(found[key])] for key, name in names.items()])


def _engines(parts: Parts) -> str:
    found = parts["engines"]
    engines, frameworks = found["engines"], found["frameworks"]
    ours = engines["litloop"]
    words = [["litloop, question analysed", *_row(ours, "sparse_20", "words_mb")],
             *([NAMES[one], *_row(engines[one])] for one in ("tantivy", "bm25s", "lancedb_fts"))]  # fmt: skip
    dense = [
        ["litloop", *_row(ours, "dense_20", "vectors_mb"), _number(ours["recall_20"]),
         _number(ours["filtered_20_ms"]), _number(ours["filtered_recall_20"])],
        ["litloop, exact scan", *_row(ours, "exact", "vectors_mb"), "1", "", ""],
        *([NAMES[one], *_row(engines[one]), *_recalls(engines[one], one)] for one in ("lancedb_vectors", "numpy")),
    ]  # fmt: skip
    limit = ours["bandwidth"]
    small = frameworks["litloop"]
    beside = [["litloop", "", "", f"{_number(small['build_s'])} s", _number(small["sparse_20_ms"]),
               _number(small["dense_20_ms"]), _number(small["hybrid_ms"])],
              *(_framework(NAMES[one], frameworks[one]) for one in ("paper_qa", "haiku"))]  # fmt: skip
    return "\n\n".join([
        f"## Beside engines, {engines['passages']:,} passages, best 20\n\nBy words:",
        table(["", "p50, ms", "p95, ms", "a whole process, s", "building, s", "MB on disk", "MB of memory"], words),
        f"By vector, 384 dimensions. Memory reads {limit['1_threads_gb_s']:.1f} GB/s on one thread and "
        f"{limit['2_threads_gb_s']:.1f} on two, so an exact scan takes at least {ours['exact_least_ms']:.1f} ms:",
        table(["", "p50, ms", "p95, ms", "a whole process, s", "building, s", "MB on disk", "MB of memory", "recall@20",
               "a seventh passes, ms", "recall@20"], dense),
        f"litloop builds both, and the catalogue, in {_number(ours['build_s'])} s. A whole search (both legs, ten "
        f"passages) takes {_number(ours['hybrid_ms'])} ms, {_number(ours['hybrid_with_model_ms'])} with the "
        "question embedded. The whole process of its rows asks by both at once, without a model.",
        f"## Beside frameworks, {frameworks['passages']:,} passages, best 20\n\nWhat of them runs without a network "
        "and a language model; vectors are given.",
        table(["", "installing, s", "MB installed", "building", "words, ms", "vectors, ms", "both, ms"], beside),
    ])  # fmt: skip


def _row(figures: Mapping[str, Any], leg: str = "", size: str = "mb") -> list[str]:
    if "not_measured" in figures:
        return [f"not measured: {figures['not_measured']}", "", "", "", "", ""]
    p50, p95 = (f"{leg}_ms", f"{leg}_p95_ms") if leg else ("p50_ms", "p95_ms")
    return [_number(figures.get(name)) for name in (p50, p95, "cold_s", "build_s", size, "peak_mb")]


def _recalls(figures: Mapping[str, Any], name: str) -> list[str]:
    if name == "numpy":
        return ["1", "", ""]
    return [_number(figures.get(key)) for key in ("recall_20", "filtered_ms", "filtered_recall_20")]


def _framework(name: str, figures: Mapping[str, Any]) -> list[str]:
    installed = [_number(figures.get("install_s")), _number(figures.get("install_mb"))]
    if "not_measured" in figures:
        return [name, *installed, f"not measured: {figures['not_measured']}", "", "", ""]
    words = figures.get("words_p50_ms", figures["p50_ms"])
    both = figures["p50_ms"] if "words_p50_ms" in figures else None
    building = figures["build_s"] + figures.get("vectors_build_s", 0)
    return [
        name,
        *installed,
        f"{_number(building)} s",
        *(_number(ms) for ms in (words, figures["vectors_p50_ms"], both)),
    ]


def _scale(parts: Parts) -> str:
    rows = []
    for one in parts["scale"]["sizes"]:
        reading, size = one["reading"], one["bytes"]
        rows.append([f"{one['passages']:,}", *(_number(reading[name]) for name in (
            "sparse_ms", "dense_ms", "hybrid_ms", "hybrid_p95_ms", "exact_ms", "recall_20", "filtered_20_ms",
            "filtered_recall_20", "open_ms", "peak_mb")),
            *(_number(one["changing"][name]) for name in ("add_file_ms", "remove_file_ms", "first_search_s")),
            f"{one['papers_per_cpu_s'][-1]:,}", f"{sum(size.values()) / 1e6:,.0f}"])  # fmt: skip
    head = ["passages", "words, ms", "vector, ms", "search, ms", "p95", "exact scan, ms", "recall@20",
            "a seventh passes, ms", "recall@20", "opening, ms", "memory, MB", "one file added, ms", "removed, ms",
            "first search, s", "papers per CPU second", "MB on disk"]  # fmt: skip
    plain = parts["scale"]["largest"]["tantivy"]
    said = plain.get("not_measured") or f"takes {_number(plain['p50_ms'])} ms for the best 20 of the largest"
    mine = _number(parts["scale"]["sizes"][-1]["reading"]["sparse_20_ms"])
    return "\n\n".join([
        "## Growth\n\nLegs for the best 100, searches for ten passages; the question is embedded before.",
        table(head, rows),
        f"Plain tantivy {said}, litloop {mine}.",
    ])  # fmt: skip


def _indexing(parts: Parts) -> str:
    found, rows = parts["indexing"], []
    for name in ("all-MiniLM-L6-v2", "bge-small-en-v1.5"):
        one = found[name]
        bare = one["bare_passages"] / one["bare_s"]
        rows.append([f"litloop, {name}", f"{one['papers']:,}", f"{one['passages']:,}", _number(one["index_s"]),
                     _number(one["index_cpu_s"]), f"{one['passages'] / one['index_s']:.0f}", f"{bare:.0f}",
                     *(_number(one[key]) for key in ("embed_ms", "search_ms", "filtered_ms", "peak_mb"))])  # fmt: skip
    peer = found["recipe"]
    if "not_measured" in peer:
        rows.append(["Neural_search's recipe", f"not measured: {peer['not_measured']}", *[""] * 9])
    else:
        papers = f"{peer['papers']:,}"
        rows.append(["Neural_search's recipe, all-MiniLM-L6-v2, cut at 256 tokens", papers, papers,
                     _number(peer["index_s"]), _number(peer["index_cpu_s"]), f"{peer['papers'] / peer['index_s']:.0f}",
                     "", "", *(_number(peer[key]) for key in ("search_ms", "filtered_ms", "peak_mb"))])  # fmt: skip
    head = ["", "papers", "passages", "adding, s", "CPU s", "passages/s", "embedder alone", "a question embedded, ms",
            "search, ms", "filtered, ms", "memory, MB"]  # fmt: skip
    return "## Adding SciFact\n\n" + table(head, rows)


def _search(parts: Parts) -> str:
    found = parts["search"]
    names = {"embedding": "the question embedded", "words_only": "by words only", "search": "search, ten passages",
             "whole": "the same, expanded and with a synthesis", "web": "the same, with the web (1 s)",
             "ask": "a whole answer, checked"}  # fmt: skip
    rows = [[name, str(found[key]["n"]), *(_number(found[key][ms]) for ms in ("p50_ms", "p95_ms", "cpu_ms"))]
            for key, name in names.items()]  # fmt: skip
    return "\n\n".join([
        "## Searching SciFact, default model",
        table(["", "n", "p50, ms", "p95, ms", "CPU ms"], rows),
        f"{_number(found['peak_mb'])} MB of memory, {_number(found['mb'])} MB on disk.",
        "### Where the time of a warm search goes",
        _where(found["parts"], parts),
    ])  # fmt: skip


def _where(own: Mapping[str, float], parts: Parts) -> str:
    """Medians: SciFact with its model, and the synthetic libraries with the question embedded before."""
    columns: dict[str, Mapping[str, float]] = {"SciFact": own}
    for size in parts.get("scale", {}).get("sizes", [])[-2:]:
        columns[f"{size['passages']:,}"] = size["reading"]["hybrid_parts"]
    named = {"embed_ms": "embedding the question", "analyse_ms": "analysing it", "bm25_ms": "words (beside embedding)",
             "dense_ms": "vectors", "fuse_ms": "fusing and regularising", "regularising_ms": "of it regularising",
             "boost_ms": "labels", "passages_ms": "reading passages", "confidence_ms": "confidence",
             "total_ms": "all"}  # fmt: skip
    rows = [[name, *(_number(one.get(key)) for one in columns.values())] for key, name in named.items()]
    return table(["ms", *columns], rows)


def _server(parts: Parts) -> str:
    found = parts["server"]
    rows = [[name, *(_number(found[key].get(one)) for one in ("per_second", "p50_ms", "p95_ms", "p99_ms", "errors"))]
            for key, name in (("litloop", "litloop, bge-small"), ("peer", "Neural_search's recipe, MiniLM"))
            if key in found]  # fmt: skip
    memory, streams = found["memory"], found["streams"]
    return "\n\n".join([
        f"## Under load, {found['litloop']['clients']} clients",
        table(["", "searches/s", "p50, ms", "p95, ms", "p99, ms", "errors"], rows),
        f"Memory grew by {100 * memory['growth']:.1f} % over {memory['requests']:,} requests. {streams['streams']} "
        f"dropped streams left {streams['runs_left']} runs, {streams['tasks_after'] - streams['tasks_before']} tasks.",
    ])  # fmt: skip


_SECTIONS = {"cold": _cold, "engines": _engines, "scale": _scale, "indexing": _indexing, "search": _search,
             "server": _server}  # fmt: skip


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    return "\n".join([f"| {' | '.join(head)} |", f"|{'---|' * len(head)}", *(f"| {' | '.join(row)} |" for row in rows)])


def _number(value: float | None) -> str:
    """Three figures; nothing for what there is not."""
    if value is None:
        return ""
    if abs(value) >= 100:
        return f"{value:,.0f}"
    return f"{value:.3g}"
