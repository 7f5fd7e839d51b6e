"""Re-analysis requests, and the settings that the new run freezes for them."""

from dataclasses import dataclass, replace
from typing import Any

from django.utils.translation import gettext

from config.errors import Refused, StageFailed
from config.phrase import Figure, Phrase
from projects.models.choice import choose_models
from projects.settings import queries as project_queries
from projects.settings.items import settings_to_store
from projects.settings.values import ANALYZERS, EXTRACT, SUMMARIZERS
from workflows.runs import pinned_types, run_settings
from workflows.runs.pinned_prompts import load_prompts
from workflows.stages.base import RunSettings
from workflows.stages.field_spec import with_threshold

MOST_LETTERS = 2000  # characters of an instruction
SAME, PROJECT = "", "project"  # which fields are extracted: those of the run, or the project's current ones
NOT_FOLLOWED = Phrase(
    "Built-in rules ignore instructions. Select a language model, or change fields, document type or threshold."
)


@dataclass(frozen=True)
class AnalysisRequest:
    """Empty and None: as in the earlier run.

    ``fields``: SAME, PROJECT or the id of one of the site's classifications. ``threshold``: 0–1, for fields without one
    of their own. ``instruction``: empty for none; None for that of the earlier run if models are used again. ``model``:
    an id in the site's catalogue.
    """

    instruction: str | None = None
    analyzer: str = ""
    summarizer: str = ""
    model: str = ""
    fields: str = SAME
    threshold: float | None = None


def merge_wish(site: str, project_id: str, before: RunSettings, wish: AnalysisRequest) -> RunSettings:
    """Return the settings of the new run, with the calibration and extractor that are active now.

    Raises: Refused if it is impossible, has no effect, or nothing differs.
    """
    if len(wish.instruction or "") > MOST_LETTERS:
        raise Refused(
            gettext("The instruction is too long. Use at most %(most_letters)s characters.")
            % {"most_letters": Figure(f"{MOST_LETTERS:,}").translated()}
        )
    pinned = _fields(site, project_id, before, wish)
    pinned = replace(
        pinned,
        analyzer=_one_of(ANALYZERS, wish.analyzer) or before.analyzer,
        summarizer=_one_of(SUMMARIZERS, wish.summarizer) or before.summarizer,
        instruction=before.instruction if wish.instruction is None else wish.instruction,
    )
    asks = run_settings.asks_models(pinned)
    if wish.instruction and not asks:
        raise Refused(NOT_FOLLOWED)
    if not asks:
        pinned = replace(pinned, instruction="", models={}, prompts_sha256="")
    elif wish.model or not pinned.models:
        pinned = _ask_models(site, project_id, pinned, wish)
    pinned = run_settings.with_learned(site, project_id, pinned)
    if pinned == before:
        raise Refused(gettext("Change at least one option. The same settings give the same result."))
    return pinned


def _one_of(choices: Any, value: str) -> str:
    if value and value not in choices:
        raise Refused(gettext("Invalid option. Select one from the list."))
    return value


def _ask_models(site: str, project_id: str, pinned: RunSettings, wish: AnalysisRequest) -> RunSettings:
    """Set the requested model, else those of the project; keep the earlier run's instruction, if any."""
    chosen = {EXTRACT: wish.model} if wish.model else project_queries.get_project(site, project_id).settings.models
    models = choose_models(site, chosen)
    if not pinned.prompts_sha256:
        return run_settings.with_prompts(site, project_id, pinned, models)
    return run_settings.with_models(site, pinned, load_prompts(site, pinned.prompts_sha256), models)


def _fields(site: str, project_id: str, before: RunSettings, wish: AnalysisRequest) -> RunSettings:
    pinned = before
    if wish.fields != SAME:
        data = settings_to_store(project_queries.get_project(site, project_id).settings)
        if wish.fields != PROJECT:
            data = {**data, "classification_id": wish.fields}
        now = run_settings.settings_of(site, project_id, data)
        governed = ("classification_id", "classification_name", "classification_version", "site_schema_version")
        taken = (
            "fields",
            "default_threshold",
            "document_prompt",
            "prompts_sha256",
            "models",
            "typing",
            "types_sha256",
            *governed,
        )
        pinned = replace(before, **{name: getattr(now, name) for name in taken})
    if wish.threshold is None:
        return pinned
    if not 0 <= wish.threshold <= 1:
        raise Refused(gettext("The review threshold must be from 0 to 100 %."))
    return replace(
        pinned,
        fields=with_threshold(pinned.fields, pinned.default_threshold, wish.threshold),
        types_sha256=_types(site, pinned, wish.threshold),
        default_threshold=wish.threshold,
    )


def _types(site: str, before: RunSettings, threshold: float) -> str:
    """Return the same document types, whose fields are extracted once the type is known."""
    try:
        book = pinned_types.load_types(site, before.types_sha256)
    except StageFailed as error:
        raise Refused(
            gettext("The document types of this run cannot be loaded. Select the project's fields.")
        ) from error
    return pinned_types.pin(site, book.with_threshold(before.default_threshold, threshold))
