"""The files of a run: several runs of one file version keep their stages' artifacts apart.

The first run of a file version writes to seed 000's keys. A later one beside it starts in the middle: it writes to a
folder of its own, and reads earlier artifacts from the other run's location; nothing is copied.
"""

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from django.utils.translation import gettext

from config.errors import NotFound
from workflows.runs.items import DocumentWorkflow, Run, WorkflowSteps
from workflows.storage import files
from workflows.storage.objects import DocumentFiles


@dataclass(frozen=True)
class Layer:
    """A run's own folder. ``inherits``: folders of ``files.ARTIFACTS`` that it reads from the earlier run."""

    workflow_id: str
    inherits: tuple[str, ...]


Layers = tuple[Layer, ...]


def to_json(layers: Layers) -> str | None:
    return json.dumps([[one.workflow_id, list(one.inherits)] for one in layers]) if layers else None


def from_json(text: str | None) -> Layers:
    """Return the layers, the run's own first; empty for a run that stands alone."""
    return tuple(Layer(name, tuple(inherits)) for name, inherits in json.loads(text or "[]"))


def files_of(run: Run, row: DocumentWorkflow | WorkflowSteps | None = None) -> DocumentFiles:
    """``row``: one of the run's own; without it, the files that all runs of the document share."""
    store = DocumentFiles(run.site, run.project_id, run.document_id)
    return open_run_files(store, row.layers) if row else store


def fetch_original(run: Run, document: DocumentWorkflow, target: Path) -> None:
    store = files_of(run)
    store.fetch(store.root + store.name_of(document.data["file_uri"]), target, version=document.s3version)


def open_run_files(store: DocumentFiles, layers: str | None) -> DocumentFiles:
    """``layers``: as stored on the run's rows."""
    found = from_json(layers)
    return RunFiles(store.site, store.project_id, store.document_id, found) if found else store


@dataclass(frozen=True)
class RunFiles(DocumentFiles):
    """The same names as in ``DocumentFiles``; the layers map each artifact to its location."""

    layers: Layers = ()

    def place(self, name: str) -> str:
        return files.own_artifact(self.layers[0].workflow_id, name) if files.artifact_folder(name) else name

    def read(self, name: str) -> bytes:
        for place in self._places(name):
            try:
                return super().read(place)
            except NotFound:
                continue
        raise NotFound(gettext("File not found."))

    def open(self, name: str) -> tuple[Any, int]:
        for place in self._places(name):
            try:
                return super().open(place)
            except NotFound:
                continue
        raise NotFound(gettext("File not found."))

    def exists(self, name: str) -> bool:
        return any(super(RunFiles, self).exists(place) for place in self._places(name))

    def write(self, name: str, body: bytes, content_type: str) -> str:
        return super().write(self.place(name), body, content_type)

    def write_new(self, name: str, body: bytes, content_type: str) -> bool:
        return super().write_new(self.place(name), body, content_type)

    def clear_artifacts(self, folders: Iterable[str] = files.ARTIFACTS) -> None:
        super().clear_artifacts([files.own_artifact(self.layers[0].workflow_id, folder) for folder in folders])

    def _places(self, name: str) -> Iterator[str]:
        """Yield the locations to try: its own folder, then as far back as it inherits."""
        folder = files.artifact_folder(name)
        if not folder:
            yield name
            return
        for layer in self.layers:
            yield files.own_artifact(layer.workflow_id, name)
            if folder not in layer.inherits:
                return
        yield name
