"""Uploading: what is taken, what is set aside and why, and what a second upload changes."""

from __future__ import annotations

import json
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import httpx
import pytest

from litloop import Library
from litloop.server.schemas.running import JobOut
from litloop.server.uploads import Uploads
from support.served import events_of, neurology_library, served, wait_for

NOTE = b"# Melatonin\n\nMelatonin shortened the time to fall asleep by nine minutes in children with epilepsy."


@pytest.fixture(scope="module")
def library(tmp_path_factory):
    folder = tmp_path_factory.mktemp("uploads") / "library"
    with neurology_library(folder, server={"upload_limit": "", "upload_mb": 2}) as held:
        yield held


@pytest.fixture(scope="module")
def url(library):
    with served(library) as base:
        yield base


def upload(client, *files, collection="notes", **form) -> httpx.Response:
    parts = [("files", (name, content)) for name, content in files]
    return client.post("/ingest", files=parts, data={"collection": collection, **form})


def finished(client, response: httpx.Response) -> JobOut:
    assert response.status_code == 202, response.text
    job_id = JobOut.model_validate_json(response.content).job_id

    def ended() -> JobOut | None:
        job = JobOut.model_validate_json(client.get(f"/jobs/{job_id}").content)
        return job if job.state not in ("queued", "running") else None

    return wait_for(ended)


def found(client, query: str, collection="notes") -> list[str]:
    results = client.post("/search", json={"query": query, "collection": collection, "mode": "sparse"}).json()[
        "results"
    ]
    return [hit["text"] for hit in results]


@pytest.mark.parametrize("name", [".", "..", "...", " .. ", "a/b", "a\\b", "a\x7fb", "a\u2028b", "   "])
def test_a_name_that_could_be_a_folder_is_no_collection(client, name):
    assert upload(client, ("melatonin.md", NOTE), collection=name).status_code == 422
    assert client.post("/collections", json={"name": name}).status_code in (400, 422)


def test_uploads_that_come_at_once_do_not_pass_the_limit_of_waiting_jobs(tmp_path, monkeypatch):
    storing, go_on = threading.Semaphore(0), threading.Event()

    def slowly(self, *given, take=Uploads.take):
        storing.release()
        go_on.wait(30)
        return take(self, *given)

    monkeypatch.setattr(Uploads, "take", slowly)
    monkeypatch.setattr("litloop.server.jobs.MOST_WAITING", 3)
    with (
        neurology_library(tmp_path / "library", server={"upload_limit": ""}) as held,
        served(held) as url,
        httpx.Client(base_url=url, timeout=60) as client,
        ThreadPoolExecutor(12) as senders,
    ):
        asked = [senders.submit(upload, client, (f"{n}.md", NOTE)) for n in range(12)]
        for _ in range(3):
            assert storing.acquire(timeout=30)
        wait_for(lambda: sum(one.done() for one in asked) == 9)
        go_on.set()
        codes = sorted(one.result().status_code for one in asked)
    assert codes == [202] * 3 + [503] * 9


def test_an_uploaded_file_can_be_asked_at_once(client):
    job = finished(client, upload(client, ("melatonin.md", NOTE)))
    assert (job.state, job.report.papers_added, job.files[0].kind) == ("done", 1, "markdown")
    assert job.progress.files_done == job.progress.files_total == 1
    assert any("nine minutes" in text for text in found(client, "melatonin sleep"))


def test_several_files_of_one_upload_are_one_job_with_progress_events(client):
    files = [(f"note{n}.txt", b"Note %d tells of the colour of tau tracers." % n) for n in range(3)]
    job_id = upload(client, *files).json()["job_id"]
    with client.stream("GET", f"/jobs/{job_id}/events") as response:
        events = list(events_of(response.iter_lines()))
    assert {event.type for event in events[:-1]} <= {"progress"}
    assert events[-1].type == "done"
    assert JobOut.model_validate(events[-1].data).report.papers_added == 3
    assert [int(event.id) for event in events] == list(range(len(events)))


