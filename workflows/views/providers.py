"""The services page under the settings: who may do the work of a stage, and whether they answer."""

from dataclasses import dataclass

from django.conf import settings
from django.http import HttpResponse
from django.views.decorators.http import require_safe

from config import clock
from projects import access, doers
from projects.http import DeskRequest, answer
from projects.schema import SETTING_LABELS
from workflows import queries
from workflows.engines import engine_choice
from workflows.items.providers import ProviderState
from workflows.providers.names import LABELS
from workflows.views.marks import Mark

ANSWERS = Mark("good", "check", "No trouble known")
FAILED = Mark("warn", "alert", "Failed last time")
PAUSED = Mark("bad", "pause", "Left alone")
TRIED = Mark("warn", "refresh", "Is tried again")


@dataclass(frozen=True)
class ProviderRow:
    """``until``: the instant before which nobody asks."""

    label: str
    mark: Mark
    error: str = ""
    failures: int = 0
    failed_at: str | None = None
    until: str | None = None


def row(name: str, state: ProviderState | None, now: str) -> ProviderRow:
    label = LABELS.get(name, name)
    if state is None or not state.failures:
        return ProviderRow(label, ANSWERS)
    mark = FAILED
    if state.open_until:
        mark = PAUSED if state.open_until > now else TRIED
    until = state.open_until if mark == PAUSED else None
    return ProviderRow(label, mark, state.message or "", int(state.failures), state.failed_at, until)


@require_safe
def list_providers(request: DeskRequest) -> HttpResponse:
    access.check_can_configure(request)
    known = {state.provider: state for state in queries.provider_states()}
    now = clock.iso(clock.now())
    defaults = [
        (SETTING_LABELS[name], choices.get(doers.desk_default(name), doers.desk_default(name)))
        for name, choices in doers.CHOICES.items()
    ]
    context = {
        "rows": [row(name, known.get(name), now) for name in LABELS],
        "defaults": defaults,
        "engine": engine_choice.words(),
        "models": (settings.BEDROCK_MODEL, settings.BEDROCK_STRONG_MODEL),
        "takeover": settings.TAKEOVER_PERCENT,
        "most": settings.PROVIDER_FAILURES,
    }
    return answer(request, "settings/services.html", None, context)
