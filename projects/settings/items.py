"""Items of projects: fields, models, thresholds."""

from collections.abc import Mapping
from typing import Any

from pynamodb.attributes import UnicodeAttribute
from pynamodb.expressions.update import Action

from config.item import Item, map_attribute
from projects.settings.values import (
    DEFAULT_FIELDS,
    DEFAULT_OCR_MODEL,
    DEFAULT_THRESHOLD,
    FieldSetting,
    ProjectSettings,
    date_range,
)


class Project(Item):
    """``data`` is seed 000's map, plus ours: ``fields``, ``review_policy``, ``version``, ``updated_by``."""

    data = map_attribute(null=True)  # null only in index rows, which do not project it
    # Flat copies, since an index cannot project inside ``data``.
    project_id = UnicodeAttribute(null=True)
    name = UnicodeAttribute(null=True)
    status = UnicodeAttribute(null=True)
    created_at = UnicodeAttribute()
    updated_at = UnicodeAttribute()

    @property
    def id(self) -> str:
        """Also for older rows without flat attributes, where it is the end of the key."""
        return self.project_id or self.PK.rpartition("#")[2]

    @property
    def _stored(self) -> dict[str, Any]:
        stored: dict[str, Any] = self.data.as_dict()
        return stored

    @property
    def version(self) -> int:
        """0 for projects from before versions."""
        return int(self._stored.get("version") or 0)

    @property
    def updated_by(self) -> str:
        return str(self._stored.get("updated_by") or "")

    @property
    def created_by(self) -> str:
        return str(self._stored.get("created_by") or "")

    @property
    def is_calibrated(self) -> bool:
        return bool((self._stored.get("calibration") or {}).get("version"))

    @property
    def model_ids(self) -> frozenset[str]:
        """The ids of all models that it chooses, for purposes and OCR, without defaults."""
        asked = [*(self._stored.get("models") or {}).values(), self._stored.get("ocr_model")]
        return frozenset(str(one) for one in asked if one)

    @property
    def personal_fields(self) -> frozenset[str]:
        """The names of personal fields, including removed ones, which results may contain."""
        fields = self.settings.fields
        removed = set(self._stored.get("personal_before") or ()) - {one.name for one in fields}
        return frozenset(removed | {one.name for one in fields if one.personal})

    @property
    def settings(self) -> ProjectSettings:
        data = self._stored
        policy = data.get("review_policy") or {}
        return ProjectSettings(
            name=data.get("name") or self.id,
            description=data.get("description") or "",
            language=data.get("language") or "en",
            document_prompt=data.get("document_prompt") or "",
            ocr_model=data.get("ocr_model") or DEFAULT_OCR_MODEL,
            ocr_options=data.get("ocr_options") or {},
            fields=_fields(data.get("fields"), policy),
            default_threshold=float(policy.get("default_threshold", DEFAULT_THRESHOLD)),
            audit_share=float(policy.get("audit_share") or 0.0),
            most_wrong=None if policy.get("most_wrong") is None else float(policy["most_wrong"]),
            unseen_allowed=bool(policy.get("unseen_allowed")),
            lacking_allowed=bool(policy.get("lacking_allowed")),
            reject_reasons=str(policy.get("reject_reasons") or ""),
            check_share=float(policy.get("check_share") or 0.0),
            quorum=str(policy.get("quorum") or ""),
            escalation_group=str(policy.get("escalation_group") or ""),
            review_queue=data.get("review_queue") or "",
            classification_id=data.get("classification_id") or "",
            typing=data.get("typing") or "",
            analyzer=data.get("analyzer") or "",
            transcriber=data.get("transcriber") or "",
            summarizer=data.get("summarizer") or "",
            models=data.get("models") or {},
            use_bda=bool(data.get("use_bda")),
            slots=int(data.get("slots") or 0),
        )


