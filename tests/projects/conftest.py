"""Pages are asked for here without a collectstatic before."""

import pytest
from django.conf import settings

from tests.projects.make_schemas import make_attributes


@pytest.fixture(autouse=True, scope="session")
def static_root():
    settings.STATIC_ROOT.mkdir(parents=True, exist_ok=True)  # WhiteNoise warns where it is missing


@pytest.fixture
def attributes(table):
    """The definitions that the schemas of these tests are made of."""
    make_attributes()
