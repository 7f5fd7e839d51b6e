"""A document through the stages on this machine, its artifacts in a folder; what was read once is not read again."""

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from config.errors import NotFound
from projects.settings.values import DEFAULT_FIELDS, DEFAULT_OCR_MODEL, DEFAULT_THRESHOLD
from workflows.intake import inspection
from workflows.stages.base import FieldSpec, RunSettings, StageContext
from workflows.stages.calibration import UNCALIBRATED, Calibration
from workflows.stages.registry import STAGES
from workflows.storage import files

_RUN = "evaluation"
_READ = "read"  # marks a folder whose document was read to the end
_ANALYSIS = "segment_analyzer"


@dataclass(frozen=True)
class FolderStore:
    """An ArtifactStore on the disk."""

    root: Path

    def read(self, name: str) -> bytes:
        path = self.root / name
        if not path.is_file():
            raise NotFound(f"There is no {name}.")
        return path.read_bytes()

    def write(self, name: str, body: bytes, content_type: str) -> str:
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(body)
        return path.as_uri()

    def write_new(self, name: str, body: bytes, content_type: str) -> bool:
        if self.exists(name):
            return False
        self.write(name, body, content_type)
        return True

    def exists(self, name: str) -> bool:
        return (self.root / name).is_file()

    def uri(self, name: str) -> str:
        return (self.root / name).as_uri()


def read(path: Path, readings: Path) -> StageContext:
    """Every stage before the analysis; the folder is named by the file's content.

    Raises:
        Refused, StageFailed: with the sentence that says why it cannot be read.

    """
    store = FolderStore(readings / hashlib.sha256(path.read_bytes()).hexdigest()[:32])
    context = StageContext(
        workflow_id=_RUN,
        file_name=path.name,
        file_type=inspection.inspect(path, path.name).file_type,
        original=path,
        settings=settings(),
        artifacts=store,
        heartbeat=lambda: None,
    )
    if not store.exists(_READ):
        for name, stage in STAGES.items():
            if name == _ANALYSIS:
                break
            stage.run(context)
        for image in (store.root / files.page_image(0)).parent.glob("*.png"):
            image.unlink()  # a hundred times the size of what was read from it
        store.write(_READ, b"", "text/plain")
    return context


def settings(fields: Iterable[FieldSpec] = ()) -> RunSettings:
    """A new project's."""
    threshold = DEFAULT_THRESHOLD
    usual = tuple(FieldSpec(one.name, one.label, one.type, one.required, threshold) for one in DEFAULT_FIELDS)
    return RunSettings("en", "", DEFAULT_OCR_MODEL, {}, tuple(fields) or usual, threshold)


def analysed(context: StageContext, calibration: Calibration = UNCALIBRATED) -> dict[str, Mapping[str, Any]]:
    """The result's fields by name."""
    STAGES[_ANALYSIS].run(replace(context, calibration=calibration))
    result = json.loads(context.artifacts.read(files.result(_RUN)))
    return {field["name"]: field for field in result["fields"]}
