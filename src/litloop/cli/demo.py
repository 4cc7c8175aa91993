"""`litloop demo`: the main job on the library that litloop ships."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

from litloop.cli.answers import ending, show_answer
from litloop.cli.options import open_library
from litloop.cli.output import notes, print_json, results
from litloop.cli.timeline import Timeline

QUESTIONS = (
    ("these papers answer it", "What does FDG-PET show in corticobasal syndrome?"),
    ("few papers are about it", "What is neurolymphomatosis?"),
    ("these papers do not answer it", "Is FDG-PET useful for fever of unknown origin?"),
)


def run_demo(library: Path | None, json: bool) -> None:
    """Index the neurology corpus (nothing is done twice) and ask three questions of it."""

    from litloop.answer.answer_json import answer_json
    from litloop.core.paths import user_data_folder
    from litloop.domains import domain_pack

    folder = library or user_data_folder() / "demo"
    pack = domain_pack("neurology")
    assert pack.demo_corpus is not None
    answers: list[dict[str, Any]] = []
    with open_library(folder, create=True) as held:
        started = time.perf_counter()
        report = held.add(pack.demo_corpus, collection="neurology", domain="neurology")
        papers = held.components.catalogue.paper_count(held.collection("neurology").key)
        if not json:
            results().print(f"{papers} papers ({pack.title}), ready in {report.seconds:.1f} s ({folder})")
        for kind, question in QUESTIONS:
            if not json:
                results().rule(style="dim")
                results().print(f"{question}  ({kind})\n", style="bold")
                with Timeline(notes()) as timeline:
                    answer = held.ask(question, collection="neurology", on_event=timeline)
                show_answer(answer)
                results().print(f"\n{ending(answer)}", style="dim")
            else:
                answer = held.ask(question, collection="neurology")
            answers.append(answer_json(answer))
        if json:
            print_json({"papers": papers, "seconds": time.perf_counter() - started, "answers": answers})
        else:
            results().rule(style="dim")
            results().print(f'Ask it yourself: litloop ask "…" --library {folder}')
