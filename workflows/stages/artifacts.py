"""Artifacts as JSON, and which stage makes which of them."""

import json
from collections.abc import Mapping
from typing import Any

from workflows.stages.base import ArtifactStore

ANALYSED = "segment_analyzer"
BUILT = "segment_builder"
# The stage that makes the artifacts of a folder. In ``analysis/``, the analyzer and the summarizer write into what the
# builder made, so that a repeated analysis starts with it.
MAKERS: Mapping[str, str] = {
    "preprocessed/": "segment_prep",
    "bda-output/": "bda_processor",
    "format-parser/": "format_parser",
    "paddleocr/": "paddleocr_processor",
    "transcribe/": "transcribe",
    "webcrawler/": "webcrawler",
    "analysis/": BUILT,
    "graph_work/": "graph_builder",
}


def read_json(store: ArtifactStore, name: str) -> Any:
    """Raises: NotFound."""
    return json.loads(store.read(name))


def write_new_json(store: ArtifactStore, name: str, value: object) -> bool:
    """Write as ``write_json`` if nothing exists; False if something does."""
    return store.write_new(name, _body(value), "application/json")


def write_json(store: ArtifactStore, name: str, value: object) -> bytes:
    """Write sorted, compact JSON and return its bytes, so that equal content has the same SHA-256."""
    body = _body(value)
    store.write(name, body, "application/json")
    return body


def _body(value: object) -> bytes:
    text = json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    # Emails in odd character sets and models may contain lone surrogates; the error would quote the whole page.
    return text.encode(errors="replace")
