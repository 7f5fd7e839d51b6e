"""The files of one run: of several runs that read one content, each keeps apart what its own stages made.

The first run of a content writes where seed 000 has the artifacts. One that stands beside it begins in the middle: what
it makes lies in a folder of its own, and what came before is read where the other run left it; nothing is copied.
"""

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from config.errors import NotFound
from workflows.storage import files
from workflows.storage.objects import DocumentFiles


@dataclass(frozen=True)
class Layer:
    """A run's own folder. ``inherits``: folders of ``files.ARTIFACTS`` that it takes from the run it stands beside."""

    workflow_id: str
    inherits: tuple[str, ...]


Layers = tuple[Layer, ...]


def to_json(layers: Layers) -> str | None:
    return json.dumps([[one.workflow_id, list(one.inherits)] for one in layers]) if layers else None


def from_json(text: str | None) -> Layers:
    """The run's own layer first; empty for one that stands alone."""
    return tuple(Layer(name, tuple(inherits)) for name, inherits in json.loads(text or "[]"))


def open_run_files(store: DocumentFiles, layers: str | None) -> DocumentFiles:
    """``layers``: as the run's rows keep them."""
    found = from_json(layers)
    return RunFiles(store.site, store.project_id, store.document_id, found) if found else store


@dataclass(frozen=True)
class RunFiles(DocumentFiles):
    """The same names as in ``DocumentFiles``; whose artifact each is, the layers say."""

    layers: Layers = ()

    def place(self, name: str) -> str:
        return files.own_artifact(self.layers[0].workflow_id, name) if files.artifact_folder(name) else name

    def read(self, name: str) -> bytes:
        for place in self._places(name):
            try:
                return super().read(place)
            except NotFound:
                continue
        raise NotFound("File not found.")

    def open(self, name: str) -> tuple[Any, int]:
        for place in self._places(name):
            try:
                return super().open(place)
            except NotFound:
                continue
        raise NotFound("File not found.")

    def exists(self, name: str) -> bool:
        return any(super(RunFiles, self).exists(place) for place in self._places(name))

    def write(self, name: str, body: bytes, content_type: str) -> str:
        return super().write(self.place(name), body, content_type)

    def write_new(self, name: str, body: bytes, content_type: str) -> bool:
        return super().write_new(self.place(name), body, content_type)

    def clear_artifacts(self, folders: Iterable[str] = files.ARTIFACTS) -> None:
        super().clear_artifacts([files.own_artifact(self.layers[0].workflow_id, folder) for folder in folders])

    def _places(self, name: str) -> Iterator[str]:
        """Where to look: in its own folder, and as far back as it inherits."""
        folder = files.artifact_folder(name)
        if not folder:
            yield name
            return
        for layer in self.layers:
            yield files.own_artifact(layer.workflow_id, name)
            if folder not in layer.inherits:
                return
        yield name
