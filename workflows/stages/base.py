"""What a stage is given and what it gives back; imported by the stages and by whoever runs them."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, Protocol


@dataclass(frozen=True)
class FieldSpec:
    """One field that a run reads, by the project's list or by the schemas that govern it.

    ``type``: text, date, amount, currency, number or boolean. ``threshold``: 0–1. ``allowed``: its only values, in
    their stored form; empty for any. ``default``: its value where nothing is found.
    """

    name: str
    label: str
    type: str
    required: bool
    threshold: float
    allowed: tuple[str, ...] = ()
    default: str = ""

    @classmethod
    def of(cls, stored: Mapping[str, Any]) -> "FieldSpec":
        """From JSON that holds at least these entries; of an older version without the last two.

        Raises:
            KeyError: another entry is missing.

        """
        required, threshold = bool(stored["required"]), float(stored["threshold"])
        allowed, default = tuple(stored.get("allowed") or ()), str(stored.get("default") or "")
        return cls(stored["name"], stored["label"], stored["type"], required, threshold, allowed, default)


@dataclass(frozen=True)
class RunSettings:
    """What the run froze at its start, so that a repeated stage reads the same settings (never the project's now).

    ``classification_id`` and the versions say where ``fields`` came from; 0: no such schema governed the run.
    """

    language: str
    document_prompt: str
    ocr_model: str
    ocr_options: Mapping[str, Any]
    fields: tuple[FieldSpec, ...]
    default_threshold: float
    queue: str = ""  # the id of the queue that a review waits in; empty for the site's own
    classification_id: str = ""
    classification_name: str = ""
    classification_version: int = 0
    site_schema_version: int = 0


class ArtifactStore(Protocol):
    """The artifacts of one document, by name relative to the document's root (``preprocessed/page_0000.png``)."""

    def read(self, name: str) -> bytes:
        """Raises: NotFound."""
        ...

    def write(self, name: str, body: bytes, content_type: str) -> str:
        """The artifact's ``s3://`` address. Writing again replaces."""
        ...

    def exists(self, name: str) -> bool: ...


@dataclass(frozen=True)
class StageContext:
    """``file_type`` is the MIME type that intake found; ``original`` a local copy, read only.

    ``heartbeat`` renews the worker's claim on the step; a stage calls it between pages.
    """

    workflow_id: str
    file_name: str
    file_type: str
    original: Path
    settings: RunSettings
    artifacts: ArtifactStore
    heartbeat: Callable[[], None]


@dataclass(frozen=True)
class StageResult:
    """``facts`` are small and JSON-able: they travel in the table, unlike the artifacts."""

    status: Literal["completed", "skipped"]
    reason: str | None = None
    facts: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Stage:
    """Raises StageFailed for what trying again would not mend; every other error may be retried."""

    name: str
    label: str
    run: Callable[[StageContext], StageResult]
