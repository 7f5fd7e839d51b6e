"""The flow tests run on every engine and broker; those of Step Functions alone say so."""

from collections.abc import Iterator

import pytest

from tests.engines import KINDS, STEP_FUNCTIONS, EngineKind, running_on
from tests.pump import Pump


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "engine_kind" in metafunc.fixturenames:
        alone = metafunc.definition.get_closest_marker("step_functions")
        kinds = (STEP_FUNCTIONS,) if alone else KINDS
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
