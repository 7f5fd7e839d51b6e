import pytest


@pytest.fixture
def desk(machines, table, db):
    """An empty table, the machines, and accounts."""
