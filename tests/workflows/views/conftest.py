"""Pages are asked for here without a collectstatic before."""

import pytest
from django.conf import settings


@pytest.fixture(autouse=True, scope="session")
def static_root():
    settings.STATIC_ROOT.mkdir(parents=True, exist_ok=True)  # WhiteNoise warns where it is missing
