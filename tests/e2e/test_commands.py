"""The commands as a user meets them: what they print, and what they end with."""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from support.cli import HASHING, litloop
from support.fault_server import fails, fault_server

PAPERS = [
    {"id": "p1", "title": "Midbrain hypometabolism in progressive supranuclear palsy", "year": 2019,
     "abstract": "FDG PET showed reduced midbrain uptake in all twelve patients with progressive supranuclear palsy. "
                 "Gaze palsy was present in ten.", "condition": "Progressive supranuclear palsy", "rarity": "rare"},
    {"id": "p2", "title": "Occipital hypometabolism in dementia with Lewy bodies", "year": 2021,
     "abstract": "Occipital FDG uptake was low in dementia with Lewy bodies. The cingulate island sign was seen.",
     "condition": "Dementia with Lewy bodies", "rarity": "rare"},
    {"id": "p3", "title": "Temporal lobe epilepsy and interictal PET", "year": 2023,
     "abstract": "Interictal FDG PET lateralised the seizure focus in 40 of 50 patients with temporal lobe epilepsy.",
     "condition": "Temporal lobe epilepsy", "rarity": "common"},
]  # fmt: skip


@pytest.fixture(scope="module")
def library(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("cli")
    corpus = folder / "papers.jsonl"
    corpus.write_text("\n".join(json.dumps(paper) for paper in PAPERS), encoding="utf-8")
    done = litloop("add", corpus, "--library", folder / "library", "--domain", "neurology", env=HASHING)
    assert done.code == 0, done.err
    return folder / "library"


def run(library: Path, *words: object):
    return litloop(*words, "--library", library, env=HASHING)


def test_help_names_every_command_and_each_has_help_of_its_own():
    top = litloop("--help")
    assert top.code == 0
    for command in ("init", "add", "remove", "search", "ask", "parse", "demo", "ledger", "trace", "replay", "status",
                    "verify", "reindex", "export", "doctor"):  # fmt: skip
        assert command in top.out
        helped = litloop(command, "--help")
        assert helped.code == 0
        assert "--json" in helped.out


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("search", "uptake", "--since", "long ago"), "'--since': it must be a whole number."),
        (("ask", "What is low?", "--max-rounds", "0"), "'--max-rounds': it must be at least 1."),
    ],
)
def test_a_wrong_value_of_an_option_is_told_in_plain_words(words, told: str):
    done = litloop(*words)
    assert done.code == 2
    assert told in " ".join(done.err.split())
    assert "nput should" not in done.err


def test_init_makes_a_library_and_says_what_to_do_next(tmp_path):
    done = litloop("init", cwd=tmp_path)
    assert done.code == 0
    assert "litloop add" in done.out
    assert (tmp_path / ".litloop" / "catalogue.db").is_file()
    found = litloop("status", cwd=tmp_path)
    assert "Nothing in it yet" in found.out


def test_a_library_that_is_made_on_the_way_is_named_and_one_that_is_there_is_not_made_again(tmp_path):
    (tmp_path / "note.md").write_text("# Goats\n\nGoats were sedated with xylazine.\n", encoding="utf-8")
    first, second = (litloop("add", "note.md", "-L", "kept", cwd=tmp_path, env=HASHING) for _ in range(2))
    assert first.out.startswith("Created a library in kept.\n1 paper added")
    assert "Created" not in second.out
    assert set(litloop("add", "note.md", "-L", "other", "--json", cwd=tmp_path, env=HASHING).json()) >= {"papers_added"}
    again = litloop("init", "kept", cwd=tmp_path)
    assert (again.code, again.out.split(". ")[0]) == (0, "There is a library in kept already")
    told = [litloop("init", "new", "--json", cwd=tmp_path).json()["created"] for _ in range(2)]
    assert told == [True, False]


