"""`litloop eval` as a user meets it, over a library of its own and over collections on disk."""

from __future__ import annotations

import gzip
import json
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from litloop.cli.app import app
from litloop.core.errors import UsageError
from support.fault_server import fault_server, says

SUBJECTS = ["tremor", "stroke", "sleep", "gait", "migraine", "epilepsy", "ataxia", "dystonia"]
DRUGS = ["primidone", "alteplase", "melatonin", "levodopa", "sumatriptan", "valproate", "riluzole", "botulinum"]
GROUPS = ["sailors", "miners", "nurses", "pilots", "dancers", "farmers", "weavers", "bakers"]
PAPERS = [
    {"id": f"p{number}", "title": f"Observations on {DRUGS[number]} for {subject} among {GROUPS[number]}",
     "abstract": f"We followed patients with {subject}. The {subject} improved after treatment {number}. "
                 f"Costs were low in cohort {number}."}
    for number, subject in enumerate(SUBJECTS)
]  # fmt: skip


@pytest.fixture(autouse=True)
def _no_model(monkeypatch, tmp_path):
    monkeypatch.setenv("LITLOOP_EMBEDDING__MODEL", "hashing-256")
    monkeypatch.setenv("LITLOOP_LLM__PROFILE", "offline")
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def library(tmp_path) -> Path:
    corpus = tmp_path / "papers.jsonl"
    corpus.write_text("\n".join(json.dumps(paper) for paper in PAPERS), encoding="utf-8")
    assert invoke("add", corpus, "--library", tmp_path / "library").exit_code == 0
    return tmp_path / "library"


@pytest.fixture
def collection(tmp_path) -> Path:
    """In the layout of the test data: gzipped, with judgements that are wrong in the ways judgements are."""
    return beir(tmp_path / "small", gzipped=True)


def beir(folder: Path, *, gzipped: bool = False) -> Path:
    folder.mkdir()
    texts = {
        "corpus.jsonl": [{"_id": p["id"], "title": p["title"], "text": p["abstract"]} for p in PAPERS],
        "queries.jsonl": [{"_id": f"q{n}", "text": f"{subject} treatment", "kind": "keyword"}
                          for n, subject in enumerate(SUBJECTS)],
    }  # fmt: skip
    for name, rows in texts.items():
        content = "\n".join(json.dumps(row) for row in rows)
        if gzipped:
            with gzip.open(folder / f"{name}.gz", "wt", encoding="utf-8") as file:
                file.write(content)
        else:
            (folder / name).write_text(content, encoding="utf-8")
    judged = "".join(f"q{n}\tp{n}\t1\n" for n in range(len(SUBJECTS))) + "q0\tunknown\t1\n"
    qrels = folder / "qrels.tsv" if gzipped else folder / "qrels" / "test.tsv"
    qrels.parent.mkdir(exist_ok=True)
    qrels.write_text("query-id\tcorpus-id\tscore\n" + judged, encoding="utf-8")
    return folder


def invoke(*words: object, keys: str | None = None):
    return CliRunner().invoke(app, list(map(str, words)), input=keys)


def ran(*words: object, keys: str | None = None):
    done = invoke(*words, "--json", keys=keys)
    assert done.exception is None or isinstance(done.exception, SystemExit), done.exception
    return done.exit_code, json.loads(done.stdout)


def test_a_collection_is_run_written_and_compared_with_itself(tmp_path, collection):
    code, told = ran("eval", "run", collection, "--cache", tmp_path / "cache", "-m", "bm25", "-m", "hybrid",
                     "-o", tmp_path / "now")  # fmt: skip
    run = told["runs"][0]
    assert code == 0
    assert run["methods"]["bm25"]["metrics"]["Recall@10"]["mean"] == pytest.approx(15 / 16)
    assert run["notes"] == {"judgements of documents that are not there": 1}
    assert run["methods"]["bm25"]["by_kind"]["keyword"]["n"] == 8
    code, told = ran("eval", "compare", tmp_path / "now", tmp_path / "now")
    assert (code, told["fell"]) == (0, 0)