def _fields(stored: list[dict[str, Any]] | None, policy: dict[str, Any]) -> tuple[FieldSetting, ...]:
    if stored is None:
        return DEFAULT_FIELDS  # older projects have no fields of their own; an empty list is a choice
    thresholds = policy.get("thresholds") or {}
    required = set(policy.get("required") or ())
    return tuple(
        FieldSetting(
            name=one["name"],
            label=one["label"],
            type=one["type"],
            required=bool(one.get("required")) or one["name"] in required,
            threshold=float(thresholds[one["name"]]) if one["name"] in thresholds else None,
            date_range=date_range(one["name"], one["type"], one.get("date_range")),
            description=one.get("description") or "",
            examples=one.get("examples") or "",
            columns=one.get("columns") or "",
            personal=bool(one.get("personal")),
        )
        for one in stored
    )


def list_model_ids(settings: ProjectSettings) -> frozenset[str]:
    """Return them as ``Project.model_ids``."""
    return frozenset(one for one in (*settings.models.values(), settings.ocr_model) if one)


def settings_to_store(settings: ProjectSettings) -> dict[str, Any]:
    """Return the entries of ``data``. Thresholds are 0–1, and stored only if they differ from the default."""
    return {
        "name": settings.name,
        "description": settings.description,
        "language": settings.language,
        "document_prompt": settings.document_prompt,
        "ocr_model": settings.ocr_model,
        "ocr_options": dict(settings.ocr_options),
        "review_queue": settings.review_queue,
        "fields": [
            {"name": one.name, "label": one.label, "type": one.type, "required": one.required}
            | {
                name: text
                for name in ("date_range", "description", "examples", "columns")
                if (text := getattr(one, name))
            }
            | ({"personal": True} if one.personal else {})
            for one in settings.fields
        ],
        "review_policy": {
            "default_threshold": settings.default_threshold,
            "thresholds": {one.name: one.threshold for one in settings.fields if one.threshold is not None},
            "required": [one.name for one in settings.fields if one.required],
            "audit_share": settings.audit_share,
            **({} if settings.most_wrong is None else {"most_wrong": settings.most_wrong}),
            "unseen_allowed": settings.unseen_allowed,
            "lacking_allowed": settings.lacking_allowed,
            **({"reject_reasons": settings.reject_reasons} if settings.reject_reasons else {}),
            "check_share": settings.check_share,
            **({"quorum": settings.quorum} if settings.quorum else {}),
            **({"escalation_group": settings.escalation_group} if settings.escalation_group else {}),
        },
        "classification_id": settings.classification_id,
        "typing": settings.typing,
        "analyzer": settings.analyzer,
        "transcriber": settings.transcriber,
        "summarizer": settings.summarizer,
        "models": dict(settings.models),
        "use_bda": settings.use_bda,
        "slots": settings.slots,
    }


def data_for_runs(project: Project) -> dict[str, Any]:
    """Return what a run that starts now pins of the project: its settings, and the calibration and extractor in use.

    The last two are activated beside the settings, which an upload must not lose.
    """
    stored = project.data.as_dict()
    learned = {name: stored[name] for name in ("calibration", "extractor") if stored.get(name)}
    return settings_to_store(project.settings) | learned


def settings_assignments(stored: Project, settings: ProjectSettings) -> list[Action]:
    """Return a SET or REMOVE for each path that differs.

    Never a whole map if one entry changes: entries of other systems stay.
    """
    path: Any = Project.data
    return _assignments(path, stored.data.as_dict(), settings_to_store(stored.settings), settings_to_store(settings))


def _assignments(
    path: Any, found: Mapping[str, Any], was: Mapping[str, Any], wanted: Mapping[str, Any]
) -> list[Action]:
    # ``was`` is our interpretation of ``found``: older maps lack entries, and have some that are not ours.
    made: list[Action] = [path[name].remove() for name in was if name in found and name not in wanted]
    for name, value in wanted.items():
        if name not in found:
            made.append(path[name].set(value))
        elif value != was.get(name):
            maps = all(isinstance(one, Mapping) for one in (found[name], was.get(name), value))
            made += _assignments(path[name], found[name], was[name], value) if maps else [path[name].set(value)]
    return made
