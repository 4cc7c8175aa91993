# ruff: noqa: E501 - recorded events are data
"""Pictures of the page's main states, light and dark, at 1,600 and at 360 pixels: `python -m scripts.screenshots [FOLDER]`.

Takes the demo library and no model. Look at them before a change of the page is called done.
"""

from __future__ import annotations

import json
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from playwright.sync_api import Page, sync_playwright
from scripts.page import ROOT, ensure_page

from litloop import Library
from litloop.domains.neurology import PACK
from litloop.server.site import Site
from litloop.testing.scholarly_world import InjectedFault, scholarly_world

sys.path.insert(0, str(ROOT / "tests"))
from support.scholarly_world import small_literature
from support.served import served

ARGUMENTS = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--hide-scrollbars", "--enable-unsafe-swiftshader"]
SIZES = {"wide": (1600, 1000), "narrow": (360, 780)}
QUESTION = "What does FDG-PET show in progressive supranuclear palsy?"
FOREIGN = "Is FDG-PET useful for fever of unknown origin?"
SPARSE = "What does FDG-PET show in scalp angiosarcoma?"
RESEARCHED = "What could not be repeated about myelin that grows overnight?"
SENTENCE = "Zelvorine uptake was doubled in the claustrum of every patient with Harrow syndrome."


def main() -> None:
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "build" / "screenshots"
    folder.mkdir(parents=True, exist_ok=True)
    site = Site(ensure_page())
    with demo_library() as library, served(library, site=site) as url, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path="/usr/bin/chromium", args=ARGUMENTS)
        for size, (width, height) in SIZES.items():
            for scheme in ("light", "dark"):
                context = browser.new_context(
                    viewport={"width": width, "height": height}, color_scheme=scheme, reduced_motion="reduce",
                    has_touch=size == "narrow",
                )  # fmt: skip
                Sitting(context.new_page(), url, folder, f"{size}-{scheme}").take()
                context.close()
        browser.close()
    print(f"{len(list(folder.glob('*.png')))} pictures in {folder}")


# A stream that stays open, as that of a run which goes on does.
STREAM = """
(() => {
  const real = window.fetch;
  window.fetch = (to, how) => {
    if (!String(to).endsWith("/runs/shown/events")) return real(to, how);
    const body = new ReadableStream({ start: (pipe) => pipe.enqueue(new TextEncoder().encode(LINES)) });
    return Promise.resolve(new Response(body, { headers: { "Content-Type": "text/event-stream" } }));
  };
})();
"""


class Sitting:
    def __init__(self, page: Page, url: str, folder: Path, name: str) -> None:
        self._page, self._url, self._folder, self._name = page, url, folder, name

    def take(self) -> None:
        page = self._page
        self._go("/")
        self._shoot("front")
        self._ask(QUESTION)
        self._shoot("answer")
        self._cite()
        self._shoot("source")
        self._paper()
        self._ask(SPARSE)
        self._shoot("sparse")
        self._ask(FOREIGN)
        self._shoot("no-match")
        self._recorded("live", LIVE)
        self._recorded("flagged", FLAGGED)
        self._recorded("degraded", DEGRADED)
        self._go("/compare/")
        self._shoot("search-empty")
        page.get_by_role("textbox", name="Query").fill("midbrain hypometabolism on FDG-PET")
        page.get_by_role("textbox", name="Query").press("Enter")
        page.locator("[data-chunk]").first.wait_for()
        page.locator("[data-chunk] summary").first.click()
        self._shoot("search")
        self._go("/library/")
        page.get_by_role("table").wait_for()
        self._shoot("library")
        self._go("/history/")
        self._shoot("runs")
        self._brain()
        self._research()

    def _go(self, path: str) -> None:
        self._page.goto(self._url + path)
        self._page.wait_for_load_state("networkidle")

    def _ask(self, question: str, *, collection: str = "neurology") -> None:
        self._go("/")
        form = self._page.get_by_role("search", name="Ask your papers")
        form.get_by_role("combobox", name="Collection").select_option(collection)
        form.get_by_role("textbox").fill(question)
        form.get_by_role("textbox").press("Enter")
        self._page.locator("[data-status]").wait_for()

    def _cite(self) -> None:
        self._page.locator("[data-citation]").first.dispatch_event("click")
        self._page.get_by_test_id("highlight").first.wait_for()

    def _paper(self) -> None:
        self._ask("What was doubled in the claustrum in Harrow syndrome?", collection="harrow")
        if self._page.locator("[data-citation]").count():
            self._cite()
            for picture in self._page.locator("figure img").all():
                picture.evaluate("image => image.decode()")
        self._shoot("pdf-page")

    def _brain(self) -> None:
        self._go("/brain/")
        self._page.get_by_test_id("brain").wait_for()
        for name in ("Corticobasal syndrome", "Acute ischemic stroke"):
            self._page.get_by_role("checkbox", name=name).check()
        self._page.evaluate("window.scrollTo(0, 0)")
        self._shoot("brain")

    def _research(self) -> None:
        page = self._page
        self._go("/")
        page.get_by_text("(databases too)").click()
        page.get_by_role("checkbox", name="PubMed").wait_for()
        self._shoot("research-choice")
        page.get_by_role("textbox", name="Your question").fill(RESEARCHED)
        page.get_by_role("textbox", name="Your question").press("Enter")
        page.locator("[data-status]").wait_for()
        self._shoot("research")

    def _recorded(self, name: str, events: list[dict[str, Any]]) -> None:
        """States that need a model, from events as a run with one tells them."""
        lines = "".join(f"id: {e['seq']}\nevent: {e['type']}\ndata: {json.dumps(e)}\n\n" for e in events)
        self._page.add_init_script(STREAM.replace("LINES", json.dumps(lines)))
        self._go_quickly("/?run=shown")
        self._shoot(name)

    def _go_quickly(self, path: str) -> None:
        self._page.goto(self._url + path)
        self._page.locator("article").wait_for()
        self._page.wait_for_timeout(250)

    def _shoot(self, state: str) -> None:
        self._page.wait_for_timeout(200)
        file = self._folder / f"{state}-{self._name}.png"
        self._page.screenshot(path=file, full_page=self._name.startswith("narrow"))


