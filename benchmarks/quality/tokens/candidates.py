"""Whole runs: what a session of several questions costs in prompt tokens, and which task takes it.

    python -m benchmarks.quality.tokens.candidates --library FOLDER   # made when it is not there

Six gold questions of NeuLitTrace are asked of a real library, every prompt goes over a real socket to a server that
answers from a script (all papers relevant; one sentence quoted from each document), and the server counts what reached
it. So the prompts are litloop's own, whole and in order; only the replies are made up. HyDE and the model's judgements
are on, so that every task of a run is there.

isolated     each run stands alone, as litloop works
compressed   the same, with extractive compression of what the summary reads
carried      the same requests in one growing conversation, as a chat would send them: every request carries all earlier
             requests and replies (computed from the isolated session)

Writes benchmarks/quality/results/candidate_results.json; `litloop eval report` draws it.
"""

from __future__ import annotations

import argparse
import json
import re
import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import accumulate
from pathlib import Path
from typing import Any

from benchmarks.places import QUALITY_RESULTS, data_folder
from litloop.core.records import ModelCall
from litloop.library import Library
from litloop.llm.tokens import RankedTokens

TARGET = QUALITY_RESULTS / "candidate_results.json"
INSURANCE = QUALITY_RESULTS / "insurance.json"
TURNS = 6
COUNTER = RankedTokens("cl100k_base")  # Llama 3's ranks extend these
PER_MESSAGE = 4  # tokens that a chat template puts around a message
_DOCUMENT = re.compile(r'<document id="([^"]+)">\n(.*?)\n</document>', re.DOTALL)
_ABSTRACT = (
    "Patients with this condition were scanned with FDG PET and MRI and compared with controls. Uptake was reduced in "
    "the regions named in the question, asymmetrically in most. The pattern told the condition from its mimics and "
    "agreed with the clinical course at follow-up. Sensitivity and specificity were reported for each region."
)


def reply_to(messages: list[dict[str, str]]) -> str:
    """A well-formed reply to any of litloop's prompts, told apart by the shape they ask for."""
    prompt = "\n".join(message["content"] for message in messages)
    documents = _DOCUMENT.findall(prompt)
    if '"verdict"' in prompt:
        statements = [id for id, _ in documents if id.startswith("S")]
        return json.dumps({"results": [{"id": s, "verdict": "supported", "why": "said there"} for s in statements]})
    if '"relevant"' in prompt:
        return json.dumps({"results": [{"id": id, "relevant": True, "confidence": 0.9, "why": "on the condition"}
                                       for id, _ in documents]})  # fmt: skip
    if '"sentences"' in prompt:
        told = [(id, _quote(text)) for id, text in documents]
        return json.dumps({"sentences": [{"text": quote, "evidence": [{"passage": id, "quote": quote}]}
                                         for id, quote in told], "complete": True})  # fmt: skip
    if '"items"' in prompt or "answer_found" in prompt:
        id, quote = documents[0][0], _quote(documents[0][1])
        item = {"value": quote[:60], "evidence": [{"passage": id, "quote": quote}]}
        return json.dumps({"items": [item], "answer_found": True, "complete_answer_found": True, "confidence": 0.9})
    return _ABSTRACT


def _quote(text: str) -> str:
    """The last whole sentence of a document: it stands in the original also when a compressor shortened it."""
    body = text.rsplit("\n", maxsplit=1)[-1]
    sentences = [one for one in re.split(r"(?<=[.!?])\s+", body) if len(one.split()) > 5]
    return sentences[-1] if sentences else body[:200]


@contextmanager
def served() -> Iterator[str]:
    """The address of the model's server while it runs."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["content-length"])))
            messages = body["messages"]
            text = reply_to(messages)
            prompt = sum(COUNTER.count(message["content"]) + PER_MESSAGE for message in messages)
            usage = {"prompt_tokens": prompt, "completion_tokens": COUNTER.count(text)}
            answer = {"model": "scripted", "usage": usage, "choices": [
                {"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": text}}]}  # fmt: skip
            sent = json.dumps(answer).encode()
            self.send_response(200)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(sent)))
            self.end_headers()
            self.wfile.write(sent)

        def log_message(self, *_: Any) -> None: ...

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/v1"
    finally:
        server.shutdown()
        server.server_close()


def session(folder: Path, questions: list[str], compression: str) -> tuple[list[list[tuple[int, int]]], Counter[str]]:
    """Each turn's requests, and prompt tokens by task over the session."""
    by_task: Counter[str] = Counter()
    turns = []
    with served() as url:
        settings: dict[str, Any] = {
            "llm": {
                "profile": "custom",
                "base_url": url,
                "model": "scripted",
                "api_key": "none",
                "timeout_s": 600,
            },
            "compression": {"kind": compression},
            "search_loop": {"hyde": True},
        }
        with Library.open(folder, **settings) as library:
            for question in questions:
                calls: list[ModelCall] = []
                answer = library.ask(question, on_event=partial(_note, calls))
                if answer.degraded:
                    raise SystemExit(f"The run degraded, its figures would lie: {answer.degraded_reason}")
                turns.append([(call.prompt_tokens, call.completion_tokens) for call in calls])
                for call in calls:
                    by_task[call.task] += call.prompt_tokens
    return turns, by_task


