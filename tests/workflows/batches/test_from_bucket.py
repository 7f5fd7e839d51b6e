"""A manifest in the bucket starts a batch: one a version, however often it is told; what cannot start waits."""

import json
from collections.abc import Sequence

import pytest
from django.conf import settings

from config import aws
from config.errors import Unavailable
from projects.settings.items import Project
from tests.aws_faults import Crash, crash_after, fail
from tests.pump import Pump
from tests.workflows.batches import bulk
from workflows.batches import from_bucket, queries
from workflows.batches.items import Batch
from workflows.batches.tasks import take_manifest
from workflows.intake import bucket
from workflows.intake.bucket import Arrival
from workflows.intake.items import IncomingStatus
from workflows.intake.tasks import take_incoming_again

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("table")]
KEY = "raw/2026/11/25/acme/november.manifest.json"


def owner() -> Project:
    project = bulk.project()
    bucket.add_tenant("acme", "default", project, by=bulk.BY)
    return project


def put(lines: object, key: str = KEY) -> Arrival:
    body = json.dumps(lines).encode()
    answer = aws.aws_client("s3").put_object(Bucket=settings.BUCKET_NAME, Key=key, Body=body)
    return Arrival(key, answer["VersionId"], len(body))


def take(arrival: Arrival) -> None:
    from_bucket.take_manifest(arrival, owner="mine", keep=lambda: None)


def batches() -> Sequence[Batch]:
    return queries.list_batches("default").rows


def waiting() -> list[str]:
    return [str(file.message) for file in bucket.list_quarantine("default").rows]


@pytest.mark.wide
def test_a_manifest_in_the_bucket_starts_its_batch_by_itself(pump: Pump) -> None:
    project = owner()
    put([{"key": key} for key in bulk.many(2)])
    pump.run(lambda: bool(batches()))
    (batch,) = batches()
    assert (batch.name, batch.project_id) == ("november.manifest.json", project.id)
    assert bulk.ended(pump, batch).published == 2
    assert waiting() == []


def test_told_of_again_nothing_happens() -> None:
    owner()
    arrival = put([{"key": bulk.put("a.txt")}])
    for _ in range(2):
        take_manifest.apply(kwargs={"key": KEY, "version": arrival.version, "size": arrival.size}, throw=True)
    assert len(batches()) == 1


def test_a_worker_that_dies_once_the_batch_is_there_leaves_one() -> None:
    owner()
    arrival = put([{"key": bulk.put("a.txt")}])
    with crash_after("dynamodb", "TransactWriteItems"), pytest.raises(Crash):
        take(arrival)
    assert bucket.find_file(arrival).status == ""
    take(arrival)
    assert len(batches()) == 1
    assert bucket.find_file(arrival).status == IncomingStatus.TAKEN


def test_what_does_not_answer_is_tried_again() -> None:
    owner()
    arrival = put([{"key": bulk.put("a.txt")}])
    with fail("s3", "GetObject"), pytest.raises(Unavailable):
        take(arrival)
    take(arrival)
    assert len(batches()) == 1


def test_a_folder_of_nobody_waits_and_starts_when_it_is_assigned(pump: Pump) -> None:
    arrival = put([{"key": bulk.put("a.txt")}])
    take(arrival)
    assert waiting() == ["Folder “acme” is not assigned. Assign it to a project, then retry."]
    owner()
    file = bucket.find_file(arrival)
    bucket.again(file, by=bulk.BY)
    take_incoming_again(bucket.find_file(arrival))
    pump.run(lambda: bool(batches()))
    assert len(batches()) == 1
    assert waiting() == []


def test_one_that_is_too_large_or_empty_waits_with_the_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    owner()
    monkeypatch.setattr(settings, "BATCH_MAX_BYTES", 10)
    take(put(["bulk/default/a.txt"]))
    empty = f"{KEY.removesuffix('november.manifest.json')}empty.manifest.txt"
    answer = aws.aws_client("s3").put_object(Bucket=settings.BUCKET_NAME, Key=empty, Body=b"")
    take(Arrival(empty, answer["VersionId"], 0))
    assert sorted(waiting()) == [
        "The manifest is empty. Add at least one key.",
        "The manifest is larger than 10\xa0bytes. Split it.",
    ]
    assert batches() == []