@contextmanager
def demo_library() -> Iterator[Library]:
    """The demo library, a collection with one PDF, databases on loopback of which one is lost, and no limit on questions."""
    from fpdf import FPDF

    assert PACK.demo_corpus is not None
    with tempfile.TemporaryDirectory() as scratch:
        pdf = FPDF(unit="pt", format=(595, 842))
        pdf.set_font("Times", size=12)
        pdf.add_page()
        pdf.set_xy(70, 90)
        pdf.multi_cell(
            455, 16, "Harrow syndrome was described in nine patients, all of them examined twice within a year. " * 6
        )
        pdf.set_x(70)
        pdf.multi_cell(455, 16, f"{SENTENCE} The thalamus was spared in all of them.")
        pdf.output(str(Path(scratch) / "harrow.pdf"))
        limits = {"query_limit": "", "atlas_limit": ""}
        with (
            scholarly_world(small_literature()) as world,
            Library.open(
                Path(scratch) / "library", create=True, server=limits, full_text={"enabled": False},
                scholarly=world.settings(attempts=1, breaker_failures=100, arxiv={"enabled": False}),
            ) as library,
        ):  # fmt: skip
            world.trouble("crossref", InjectedFault("server_error"))
            library.add(PACK.demo_corpus, collection="neurology", domain="neurology")
            library.add(Path(scratch) / "harrow.pdf", collection="harrow")
            yield library


def _events(*told: tuple[str, float, dict[str, Any]]) -> list[dict[str, Any]]:
    return [
        {"v": 1, "type": type, "run_id": "shown", "seq": seq, "ms": ms, "data": data}
        for seq, (type, ms, data) in enumerate(told)
    ]


def _paper(id: str, title: str) -> dict[str, Any]:
    return {"paper": {"id": id, "title": title, "year": 2021}, "score": 0.7, "signals": {"bm25": 6.2, "dense": 0.78}}


def _verdict(id: str, verdict: str, confidence: float, why: str) -> dict[str, Any]:
    return {"paper_id": id, "verdict": verdict, "confidence": confidence, "why": why}