def test_search_gives_the_response_of_neural_search(library):
    done = run(library, "search", "midbrain hypometabolism", "--json", "--k", 2)
    assert done.code == 0
    response = done.json()
    assert set(response) >= {"query", "mode", "collection", "results", "reranked", "retrieval_confidence",
                             "web_results_used", "synthesis_triggered", "expansion_queries", "synthesis", "warning",
                             "latency"}  # fmt: skip
    first = response["results"][0]
    assert set(first) >= {"chunk_id", "paper_id", "source_file", "page", "text", "score", "rank", "rerank_score",
                          "source", "source_url", "signals"}  # fmt: skip
    assert (first["paper_id"], first["rank"], first["source"], first["source_file"]) == (
        "p1", 1, "local", "papers.jsonl"
    )  # fmt: skip
    assert {"retrieval_ms", "rerank_ms", "synthesis_ms", "total_ms"} <= set(response["latency"])
    assert len(response["results"]) <= 2


@pytest.mark.parametrize("mode", ["hybrid", "sparse", "dense"])
def test_each_mode_finds_the_paper(library, mode):
    results = run(library, "search", "seizure focus interictal", "--mode", mode, "--json").json()["results"]
    assert results[0]["paper_id"] == "p3"


def test_filters_keep_what_they_name(library):
    for words, wanted in [
        (("--filter", "rarity=common"), {"p3"}),
        (("--filter", "rarity=rare", "--since", 2020), {"p2"}),
        (("--filter", "condition=Temporal lobe epilepsy", "--filter", "condition=Dementia with Lewy bodies"),
         {"p2", "p3"}),
        (("--until", 2019), {"p1"}),
    ]:  # fmt: skip
        found = run(library, "search", "FDG PET uptake", *words, "--json").json()["results"]
        assert {hit["paper_id"] for hit in found} == wanted


def test_debug_shows_each_method_side_by_side(library):
    methods = run(library, "search", "occipital uptake", "--debug", "--json").json()
    assert {"bm25", "dense", "rrf", "blend"} <= set(methods)
    shown = run(library, "search", "occipital uptake", "--debug")
    assert "bm25" in shown.out


def test_explain_shows_each_signal(library):
    assert "bm25" in run(library, "search", "occipital uptake", "--explain").out


def test_words_outside_the_vocabulary_are_no_error(library):
    done = run(library, "search", "zzyzx qwrtp", "--mode", "sparse", "--json")
    assert done.code == 0
    assert done.json()["results"] == []


def test_ask_answers_in_the_promised_shape(library):
    done = run(library, "ask", "What did FDG PET show in progressive supranuclear palsy?", "--json")
    answer = done.json()
    assert set(answer) >= {"question", "status", "text", "sentences", "papers", "items", "answer_found",
                           "complete_answer_found", "trace", "closest_topics", "differentials", "notes", "dispatch",
                           "checks", "ledger", "degraded", "degraded_reason", "run_id"}  # fmt: skip
    for sentence in answer["sentences"]:
        for citation in sentence["citations"]:
            paper = next(p for p in PAPERS if p["id"] == citation["paper_id"])
            assert citation["quote"] in paper["abstract"]


def test_a_kept_run_is_shown_and_replayed_by_its_id(library):
    answer = run(library, "ask", "What was reported in progressive supranuclear palsy?", "--json").json()
    again = run(library, "replay", answer["run_id"], "--json")
    assert again.code == 0
    replayed = again.json()
    assert replayed["differences"] == []
    assert (replayed["answer"]["text"], replayed["answer"]["run_id"]) == (answer["text"], answer["run_id"])
    assert "answering:" in run(library, "trace", answer["run_id"]).out


def test_a_run_that_is_not_kept_is_named(library):
    for command in ("trace", "replay"):
        done = run(library, command, "20200101-000000-abc")
        assert done.code == 2
        assert "keeps no run of that id" in done.err


