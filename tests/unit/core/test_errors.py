from __future__ import annotations

import copy
import pickle

import pytest

from litloop.core.errors import LitloopError, MissingExtra, SourceError, UsageError

RAISED = [UsageError("No."), SourceError("locked", "It needs a password."), MissingExtra("Ray", "ray")]


@pytest.mark.parametrize("error", RAISED, ids=lambda error: type(error).__name__)
@pytest.mark.parametrize("carried", [lambda error: pickle.loads(pickle.dumps(error)), copy.deepcopy])
def test_an_error_comes_whole_out_of_another_process(error: LitloopError, carried) -> None:
    arrived = carried(error)
    assert (type(arrived), str(arrived), vars(arrived)) == (type(error), str(error), vars(error))