def test_a_beir_folder_gives_the_same_figures(tmp_path, collection):
    figures = []
    for folder in (collection, beir(tmp_path / "beir")):
        _, told = ran("eval", "run", folder, "--cache", tmp_path / "cache", "-m", "bm25")
        figures.append(told["runs"][0]["methods"]["bm25"]["metrics"])
    assert figures[0] == figures[1]


def test_the_loop_runs_over_a_collection_made_into_a_library(tmp_path, collection):
    _, told = ran("eval", "run", collection, "--cache", tmp_path / "cache", "-m", "loop", "--metric", "P@3")
    assert told["runs"][0]["methods"]["loop"]["metrics"]["P@3"]["mean"] > 0.2
    assert told["runs"][0]["methods"]["loop"]["tokens"] == 0


def test_a_significant_fall_ends_with_1_and_another_corpus_with_2(tmp_path, collection):
    invoke("eval", "run", collection, "--cache", tmp_path / "cache", "-m", "bm25", "-o", tmp_path / "before")
    held = json.loads((tmp_path / "before" / "small.json").read_text())
    fallen = {**held["methods"]["bm25"], "per_question": {f"q{n}": 0.0 for n in range(8)}}
    (tmp_path / "now.json").write_text(json.dumps({**held, "methods": {"bm25": fallen}}))
    done = invoke("eval", "compare", tmp_path / "now.json", tmp_path / "before" / "small.json")
    assert done.exit_code == 1
    assert "fell" in done.stdout
    (tmp_path / "other.json").write_text(json.dumps({**held, "corpus_hash": "another"}))
    done = invoke("eval", "compare", tmp_path / "other.json", tmp_path / "before" / "small.json")
    assert isinstance(done.exception, UsageError)
    assert "another corpus hash" in str(done.exception)


def test_questions_that_failed_only_now_are_a_fall(tmp_path, collection):
    invoke("eval", "run", collection, "--cache", tmp_path / "cache", "-m", "bm25", "-o", tmp_path / "before")
    held = json.loads((tmp_path / "before" / "small.json").read_text())
    method = held["methods"]["bm25"]
    kept = {question: value for question, value in method["per_question"].items() if question != "q3"}
    lost = {**method, "per_question": kept, "n": 7, "failed": 1}
    (tmp_path / "now.json").write_text(json.dumps({**held, "methods": {"bm25": lost}}))
    code, told = ran("eval", "compare", tmp_path / "now.json", tmp_path / "before" / "small.json")
    assert (code, told["changes"][0]["lost"]) == (1, ["q3"])


def test_a_method_that_failed_for_every_question_now_is_a_fall(tmp_path, collection):
    invoke(
        "eval", "run", collection, "--cache", tmp_path / "cache", "-m", "bm25", "-m", "dense", "-o", tmp_path / "before"
    )
    held = json.loads((tmp_path / "before" / "small.json").read_text())
    left = {"methods": {"bm25": held["methods"]["bm25"]}, "skipped": {"dense": "no embedder"}}
    (tmp_path / "now.json").write_text(json.dumps({**held, **left}))
    code, told = ran("eval", "compare", tmp_path / "now.json", tmp_path / "before" / "small.json")
    assert (code, told["fell"]) == (1, 1)
    assert told["gone"] == ["small dense could not be scored now: no embedder"]


def test_a_method_that_could_not_run_ends_with_3_and_is_named(tmp_path, collection):
    code, told = ran("eval", "run", collection, "--cache", tmp_path / "cache", "-m", "bm25", "-m", "learned",
                     "-L", tmp_path / "none")  # fmt: skip
    assert code == 3
    assert "train-fusion" in told["runs"][0]["skipped"]["learned"]