def test_a_trace_can_be_shown_and_replayed_without_the_library(library, tmp_path):
    trace = tmp_path / "run.jsonl"
    asked = run(library, "ask", "What did FDG PET show in progressive supranuclear palsy?", "--json", "--trace", trace)
    shown = litloop("trace", trace)
    assert shown.code == 0
    assert "papers retrieved" in shown.out
    again = litloop("replay", trace, "--json", cwd=tmp_path)
    assert again.code == 0, again.out
    replayed = again.json()
    assert replayed["differences"] == []
    answer = asked.json()
    assert (replayed["answer"]["text"], replayed["answer"]["status"]) == (answer["text"], answer["status"])


def test_parse_shows_the_row_and_the_rule():
    row = litloop("parse", "List all exclusions of the policy.", "--json").json()
    assert row["question"]["shape"] == "listing"
    assert row["dispatch"]["mode"] == "batch"
    assert row["dispatch"]["rule"]


def test_parse_and_ask_refuse_a_document_in_the_same_words(library):
    parsed, asked = litloop("parse", "x" * 8001), run(library, "ask", "x" * 8001)
    assert (parsed.code, parsed.err) == (asked.code, asked.err) == (2, parsed.err)
    assert "8001 characters long; at most 8000 are read" in parsed.err


def test_an_export_is_read_back_as_the_same_collection(library, tmp_path):
    out = tmp_path / "copy.jsonl"
    assert run(library, "export", "--output", out).code == 0
    litloop("add", out, "--library", tmp_path / "again", env=HASHING)
    again = tmp_path / "again.jsonl"
    assert run(tmp_path / "again", "export", "--output", again).code == 0
    strip = [{k: v for k, v in json.loads(line).items() if k != "source_file"} for line in out.open()]
    assert strip == [{k: v for k, v in json.loads(line).items() if k != "source_file"} for line in again.open()]


def test_references_go_in_and_out_in_the_formats_of_reference_managers(tmp_path):
    bib = tmp_path / "two.bib"
    bib.write_text("@article{lee2017, author={Lee, Ann}, title={Statins after stroke}, year=2017, doi={10.1000/st.1}}\n"
                   "@misc{broken, title = {No end\n", encoding="utf-8")  # fmt: skip
    added = litloop("add", bib, "--library", tmp_path / "l", env=HASHING)
    assert added.code == 0
    assert "entry broken is not closed" in added.err
    assert run(tmp_path / "l", "export", "--format", "bibtex").out.startswith("@article{lee2017,")
    assert "AU  - Lee, Ann" in run(tmp_path / "l", "export", "-F", "ris").out
    told = run(tmp_path / "l", "export", "-F", "csl-json", "-o", tmp_path / "x.json", "--json").json()
    assert told == {"papers": 1, "file": str(tmp_path / "x.json")}
    assert json.loads((tmp_path / "x.json").read_text("utf-8"))[0]["DOI"] == "10.1000/st.1"
    wrong = run(tmp_path / "l", "export", "-F", "docx")
    assert wrong.code == 2
    assert "Known: jsonl, bibtex, ris, csl-json, markdown." in wrong.err


def test_a_trace_whose_events_are_hollow_is_called_damaged(library, tmp_path):
    started = {"v": 1, "type": "run_started", "seq": 0, "ms": 1, "run_id": "x", "data": {"rules": {}, "question": "q"}}
    hollow = tmp_path / "hollow.jsonl"
    hollow.write_text(
        "\n".join(json.dumps({**started, **more}) for more in ({}, {"type": "answer", "seq": 1, "data": {}}))
    )
    for words in (["trace", hollow], ["replay", hollow], ["export", "--trace", hollow, "-F", "ris"]):
        done = run(library, *words)
        assert done.code == 2
        assert done.err.startswith("This trace is damaged: ")
        assert done.err.count("\n") == 1


def test_a_trace_that_cannot_be_written_is_one_sentence_before_anything_is_asked(library, tmp_path):
    done = run(library, "ask", "What did PET show?", "--trace", tmp_path / "absent" / "run.jsonl")
    assert done.code == 2
    assert done.err == f"The trace cannot be written to {tmp_path}/absent/run.jsonl: No such file or directory.\n"


