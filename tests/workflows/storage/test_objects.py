import hashlib
import io
import os
from pathlib import Path

import pytest
from django.conf import settings

from config import aws
from workflows.storage import files
from workflows.storage.objects import DocumentFiles, SiteFiles


@pytest.mark.wide
def test_a_large_file_comes_back_whole_whichever_version_is_asked_for(table: str, tmp_path: Path) -> None:
    body = os.urandom(20 * 1024 * 1024)  # three of boto3's parts
    store = DocumentFiles("default", "p", "large")
    stored = store.save_original(io.BytesIO(body), ".pdf", "application/pdf")
    for version in (stored.version, None):
        fetched = store.fetch(stored.key, tmp_path / "fetched", version=version)
        assert hashlib.sha256(fetched.read_bytes()).digest() == hashlib.sha256(body).digest()


def test_a_new_object_is_never_written_over_another(table: str) -> None:
    store = DocumentFiles("default", "p", "write-new")
    assert store.write_new("analysis/segment_0000.json", b"first", "application/json")
    assert not store.write_new("analysis/segment_0000.json", b"late", "application/json")
    assert store.read("analysis/segment_0000.json") == b"first"


def test_every_object_carries_its_kind_which_the_bucket_s_lifecycle_goes_by(table: str) -> None:
    store = DocumentFiles("acme", "p", "kinds")
    keys = {store.save_original(io.BytesIO(b"%PDF"), ".pdf", "application/pdf").key: "raw"}
    for name, kind in (
        (files.page_image(0), "artifact"),
        (files.result("w"), "result"),
        (files.decision("w", "d", "0" * 64), "result"),
        ("debug/w/answer.json", "debug"),
    ):
        store.write(name, b"{}", "application/json")
        keys[store.root + name] = kind
    store.write_new(files.segment(0), b"{}", "application/json")
    SiteFiles("acme").write(files.pinned_rules("00"), b"{}", "application/json")
    keys |= {store.root + files.segment(0): "artifact", "acme/rules/00.json": "result"}
    s3 = aws.aws_client("s3")
    found = {key: s3.get_object_tagging(Bucket=settings.BUCKET_NAME, Key=key)["TagSet"] for key in keys}
    assert found == {key: [{"Key": "kind", "Value": kind}] for key, kind in keys.items()}
