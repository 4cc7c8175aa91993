"""The rule tables themselves."""

from __future__ import annotations

from typing import get_args

import pytest

from litloop.question.record import AnswerType, Decomposition, Intent, Shape
from litloop.question.rules import rules
from litloop.question.tables import compiled, read_table

COLUMNS = {"shape": Shape, "answer_type": AnswerType, "decomposition": Decomposition, "intent": Intent}


@pytest.mark.parametrize("column", COLUMNS)
def test_every_rule_has_a_name_of_its_own_and_a_known_value(column: str) -> None:
    rows = rules(column)
    assert len({row.name for row in rows}) == len(rows)
    assert {row.value for row in rows} <= set(get_args(COLUMNS[column]))


@pytest.mark.parametrize("column", COLUMNS)
def test_the_last_row_holds_for_everything(column: str) -> None:
    last = rules(column)[-1]
    assert not any((last.among, last.text, last.anywhere, last.unless, last.terms, last.clauses))


def test_macros_are_written_out() -> None:
    assert all(f"<{name}>" not in compiled(f"<{name}>").pattern for name in read_table("macros.toml"))