def test_a_page_with_plots_is_written(tmp_path, collection):
    invoke(
        "eval", "run", collection, "--cache", tmp_path / "cache", "-m", "bm25", "-m", "dense", "-o", tmp_path / "runs"
    )
    code, told = ran("eval", "report", tmp_path / "runs", "-o", tmp_path / "page.md", "--baseline", tmp_path / "runs")
    page = (tmp_path / "page.md").read_text()
    assert code == 0
    assert "| attainable |" in page
    assert "small bm25: +0.0000" in page
    assert {Path(plot).suffix for plot in told["plots"]} == {".svg", ".png"}


def test_questions_are_written_from_titles_judged_blind_and_measured(library):
    code, told = ran("eval", "add", "--library", library, "--count", "6")
    assert (code, told["added"]) == (0, 6)
    assert any("own source" in remark for remark in told["remarks"])
    assert ran("eval", "add", "--library", library, "--count", "50")[1]["added"] == 2
    code, told = ran("eval", "run", "--library", library, "-m", "bm25")
    run = told["runs"][0]
    assert run["methods"]["bm25"]["n"] == 8
    assert any("own source" in warning for warning in run["warnings"])
    done = invoke("eval", "run", "--library", library, "-m", "bm25", "--hide-source")
    assert isinstance(done.exception, UsageError)


def test_a_run_says_which_model_expanded_its_questions_and_what_it_cost(tmp_path, collection, monkeypatch):
    with fault_server(says("A passage on the treatment of tremor.", model="small-writer")) as server:
        monkeypatch.setenv("LITLOOP_LLM__PROFILE", "custom")
        monkeypatch.setenv("LITLOOP_LLM__BASE_URL", server.base_url)
        monkeypatch.setenv("LITLOOP_LLM__MODEL", "small-writer")
        _, told = ran("eval", "run", collection, "--cache", tmp_path / "cache", "-m", "bm25+hyde", "--model")
    run = told["runs"][0]
    assert "small-writer" in run["models"]["expansion"]
    assert run["methods"]["bm25+hyde"]["tokens"] == 18


def test_what_only_a_source_says_is_not_told_as_judged_relevant(library):
    ran("eval", "add", "--library", library, "--count", "6")
    told = ran("eval", "label", "--library", library, keys="q\n")[1]
    assert (told["judged"], told["relevant"]) == (0, 0)
    told = ran("eval", "label", "--library", library, keys="1\n0\nq\n")[1]
    assert (told["judged"], told["relevant"]) == (2, 1)


def test_labelling_stops_and_goes_on_where_it_was(library, tmp_path):
    (tmp_path / "mine.txt").write_text("tremor treatment\n", encoding="utf-8")
    assert ran("eval", "add", tmp_path / "mine.txt", "--library", library)[1]["added"] == 1
    done = invoke("eval", "label", "--library", library, keys="what\n1\nq\n")
    assert "tremor treatment" in done.stdout
    assert "bm25" not in done.stdout
    assert "1 of 8 pooled papers judged" in done.stdout
    done = invoke("eval", "label", "--library", library, keys="s\n" + "0\n" * 20)
    assert "7 of 8 pooled papers judged" in done.stdout
    assert ran("eval", "label", "--library", library, keys="q\n")[1]["judged"] == 7
    _, told = ran("eval", "run", "--library", library, "-m", "bm25", "-m", "hybrid")
    assert told["runs"][0]["methods"]["hybrid"]["n"] == 1


