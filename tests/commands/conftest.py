"""Commands quieten the log for their terminal; the process of the tests goes on after them."""

import logging
from collections.abc import Iterator

import pytest


@pytest.fixture(autouse=True)
def _log_level() -> Iterator[None]:
    root = logging.getLogger()
    level = root.level
    yield
    root.setLevel(level)
