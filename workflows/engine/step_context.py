"""The context of a stage: the settings that the run froze, its artifacts, and the original if the stage reads it."""

import atexit
import functools
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from projects.models.spec import PAGES_DPI
from workflows.learning import calibrations
from workflows.learning.extractors import extractors
from workflows.providers import factory
from workflows.runs import duplicates, known_entities, pinned_types, run_files, run_settings
from workflows.runs.actions import ocr, spending
from workflows.runs.items import DocumentWorkflow, Execution, Run
from workflows.stages import file_kinds
from workflows.stages.base import RunSettings, Stage, StageContext
from workflows.stages.calibration import UNCALIBRATED
from workflows.stages.document_types.types import PinnedTypes
from workflows.stages.extractor.learned import UNLEARNED
from workflows.storage import files

JUDGING = "segment_analyzer"  # the stage that computes confidence


@contextmanager
def open_context(
    run: Run, stage: Stage, document: DocumentWorkflow, execution: Execution, heartbeat: Callable[[], None],
    *, keep_original: bool = False,
) -> Iterator[StageContext]:  # fmt: skip
    """Open the context. ``keep_original``: keep the original for this process's next slice of the same document.

    Raises: NotFound if the original is gone; StageFailed if the pinned calibration or extractor is.
    """
    settings = run_settings.from_json(document.settings)
    with spending.meter_calls(run) as note, tempfile.TemporaryDirectory(prefix="countersign-") as folder:
        chosen = factory.make_services(
            run, stage, settings, document,
            step=int(execution.currentStep), attempt=int(execution.engine_attempt), heartbeat=heartbeat, note=note,
        )  # fmt: skip
        # An external transcription service reads the recording from S3 itself.
        reads = chosen.transcriber is None and needs_original(stage, settings, document)
        original = Path(folder) / "original"
        if reads and keep_original:
            original = _kept.original(run, document)
        elif reads:
            run_files.fetch_original(run, document, original)
        yield StageContext(
            workflow_id=run.workflow_id,
            file_name=document.data["file_name"],
            file_type=document.data["file_type"],
            original=original,
            settings=settings,
            artifacts=run_files.files_of(run, document),
            heartbeat=heartbeat,
            project_id=run.project_id,
            decision=decision_of(run, execution),
            only=frozenset(int(index) for index in execution.only) if execution.only else None,
            types=pinned_types.load_types(run.site, settings.types_sha256) if stage.name == JUDGING else PinnedTypes(),
            calibration=calibrations.run_calibration(run, settings) if stage.name == JUDGING else UNCALIBRATED,
            extractor=extractors.run_extractor(run, settings) if stage.name == JUDGING else UNLEARNED,
            services=chosen,
            attempt=int(execution.engine_attempt),
            find_entity_doubts=functools.partial(known_entities.find_entity_doubts, run),
            find_copies=functools.partial(duplicates.find_copies, run, document),
        )  # fmt: skip


def needs_original(stage: Stage, settings: RunSettings, document: DocumentWorkflow) -> bool:
    """Return True if the stage reads the original. OCR does, if its model needs another resolution."""
    is_pdf = document.data["file_type"] == file_kinds.PDF
    renders = stage.name == ocr.STEP and is_pdf and settings.ocr_spec.dpi != PAGES_DPI
    return stage.reads_original or renders


def decision_of(run: Run, execution: Execution) -> str:
    if not execution.decision_id:
        return ""
    return files.decision(run.workflow_id, execution.decision_id, str(execution.decision_sha256))


@dataclass
class _Kept:
    """The last original of this process; sixty slices of one document would otherwise fetch it sixty times."""

    of: tuple[Run, str | None] | None = None
    folder: tempfile.TemporaryDirectory[str] | None = None

    def original(self, run: Run, document: DocumentWorkflow) -> Path:
        wanted = (run, document.s3version)
        if self.of != wanted or self.folder is None:
            self.forget()
            self.folder = tempfile.TemporaryDirectory(prefix="countersign-")
            run_files.fetch_original(run, document, Path(self.folder.name) / "original")
            self.of = wanted
        return Path(self.folder.name) / "original"

    def forget(self) -> None:
        if self.folder is not None:
            self.folder.cleanup()
        self.of = self.folder = None


_kept = _Kept()
atexit.register(_kept.forget)