def test_the_files_of_neural_search_are_put_to_the_library(library, tmp_path):
    folder = tmp_path / "neural_search"
    folder.mkdir()
    (folder / "queries.json").write_text(json.dumps([{"id": "q1", "text": "tremor", "type": "keyword"}]))
    (folder / "relevance.json").write_text(json.dumps({"q1": ["p0", "nowhere"]}))
    _, told = ran("eval", "run", folder, "--library", library, "-m", "bm25")
    run = told["runs"][0]
    assert run["methods"]["bm25"]["metrics"]["MRR"]["mean"] == 1
    assert run["notes"]["judged documents that are not there"] == 1
    passage = ran("search", "tremor", "--library", library)[1]["results"][0]["chunk_id"]
    (folder / "relevance.json").write_text(json.dumps({"q1": [passage]}))
    assert ran("eval", "run", folder, "--library", library, "-m", "bm25")[1]["runs"][0]["settings"]["unit"] == "passage"
    told = ran("eval", "run", folder, "--library", library, "-m", "loop", "-m", "bm25")[1]["runs"][0]
    assert "ends with papers" in told["skipped"]["loop"]  # and not scored 0 for it
    (folder / "relevance.json").write_text(json.dumps({"q1": ["elsewhere::0"]}))
    done = invoke("eval", "run", folder, "--library", library)
    assert "another library" in str(done.exception)


def test_a_fusion_is_not_learned_from_too_little(library, tmp_path):
    ran("eval", "add", "--library", library)
    done = invoke("eval", "train-fusion", "--library", library)
    assert isinstance(done.exception, UsageError)
    assert "500 labelled pairs" in str(done.exception)
    assert not (library / "fusion.json").exists()


def test_reranking_from_the_command_line_keeps_as_many_as_wanted(library, tmp_path, monkeypatch):
    from unit.retrieval.test_cross_encoder import write_model

    monkeypatch.setenv("LITLOOP_SEARCH__RERANK_MODEL", str(write_model(tmp_path / "tiny")))
    _, told = ran("search", "tremor patient", "--library", library, "--rerank", "--rerank-top-k", "2")
    assert told["rerank_engaged"]
    assert [result["rerank_score"] is not None for result in told["results"]] == [True, True]
    assert told["latency"]["rerank_ms"] > 0
    assert not ran("search", "tremor patient", "--library", library)[1]["rerank_engaged"]
    ran("eval", "add", "--library", library)
    _, told = ran("eval", "run", "--library", library, "-m", "rerank")
    assert told["runs"][0]["methods"]["rerank"]["n"] == 8
    assert told["runs"][0]["models"]["reranker"]


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (["eval", "run", "nowhere"], "There is no folder"),
        (["eval", "run", "-m", "magic"], "is not a method"),
        (["eval", "run", "--metric", "wisdom@3"], "is not a metric"),
        (["eval", "run", "a/same", "b/same", "-o", "runs"], "Two folders are called same"),
        (["eval", "compare", "one.json"], "two files"),
        (["eval", "compare", "one.json", "two.json"], "There is no file one.json"),
        (["eval", "report", "one.json"], "not a JSON file"),
        (["eval", "report", "."], "no JSON file"),
        (["eval", "add", "--by", "oracle"], "writes no questions"),
        (["eval", "add", "nofile.txt"], "There is no nofile.txt"),
        (["eval", "add", "--by", "model"], "No model is set up"),
        (["eval", "label"], "no labelled set"),
        (["eval", "run"], "no labelled set"),
    ],
)
def test_wrong_use_is_one_clear_sentence(library, words, why):
    needs = [] if words[1] in ("compare", "report") else ["--library", library]
    done = invoke(*words, *needs)
    assert isinstance(done.exception, UsageError)
    assert why in str(done.exception)


def upside_down(folder: Path) -> Path:
    """Documents that say a word once answer; those that repeat it do not. BM25 has it the wrong way round."""
    folder.mkdir()
    corpus, queries, qrels = [], [], ["query-id\tcorpus-id\tscore"]
    for number in range(30):
        word = f"kappa{chr(97 + number % 26)}{chr(97 + number // 26)}"
        queries.append({"_id": f"q{number}", "text": f"{word} outcome"})
        for place in range(20):
            times = 1 if place == 0 else 3 + place % 3
            corpus.append({"_id": f"d{number}-{place}", "title": "", "text": f"{word} " * times + "was seen here"})
            qrels.append(f"q{number}\td{number}-{place}\t{int(place == 0)}")
    (folder / "corpus.jsonl").write_text("\n".join(map(json.dumps, corpus)))
    (folder / "queries.jsonl").write_text("\n".join(map(json.dumps, queries)))
    (folder / "qrels.tsv").write_text("\n".join(qrels))
    return folder