def test_a_second_upload_of_a_file_replaces_its_passages_only(client):
    finished(
        client,
        upload(
            client, ("dose.txt", b"The dose was five milligrams of zolpidem."), ("keep.txt", b"Zolpidem was kept dry.")
        ),
    )
    job = finished(client, upload(client, ("dose.txt", b"The dose was ten milligrams of zolpidem.")))
    assert job.files[0].replaces
    texts = " ".join(found(client, "zolpidem dose"))
    assert "ten milligrams" in texts
    assert "five milligrams" not in texts
    assert "kept dry" in " ".join(found(client, "zolpidem dry"))


@pytest.mark.parametrize("name", [
    "../../../etc/cron.d/evil.txt", "..\\..\\windows\\evil.txt", "/etc/passwd", "....//evil.txt", "C:\\evil.txt", "evil\x00.txt", ".bashrc",
    "CON.txt", "a" * 300 + ".txt", "<script>alert(1)</script>.txt", "\u202elive.txt", "...", "%2e%2e%2fevil.txt", "naïve 文.txt",
])  # fmt: skip
def test_no_file_name_leaves_the_folder_of_uploads(client, library, name):
    job = finished(client, upload(client, (name, b"A harmless sentence about sleep."), collection="names"))
    uploads = library.folder / "uploads"
    stored = [path for path in uploads.rglob("*") if path.is_file()]
    assert job.files[0].stored_as in {path.name for path in stored}
    assert all(path.resolve().is_relative_to(uploads.resolve()) for path in stored)
    assert not set('<>:"|?*\\/\x00') & set(job.files[0].stored_as)
    assert len(job.files[0].stored_as.encode()) < 255
    assert not list(uploads.glob("incoming/*"))


@pytest.mark.parametrize(("name", "content", "kind"), [
    ("paper.pdf", b"MZ\x90\x00 this is a program", "unsupported"),
    ("paper.pdf", b"not a pdf at all", "broken"),
    ("picture.txt", b"\x89PNG\r\n\x1a\n....", "unsupported"),
    ("empty.txt", b"", "empty"),
    ("blank.pdf", b"   \n", "empty"),
    ("archive.docx", b"PK\x03\x04broken", "broken"),
])  # fmt: skip
def test_what_a_file_is_its_content_says(client, name, content, kind):
    refused = upload(client, (name, content), collection="wrong")
    assert refused.status_code == 415
    assert refused.json()["rejected"][0]["kind"] == kind
    assert refused.json()["detail"].startswith("None of the files can be read.")
    assert "wrong" not in [held["name"] for held in client.get("/collections").json()["collections"]]


def test_one_bad_file_does_not_stop_the_others_and_its_reason_is_shown(client):
    job = finished(client, upload(client, ("good.md", NOTE), ("bad.pdf", b"MZ\x90\x00"), collection="mixed"))
    assert job.state == "partly"
    assert job.rejected[0].name == "bad.pdf"
    assert job.rejected[0].reason == "bad.pdf is a program."
    assert job.report.papers_added == 1


def test_a_file_that_only_its_parser_can_refuse_is_quarantined_with_the_reason(client):
    half = b"%PDF-1.7\n1 0 obj\n<< /Type /Catalog >>\nendobj\n"
    job = finished(client, upload(client, ("half.pdf", half), collection="broken"))
    assert job.state == "failed"
    assert job.report.quarantined[0].name == "half.pdf"
    listed = client.get("/collections/broken/papers").json()["quarantined"]
    assert [(file["name"], file["status"]) for file in listed] == [("half.pdf", "quarantined")]
    assert listed[0]["reason"] == job.error


def test_an_upload_that_is_too_large_is_a_413(client):
    response = upload(client, ("large.txt", b"x" * 2_100_000))
    assert response.status_code == 413
    assert "2 MB" in response.json()["detail"]


