"""A disk that is full: a person reads so, nothing is lost or taken for damaged, and all goes on when there is room."""

import os
import subprocess
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from django.conf import settings
from django.core.files.base import ContentFile
from django.test.client import BOUNDARY, MULTIPART_CONTENT, encode_multipart

from config import aws
from config.table import DEFAULT_SITE
from projects.audit.events import Actor
from projects.settings.defaults import ensure_default_project
from projects.settings.items import Project
from tests.flow.processes import LiveDesk, account, looking_at, prepare, wait_for
from tests.flow.visitor import Visitor
from workflows.intake import bucket
from workflows.operations.processes import PROCESSES
from workflows.runs import queries

BY = Actor("1", "Alice Novak")
TEXT = b"Total 12.50 EUR\n" * 5_000


@pytest.fixture
def small(tmp_path: Path) -> Iterator[Path]:
    """A disk of one megabyte."""
    folder = tmp_path / "small"
    folder.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", str(folder)], capture_output=True, check=False
    )
    if mounted.returncode:
        pytest.skip("only root can mount a small disk")
    try:
        yield folder
    finally:
        subprocess.run(["umount", "-l", str(folder)], check=True)


@pytest.fixture
def desk(tmp_path: Path, small: Path) -> Iterator[LiveDesk]:
    prepare(tmp_path / "prepared", **account())
    desk = LiveDesk(tmp_path / "prepared", tmp_path / "desk")
    try:
        desk.start_emulator()
        desk.env["TMPDIR"] = str(small)
        desk.start_web()
        desk.start("steps", *PROCESSES["worker-steps"])
        with looking_at(desk):
            yield desk
    finally:
        desk.stop()


def names(project: Project) -> set[str]:
    return {row.name for row in queries.project_documents(DEFAULT_SITE, project.id).rows}


def sent(admin: Visitor, project: Project, name: str) -> tuple[int, str]:
    body = encode_multipart(BOUNDARY, {"files": ContentFile(TEXT, name=name)})
    headers = {"Content-Type": MULTIPART_CONTENT, "Accept": "application/json"}
    return admin._send(f"/workflows/projects/{project.id}/upload/", body, headers)


@pytest.mark.slow
@pytest.mark.processes
@pytest.mark.timeout(240)
def test_nothing_is_lost_while_the_disk_is_full(desk: LiveDesk, small: Path) -> None:
    project = ensure_default_project(DEFAULT_SITE, by=BY)
    bucket.add_tenant("acme", DEFAULT_SITE, project, by=BY)
    admin = Visitor(desk.web, patience=60)
    wait_for(admin.is_answered, "the web server", 60)
    admin.sign_in("admin", desk.password("admin"))
    put("first.txt")
    # Python looks for another folder if the first one is full from the beginning.
    wait_for(lambda: names(project) == {"first.txt"}, "the first file is a document", 90)
    assert sent(admin, project, "second.txt")[0] == 200
    filler = small / "filler"
    with suppress(OSError), filler.open("wb", buffering=0) as file:
        while True:
            file.write(os.urandom(4096))
    status, page = sent(admin, project, "page.txt")
    assert (status, "disk is full" in page) == (503, True)
    put("bucket.txt")
    wait_for(lambda: received(desk) >= 4, "the worker puts the file off, again and again", 60)
    assert names(project) == {"first.txt", "second.txt"}
    assert bucket.list_quarantine(DEFAULT_SITE).rows == []
    filler.unlink()
    assert sent(admin, project, "page.txt")[0] == 200
    wait_for(lambda: names(project) >= {"page.txt", "bucket.txt"}, "both are documents", 120)


def put(name: str) -> None:
    aws.aws_client("s3").put_object(Bucket=settings.BUCKET_NAME, Key=f"raw/2026/11/21/acme/{name}", Body=TEXT)


def received(desk: LiveDesk) -> int:
    return desk.log("steps").read_text().count("Task workflows.tasks.take_incoming")
