import pytest

from tests.pump import Pump
from workflows import engine


@pytest.fixture(scope="session")
def machines(aws_stack: list[str]) -> None:
    engine.publish_machines(aws_stack.append)


@pytest.fixture
def pump(machines: None, table: str) -> Pump:
    return Pump()
