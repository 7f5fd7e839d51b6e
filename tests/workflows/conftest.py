"""Pages are asked for here without a collectstatic before."""

import pytest
from django.conf import settings

from tests.factories import ended_run
from tests.projects.projects import make_project
from workflows.runs.items import Run


@pytest.fixture(autouse=True, scope="session")
def static_root():
    settings.STATIC_ROOT.mkdir(parents=True, exist_ok=True)  # WhiteNoise warns where it is missing


@pytest.fixture
def run(table: str) -> Run:
    """A run that has ended, of a project that is there."""
    return ended_run(project_id=make_project().id)
