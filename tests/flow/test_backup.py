"""A backup brought back on an empty desk: every row, object and account is there, and a review goes on."""

import io
import json
import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command

from config import aws
from config.errors import Refused, Tampered
from projects.prompts import actions as prompt_actions
from projects.prompts import queries as prompt_queries
from projects.prompts.prompt import Prompt
from projects.prompts.queries import PromptRef
from projects.settings import queries as project_queries
from review.decide import claims, decisions
from review.status import ReviewStatus
from tests.factories import ROSA, SITE, decided_run, review_of, verdict, waiting_run
from tests.flow.protocol import assert_applied_once, sweep_until_ended
from tests.people import PASSWORD, alice, bob, signed_in
from tests.projects.projects import make_project
from tests.pump import Pump
from tests.shortcuts import empty
from tests.workflows import stored
from workflows.definitions.actions import publish_definition
from workflows.definitions.blueprint import SHIPPED
from workflows.operations import backup
from workflows.storage import files
from workflows.storage.objects import DocumentFiles

pytestmark = pytest.mark.django_db


def said(_line: str) -> None:
    pass


def contents() -> dict[str, list[bytes | None]]:
    """Every object's versions, the oldest first; None for a deletion."""
    s3, found = aws.aws_client("s3"), {}
    for page in s3.get_paginator("list_object_versions").paginate(Bucket=settings.BUCKET_NAME):
        for one in (*page.get("Versions", ()), *page.get("DeleteMarkers", ())):
            body = None
            if "Size" in one:
                where = {"Bucket": settings.BUCKET_NAME, "Key": one["Key"], "VersionId": one["VersionId"]}
                body = s3.get_object(**where)["Body"].read()
            found.setdefault(one["Key"], []).append((one["LastModified"], bool(one["IsLatest"]), body))
    return {key: [body for *_, body in sorted(every, key=lambda one: one[:2])] for key, every in found.items()}


def destroy() -> None:
    """What an empty state folder is."""
    empty(settings.TABLE_NAME, settings.VERSIONS_TABLE_NAME, left=True)
    s3 = aws.aws_client("s3")
    for page in s3.get_paginator("list_object_versions").paginate(Bucket=settings.BUCKET_NAME):
        for one in (*page.get("Versions", ()), *page.get("DeleteMarkers", ())):
            s3.delete_object(Bucket=settings.BUCKET_NAME, Key=one["Key"], VersionId=one["VersionId"])
    User.objects.all().delete()


@pytest.fixture
def clean(table: str) -> Iterator[None]:
    destroy()
    yield
    destroy()


def without_versions(rows: dict[Any, Any]) -> dict[Any, str]:
    """Rows as text, without the ids that a bucket gives."""
    ids = {one.rpartition(" ")[2] for one in stored.objects("")}

    def shorten(text: str) -> str:
        return backup._VERSION_ID.sub(lambda found: "…" if found[0] in ids else found[0], text)

    return {key: shorten(json.dumps(row, sort_keys=True)) for key, row in rows.items()}


@pytest.mark.wide
def test_everything_is_there_and_a_review_that_waited_is_decided_once(clean: None, pump: Pump, tmp_path: Path) -> None:
    alice(), bob()
    project = make_project()
    prompt = PromptRef(SITE, project.id, "extract")
    mine = Prompt("extract", "Mine.\n", "{{page_text}}\n")
    prompt_actions.save_version(prompt, mine, based_on=1, note="Shorter", by=ROSA)
    waiting, ref = waiting_run(pump)
    decided, decided_ref, _ = decided_run(pump)
    store = DocumentFiles(SITE, waiting.project_id, waiting.document_id)
    store.write(files.segment(0), b"{}", "application/json")  # a second version
    rows, objects = without_versions(stored.rows()), contents()
    backup.write_backup(tmp_path / "copy", said)

    destroy()
    with pytest.raises(Tampered):
        damage(tmp_path / "copy", tmp_path / "damaged")
    backup.restore_backup(tmp_path / "copy", said)

    assert without_versions(stored.rows()) == rows
    assert contents() == objects
    assert project_queries.get_project(SITE, project.id).settings.name == "Supplier invoices"
    assert prompt_queries.get_version(prompt, 2).sha256 == mine.sha256
    assert review_of(decided_ref).status == ReviewStatus.DECIDED
    client = signed_in(User.objects.get(username="bob"))
    assert client.login(username="bob", password=PASSWORD)
    assert client.get(f"/workflows/{waiting.document_id}/{waiting.workflow_id}/").status_code == 200
    assert client.get(f"/documents/{waiting.document_id}/").status_code == 200

    claims.claim_review(ref, waiting, by=ROSA)
    decisions.decide_review(ref, waiting, verdict(ref, total="12.34"), by=ROSA, undo_seconds=0)
    for run in (waiting, decided):
        sweep_until_ended(run, pump)
    assert_applied_once(waiting, ref)
    assert_applied_once(decided, decided_ref)


def test_a_desk_on_which_nothing_but_the_definitions_was_published_is_empty(clean: None, tmp_path: Path) -> None:
    """As the command finds it, which deploys first."""
    alice()
    project = make_project()
    backup.write_backup(tmp_path / "copy", said)
    destroy()
    for definition in SHIPPED.values():
        assert publish_definition(definition)
    backup.restore_backup(tmp_path / "copy", said)
    assert project_queries.get_project(SITE, project.id).settings.name == "Supplier invoices"


def damage(good: Path, bad: Path) -> None:
    """Restore a copy of which one byte differs."""
    shutil.copytree(good, bad)
    place = next(path for path in (bad / "objects").rglob("*") if path.is_file() and path.stat().st_size)
    place.write_bytes(b"x" + place.read_bytes()[1:])
    try:
        backup.restore_backup(bad, said)
    finally:
        assert not stored.rows()


def test_neither_a_desk_with_documents_nor_a_backup_is_overwritten(clean: None, pump: Pump, tmp_path: Path) -> None:
    waiting_run(pump)
    folder = tmp_path / "copy"
    call_command("backup", str(folder), verbosity=0)
    assert folder.stat().st_mode & 0o077 == 0
    with pytest.raises(CommandError, match="no backup is overwritten"):
        call_command("backup", str(folder), verbosity=0)
    with pytest.raises(Refused, match="has documents, files or accounts"):
        backup.restore_backup(folder, said)
    with pytest.raises(Refused, match=r"no readable manifest\.json"):
        backup.restore_backup(tmp_path, said)
    checked = io.StringIO()
    call_command("backup", str(folder), check=True, stdout=checked)
    assert re.search(r"is whole: \d+ in table\.jsonl\.gz, .*, \d+ in accounts\.json\.$", checked.getvalue().strip())
