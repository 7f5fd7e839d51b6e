"""Processed documents, opened for a trial: their pages and settings, and artifacts that writes do not affect."""

import json
import os
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from django.utils.translation import gettext

from config.errors import NotFound, Refused
from config.phrase import Phrase
from projects.documents import queries as document_queries
from projects.documents.items import Document
from projects.settings import queries as project_queries
from workflows.learning import calibrations
from workflows.learning.examples import read_examples
from workflows.learning.extractors import extractors
from workflows.runs import pinned_types, queries, run_files, run_settings
from workflows.runs.items import DocumentWorkflow, Run
from workflows.stages import artifacts, segment_analyzer, segment_builder
from workflows.stages.base import ArtifactStore, FieldSpec, RunSettings, StageContext
from workflows.stages.pages import paged
from workflows.stages.pages.layout import Page, Word
from workflows.stages.services import Services
from workflows.storage import files
from workflows.storage.objects import DocumentFiles

# Output of an analysis: a trial starts without it, like a run.
_MADE_ANEW = ("analysis/", "graph_work/", "runs/")
_UNREAD = Phrase("This document is not read yet. Try again when its run has ended, or choose another document.")


@dataclass(frozen=True)
class TrialFiles:
    """An ArtifactStore that reads what OCR wrote and keeps writes in memory."""

    base: ArtifactStore
    written: dict[str, bytes] = field(default_factory=dict)

    def read(self, name: str) -> bytes:
        if name in self.written:
            return self.written[name]
        if name.startswith(_MADE_ANEW):
            raise NotFound(gettext("File not found."))
        return self.base.read(name)

    def write(self, name: str, body: bytes, content_type: str) -> str:  # noqa: ARG002 - as an ArtifactStore has it
        self.written[name] = body
        return name

    def write_new(self, name: str, body: bytes, content_type: str) -> bool:  # noqa: ARG002 - as an ArtifactStore has it
        return self.written.setdefault(name, body) is body

    def exists(self, name: str) -> bool:
        return name in self.written or (not name.startswith(_MADE_ANEW) and self.base.exists(name))

    def uri(self, name: str) -> str:
        return self.base.uri(name)

    def copy(self) -> "TrialFiles":
        return TrialFiles(self.base, dict(self.written))


@dataclass(frozen=True)
class ReadPage:
    """``index`` is 0-based. Words and image are loaded lazily."""

    index: int
    text: str
    _segment: dict[str, Any] = field(repr=False)
    _files: TrialFiles = field(repr=False)

    @cached_property
    def layout(self) -> Page:
        return segment_analyzer.page_of(self._segment)

    @property
    def has_image(self) -> bool:
        return bool(self._segment["image_uri"])

    @property
    def words(self) -> list[Word]:
        """The words in reading order, each with its box as fractions of the page."""
        return [word for row in self.layout.rows for line in row.lines for word in line.words]

    @property
    def image(self) -> bytes | None:
        """The image as PNG; None for text, which has no image."""
        try:
            return self._files.read(files.page_image(self.index))
        except NotFound:
            return None


@dataclass(frozen=True)
class PageSize:
    """``index`` is 0-based, sizes in pixels. ``has_image``: False for text."""

    index: int
    width: int
    height: int
    has_image: bool


