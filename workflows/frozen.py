"""What a run freezes of its project and of what governs it, as a value and as the JSON that the table keeps."""

import dataclasses
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from config.errors import NotFound, Refused
from projects import queries
from projects.governing import BOOLEANS, AttributeDefinition, AttributeUse, Governing
from projects.schema import DEFAULT_FIELDS
from workflows.stages.base import FieldSpec, RunSettings

UNGOVERNED = Governing()


@dataclass(frozen=True)
class Run:
    """Which run of which document: enough to find every record and every file of it."""

    site: str
    project_id: str
    document_id: str
    workflow_id: str


def settings_of(site: str, data: Mapping[str, Any]) -> RunSettings:
    """What a run of this project freezes if it starts now; ``data`` is the project's map.

    A project that knows no fields, as an older writer's, is read by the default ones that its page shows.

    Raises:
        Refused: the project's classification is gone.

    """
    try:
        governing = queries.schemas.governing(site, str(data.get("classification_id") or ""))
    except NotFound as error:
        raise Refused("The classification of this project is gone. Choose another in its settings.") from error
    known = {"fields": [dataclasses.asdict(one) for one in DEFAULT_FIELDS], **data}
    return freeze(known, governing)


def freeze(data: Mapping[str, Any], governing: Governing = UNGOVERNED) -> RunSettings:
    """The settings of a project's ``data`` map; older projects without schema or policy get the documented defaults.

    A classification's attributes take the place of the project's own fields. What the site's schema requires is read
    in every run; where both name an attribute, the classification's allowed values and default count.
    """
    policy = data.get("review_policy") or {}
    classified = governing.classification
    return RunSettings(
        language=str(data.get("language") or "en"),
        document_prompt=str(data.get("document_prompt") or ""),
        ocr_model=str(data.get("ocr_model") or "pp-ocrv5"),
        ocr_options=dict(data.get("ocr_options") or {}),
        default_threshold=float(policy.get("default_threshold", 0.8)),
        queue=str(data.get("review_queue") or ""),
        fields=tuple(_fields(data, policy, governing)),
        classification_id=governing.classification_id,
        classification_name=classified.name if classified else "",
        classification_version=governing.classification_version,
        site_schema_version=governing.site_version,
    )


def _fields(data: Mapping[str, Any], policy: Mapping[str, Any], governing: Governing) -> Iterator[FieldSpec]:
    default = float(policy.get("default_threshold", 0.8))
    thresholds = {name: float(share) for name, share in (policy.get("thresholds") or {}).items()}
    site = {use.key: use for use in governing.site.uses}
    if governing.classification is None:
        own = list(_listed(data, set(policy.get("required") or ())))
    else:
        own = list(_used(governing.classification.uses, governing))
    named = {one.name for one in own}
    own += _used([use for use in site.values() if use.required and use.key not in named], governing)
    for one in own:
        spec = _governed(one, site[one.name], governing.definitions.get(one.name)) if one.name in site else one
        yield replace(spec, threshold=thresholds.get(spec.name, default))


def _listed(data: Mapping[str, Any], required: set[str]) -> Iterator[FieldSpec]:
    for one in data.get("fields") or ():
        name, label = str(one["name"]), str(one.get("label") or one["name"])
        yield FieldSpec(name, label, str(one.get("type") or "text"), bool(one.get("required")) or name in required, 0)


def _used(uses: Any, governing: Governing) -> Iterator[FieldSpec]:
    for use in uses:
        definition = governing.definitions.get(use.key)
        if definition is not None and definition.is_read:  # one of an older writer may have no value to read
            yield _governed(FieldSpec(use.key, definition.label, definition.kind, False, 0), use, definition)


def _governed(one: FieldSpec, use: AttributeUse, definition: AttributeDefinition | None) -> FieldSpec:
    """``one`` under ``use``: what it says itself already stays."""
    kind = definition.kind if definition is not None and definition.is_read else one.type
    return replace(
        one,
        type=kind,
        required=one.required or use.required,
        allowed=BOOLEANS if kind == "boolean" else one.allowed or use.allowed,
        default=one.default or use.default,
    )


def to_json(settings: RunSettings) -> str:
    return json.dumps(dataclasses.asdict(settings), ensure_ascii=False, separators=(",", ":"), sort_keys=True)


def from_json(text: str | None) -> RunSettings:
    """The frozen settings; a run that an older system wrote has none and gets the defaults."""
    if not text:
        return freeze({})
    data = json.loads(text)
    fields = tuple(FieldSpec.of(field) for field in data.pop("fields"))
    return RunSettings(**data, fields=fields)