def _note(calls: list[ModelCall], event: Any) -> None:
    """A call that was answered. An attempt that a busy machine let time out would be counted twice."""
    if event.type == "model_call" and event.data["call"].outcome == "ok" and event.data["call"].prompt_tokens:
        calls.append(event.data["call"])


def carried(turns: list[list[tuple[int, int]]]) -> list[int]:
    """Prompt tokens of each turn when every request carries all that was said before."""
    spent, history = [], 0
    for turn in turns:
        total = 0
        for prompt, reply in turn:
            total += history + prompt
            history += prompt + reply
        spent.append(total)
    return spent


def cumulative(turns: list[list[tuple[int, int]]]) -> list[int]:
    return list(accumulate(sum(prompt for prompt, _ in turn) for turn in turns))


def insurance() -> dict[str, Any]:
    """Sequential against batch, from the insurance mix (`python -m benchmarks.quality.insurance`)."""
    held = json.loads(INSURANCE.read_text(encoding="utf-8"))
    rows = {}
    for reader in ("perfect_reader", "reader"):
        for way in ("batch", "dispatch", "windows"):
            found = held[reader][way]
            rows[f"{reader.replace('_', ' ')}, {way}"] = {
                "input_tokens": found["input_tokens"], "saved": found["saved"],
                "saved_on_lookups": found["saved_on_lookups"], "lookups_right_of_80": found["lookups_right"],
            }  # fmt: skip
    about = (
        "125 questions over seven documents, K = 5. batch: five passages in one prompt; dispatch: as litloop decides."
    )
    return {"about": about, "rows": rows}


def per_task(isolated: Counter[str], compressed: Counter[str]) -> dict[str, Any]:
    total = sum(isolated.values())
    rows = {
        task: {"prompt_tokens": tokens, "share": round(tokens / total, 4), "compressed": compressed[task]}
        for task, tokens in isolated.most_common()
    }
    return {"about": f"{TURNS} questions, isolated; the last column is the same session with compression.",
            "rows": rows}  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--library", type=Path, required=True)
    given = parser.parse_args()
    with Library.open(given.library) as library:
        if not library.collections():
            library.add([data_folder() / "neulittrace" / "corpus.json"], domain="neurology")
    gold = json.loads((data_folder() / "neulittrace" / "gold_queries.json").read_text(encoding="utf-8"))["queries"]
    questions = [row["query"] for row in gold[:TURNS]]
    plain, by_task = session(given.library, questions, "off")
    short, short_by_task = session(given.library, questions, "extractive")
    neulittrace = json.loads((data_folder() / "neulittrace" / "measured_tokens.json").read_text(encoding="utf-8"))
    isolated, compressed, chat = cumulative(plain), cumulative(short), list(accumulate(carried(plain)))
    result = {
        "measured": time.strftime("%Y-%m-%d", time.gmtime()),
        "multiturn_session": {
            "questions": questions,
            "requests_per_turn": [len(turn) for turn in plain],
            "cumulative_prompt_tokens": {"carried": chat, "isolated": isolated, "compressed": compressed},
            "inflation_of_carrying": round(chat[-1] / isolated[-1], 2),
            "saved_by_compression": round(1 - compressed[-1] / isolated[-1], 4),
        },
        "per_task": per_task(by_task, short_by_task),
        "sequential_against_batch": insurance(),
        "neulittrace": neulittrace,
    }
    TARGET.write_text(json.dumps(result, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    print(json.dumps({name: result[name] for name in ("multiturn_session", "per_task")}, indent=1))


if __name__ == "__main__":
    main()
