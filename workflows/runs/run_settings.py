"""The settings that a run freezes, from its project and schemas: as a value and as stored JSON."""

import dataclasses
import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from django.conf import settings
from django.utils.translation import gettext

from config.errors import NotFound, Refused
from projects.models import choice as model_choice
from projects.models.choice import ModelChoice
from projects.prompts import choice as prompt_choice
from projects.prompts.book import PromptBook
from projects.schemas import queries as schema_queries
from projects.schemas.governed import list_governed_fields
from projects.schemas.governing import Governing
from projects.settings import queries as project_queries
from projects.settings.provider_choice import chosen_provider
from projects.settings.values import BY_MODEL, DEFAULT_FIELDS, FieldSetting, date_range
from workflows.runs import pinned_prompts, pinned_types
from workflows.stages.base import FieldSpec, RunSettings
from workflows.stages.document_types.types import PinnedTypes, TypeSpec

UNGOVERNED = Governing()
_LEARNED = (
    "calibration_version", "calibration_sha256", "calibration_paused", "extractor_version", "extractor_sha256",
)  # fmt: skip


def settings_of(site: str, project_id: str, data: Mapping[str, Any]) -> RunSettings:
    """Return the settings of a run that starts now; ``data`` is the project's map.

    A project without fields, as written by older versions, gets the default ones that its page shows.

    Raises:
        Refused: the project's classification, or a model that it chose, is gone.

    """
    pinned = freeze_project(site, data)
    if not asks_models(pinned):
        return pinned
    return with_prompts(site, project_id, pinned, model_choice.choose_models(site, data.get("models") or {}))


def freeze_project(site: str, data: Mapping[str, Any]) -> RunSettings:
    """Return the settings without prompts. Raises: Refused."""
    pinned = _read_by(site, {"fields": default_fields(), **data})
    return dataclasses.replace(pinned, ocr=model_choice.choose_ocr_model(site, pinned.ocr_model).to_json())


def default_fields() -> list[dict[str, Any]]:
    """Return the default fields, in the format of a project's ``data``."""
    return [dataclasses.asdict(one) for one in DEFAULT_FIELDS]


def with_prompts(site: str, project_id: str, pinned: RunSettings, models: Mapping[str, ModelChoice]) -> RunSettings:
    """Add the project's current prompts and these models to the settings."""
    # If the run determines the type, all types are pinned.
    types = None if pinned.typing else (pinned.classification_id,)
    return with_models(site, pinned, prompt_choice.choose_book(site, project_id, types=types), models)


def with_models(site: str, pinned: RunSettings, book: PromptBook, models: Mapping[str, ModelChoice]) -> RunSettings:
    sha256 = pinned_prompts.pin_prompts(site, book, models)
    names = {purpose: one.spec.id for purpose, one in models.items()}
    return dataclasses.replace(pinned, prompts_sha256=sha256, models=names)


def asks_models(pinned: RunSettings) -> bool:
    return bool(list_asking_steps(pinned))


def list_asking_steps(pinned: RunSettings) -> set[str]:
    """Return the names of the steps that call a model."""
    chosen = {"segment_analyzer": pinned.analyzer, "document_summarizer": pinned.summarizer}
    return {step for step, doer in chosen.items() if doer == BY_MODEL}


def _read_by(site: str, known: Mapping[str, Any]) -> RunSettings:
    """Return settings with the fields of the project's classification, the type to find, or the project itself."""
    fixed = str(known.get("classification_id") or "")
    if known.get("typing") and not fixed and (typed := _settings_before_type(site, known)):
        return typed
    try:
        governing = schema_queries.get_governing(site, fixed)
    except NotFound as error:
        raise Refused(
            gettext("The project's document type no longer exists. Select another in its settings.")
        ) from error
    return freeze(known, governing)


def _settings_before_type(site: str, known: Mapping[str, Any]) -> RunSettings | None:
    """Return settings for a document whose type is to be found; None if the site has no types."""
    none, *each = schema_queries.list_governing(site)
    if not each:
        return None
    frozen = [freeze(known, one) for one in each]
    types = tuple(
        TypeSpec(one.classification_id, one.classification_name, one.classification_version, one.fields)
        for one in frozen
    )
    sha256 = pinned_types.pin(site, PinnedTypes(types))
    return dataclasses.replace(freeze(known, none), typing=str(known["typing"]), types_sha256=sha256)


def find_unknown_fields(site: str, names: Sequence[str]) -> list[str]:
    """Return those that are neither an attribute of the site, as document types have, nor a field of a project."""
    attributes = schema_queries.definitions_of(site, names)
    left = [name for name in names if name not in attributes]
    if not left:
        return []
    for project in project_queries.every_project(site):
        data = {"fields": default_fields(), **(project.data.as_dict() if project.data else {})}
        own = {one["name"] for one in data["fields"]}
        left = [name for name in left if name not in own]
        if not left:  # the next hundred projects need no read
            break
    return left


