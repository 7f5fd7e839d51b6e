"""A worker's part of "read this page with": each OCR model reads it once, unless its reading is there."""

import io
import json
import tempfile
from dataclasses import dataclass, replace
from pathlib import Path

from PIL import Image

from config.errors import NotFound, Refused
from projects.models.ocr_spec import PAGES_DPI, OcrSpec
from projects.settings import queries as project_queries
from workflows.engine import step_context
from workflows.providers.ocr_readers import read_page_once, settings_to_read
from workflows.runs import prices
from workflows.runs.actions import spending
from workflows.runs.items import DocumentWorkflow
from workflows.runs.run import Run
from workflows.stages import kinds
from workflows.stages.base import ArtifactStore, RunSettings
from workflows.stages.pages import paged, pdf
from workflows.storage import files
from workflows.storage.objects import DocumentFiles
from workflows.trials import actions, queries
from workflows.trials.documents import PageSize, find_newest_run
from workflows.trials.items import Trial
from workflows.trials.queries import PageRef, TrialRef
from workflows.trials.readings import Reading, order_lines, reading_to_json

_NO_PAGES = "This document has no page images yet. Try again when its run has split it, or choose another document."


@dataclass(frozen=True)
class OpenPage:
    """A page as the newest run of its document prepared it, whether or not it was read."""

    run: Run
    row: DocumentWorkflow
    base: ArtifactStore
    size: PageSize
    count: int  # pages of the document

    @property
    def store(self) -> DocumentFiles:
        return DocumentFiles(self.run.site, self.run.project_id, self.run.document_id)


def open_page(site: str, project_id: str, page: PageRef) -> OpenPage:
    """
    Raises:
        NotFound: no such document in this project, or no such page.
        Refused: it has no page images.

    """
    row = find_newest_run(site, project_id, page.document_id)
    run = Run(site, project_id, page.document_id, str(row.SK).rpartition("#")[2])
    base = step_context.files_of(run, row)
    prepared = paged.PREPARED.open_pages(base)
    count = int(prepared.head.get("segment_count") or 0)
    if not count or not kinds.has_pages(row.data["file_type"]):
        raise Refused(_NO_PAGES)
    found = prepared.by_index([page.index]).get(page.index)
    if found is None:
        raise Refused(f"This document has {count:,} page{'s' if count > 1 else ''}. Enter a smaller number.")
    size = PageSize(page.index, int(found["width"]), int(found["height"]), has_image=True)
    return OpenPage(run, row, base, size, count)


def read_with_each(ref: TrialRef, trial: Trial, owner: str) -> None:
    """Delivered twice, it goes on with the models whose reading is missing. Raises: NotFound, Refused, Conflict."""
    document_id = str(trial.document_id)
    page = open_page(ref.site, ref.project_id, PageRef(document_id, int(trial.page_index)))
    there = trial.readings.as_dict()
    for spec in queries.read_models(ref, document_id):
        if spec.id not in there:
            actions.record_reading(ref, spec.id, _read(ref, page, spec), owner=owner)


def _read(ref: TrialRef, page: OpenPage, spec: OcrSpec) -> str:
    """The name of the reading's object; one without a problem is kept for whoever wants the same."""
    project = project_queries.get_project(ref.site, ref.project_id).settings
    pinned = replace(settings_to_read(spec, project.language), ocr_options=dict(project.ocr_options))
    name = files.trial_answer(_digest(page, pinned))
    if page.store.exists(name):
        return name
    image = _picture(page, spec.dpi)
    with spending.meter_beside_runs(page.run) as note:
        once = read_page_once(pinned, image, page.size.index, scale=image.width / page.size.width)
        if once.used.pages:
            note(once.used)
    slope = once.reading.slope
    lines = order_lines(once.reading.lines, slope)
    found = Reading(lines, once.used.ms / 1000, prices.cost(once.used), once.problem)
    if found.problem:
        name = files.trial_answer(f"{ref.trial_id}-{spec.id}")
    page.store.write(name, json.dumps(reading_to_json(found), ensure_ascii=False).encode(), "application/json")
    return name


def _digest(page: OpenPage, pinned: RunSettings) -> str:
    """Of what decides a reading."""
    options = {name: str(value) for name, value in sorted(pinned.ocr_options.items())}
    of = [page.run.workflow_id, page.row.s3version or "", page.size.index]
    return files.sha256(json.dumps(["read", pinned.ocr_spec.sha256, pinned.language, options, *of]).encode())


def _picture(page: OpenPage, dpi: int) -> Image.Image:
    """As the model would be given it. Raises: NotFound, Refused, StageFailed."""
    if dpi != PAGES_DPI and page.row.data["file_type"] == kinds.PDF:
        with tempfile.TemporaryDirectory(prefix="countersign-") as folder:
            original = Path(folder) / "original"
            step_context.fetch_original(page.run, page.row, original)
            with pdf.open_pdf(original) as document:
                return document.render(page.size.index, dpi)
    try:
        with Image.open(io.BytesIO(page.base.read(files.page_image(page.size.index)))) as image:
            return image.convert("RGB")
    except (OSError, SyntaxError, ValueError) as error:
        raise NotFound("The page image cannot be read. Re-run the document.") from error
