"""OCR of a page region without text: requested at the desk, read once by a worker."""

import io
import json
import math
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from django.utils.translation import gettext
from PIL import Image

from config.errors import NotFound, Refused, StageFailed
from projects.models.spec import BUILT_IN_OCR, PAGES_DPI
from review import queries
from review.identity import ReviewRef
from review.items.reviews import Review
from workflows.providers.page_readers import read_page_once, settings_to_read
from workflows.runs import queries as workflow_queries
from workflows.runs import run_files, run_settings
from workflows.runs.actions import spending
from workflows.runs.items import DocumentWorkflow, Run
from workflows.stages import file_kinds
from workflows.stages.base import RunSettings
from workflows.stages.pages import layout, pdf
from workflows.stages.usage import Usage
from workflows.storage import files
from workflows.storage.objects import DocumentFiles

Note = Callable[[Usage], object]
_LEAST = 0.002  # of the page's width and height
_MARGIN = 0.15  # of the region's height; engines miss letters that touch the edge
_HIGH = 160  # pixels to which a low region is enlarged; engines read small crops badly


@dataclass(frozen=True)
class Region:
    """``index``: 0-based page. Edges as page fractions."""

    index: int
    left: float
    top: float
    right: float
    bottom: float

    def check(self) -> None:
        """Raises: Refused."""
        edges = (self.left, self.top, self.right, self.bottom)
        if not all(math.isfinite(edge) and 0 <= edge <= 1 for edge in edges):
            raise Refused(gettext("Select a region inside the page."))
        if self.right - self.left < _LEAST or self.bottom - self.top < _LEAST:
            raise Refused(gettext("Select a larger region."))

    def name(self, review: Review) -> str:
        """A deterministic name, so that nothing is read twice."""
        edges = [round(edge, 4) for edge in (self.left, self.top, self.right, self.bottom)]
        return files.sha256(json.dumps([review.workflow_id, review.result_sha256, self.index, *edges]).encode())[:32]


def find_reading(ref: ReviewRef, review: Review, name: str) -> dict[str, Any]:
    """``text``, or ``problem`` if it could not be read. Raises: NotFound: not read yet."""
    store = DocumentFiles(ref.site, review.project_id, ref.document_id)
    found: dict[str, Any] = json.loads(store.read(files.region(name)))
    return found


def read_region(ref: ReviewRef, region: Region) -> None:
    """Read the region, in a worker; idempotent. Raises: NotFound: the review is gone."""
    review = queries.get_review(ref)
    store = DocumentFiles(ref.site, review.project_id, ref.document_id)
    name = files.region(region.name(review))
    if store.exists(name):
        return
    try:
        if ref.is_handed_over:
            found = _read_picture(
                _open_picture(store, region.index), region, settings_to_read(BUILT_IN_OCR["pp-ocrv5"])
            )
        else:
            found = _read_of_run(ref, review, region)
    except (NotFound, Refused, StageFailed) as error:
        found = {"text": "", "problem": str(error)}
    store.write(name, json.dumps(found, ensure_ascii=False).encode(), "application/json")


def _read_of_run(ref: ReviewRef, review: Review, region: Region) -> dict[str, Any]:
    """Read with the run's OCR model, options and resolution."""
    run = queries.run_of(ref, review)
    row = workflow_queries.document_workflow(ref.site, ref.document_id, review.workflow_id)
    pinned = run_settings.from_json(row.settings)
    picture = open_page_of_run(run, row, region.index, pinned.ocr_spec.dpi)
    with spending.meter_beside_runs(run) as note:
        return _read_picture(picture, region, pinned, note)


def open_page_of_run(run: Run, row: DocumentWorkflow, index: int, dpi: int) -> Image.Image:
    """Open the page in the OCR model's resolution. Raises: NotFound, Refused, StageFailed."""
    if dpi != PAGES_DPI and row.data["file_type"] == file_kinds.PDF:
        with tempfile.TemporaryDirectory(prefix="countersign-") as folder:
            return _render(run, row, Path(folder) / "original", index, dpi)
    stored = run_files.files_of(run, row)
    return _open_picture(stored, index)


def _render(run: Run, row: DocumentWorkflow, original: Path, index: int, dpi: int) -> Image.Image:
    run_files.fetch_original(run, row, original)
    with pdf.open_pdf(original) as document:
        return document.render(index, dpi)


def _open_picture(store: DocumentFiles, index: int) -> Image.Image:
    try:
        with Image.open(io.BytesIO(store.read(files.page_image(index)))) as image:
            return image.convert("RGB")
    except (OSError, SyntaxError, ValueError) as error:
        raise NotFound(gettext("The page image cannot be read.")) from error


def _read_picture(page: Image.Image, region: Region, pinned: RunSettings, note: Note | None = None) -> dict[str, Any]:
    once = read_page_once(pinned, _cut(page, region), region.index)
    if note and once.used.pages:
        note(once.used)
    lines = [line for line in once.reading.lines if line.words]
    rows = layout.rows(lines, once.reading.slope)
    text = " ".join(word.text for row in rows for line in row.lines for word in line.words)
    return {"text": text, "problem": once.problem}


def _cut(page: Image.Image, region: Region) -> Image.Image:
    """Cut the region out, with a white margin and large enough to be read."""
    left, right = region.left * page.width, region.right * page.width
    top, bottom = region.top * page.height, region.bottom * page.height
    margin = (bottom - top) * _MARGIN
    cut = page.crop(
        (
            math.floor(max(0, left - margin)),
            math.floor(max(0, top - margin)),
            math.ceil(min(page.width, right + margin)),
            math.ceil(min(page.height, bottom + margin)),
        )
    )
    scale = min(max(_HIGH / cut.height, 1), 4)
    cut = cut.resize((round(cut.width * scale), round(cut.height * scale)), Image.Resampling.LANCZOS)
    paper = Image.new("RGB", (cut.width + 2 * _HIGH, cut.height + 2 * _HIGH), "white")
    paper.paste(cut, (_HIGH, _HIGH))
    return paper
