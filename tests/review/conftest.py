import pytest
from django.conf import settings

from workflows import engine


@pytest.fixture(scope="session")
def machines(aws_stack):
    settings.STATIC_ROOT.mkdir(parents=True, exist_ok=True)  # WhiteNoise warns where it is missing
    engine.publish_machines(aws_stack.append)


@pytest.fixture
def desk(machines, table, db):
    """An empty table, the machines, and accounts."""
