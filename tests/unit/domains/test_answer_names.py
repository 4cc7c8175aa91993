from __future__ import annotations

from litloop.answer.answer_json import answer_json, kept_answer
from litloop.core.events import to_json_types
from litloop.core.records import Alternative, Answer, Check, ClosestTopic
from litloop.domains.answer_names import alternatives_from, check_fields, differentials

ALTERNATIVE = Alternative("Multiple system atrophy", "falls", "p1", "Falls were early.", "supported")
ANSWER = Answer(
    "What causes early falls?", "answered", "Falls were early [1].", "run",
    closest_topics=(ClosestTopic("PSP", 0.8, 4),), alternatives=(ALTERNATIVE,),
    checks=(Check("alternative", 0, None, "supported"), Check("citation", 0, 1, "supported")),
    matched_topic="PSP", topic_paper_count=4,
)  # fmt: skip


def test_the_api_keeps_the_names_it_has_had_for_topics_and_alternatives():
    told = answer_json(ANSWER)
    assert (told["best_condition"], told["corpus_paper_count"]) == ("PSP", 4)
    assert told["suggested_conditions"] == ["PSP"]
    assert told["differentials"] == [
        {"condition": "Multiple system atrophy", "why": "falls", "paper_id": "p1", "quote": "Falls were early.",
         "verdict": "supported"},
    ]  # fmt: skip
    assert [check["kind"] for check in told["checks"]] == ["differential", "citation"]


def test_an_answer_kept_today_is_read_back_whole():
    assert kept_answer(to_json_types(ANSWER)) == ANSWER


def test_an_answer_kept_by_0_1_is_read_under_todays_names():
    record = to_json_types(ANSWER)
    for now in ("alternatives", "matched_topic", "topic_paper_count"):
        del record[now]
    record |= {"differentials": differentials([ALTERNATIVE]), "best_condition": "PSP", "corpus_paper_count": 4}
    record["checks"] = [check_fields(check) for check in ANSWER.checks]
    assert kept_answer(record) == ANSWER


def test_alternatives_come_back_from_the_names_of_the_api():
    assert alternatives_from(differentials([ALTERNATIVE])) == (ALTERNATIVE,)
