"""The flow tests run on Step Functions; those marked ``every_engine`` are the engines' contract and run on each.

What a run asks of its engine and nothing else depends on: start, answer, refuse, retry, state, stop, wait, timeout, a
lost message, a message that comes twice, one that is put aside or deferred, and a continuation after a crash.

Those marked ``every_engine("slow")`` use the contract and are no part of it: ``make test-slow`` runs them on each.
"""

from collections.abc import Iterator

import pytest

from tests.engines import KINDS, STEP_FUNCTIONS, EngineKind, running_on
from tests.pump import Pump


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "engine_kind" in metafunc.fixturenames:
        contract = metafunc.definition.get_closest_marker("every_engine")
        others = [kind for kind in KINDS if contract and kind != STEP_FUNCTIONS]
        if contract and contract.args:
            others = [pytest.param(kind, marks=getattr(pytest.mark, contract.args[0])) for kind in others]
        kinds = [STEP_FUNCTIONS, *others]
        metafunc.parametrize("engine_kind", kinds, ids=lambda kind: kind.name, indirect=True)


@pytest.fixture
def engine_kind(request: pytest.FixtureRequest) -> Iterator[EngineKind]:
    """The engine that drives runs in this test, on its broker."""
    with running_on(request.param):
        yield request.param


@pytest.fixture
def pump(engine_kind: EngineKind, machines: None, table: str) -> Pump:
    """Delivers messages to tasks in this process, beside an empty table."""
    return Pump()