@dataclass(frozen=True)
class ReadDocument:
    """``pages``: those that fields are extracted from (``segment_analyzer.is_searched``), of ``page_count``."""

    run: Run
    name: str
    file_type: str
    page_count: int
    settings: RunSettings
    s3version: str  # of the file version; empty if the bucket is not versioned
    files: TrialFiles = field(repr=False)

    @property
    def document_id(self) -> str:
        return self.run.document_id

    @property
    def workflow_id(self) -> str:
        return self.run.workflow_id

    @property
    def language(self) -> str:
        return self.settings.language

    @property
    def specs(self) -> tuple[FieldSpec, ...]:
        """The project's current fields; if it has document types, those of the type that was found."""
        return self.settings.fields

    @cached_property
    def pages(self) -> tuple[ReadPage, ...]:
        found = []
        for index in self.searched:
            segment = json.loads(self.files.read(files.segment(index)))
            found.append(ReadPage(index, str(segment["text_content"]), segment, self.files))
        return tuple(found)

    @cached_property
    def examples(self) -> str:
        """Few-shot examples from the project's other reviewed documents."""
        return read_examples(self.run.site, self.run.project_id, but=self.run.document_id)

    @property
    def page_sizes(self) -> list[PageSize]:
        return [PageSize(one.index, one.layout.width, one.layout.height, one.has_image) for one in self.pages]

    @property
    def store(self) -> DocumentFiles:
        """The document's own files. A trial adds only its answers."""
        return DocumentFiles(self.run.site, self.run.project_id, self.run.document_id)

    @cached_property
    def text_sha256(self) -> str:
        """The hash of the pages' text: equal text is the same document to a model, apart from its images."""
        return files.sha256("\f".join(page.text for page in self.pages).encode())

    @property
    def searched(self) -> list[int]:
        return [index for index in range(self.page_count) if segment_analyzer.is_searched(index, self.page_count)]

    def context(self, services: Services, own: TrialFiles | None = None) -> StageContext:
        """Return a context for one analysis, isolated from others."""
        settings = self.settings
        return StageContext(
            workflow_id=self.run.workflow_id,
            file_name=self.name,
            file_type=self.file_type,
            original=Path(os.devnull),
            settings=settings,
            artifacts=own or self.files.copy(),
            heartbeat=lambda: None,
            only=frozenset(self.searched),
            calibration=calibrations.run_calibration(self.run, settings),
            extractor=extractors.run_extractor(self.run, settings),
            services=services,
            project_id=self.run.project_id,
            types=pinned_types.load_types(self.run.site, settings.types_sha256),
        )


def load_read_document(site: str, project_id: str, document_id: str, *, type_id: str = "") -> ReadDocument:
    """Load the document as its newest run read it, with the project's current settings.

    ``type_id``: the classification to assume, with its fields; then no model determines the type.

    One Query, two reads of rows, and the artifacts of its pages.

    Raises:
        NotFound: no such document in this project.
        Refused: it has not been read yet, or the project's document type is gone.

    """
    return _open(site, project_id, document_id, find_newest_run(site, project_id, document_id), type_id)


def get_project_document(site: str, project_id: str, document_id: str) -> Document:
    """Raises: NotFound if the project has no such document."""
    document = document_queries.get_document(site, document_id)
    if document.project_id != project_id:
        raise NotFound(gettext("Document not found."))
    return document


def find_newest_run(site: str, project_id: str, document_id: str) -> DocumentWorkflow:
    """Raises: NotFound if the project has no such document; Refused if it has no run yet."""
    get_project_document(site, project_id, document_id)
    rows = queries.document_workflows(site, document_id).rows
    if not rows:
        raise Refused(_UNREAD)
    return rows[0]


def _open(site: str, project_id: str, document_id: str, row: DocumentWorkflow, type_id: str) -> ReadDocument:
    run = Run(site, project_id, document_id, str(row.SK).rpartition("#")[2])
    base = run_files.files_of(run, row)
    count = int(paged.PREPARED.open_pages(base).head.get("segment_count") or 0)
    if not count or not base.exists(files.segment(count - 1)):
        raise Refused(_UNREAD)
    data = project_queries.get_project(site, project_id).data.as_dict()
    settings = run_settings.freeze_project(site, data | {"classification_id": type_id} if type_id else data)
    overlay = TrialFiles(base)
    artifacts.write_json(overlay, files.result(run.workflow_id), {"pages": []})  # the analysis adds its pages here
    found = ReadDocument(
        run, row.data["file_name"], row.data["file_type"], count, settings, row.s3version or "", overlay
    )
    segment_builder.run(found.context(Services(), overlay))
    return found