def test_the_papers_that_an_answer_cites_are_exported_from_its_trace_and_its_run(library, tmp_path):
    trace = tmp_path / "answer.jsonl"
    asked = run(
        library, "ask", "What did PET show in progressive supranuclear palsy?", "--trace", trace, "--json"
    ).json()
    cited = [paper["title"] for paper in asked["papers"] if paper["markers"]]
    assert cited
    out = run(library, "export", "--trace", trace, "-F", "markdown").out
    assert len(out.strip().split("\n")) == len(cited)
    assert out.startswith("1. ")
    assert run(library, "export", "--run", asked["run_id"], "-F", "markdown").out == out
    assert run(library, "export", "--run", "none", "-F", "markdown").code == 2
    assert run(library, "export", "--trace", trace, "--run", "x", "-F", "ris").code == 2
    assert run(library, "export", "--trace", trace).code == 2
    assert run(library, "export", "--trace", tmp_path / "absent", "-F", "ris").code == 2


def test_remove_takes_a_paper_out_and_says_how_many(tmp_path):
    corpus = tmp_path / "c.jsonl"
    corpus.write_text("\n".join(json.dumps(paper) for paper in PAPERS), encoding="utf-8")
    litloop("add", corpus, "--library", tmp_path / "l", env=HASHING)
    assert run(tmp_path / "l", "remove", "p1", "--json").json() == {"removed": 1}
    assert "p1" not in run(tmp_path / "l", "search", "midbrain", "--json").out
    assert run(tmp_path / "l", "remove", corpus, "--json").json() == {"removed": 2}
    assert run(tmp_path / "l", "verify").code == 0


def test_a_file_added_by_a_relative_path_is_the_same_from_everywhere(tmp_path):
    (tmp_path / "papers").mkdir()
    note = tmp_path / "papers" / "gout.md"
    note.write_text("# Gout\n\nAllopurinol lowers urate in patients with gout.", encoding="utf-8")
    assert litloop("add", "papers", "-L", "l", cwd=tmp_path, env=HASHING).code == 0
    again = litloop("add", note, "-L", tmp_path / "l", "--json", env=HASHING).json()
    assert again["unchanged"] == 1
    assert litloop("remove", "papers/gout.md", "-L", "l", "--json", cwd=tmp_path, env=HASHING).json() == {"removed": 1}


def test_adding_unchanged_files_again_does_nothing(library, tmp_path):
    corpus = library.parent / "papers.jsonl"
    again = litloop("add", corpus, "--library", library, "--json", env=HASHING).json()
    assert (again["unchanged"], again["papers_added"], again["embedded"]) == (1, 0, 0)


# --- Bad input: one sentence, the right exit code, nothing lost ---


def zip_bomb(path: Path) -> None:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("[Content_Types].xml", "<Types/>")
        archive.writestr("word/document.xml", b"\0" * 60_000_000)


def one_sentence(result, *words: str) -> None:
    assert "Traceback" not in result.err
    assert result.err.strip()
    for word in words:
        assert word in result.err + result.out


def test_a_missing_path_is_named(library):
    done = run(library, "add", "/no/such/paper.pdf")
    assert done.code == 1
    one_sentence(done, "/no/such/paper.pdf")


def test_one_bad_file_does_not_stop_the_others(tmp_path):
    folder = tmp_path / "papers"
    folder.mkdir()
    (folder / "good.txt").write_text("Good paper\n\nIt reports a finding in twelve patients.", encoding="utf-8")
    (folder / "empty.pdf").write_bytes(b"")
    (folder / "broken.pdf").write_bytes(b"%PDF-1.4 nothing")
    zip_bomb(folder / "bomb.docx")
    environ = {**HASHING, "LITLOOP_READING__MAX_UNPACKED_MB": "20"}
    done = litloop("add", folder, "--library", tmp_path / "l", env=environ)
    assert done.code == 3
    assert "1 paper added" in done.out
    status = run(tmp_path / "l", "status").out
    for word in ("empty.pdf", "broken.pdf", "bomb.docx"):
        assert word in status


