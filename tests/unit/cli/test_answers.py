"""An answer in the terminal."""

from __future__ import annotations

from dataclasses import replace

import pytest

from litloop.cli.answers import show_answer
from litloop.core.records import Answer, AnswerSentence, Paper, PaperUse, Relevance


@pytest.mark.parametrize("title", ["RETRACTED: Myelin in mice", "Myelin in mice"])
def test_a_retracted_paper_is_marked_once(title, capsys):
    paper = Paper("r", title, retracted=True)
    use = PaperUse(paper, Relevance("r", "relevant", 0.9), (1,), (), 1.0, {})
    told = AnswerSentence("Myelin grew.", ())
    cited = Answer(question="?", status="answered", text="", run_id="", papers=(use,), sentences=(told,))
    nearest = Answer(question="?", status="not_found", text="", run_id="", papers=(replace(use, markers=()),))
    for answer in (cited, nearest):
        show_answer(answer)
        assert capsys.readouterr().out.count("RETRACTED") == 1