def freeze(data: Mapping[str, Any], governing: Governing = UNGOVERNED) -> RunSettings:
    """Return the settings of a project's ``data`` map; missing parts of older projects get the documented defaults."""
    policy = data.get("review_policy") or {}
    classified, calibration = governing.classification, data.get("calibration") or {}
    extractor = data.get("extractor") or {}
    return RunSettings(
        language=str(data.get("language") or "en"),
        document_prompt=str(data.get("document_prompt") or ""),
        ocr_model=chosen_provider(data, "ocr_model"),
        ocr_options=dict(data.get("ocr_options") or {}),
        default_threshold=float(policy.get("default_threshold", 0.8)),
        queue=str(data.get("review_queue") or ""),
        fields=tuple(_fields(data, policy, governing)),
        classification_id=governing.classification_id,
        classification_name=classified.name if classified else "",
        classification_version=governing.classification_version,
        site_schema_version=governing.site_version,
        analyzer=chosen_provider(data, "analyzer"),
        transcriber=chosen_provider(data, "transcriber"),
        summarizer=chosen_provider(data, "summarizer"),
        use_bda=bool(data.get("use_bda")),
        calibration_version=int(calibration.get("version") or 0),
        calibration_sha256=str(calibration.get("sha256") or ""),
        calibration_paused=bool(calibration.get("paused_at")),
        extractor_version=int(extractor.get("version") or 0),
        extractor_sha256=str(extractor.get("sha256") or ""),
        audit_share=float(policy.get("audit_share") or 0.0),
        most_wrong=float(policy.get("most_wrong", settings.MOST_WRONG_PERCENT / 100)),
        unseen_allowed=bool(policy.get("unseen_allowed")),
        lacking_allowed=bool(policy.get("lacking_allowed")),
        reject_reasons=str(policy.get("reject_reasons") or ""),
        check_share=float(policy.get("check_share") or 0.0),
        quorum=str(policy.get("quorum") or ""),
    )


def with_learned(site: str, project_id: str, pinned: RunSettings) -> RunSettings:
    """Return the settings with the project's active calibration and extractor; unchanged if the project is gone.

    For runs whose values are found and judged again: those of the earlier run may be paused by now.
    """
    try:
        now = freeze(project_queries.get_project(site, project_id).data.as_dict())
    except NotFound:
        return pinned
    return dataclasses.replace(pinned, **{name: getattr(now, name) for name in _LEARNED})


def _fields(data: Mapping[str, Any], policy: Mapping[str, Any], governing: Governing) -> Iterator[FieldSpec]:
    default = float(policy.get("default_threshold", 0.8))
    thresholds = {name: float(share) for name, share in (policy.get("thresholds") or {}).items()}
    own = list(_list_fields(data, set(policy.get("required") or ())))
    told = {one.name: one for one in own}  # also for attributes of a document type
    for one in list_governed_fields(own, thresholds, governing):
        threshold = default if one.threshold is None else one.threshold
        mine = told.get(one.name)
        yield FieldSpec(
            one.name, one.label, one.type, one.required, threshold, one.allowed, one.default, one.date_range,
            mine.description if mine else "", mine.examples if mine else "", one.columns,
        )  # fmt: skip


def _list_fields(data: Mapping[str, Any], required: set[str]) -> Iterator[FieldSetting]:
    for one in data.get("fields") or ():
        name = str(one["name"])
        kind = str(one.get("type") or "text")
        is_required, plausible = (
            bool(one.get("required")) or name in required,
            date_range(name, kind, one.get("date_range")),
        )
        yield FieldSetting(
            name, str(one.get("label") or name), kind, is_required, date_range=plausible,
            description=str(one.get("description") or ""), examples=str(one.get("examples") or ""),
            columns=str(one.get("columns") or ""),
        )  # fmt: skip


def to_json(pinned: RunSettings) -> str:
    fields = [
        {name: value for name, value in dataclasses.asdict(one).items() if value or name not in FieldSpec.OPTIONAL}
        for one in pinned.fields
    ]
    return json.dumps(
        dataclasses.asdict(pinned) | {"fields": fields}, ensure_ascii=False, separators=(",", ":"), sort_keys=True
    )


def from_json(text: str | None) -> RunSettings:
    """Parse the frozen settings; a run of an older system has none and gets the defaults."""
    if not text:
        return freeze({})
    data = json.loads(text)
    fields = tuple(FieldSpec.from_stored(field) for field in data.pop("fields"))
    return RunSettings(**data, fields=fields)
