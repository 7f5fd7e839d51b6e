"""What a run freezes of its project at the start, as a value and as the JSON that the table keeps."""

import dataclasses
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from workflows.stages.base import FieldSpec, RunSettings


@dataclass(frozen=True)
class Run:
    """Which run of which document: enough to find every record and every file of it."""

    site: str
    project_id: str
    document_id: str
    workflow_id: str


def freeze(data: Mapping[str, Any]) -> RunSettings:
    """The settings of a project's ``data`` map; older projects without schema or policy get the documented defaults."""
    policy = data.get("review_policy") or {}
    default = float(policy.get("default_threshold", 0.8))
    thresholds = policy.get("thresholds") or {}
    required = set(policy.get("required") or ())
    return RunSettings(
        language=str(data.get("language") or "en"),
        document_prompt=str(data.get("document_prompt") or ""),
        ocr_model=str(data.get("ocr_model") or "pp-ocrv5"),
        ocr_options=dict(data.get("ocr_options") or {}),
        default_threshold=default,
        queue=str(data.get("review_queue") or ""),
        fields=tuple(
            FieldSpec(
                name=str(field["name"]),
                label=str(field.get("label") or field["name"]),
                type=str(field.get("type") or "text"),
                required=bool(field.get("required")) or field["name"] in required,
                threshold=float(thresholds.get(field["name"], default)),
            )
            for field in data.get("fields") or ()
        ),
    )


def to_json(settings: RunSettings) -> str:
    return json.dumps(dataclasses.asdict(settings), ensure_ascii=False, separators=(",", ":"), sort_keys=True)


def from_json(text: str | None) -> RunSettings:
    """The frozen settings; a run that an older system wrote has none and gets the defaults."""
    if not text:
        return freeze({})
    data = json.loads(text)
    fields = tuple(FieldSpec(**field) for field in data.pop("fields"))
    return RunSettings(**data, fields=fields)
