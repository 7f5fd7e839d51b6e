"""The services page under the settings: the providers of each stage, and their circuit breakers."""

from dataclasses import dataclass

from django.conf import settings
from django.http import HttpResponse
from django.views.decorators.http import require_safe

from config import aws, clock
from config.laptop import embedded_model
from config.phrase import Phrase, tell_sentence
from projects.models import queries as model_queries
from projects.models.spec import EMBEDDED, OPENAI
from projects.settings import provider_choice
from projects.settings.values import SETTING_LABELS
from projects.sites import access
from projects.web.http import DeskRequest, render_answer
from workflows.providers import queries as providers_queries
from workflows.providers.bda import BDA
from workflows.providers.endpoint import ENDPOINT
from workflows.providers.items import ProviderState
from workflows.providers.names import LABELS
from workflows.runs import engine_choice
from workflows.runs.views.state_labels import Mark

NOT_SET_UP = Mark("", "minus", Phrase("Not configured"))
UNUSED = Mark("", "clock", Phrase("Not used yet"))
OPERATIONAL = Mark("good", "check", Phrase("Operational"))
FAILING = Mark("bad", "alert", Phrase("Failing"))
PAUSED = Mark("bad", "pause", Phrase("Paused"))
RETRYING = Mark("warn", "refresh", Phrase("Retrying"))


@dataclass(frozen=True)
class ProviderRow:
    """``failures``: consecutive; ``worked_at``: of the last successful call; ``until``: end of the pause."""

    label: str
    mark: Mark
    error: str = ""
    failures: int = 0
    failed_at: str | None = None
    worked_at: str | None = None
    until: str | None = None


def make_provider_row(name: str, state: ProviderState | None, now: str) -> ProviderRow:
    label = LABELS.get(name, name)
    if state is None:
        return ProviderRow(label, UNUSED if is_set_up(name) else NOT_SET_UP)
    mark = _mark(name, state, now)
    until = state.open_until if mark == PAUSED else None
    return ProviderRow(
        label,
        mark,
        tell_sentence(state.message or ""),
        int(state.failures or 0),
        state.failed_at,
        state.worked_at,
        until,
    )


def _mark(name: str, state: ProviderState, now: str) -> Mark:
    """The circuit breaker's state takes precedence over this process's settings."""
    if state.failures and state.open_until:
        return PAUSED if state.open_until > now else RETRYING
    if state.failures or state.refused_at:
        return FAILING if is_set_up(name) or state.worked_at else NOT_SET_UP
    if state.worked_at:
        return OPERATIONAL
    return UNUSED if is_set_up(name) else NOT_SET_UP


def is_set_up(name: str) -> bool:
    """Return True if the workers have the settings that they need to call it."""
    if name == ENDPOINT.name:
        return bool(settings.OCR_ENDPOINT_URL)
    if name == EMBEDDED:
        return embedded_model.is_installed()
    if name.startswith((OPENAI, f"{ENDPOINT.name}-")):
        return True  # only those that are configured are listed
    if name == BDA.name and not settings.BDA_PROJECT_ARN:
        return False
    return aws.provider_credentials()


@require_safe
def list_providers(request: DeskRequest) -> HttpResponse:
    access.check_can_configure(request)
    known = {state.provider: state for state in providers_queries.provider_states()}
    now = clock.iso(clock.now())
    defaults = [
        (SETTING_LABELS[name], choices.get(provider_choice.desk_default(name), provider_choice.desk_default(name)))
        for name, choices in provider_choice.list_choices(request.site).items()
    ]
    context = {
        "rows": [make_provider_row(name, known.get(name), now) for name in LABELS],
        "defaults": defaults,
        "engine": engine_choice.words(),
        "model": model_queries.get_model(request.site, settings.MODEL),
        "most": settings.PROVIDER_FAILURES,
    }
    return render_answer(request, "workflows/providers/services.html", None, context)
