"""Whether a small local model still says the same: PubMedQA's yes, no or maybe, before and after compression.

The model says its answer under a JSON schema, so that every reply counts. A sample: a prompt of five abstracts takes a
small model on a CPU a minute.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Sequence
from typing import Any, Literal

from pydantic import BaseModel

from benchmarks.material.prompt_cases import Case
from litloop.core.settings import LLMSettings, Settings
from litloop.llm.extractive_compressor import ExtractiveCompressor
from litloop.llm.prompt import Prompt, PromptDocument
from litloop.llm.router import LLMRouter

PROMPT = Prompt(
    "yes-no-maybe", 1, "You answer questions about medical studies from what the documents say.",
    '{documents}\n\nQuestion: {question}\nAnswer yes, no or maybe, as JSON: {"answer": "..."}',
)  # fmt: skip


class YesNoMaybe(BaseModel):
    answer: Literal["yes", "no", "maybe"]


def accuracy(base_url: str, cases: Sequence[Case], compressor: ExtractiveCompressor) -> dict[str, Any]:
    """The share of published decisions that the model gives, on the whole abstract and on the compressed one."""
    pairs = asyncio.run(_answers(base_url, cases, compressor))
    decisions = [case.decision for case in cases]
    whole, short = ([pair[column] for pair in pairs] for column in (0, 1))
    return {
        "cases": len(cases),
        "accuracy_whole": _share(whole, decisions),
        "accuracy_compressed": _share(short, decisions),
        "same_answer": _share(whole, short),
        "said_whole": dict(Counter(whole)),
        "said_compressed": dict(Counter(short)),
        "published": dict(Counter(decisions)),
    }


async def _answers(base_url: str, cases: Sequence[Case], compressor: ExtractiveCompressor) -> list[tuple[str, str]]:
    router = LLMRouter.build(Settings(llm=LLMSettings(profile="llamacpp", base_url=base_url, timeout_s=1200)))
    pairs = []
    for case in cases:
        short = await compressor.compress(case.documents, query=case.question)
        before = await _said(router, case.question, case.documents)
        pairs.append((before, await _said(router, case.question, short.documents)))
    await router.aclose()
    return pairs


async def _said(router: LLMRouter, question: str, documents: Sequence[PromptDocument]) -> str:
    assert router.direct is not None
    prompt = PROMPT.render(documents=list(documents), question=question)
    result = await router.direct.structured(prompt, YesNoMaybe, task="extract", max_tokens=12)
    return result.parsed.answer if result.parsed else "none"


def _share(one: Sequence[str], other: Sequence[str]) -> float:
    return round(sum(a == b for a, b in zip(one, other, strict=True)) / len(one), 4)
