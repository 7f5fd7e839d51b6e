"""A project as the table keeps it: which fields are read, with which means, and how sure is sure enough."""

from typing import Any

from pynamodb.attributes import BooleanAttribute, ListAttribute, MapAttribute, NumberAttribute, UnicodeAttribute

from config.item import Item
from projects.schema import DEFAULT_FIELDS, DEFAULT_OCR_MODEL, DEFAULT_THRESHOLD, FieldSetting, ProjectSettings


class StoredField(MapAttribute[str, Any]):
    name = UnicodeAttribute()
    label = UnicodeAttribute()
    type = UnicodeAttribute()
    required = BooleanAttribute(default=False)


class StoredPolicy(MapAttribute[str, Any]):
    """Thresholds are 0–1; ``thresholds`` has only the fields whose own differs from the default."""

    default_threshold = NumberAttribute()
    thresholds: MapAttribute[str, float] = MapAttribute(default=dict)
    required: ListAttribute[str] = ListAttribute(default=list)


class ProjectData(MapAttribute[str, Any]):
    """Seed 000's map, then ours: ``fields``, ``review_policy``, ``version``, ``updated_by``."""

    project_id = UnicodeAttribute()
    name = UnicodeAttribute()
    description = UnicodeAttribute(null=True)
    status = UnicodeAttribute(default="active")
    created_by = UnicodeAttribute(null=True)
    language = UnicodeAttribute(null=True)
    color = NumberAttribute(null=True)
    document_prompt = UnicodeAttribute(null=True)
    ocr_model = UnicodeAttribute(null=True)
    ocr_options: MapAttribute[str, Any] = MapAttribute(null=True)
    fields: ListAttribute[StoredField] = ListAttribute(of=StoredField, null=True)
    review_policy = StoredPolicy(null=True)
    version = NumberAttribute(null=True)
    updated_by = UnicodeAttribute(null=True)


class Project(Item):
    data = ProjectData(null=True)
    # Flat copies, since an index cannot project inside ``data``.
    project_id = UnicodeAttribute(null=True)
    name = UnicodeAttribute(null=True)
    status = UnicodeAttribute(null=True)
    created_at = UnicodeAttribute()
    updated_at = UnicodeAttribute()

    @property
    def version(self) -> int:
        """0 for a project that an older writer made, which knew no versions."""
        return int(self.data.version or 0)

    @property
    def settings(self) -> ProjectSettings:
        data = self.data
        policy = data.review_policy
        return ProjectSettings(
            name=data.name,
            description=data.description or "",
            language=data.language or "en",
            document_prompt=data.document_prompt or "",
            ocr_model=data.ocr_model or DEFAULT_OCR_MODEL,
            ocr_options=data.ocr_options.as_dict() if data.ocr_options else {},
            fields=_fields(data),
            default_threshold=float(policy.default_threshold) if policy else DEFAULT_THRESHOLD,
        )


def _fields(data: ProjectData) -> tuple[FieldSetting, ...]:
    if data.fields is None:
        return DEFAULT_FIELDS  # an older writer's project has no schema of its own; an empty list is a choice
    own = data.review_policy.thresholds.as_dict() if data.review_policy else {}
    required = set(data.review_policy.required) if data.review_policy else set()
    return tuple(
        FieldSetting(one.name, one.label, one.type, one.required or one.name in required, _share(own.get(one.name)))
        for one in data.fields
    )


def _share(stored: float | None) -> float | None:
    return None if stored is None else float(stored)


def stored_settings(settings: ProjectSettings) -> dict[str, Any]:
    """The entries of ``data`` that an admin's settings become; numbers 0–1."""
    return {
        "name": settings.name,
        "description": settings.description,
        "language": settings.language,
        "document_prompt": settings.document_prompt,
        "ocr_model": settings.ocr_model,
        "ocr_options": dict(settings.ocr_options),
        "fields": [
            StoredField(name=one.name, label=one.label, type=one.type, required=one.required) for one in settings.fields
        ],
        "review_policy": StoredPolicy(
            default_threshold=settings.default_threshold,
            thresholds={one.name: one.threshold for one in settings.fields if one.threshold is not None},
            required=[one.name for one in settings.fields if one.required],
        ),
    }
