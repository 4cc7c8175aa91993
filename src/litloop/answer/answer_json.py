"""The answer as programs see it: the JSON of `ask --json` and `POST /query`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from litloop.core.events import to_json_types
from litloop.core.labels import shown_labels
from litloop.core.records import Answer, PaperUse
from litloop.core.records_json import record_from
from litloop.domains.answer_names import check_fields, differentials, renamed_record, topic_fields


def answer_json(answer: Answer) -> dict[str, Any]:
    """What `ask --json` prints and POST /query answers, with NeuLitTrace's names for the same things at its end."""
    contract = answer.contract
    cited = [c for s in answer.sentences for c in s.citations]
    shape = {
        "question": answer.question,
        "status": answer.status,
        "text": answer.text,
        "sentences": [
            {
                "text": sentence.text,
                "citations": [
                    {
                        "marker": c.marker,
                        "paper_id": c.paper_id,
                        "passage_id": c.passage_id,
                        "page": c.page,
                        "quote": c.quote,
                        "verdict": c.verdict,
                        "anchor": c.anchor,
                    }
                    for c in sentence.citations
                ],
            }
            for sentence in answer.sentences
        ],
        "papers": [_paper(use) for use in answer.papers],
        "items": contract.items if contract else [],
        "answer_found": contract.answer_found if contract else False,
        "complete_answer_found": contract.complete_answer_found if contract else False,
        "caveats": contract.caveats if contract else [],
        "left_out": contract.left_out if contract else [],
        "trace": answer.trace,
        "closest_topics": answer.closest_topics,
        "differentials": differentials(answer.alternatives),
        "fields": answer.fields,
        "notes": answer.notes,
        "dispatch": answer.dispatch,
        "checks": [check_fields(check) for check in answer.checks],
        "ledger": answer.ledger,
        "degraded": answer.degraded,
        "degraded_reason": answer.degraded_reason,
        "run_id": answer.run_id,
        "research": answer.research,
        # NeuLitTrace's names.
        "summary_text": answer.text,
        "citations": cited,
        "no_match": answer.status == "out_of_scope",
        "low_confidence": answer.low_confidence,
        "sparse_coverage": answer.sparse_coverage,
        **topic_fields(answer),
    }
    result: dict[str, Any] = to_json_types(shape)
    return result


def kept_answer(raw: Mapping[str, Any]) -> Answer:
    """The answer from the record that a trace or a kept run holds of it, whichever litloop wrote that.

    Raises KeyError or TypeError when the record is damaged.
    """
    return record_from(Answer, renamed_record(raw))


def _paper(use: PaperUse) -> dict[str, Any]:
    paper = use.paper
    return {
        "paper_id": paper.id,
        "title": paper.title,
        "display_title": paper.display_title,
        "authors": paper.authors,
        "year": paper.year,
        "venue": paper.venue,
        "ids": paper.ids,
        "url": paper.url,
        "labels": shown_labels(paper.labels),
        "retracted": paper.retracted,
        "markers": use.markers,
        "relevance": use.relevance.verdict,
        "confidence": use.relevance.confidence,
        "why": use.relevance.why,
        "passages": [
            {"passage_id": p.id, "page": p.page, "heading": p.heading or None, "text": p.text, "stored": p.key > 0}
            for p in use.passages
        ],
        "score": use.score,
        "signals": use.signals,
    }