def test_a_folder_without_readable_files_says_so(tmp_path):
    (tmp_path / "empty").mkdir()
    done = litloop("add", tmp_path / "empty", "--library", tmp_path / "l", env=HASHING)
    assert done.code == 1
    one_sentence(done, "empty")


def test_a_file_over_the_limit_is_refused_by_its_size(tmp_path):
    big = tmp_path / "big.txt"
    with big.open("wb") as file:
        file.truncate(2_000_000_000)  # sparse: takes no room
    done = litloop("add", big, "--library", tmp_path / "l", env=HASHING)
    assert done.code == 1
    one_sentence(done, "big.txt")


@pytest.mark.parametrize("words", [("search",), ("ask",)])
@pytest.mark.parametrize("question", ["", "   ", "?!", "x" * 10_000])
def test_a_question_that_is_none_is_wrong_use(library, words, question):
    done = run(library, *words, question)
    assert done.code == 2
    one_sentence(done, "question")


def test_a_wrong_collection_is_answered_with_the_right_ones(library):
    done = run(library, "search", "pet", "--collection", "nothing")
    assert done.code == 2
    one_sentence(done, "nothing", "default")


@pytest.mark.parametrize(
    "words",
    [("--mode", "psychic"), ("--k", "0"), ("--filter", "rarity"), ("--since", "2022", "--until", "2020"),
     ("--fusion", "cold"), ("--boost", "rocket")],
)  # fmt: skip
def test_a_wrong_option_is_wrong_use(library, words):
    done = run(library, "search", "pet", *words)
    assert done.code == 2
    assert "Traceback" not in done.err


def test_a_folder_that_is_no_library_is_refused_and_left_alone(tmp_path):
    (tmp_path / "thesis.txt").write_text("mine")
    for words in (("search", "x"), ("init",), ("add", tmp_path / "thesis.txt")):
        done = litloop(*words, "--library", tmp_path, env=HASHING)
        assert done.code == 2
        one_sentence(done, "not a litloop library")
    assert [path.name for path in tmp_path.iterdir()] == ["thesis.txt"]


def test_another_embedder_is_refused_and_reindex_mends(tmp_path):
    paper = tmp_path / "a.txt"
    paper.write_text("A paper\n\nAbout something or other in some patients.", encoding="utf-8")
    litloop("add", paper, "--library", tmp_path / "l", env=HASHING)
    other = {"LITLOOP_EMBEDDING__MODEL": "bge-small-en-v1.5"}
    refused = litloop("search", "patients", "--library", tmp_path / "l", env=other)
    assert refused.code == 1
    one_sentence(refused, "reindex")
    assert litloop("reindex", "--library", tmp_path / "l", env=other).code == 0
    assert litloop("search", "patients", "--library", tmp_path / "l", env=other).code == 0
    assert litloop("verify", "--library", tmp_path / "l", env=other).code == 0


def test_a_library_without_a_named_embedder_keeps_its_own(library):
    assert litloop("search", "pet", "--library", library).code == 0


def test_an_unknown_profile_is_one_sentence(library):
    done = litloop("ask", "pet?", "--library", library, env={**HASHING, "LITLOOP_LLM__PROFILE": "hal9000"})
    assert done.code == 2
    one_sentence(done, "llm.profile")


def test_out_of_scope_ends_with_exit_code_4(library):
    done = run(library, "ask", "Which statin lowers LDL cholesterol the most in diabetics?", "--json")
    assert done.json()["status"] in ("out_of_scope", "passages_only", "not_found")
    assert done.code == 4


def test_a_question_that_is_refused_says_how_to_see_what_comes_nearest(library):
    question = "How does Euler's buckling load depend on the length of a column?"
    done = run(library, "ask", question)
    assert done.code == 4
    assert "No word of the question occurs in this collection" in " ".join(done.out.split())
    flat = " ".join(done.out.split())
    assert "The nearest papers" in flat or f"litloop search {shlex.quote(question)}" in flat