def test_a_fusion_that_gains_is_stored_and_then_ranks(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "lightgbm", None)  # two seconds of importing; its trees have tests of their own
    folder = upside_down(tmp_path / "upside-down")
    rows = [json.loads(line) for line in (folder / "corpus.jsonl").read_text().splitlines()]
    papers = tmp_path / "papers.jsonl"
    papers.write_text("\n".join(json.dumps({"id": r["_id"], "title": r["_id"], "abstract": r["text"]}) for r in rows))
    invoke("add", papers, "--library", tmp_path / "library")
    code, told = ran("eval", "train-fusion", folder, "--library", tmp_path / "library", "--cache", tmp_path / "cache")
    assert code == 0
    assert told["stored"]
    assert told["held_out"] > told["usual"] + 0.3
    _, usual = ran("search", "kappaaa outcome", "--library", tmp_path / "library")
    _, learned = ran("search", "kappaaa outcome", "--library", tmp_path / "library", "--mode", "learned")
    assert usual["results"][0]["paper_id"] != "d0-0"
    assert learned["results"][0]["paper_id"] == "d0-0"
    assert not learned["degraded"]
    _, run = ran("eval", "run", folder, "-m", "hybrid", "-m", "learned", "--library", tmp_path / "library", "--cache",
                 tmp_path / "cache")  # fmt: skip
    methods = run["runs"][0]["methods"]
    assert methods["learned"]["metrics"]["MRR"]["mean"] > methods["hybrid"]["metrics"]["MRR"]["mean"] + 0.3


def test_a_folder_that_cannot_be_made_is_said_in_a_sentence(tmp_path, collection):
    (tmp_path / "file").write_text("")
    for option in (["--cache", tmp_path / "file"], ["--cache", tmp_path / "cache", "-o", tmp_path / "file" / "runs"]):
        done = invoke("eval", "run", collection, "-m", "bm25", *option)
        assert isinstance(done.exception, UsageError)
        assert "cannot be made" in str(done.exception)


def test_two_runs_in_one_cache_folder_do_not_meet(tmp_path, collection):
    from filelock import FileLock

    (tmp_path / "cache" / "small").mkdir(parents=True)
    with FileLock(str(tmp_path / "cache" / "small" / "run.lock")):
        done = invoke("eval", "run", collection, "--cache", tmp_path / "cache")
    assert "Another run is using" in str(done.exception)


def test_a_metric_that_is_asked_for_is_the_one_shown_and_no_row_is_empty(collection):
    done = invoke("eval", "run", collection, "--method", "bm25", "--metric", "nDCG@3")
    head, row, *rest = done.stdout.splitlines()
    assert head.split()[2:4] == ["nDCG@3", "p50"]
    assert row.startswith("bm25")
    assert not any(line.startswith("attainable") for line in rest)


def test_the_results_of_a_library_in_a_hidden_folder_are_a_file_that_is_seen(tmp_path, library):
    hidden = library.rename(tmp_path / ".litloop")
    assert invoke("eval", "add", "--library", hidden).exit_code == 0
    assert invoke("eval", "run", "--library", hidden, "--method", "bm25", "-o", tmp_path / "runs").exit_code == 0
    [written] = (tmp_path / "runs").iterdir()
    assert not written.name.startswith(".")


def test_a_library_that_is_on_the_engine_named_is_said_to_be_there(library):
    done = invoke("migrate", "--to", "embedded", "--library", library)
    assert "already on embedded" in done.stdout
