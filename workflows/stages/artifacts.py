"""The names of one document's artifacts, relative to its root, and reading and writing them as JSON; for the stages."""

import json
from typing import Any

from workflows.stages.base import ArtifactStore

PREPARED = "preprocessed/metadata.json"
TEXT_LAYER = "format-parser/result.json"
OCR = "paddleocr/result.json"


def page_image(index: int) -> str:
    return f"preprocessed/page_{index:04d}.png"


def segment(index: int) -> str:
    return f"analysis/segment_{index:04d}.json"


def result(workflow_id: str) -> str:
    return f"runs/{workflow_id}/result.json"


def assessment(workflow_id: str) -> str:
    return f"runs/{workflow_id}/assessment.json"


def read_json(store: ArtifactStore, name: str) -> Any:
    """Raises: NotFound."""
    return json.loads(store.read(name))


def write_json(store: ArtifactStore, name: str, value: object) -> bytes:
    """The bytes as stored: sorted and compact, so that the same content has the same SHA-256 whoever wrote it."""
    body = json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":")).encode()
    store.write(name, body, "application/json")
    return body
