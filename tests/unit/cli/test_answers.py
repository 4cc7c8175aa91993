"""An answer in the terminal."""

from __future__ import annotations

import pytest

from litloop.cli.answers import show_answer
from litloop.records import Answer, Paper, PaperUse, Relevance


@pytest.mark.parametrize("title", ["RETRACTED: Myelin in mice", "Myelin in mice"])
def test_a_retracted_paper_is_marked_once(title, capsys):
    paper = Paper("r", title, retracted=True)
    use = PaperUse(paper, Relevance("r", "relevant", 0.9), (1,), (), 1.0, {})
    show_answer(Answer(question="?", status="answered", text="Myelin grew [1].", run_id="", papers=(use,)))
    assert capsys.readouterr().out.count("RETRACTED") == 1
