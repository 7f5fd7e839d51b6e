"""What the embedded AWS does otherwise than ministack alone."""

import itertools

import jsonata
import pytest
from jsonata.timebox import Timebox
from ministack.services import stepfunctions

from config.laptop.emulator_patches import give_expressions_time

EXPRESSION = "$states.input.pages > 3 and $states.input.pages < 9"


@pytest.fixture
def overtaken(monkeypatch: pytest.MonkeyPatch) -> None:
    """A machine so busy that two seconds pass at each look at the clock."""
    clock = itertools.count(0, 2000)
    monkeypatch.setattr(Timebox, "current_milli_time", staticmethod(lambda: next(clock)))
    monkeypatch.setattr(jsonata.Jsonata, "jsonata", jsonata.Jsonata.jsonata)


@pytest.mark.usefixtures("overtaken")
def test_ministack_alone_fails_an_execution_that_others_overtake() -> None:
    with pytest.raises(stepfunctions._ExecutionError, match="D1012"):
        stepfunctions._evaluate_jsonata(EXPRESSION, {"pages": 4})


@pytest.mark.usefixtures("overtaken")
def test_an_expression_may_be_overtaken() -> None:
    give_expressions_time()
    assert stepfunctions._evaluate_jsonata(EXPRESSION, {"pages": 4}) is True
