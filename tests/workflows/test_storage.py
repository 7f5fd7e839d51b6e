import hashlib
import io
import os
from pathlib import Path

from workflows.storage import DocumentFiles


def test_a_large_file_comes_back_whole_whichever_version_is_asked_for(table: str, tmp_path: Path) -> None:
    body = os.urandom(20 * 1024 * 1024)  # three of boto3's parts
    store = DocumentFiles("default", "p", "large")
    stored = store.save_original(io.BytesIO(body), ".pdf", "application/pdf")
    for version in (stored.version, None):
        fetched = store.fetch(stored.key, tmp_path / "fetched", version=version)
        assert hashlib.sha256(fetched.read_bytes()).digest() == hashlib.sha256(body).digest()