def test_a_model_that_fails_is_told_in_sentences_between_the_steps_of_the_timeline(library):
    wanted = {**HASHING, "LITLOOP_LLM__PROFILE": "custom", "LITLOOP_LLM__MODEL": "m", "LITLOOP_LLM__ATTEMPTS": "2"}
    offline = {f"LITLOOP_LLM__ROLES__{role}": "offline" for role in ("EXTRACT", "SUMMARISE", "CITATION", "REFINE")}
    with fault_server(fails(500)) as server:
        env = {**wanted, **offline, "LITLOOP_LLM__BASE_URL": server.base_url, "LITLOOP_SEARCH_LOOP__MAX_ROUNDS": "1"}
        words = ["ask", "What did FDG PET show in progressive supranuclear palsy?", "--library", library]
        plain = litloop(*words, env=env)
        verbose = litloop("--verbose", *words, env=env)
    assert "Model call retried (relevance): " in plain.err
    assert "timestamp=" not in plain.err
    assert "event='model call retried'" in verbose.err


def test_an_export_fills_a_pipe_or_the_file_behind_a_link_and_replaces_neither(library, tmp_path):
    pipe, got = tmp_path / "pipe", tmp_path / "got"
    os.mkfifo(pipe)
    with got.open("wb") as kept:
        reader = subprocess.Popen(["cat", pipe], stdout=kept)
    try:
        done = run(library, "export", "-F", "ris", "-o", pipe)
        assert done.code == 0, done.err
        assert reader.wait(10) == 0
    finally:
        reader.kill()  # which would wait for a writer for ever
        reader.wait()
    assert pipe.is_fifo()
    target, link = tmp_path / "target.ris", tmp_path / "link.ris"
    target.touch()
    link.symlink_to(target)
    assert run(library, "export", "-F", "ris", "-o", link).code == 0
    assert link.is_symlink()
    assert target.read_bytes() == got.read_bytes() != b""


@pytest.mark.skipif(not Path("/dev/full").is_char_device(), reason="needs a device that is always full")
def test_a_full_disk_is_one_sentence(library):
    command = [sys.executable, "-m", "litloop", "status", "--library", str(library)]
    with Path("/dev/full").open("w", encoding="utf-8") as full:
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    assert done.returncode == 1
    assert done.stderr == "This could not be written: No space left on device.\n"


def test_asking_ends_with_its_status_and_the_id_that_other_commands_take(tmp_path):
    library, corpus = tmp_path / "library", tmp_path / "papers.jsonl"
    corpus.write_text("\n".join(json.dumps(paper) for paper in PAPERS), encoding="utf-8")
    run(library, "add", corpus)
    asked = run(library, "ask", "What did midbrain uptake show in progressive supranuclear palsy?")
    told = re.search(r"status (\w+), (\d+ rounds?), run (\S+)", " ".join(asked.err.split()))
    assert told is not None, asked.err
    assert run(library, "trace", told[3]).code == 0
    listed = run(library, "ledger")
    assert told[3] in listed.out
    assert "No model has been used yet." in listed.out


def test_a_question_of_unknown_words_is_not_told_of_hits_that_it_does_not_show(library):
    told = " ".join(run(library, "ask", "Zorblaxian quuxification?").out.split())
    assert "No word of the question occurs in this collection, so nothing was written from it." in told
    assert "by chance" not in told


def test_a_cut_trace_is_said_to_end_early_before_anything_of_it_is_shown(library, tmp_path):
    whole, cut = tmp_path / "whole.jsonl", tmp_path / "cut.jsonl"
    run(library, "ask", "What was seen in dementia with Lewy bodies?", "--trace", whole)
    lines = whole.read_text(encoding="utf-8").splitlines(keepends=True)
    cut.write_text("".join(lines[: len(lines) // 2]), encoding="utf-8")
    for command in ("trace", "replay"):
        assert litloop(command, cut).err.lstrip().startswith("This trace ends early")
        assert "ends early" not in litloop(command, whole).err