def _call(task: str, tokens: int, outcome: str = "ok", attempt: int = 1) -> dict[str, Any]:
    return {"call": {"call_id": task, "task": task, "attempt": attempt, "outcome": outcome, "prompt_tokens": tokens,
                     "completion_tokens": tokens // 9, "cost": None, "provider": "local", "model": "m"}}  # fmt: skip


_ASKED = "Which PET findings separate dementia with Lewy bodies from Alzheimer's disease?"
_TITLES = {
    "a": "The cingulate island sign on FDG-PET in dementia with Lewy bodies.",
    "b": "Occipital hypometabolism and visual hallucinations: a case report.",
    "c": "Glycolysis as a central pathological axis in neurodegenerative diseases.",
}
_START = (
    ("run_started", 0.0, {"question": _ASKED, "collection": "neurology", "rules": {"max_rounds": 2},
                          "collection_facts": {"papers": 141}}),
    ("question_parsed", 60.0, {"shape": "comparison", "query_kind": "semantic", "intent": "compare", "core_concepts": []}),
    ("model_call", 1900.0, _call("hyde", 214)),
    ("hyde_expand", 1910.0, {"round": 1, "by": "model", "degraded": None, "expansion":
        "In dementia with Lewy bodies, occipital metabolism is reduced while the posterior cingulate is relatively spared."}),
    ("retrieval", 2100.0, {"round": 1, "query": _ASKED, "confidence": 0.61,
                           "candidates": [_paper(id, title) for id, title in _TITLES.items()]}),
)  # fmt: skip
_JUDGED = (
    ("model_call", 4800.0, _call("relevance", 1180)),
    ("relevance_check", 4810.0, {"round": 1, "by": "model", "degraded": None, "verdicts": [
        _verdict("a", "relevant", 0.91, "compares both diseases"),
        _verdict("b", "irrelevant", 0.22, "one patient, and no comparison"),
        _verdict("c", "irrelevant", 0.04, "a review of metabolism without imaging")]}),
    ("refine_query", 6300.0, {"round": 1, "by": "model", "repeated": False, "reason": "1/3 papers passed",
                              "query": "cingulate island sign occipital hypometabolism Lewy bodies versus Alzheimer"}),
    ("round_finished", 6310.0, {"round": 1, "end": None, "entry": {"query": _ASKED, "passed": False}}),
    ("retrieval", 6500.0, {"round": 2, "query": "cingulate island sign occipital hypometabolism Lewy bodies versus Alzheimer",
                           "confidence": 0.83, "candidates": [_paper(id, title) for id, title in _TITLES.items()]}),
)  # fmt: skip
LIVE = _events(*_START, *_JUDGED)


def _cited(marker: int, id: str, quote: str, verdict: str) -> dict[str, Any]:
    return {"marker": marker, "paper_id": id, "passage_id": f"{id}::1", "page": None, "quote": quote, "verdict": verdict,
            "anchor": None}  # fmt: skip


def _answer(**more: Any) -> dict[str, Any]:
    papers = [
        {"paper_id": id, "title": title, "authors": ["Harada", "Okafor"], "year": 2021, "venue": "Clin Nucl Med", "ids": {"doi": "10.1000/x"},
         "url": None, "labels": {"condition": "Dementia with Lewy bodies"}, "retracted": id == "c", "markers": [number],
         "relevance": "relevant", "confidence": 0.9, "why": "compares both diseases", "score": 0.8,
         "passages": [{"passage_id": f"{id}::1", "page": None, "heading": None, "text": "The posterior cingulate was spared."}],
         "signals": {"bm25": 6.2, "dense": 0.78, "final": 0.74}}
        for number, (id, title) in enumerate(_TITLES.items(), start=1)
    ]  # fmt: skip
    base = {
        "question": _ASKED, "status": "answered", "text": "", "sentences": [], "papers": papers, "items": [],
        "answer_found": True, "complete_answer_found": True, "caveats": [], "trace": [], "closest_topics": [],
        "differentials": [], "fields": {}, "notes": [], "dispatch": {}, "checks": [], "degraded": False,
        "degraded_reason": None, "run_id": "shown", "low_confidence": False, "sparse_coverage": False,
        "ledger": {"calls": 5, "attempts": 6, "tokens": 5214, "cost_usd": "unknown", "ms": 14100, "tokens_by_task": {}},
    }  # fmt: skip
    return {**base, **more}


_SENTENCES = [
    {"text": "Occipital metabolism is reduced in dementia with Lewy bodies and usually kept in Alzheimer's disease.",
     "citations": [_cited(1, "a", "Occipital metabolism was reduced in all patients with Lewy bodies.", "supported")]},
    {"text": "The posterior cingulate is spared in both diseases.",
     "citations": [_cited(1, "a", "The posterior cingulate was spared only in Lewy body dementia.", "contradicted")]},
    {"text": "Visual hallucinations went along with the deepest occipital defects in 14 of 20 patients.",
     "citations": [_cited(2, "b", "Hallucinations accompanied the occipital defect.", "unsupported")]},
    {"text": "The sign is useful in practice.", "citations": []},
    {"text": "Striatal transporter imaging remains the reference.",
     "citations": [_cited(3, "c", "Transporter imaging was not performed.", "unverifiable")]},
]  # fmt: skip
_DIFFERENTIALS = [
    {"condition": "Posterior cortical atrophy", "why": "shares the occipital defect, without a spared cingulate",
     "paper_id": "b", "quote": "", "verdict": "supported"},
    {"condition": "Creutzfeldt-Jakob disease", "why": "may begin in the occipital cortex", "paper_id": "c", "quote": "",
     "verdict": "unsupported"},
]  # fmt: skip
FLAGGED = _events(
    *_START, *_JUDGED,
    ("answer", 14100.0, _answer(
        sentences=_SENTENCES, differentials=_DIFFERENTIALS,
        fields={"imaging_findings": "Occipital hypometabolism; cingulate island sign.",
                "teaching_point": "Look at the posterior cingulate before the occipital lobe."})),
)  # fmt: skip
DEGRADED = _events(
    *_START,
    ("model_call", 20000.0, _call("relevance", 1180, "timeout")),
    ("relevance_check", 20010.0, {"round": 1, "by": "model", "degraded": "local (127.0.0.1) gave no answer within 15 s.",
                                  "verdicts": [_verdict(id, "unknown", 0.0, "") for id in _TITLES]}),
    ("round_finished", 20020.0, {"round": 1, "end": "judge_failed", "entry": {"query": _ASKED, "passed": False}}),
    ("gate", 20030.0, {"decision": "degraded", "why": "local (127.0.0.1) gave no answer within 15 s."}),
    ("answer", 20100.0, _answer(
        status="degraded", degraded=True, degraded_reason="local (127.0.0.1) gave no answer within 15 s.",
        papers=[{**paper, "markers": [], "relevance": "unknown"} for paper in _answer()["papers"]])),
)  # fmt: skip


if __name__ == "__main__":
    main()
