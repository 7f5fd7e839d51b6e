"""Every file is looked at by a worker that runs as we ship it: out of the bucket, an archive, a mail."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from django.conf import settings

from config import aws
from config.table import DEFAULT_SITE
from projects.audit.events import Actor
from projects.settings.defaults import ensure_default_project
from projects.settings.items import Project
from tests.flow.processes import LiveDesk, account, looking_at, prepare, wait_for
from tests.workflows.boxes import mailed, zipped
from workflows.intake import bucket as incoming_actions
from workflows.operations.processes import PROCESSES
from workflows.runs import queries

pytestmark = [pytest.mark.slow, pytest.mark.processes]

BY = Actor("1", "Alice Novak")
FILES = {
    "bill.txt": b"Total 12.50 EUR\n",
    "bills.zip": zipped({"first.txt": b"Total 1.50 EUR\n", "second.csv": b"item,total\npen,2.50\n"}),
    "post.eml": mailed({"third.txt": b"Total 3.50 EUR\n"}, text="Please pay."),
}
WANTED = {*FILES, "first.txt", "second.csv", "third.txt"}


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[LiveDesk]:
    prepare(tmp_path / "prepared", **account())
    desk = LiveDesk(tmp_path / "prepared", tmp_path / "desk")
    try:
        desk.start_emulator()
        desk.start("steps", *PROCESSES["worker-steps"])
        with looking_at(desk):
            yield desk
    finally:
        desk.stop()


def names(project: Project) -> set[str]:
    return {row.name for row in queries.project_documents(DEFAULT_SITE, project.id).rows}


@pytest.mark.timeout(240)
def test_files_in_the_bucket_become_documents_in_a_prefork_worker(desk: LiveDesk) -> None:
    project = ensure_default_project(DEFAULT_SITE, by=BY)
    incoming_actions.add_tenant("acme", DEFAULT_SITE, project, by=BY)
    for name, body in FILES.items():
        aws.aws_client("s3").put_object(Bucket=settings.BUCKET_NAME, Key=f"raw/2026/11/21/acme/{name}", Body=body)
    wait_for(lambda: names(project) >= WANTED, "each file is a document", 90)