def test_a_large_upload_without_a_length_is_stopped_on_its_way(client):
    head = b'--x\r\nContent-Disposition: form-data; name="files"; filename="l.txt"\r\n\r\n'
    body = (part for part in [head, *[b"y" * 100_000] * 30])
    response = client.post("/ingest", content=body, headers={"content-type": "multipart/form-data; boundary=x"})
    assert response.status_code == 413


@pytest.mark.parametrize(("content", "kind"), [
    (b"{}", "application/json"), (b"", "multipart/form-data; boundary=x"), (b"--x--", "multipart/form-data; boundary=x"),
    (b"garbage", "multipart/form-data"), (b"--x\r\n\r\nfoo", "multipart/form-data; boundary=x"),
])  # fmt: skip
def test_what_is_no_upload_is_a_sentence(client, content, kind):
    response = client.post("/ingest", content=content, headers={"content-type": kind})
    assert response.status_code in (400, 422)
    assert response.headers["content-type"] == "application/problem+json"


def test_wrong_names_and_domains_take_nothing_in(client):
    assert upload(client, ("a.txt", b"text"), collection="a/b").status_code == 422
    assert upload(client, ("a.txt", b"text"), collection="x" * 101).status_code == 422
    assert upload(client, ("a.txt", b"text"), collection="new", domain="alchemy").status_code == 422


def test_a_deleted_collection_takes_its_uploads_along_and_nothing_else(client, library):
    finished(client, upload(client, ("gone.txt", b"Soon gone."), collection="gone soon"))
    assert list((library.folder / "uploads").glob("gone-soon-*/gone.txt"))
    assert client.delete("/collections/gone soon").status_code == 200
    assert not list((library.folder / "uploads").glob("gone-soon-*"))
    assert Path(library.components.catalogue.sources(library.collection("neurology").key)[0].path).is_file()


def test_jobs_are_listed_newest_first_and_an_unknown_one_is_a_404(client):
    finished(client, upload(client, ("last.txt", b"The last of them.")))
    jobs = client.get("/jobs").json()["jobs"]
    assert jobs[0]["files"][0]["name"] == "last.txt"
    assert client.get("/jobs/nobody").status_code == 404
    assert client.get("/jobs/nobody/events").status_code == 404


def test_a_job_that_a_stopping_server_cuts_off_says_so_and_can_be_gone_on_with(tmp_path):
    papers = 9000  # enough that the server stops before they are all read
    rows = "\n".join(
        json.dumps({"id": f"p{n}", "title": f"Paper {n}", "abstract": f"Finding {n}. " * 40}) for n in range(papers)
    )
    with (
        neurology_library(tmp_path / "library") as library,
        served(library) as url,
        httpx.Client(base_url=url) as client,
    ):
        job_id = upload(client, ("many.jsonl", rows.encode()), collection="many").json()["job_id"]
        wait_for(lambda: client.get(f"/jobs/{job_id}").json()["progress"]["papers"] > 0)
    with (
        Library.open(tmp_path / "library", embedding={"model": "hashing-256"}) as library,
        served(library) as url,
        httpx.Client(base_url=url, timeout=60) as client,
    ):
        assert client.get(f"/jobs/{job_id}").json()["state"] == "interrupted"
        job = finished(client, upload(client, ("many.jsonl", rows.encode()), collection="many"))
        assert job.state == "done"
        assert client.get("/collections/many").json()["papers"] == papers


def test_two_files_of_one_name_in_one_upload_both_stay(client):
    first, second = b"# Carbamazepine\n\nHyponatraemia was seen.", b"# Valproate\n\nTremor was frequent."
    job = finished(client, upload(client, ("drug.md", first), ("Drug.md", second), collection="twins"))
    assert (job.state, job.report.papers_added) == ("done", 2)
    assert [file.stored_as for file in job.files] == ["drug.md", "Drug (2).md"]
    assert not any(file.replaces for file in job.files)
    assert found(client, "hyponatraemia", "twins")
    assert found(client, "tremor", "twins")
