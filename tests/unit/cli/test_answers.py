"""An answer in the terminal."""

from __future__ import annotations

from dataclasses import replace

import pytest

from litloop.cli.answers import show_answer
from litloop.core.records import Answer, AnswerSentence, AnswerWithEvidence, LeftOut, Paper, PaperUse, Relevance


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


def test_statements_that_were_left_out_can_be_read_marked_and_act_on_no_terminal(capsys):
    left_out = (
        LeftOut("Sales \x1b[31mdoubled.", "unsupported", "its quote is not in the passage", ("sales doubled",)),
        LeftOut("Nobody knows.", "uncited", "it cites nothing"),
    )
    contract = AnswerWithEvidence("x", (), True, False, left_out=left_out)
    show_answer(Answer(question="?", status="partial", text="Text.", run_id="", contract=contract))
    shown = " ".join(capsys.readouterr().out.split())
    assert "Left out of the answer (2 statements)" in shown
    assert "uncited: “Nobody knows.”: it cites nothing." in shown
    assert "Its quote: “sales doubled”" in shown
    assert "\x1b[31m" not in shown
