"""Reading and writing artifacts as JSON; for the stages."""

import json
from typing import Any

from workflows.stages.base import ArtifactStore


def read_json(store: ArtifactStore, name: str) -> Any:
    """Raises: NotFound."""
    return json.loads(store.read(name))


def write_new_json(store: ArtifactStore, name: str, value: object) -> bool:
    """As ``write_json``, if nothing is yet; False if something is."""
    return store.write_new(name, _body(value), "application/json")


def write_json(store: ArtifactStore, name: str, value: object) -> bytes:
    """The bytes as stored: sorted and compact, so that the same content has the same SHA-256 whoever wrote it."""
    body = _body(value)
    store.write(name, body, "application/json")
    return body


def _body(value: object) -> bytes:
    text = json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    # Mails in odd character sets and models write halves of letters; the error would quote the whole page.
    return text.encode(errors="replace")
