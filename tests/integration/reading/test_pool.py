"""Real reader processes: they answer, they are killed, and what one file does to them harms no other."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import textwrap
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from litloop.core.errors import SourceError
from litloop.reading import ReadingLimits, ReadingPool, read_file
from litloop.reading import pool as pool_module


@pytest.fixture
def documents(test_data: Path) -> Path:
    return test_data / "documents"


def children(parent: int | None = None) -> set[int]:
    """The reader processes that belong to a process, else to this one."""
    found = subprocess.run(
        ["ps", "-o", "pid=,args=", "--ppid", str(parent or os.getpid())], capture_output=True, text=True, check=False
    )
    return {int(line.split()[0]) for line in found.stdout.splitlines() if "litloop.reading.worker" in line}


def test_the_pool_reads_as_this_process_does(documents: Path):
    names = [
        "pdf/two_column_latex.pdf",
        "docx/word_sample.docx",
        "other/jats_mds526.nxml",
        "other/attention_1706.03762.md",
    ]
    with ReadingPool(ReadingLimits(workers=1)) as pool:
        for name in names:
            assert pool.read(documents / name) == read_file(documents / name)


def test_a_worker_is_used_again_for_the_next_file(documents: Path):
    with ReadingPool(ReadingLimits(workers=1)) as pool:
        pool.read(documents / "docx" / "tables.docx")
        first = children()
        pool.read(documents / "pdf" / "attachment.pdf")
        assert children() == first
        assert len(first) == 1
    assert not children()


def test_results_stay_with_their_files_when_several_threads_read(documents: Path):
    names = [
        "pdf/annotations.pdf",
        "pdf/attachment.pdf",
        "docx/tables.docx",
        "docx/footnotes.docx",
        "docx/text_box.docx",
        "pdf/ligatures.pdf",
    ] * 4
    with ReadingPool(ReadingLimits(workers=2)) as pool, ThreadPoolExecutor(6) as threads:
        results = list(threads.map(lambda name: pool.read(documents / name), names))
    for name, result in zip(names, results, strict=True):
        assert result.documents[0].paper.id.startswith(Path(name).stem)


def test_reasons_come_through_unchanged(documents: Path, tmp_path: Path):
    expected = {
        documents / "pdf" / "scan_image_only.pdf": "scanned",
        documents / "pdf" / "garbled_no_tounicode.pdf": "garbled",
        documents / "pdf" / "encrypted_user_password_aes256.pdf": "locked",
        documents / "docx" / "empty.docx": "empty",
        tmp_path / "none.pdf": "missing",
    }
    with ReadingPool() as pool:
        for path, kind in expected.items():
            with pytest.raises(SourceError) as error:
                pool.read(path)
            assert error.value.kind == kind


def test_a_password_reaches_the_worker(documents: Path):
    with ReadingPool() as pool:
        result = pool.read(documents / "pdf" / "encrypted_user_password_aes256.pdf", password="asdfzxcv")
    assert "pdf encryption test" in result.documents[0].text.content


def test_a_file_that_takes_too_long_is_given_up(documents: Path):
    with ReadingPool(ReadingLimits(workers=1, timeout_s=0.05)) as pool:
        with pytest.raises(SourceError) as error:
            pool.read(documents / "pdf" / "long_619_pages.pdf")
        assert error.value.kind == "timeout"
        assert "timeout_s" in str(error.value)
        assert not children()


def test_a_worker_that_hangs_is_killed(documents: Path):
    with ReadingPool(ReadingLimits(workers=1, timeout_s=8)) as pool:
        pool.read(documents / "docx" / "tables.docx")
        (worker,) = children()
        os.kill(worker, signal.SIGSTOP)  # hangs, as a parser in an endless loop does
        with pytest.raises(SourceError) as error:
            pool.read(documents / "docx" / "tables.docx")
        assert error.value.kind == "timeout"
        assert worker not in children()
        assert pool.read(documents / "docx" / "tables.docx").documents


def test_a_worker_that_crashes_costs_only_the_file_it_was_reading(documents: Path):
    with ReadingPool(ReadingLimits(workers=1)) as pool:
        pool.read(documents / "docx" / "tables.docx")
        (worker,) = children()
        os.kill(worker, signal.SIGSTOP)
        threading.Timer(0.5, os.kill, (worker, signal.SIGSEGV)).start()
        threading.Timer(0.6, os.kill, (worker, signal.SIGCONT)).start()
        with pytest.raises(SourceError) as error:
            pool.read(documents / "docx" / "tables.docx")
        assert error.value.kind == "broken"
        assert "crashed" in str(error.value)
        assert pool.read(documents / "docx" / "tables.docx").documents


def test_a_worker_that_died_between_two_files_is_replaced(documents: Path):
    with ReadingPool(ReadingLimits(workers=1)) as pool:
        pool.read(documents / "docx" / "tables.docx")
        (worker,) = children()
        os.kill(worker, signal.SIGKILL)
        time.sleep(0.2)
        assert pool.read(documents / "docx" / "tables.docx").documents


@pytest.mark.skipif(sys.platform != "linux", reason="address space is limited on Linux only")
def test_a_file_that_needs_too_much_memory_is_given_up(tmp_path: Path):
    path = tmp_path / "page.html"
    path.write_bytes(b"<p>" + b"word " * 12_000_000)
    with ReadingPool(ReadingLimits(workers=1, memory_mb=400)) as pool:
        with pytest.raises(SourceError) as error:
            pool.read(path)
        assert error.value.kind == "memory"
        path.write_bytes(b"<p>small")
        assert pool.read(path).documents[0].text.content == "small"


def test_closing_the_pool_ends_a_reading_in_progress(documents: Path):
    pool = ReadingPool(ReadingLimits(workers=1))
    pool.read(documents / "docx" / "tables.docx")
    outcome: list[BaseException] = []

    def read() -> None:
        try:
            pool.read(documents / "pdf" / "long_619_pages.pdf")
        except BaseException as error:
            outcome.append(error)

    thread = threading.Thread(target=read)
    thread.start()
    time.sleep(0.5)
    pool.close()
    thread.join(30)
    assert not thread.is_alive()
    assert isinstance(outcome[0], RuntimeError)  # not a verdict on the file
    assert not children()
    with pytest.raises(RuntimeError):
        pool.read(documents / "docx" / "tables.docx")


@pytest.mark.parametrize("how", ["interrupt", "kill"])
def test_no_worker_outlives_an_interrupted_or_killed_run(documents: Path, how: str):
    script = textwrap.dedent(
        f"""
        import subprocess, sys
        from litloop.reading import ReadingPool
        with ReadingPool() as pool:
            pool.read({str(documents / "docx" / "tables.docx")!r})
            print("ready", flush=True)
            pool.read({str(documents / "pdf" / "long_619_pages.pdf")!r})
        """
    )
    process = subprocess.Popen(
        [sys.executable, "-c", script], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    )
    assert process.stdout is not None
    process.stdout.readline()
    (worker,) = children(process.pid)
    time.sleep(0.5)
    process.send_signal(signal.SIGINT if how == "interrupt" else signal.SIGKILL)
    process.wait(60)
    process.stdout.close()
    deadline = time.monotonic() + 60
    while Path(f"/proc/{worker}").exists() and time.monotonic() < deadline:
        time.sleep(0.1)
    assert not Path(f"/proc/{worker}").exists()


def test_what_lies_in_the_working_folder_is_not_imported(documents: Path, tmp_path: Path, monkeypatch):
    (tmp_path / "numpy.py").write_text("raise SystemExit('imported from the folder of papers')")
    monkeypatch.chdir(tmp_path)
    with ReadingPool(ReadingLimits(workers=1)) as pool:
        assert pool.read(documents / "pdf" / "annotations.pdf").documents


def test_a_worker_without_pipes_is_a_mistake_of_ours():
    process = subprocess.Popen([sys.executable, "-c", "pass"])
    process.wait()
    with pytest.raises(RuntimeError):
        pool_module._exchange(process, {})


@pytest.mark.skipif(sys.platform != "linux", reason="address space is limited on Linux only")
@pytest.mark.parametrize("name", ["notes.txt", "notes.md", "refs.bib", "refs.ris", "rows.jsonl"])
def test_every_kind_of_file_is_read_within_the_memory_limit(tmp_path: Path, name: str):
    (path := tmp_path / name).write_bytes(b'{"title": "' * name.endswith("jsonl") + b"word " * 12_000_000 + b"\n{}")
    with ReadingPool(ReadingLimits(workers=1, memory_mb=120)) as pool:
        with pytest.raises(SourceError) as error:
            list(pool.stream(path)) if name.endswith("jsonl") else pool.read(path)
        assert error.value.kind == "memory"
        assert name in str(error.value)


@pytest.mark.parametrize("name", ["notes.txt", "notes.md", "refs.bib", "rows.jsonl"])
def test_every_kind_of_file_is_given_up_at_the_time_limit_and_the_next_is_read(tmp_path: Path, name: str):
    (path := tmp_path / name).write_text('{"title": "A title", "abstract": "Some text."}\n' * 2)
    good = tmp_path / "good.md"
    good.write_text("# Title\n\nSome text.\n")
    with ReadingPool(ReadingLimits(workers=1, timeout_s=8)) as pool:
        pool.read(good)
        (worker,) = children()
        os.kill(worker, signal.SIGSTOP)  # hangs, as a parser in an endless loop does
        with pytest.raises(SourceError) as error:
            list(pool.stream(path)) if name.endswith("jsonl") else pool.read(path)
        assert error.value.kind == "timeout"
        assert pool.read(good).documents


def test_a_corpus_that_is_left_in_the_middle_does_not_answer_for_the_next_file(tmp_path: Path):
    (path := tmp_path / "rows.jsonl").write_text(
        "".join(f'{{"title": "Paper {n}", "abstract": "Text {n}."}}\n' for n in range(500))
    )
    (good := tmp_path / "good.txt").write_text("Some text.\n")
    with ReadingPool(ReadingLimits(workers=1)) as pool:
        assert [document.paper.title for document in pool.stream(path)] == [f"Paper {n}" for n in range(500)]
        papers = pool.stream(path)
        assert next(papers).paper.title == "Paper 0"
        papers.close()
        assert pool.read(good).documents[0].text.content.strip() == "Some text."


def test_rows_that_cannot_be_read_are_told_by_the_worker(tmp_path: Path):
    deep = '{"a":' * 10_000
    (path := tmp_path / "rows.jsonl").write_text(f'{deep}\n{{"title": "Kept", "abstract": "Text."}}\nno JSON\n')
    told: list[str] = []
    with ReadingPool(ReadingLimits(workers=1)) as pool:
        assert [document.paper.title for document in pool.stream(path, warn=told.append)] == ["Kept"]
    assert len(told) == 2


def test_more_text_than_a_file_may_unpack_to_is_refused(tmp_path: Path):
    (path := tmp_path / "long.txt").write_text("word " * 30_000)
    with ReadingPool(ReadingLimits(workers=1, max_unpacked_mb=0.1)) as pool, pytest.raises(SourceError) as error:
        pool.read(path)
    assert error.value.kind == "too_large"
    assert "max_unpacked_mb" in str(error.value)
