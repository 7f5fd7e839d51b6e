"""Files that other systems put into the bucket: one document a version, however often it is told; the rest waits."""

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

import pytest
from django.conf import settings

from config import aws
from config.errors import Conflict, Unavailable
from projects.audit.events import Actor, actor_of
from projects.documents import queries as document_queries
from projects.settings import actions as project_actions
from projects.settings.items import Project
from projects.settings.values import ProjectSettings
from projects.sites import actions as site_actions
from projects.sites import directory
from projects.sites import queries as site_queries
from tests.aws_faults import Crash, audit_refused, count_calls, crash_after, fail
from tests.factories import sample_files
from tests.people import alice
from tests.projects.make_sites import make_site
from tests.pump import Pump
from tests.workflows import stored
from tests.workflows.boxes import mailed, samples
from tests.workflows.decided import pin_learned, pinned_learned
from workflows.definitions.blueprint import DOCUMENT_ANALYSIS
from workflows.documents.actions import removals
from workflows.intake import bucket
from workflows.intake.bucket import Arrival
from workflows.intake.items import IncomingFile, IncomingStatus
from workflows.intake.tasks import take_incoming, take_incoming_again
from workflows.runs import queries
from workflows.runs.actions import advance
from workflows.runs.items import ProjectDocument, Run

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("table")]
BY = Actor("1", "Alice Novak")
KEY = 'raw/2026/11/21/acme/a "bill" #7.pdf'


def owner(name: str = "acme", site: str = "default") -> Project:
    wanted, made = ProjectSettings(name="Bills"), project_actions.new_project_id()
    project = project_actions.create_project(site, wanted, by=actor_of(alice()), project_id=made)
    bucket.add_tenant(name, site, project, by=BY)
    return project


def put(body: bytes | None = None, key: str = KEY) -> Arrival:
    body = sample_files()[0].read_bytes() if body is None else body
    answer = aws.aws_client("s3").put_object(Bucket=settings.BUCKET_NAME, Key=key, Body=body)
    return Arrival(key, answer["VersionId"], len(body))


def take(arrival: Arrival) -> None:
    bucket.take(arrival, unpack=lambda *_: None, owner="mine", keep=lambda: None)


def waiting(site: str = "default") -> list[tuple[str, str]]:
    return [(file.name, str(file.message)) for file in bucket.list_quarantine(site).rows]


def rows(project: Project, site: str = "default") -> Sequence[ProjectDocument]:
    return queries.project_documents(site, project.id).rows


def documents(project: Project, site: str = "default") -> list[str]:
    return [row.name for row in rows(project, site)]


def test_an_object_in_the_bucket_becomes_a_document_by_itself(pump: Pump):
    project = owner()
    arrival = put()
    pump.hold = lambda message: not message.task.endswith("take_incoming")
    pump.run(lambda: pump.ran("take_incoming") == 1)
    document = document_queries.get_document("default", arrival.document_id)
    assert (document.name, document.project_id, document.user_name) == ('a "bill" #7.pdf', project.id, "Bucket")
    assert documents(project) == ['a "bill" #7.pdf']
    assert waiting() == []


def test_a_document_from_the_bucket_pins_the_calibration_and_the_extractor_in_use():
    project = owner()
    pin_learned(project.id)
    arrival = put()
    take(arrival)
    assert pinned_learned("default", arrival.document_id) == (3, 2)


def test_told_of_again_nothing_happens():
    project = owner()
    arrival = put()
    for _ in range(2):
        take_incoming.apply(kwargs={"key": arrival.key, "version": arrival.version, "size": arrival.size}, throw=True)
    before = stored.rows()
    with count_calls() as calls:
        take(arrival)
    assert calls.names() == ["dynamodb.GetItem"]
    assert stored.rows() == before
    assert len(documents(project)) == 1


def test_of_many_deliveries_at_once_one_makes_the_document():
    project = owner()
    arrival = put()
    with ThreadPoolExecutor(4) as lanes:
        list(lanes.map(lambda _: take(arrival), range(4)))
    assert len(documents(project)) == 1
    left = [one for one in stored.objects(f"projects/{project.id}/") if "/documents/" in one]
    assert len(left) == 1  # the losers took their copies back


def test_a_worker_that_dies_behind_the_transaction_leaves_one_document():
    project = owner()
    arrival = put()
    with crash_after("dynamodb", "TransactWriteItems"), pytest.raises(Crash):
        take(arrival)
    take(arrival)
    assert len(documents(project)) == 1


def test_a_newer_version_of_the_object_is_another_document():
    project = owner()
    for body in (None, sample_files()[0].read_bytes() + b"\n%"):
        take(put(body))
    assert len(documents(project)) == 2


def test_a_mail_is_taken_apart():
    project, ordered = owner(), []
    arrival = put(mailed(samples()), "raw/2026/11/21/acme/post.eml")
    bucket.take(arrival, unpack=lambda *which: ordered.append(which), owner="mine", keep=lambda: None)
    assert ordered == [("default", arrival.document_id)]
    assert documents(project) == ["post.eml"]


@pytest.mark.parametrize(
    ("key", "body", "sentence"),
    [
        ("raw/2026/11/21/globex/a.pdf", None, "Folder “globex” is not assigned"),
        ("raw/2026/11/acme/a.pdf", None, "The key has no folder, so the file cannot be processed. Discard it"),
        ("raw/a.pdf", None, "The key has no folder, so the file cannot be processed. Discard it"),
        ("raw/2026/11/21/acme/a.pdf", b"", "This file is empty"),
        ("raw/2026/11/21/acme/a.exe", b"MZ" + b"\0" * 600, "This is a program"),
    ],
)
def test_what_cannot_be_taken_waits_with_the_reason(key, body, sentence):
    project = owner()
    take(put(body, key))
    ((name, message),) = waiting()
    assert (name, sentence in message) == (key.rpartition("/")[2], True)
    assert documents(project) == []


def test_a_file_that_is_too_large_is_not_even_fetched(settings):
    owner()
    settings.UPLOAD_MAX_BYTES = 10
    arrival = put()
    with count_calls() as calls:
        take(arrival)
    assert not [name for name in calls.names() if name.startswith("s3.")]
    assert "larger than" in waiting()[0][1]


def test_an_object_that_is_gone_waits_too():
    owner()
    arrival = put()
    aws.aws_client("s3").delete_object(Bucket=settings.BUCKET_NAME, Key=arrival.key, VersionId=arrival.version)
    take(arrival)
    assert "no longer in the bucket" in waiting()[0][1]


def test_each_sites_admins_see_what_is_theirs():
    make_site("acme")
    project = owner(site="acme")
    take(put(b"", KEY))
    assert (waiting(), len(waiting("acme"))) == ([], 1)
    take(put())
    assert documents(project, "acme") == ['a "bill" #7.pdf']
    site = site_queries.get_site("acme")
    site_actions.close_site("acme", version=site.version, by=BY)
    directory.forget()
    take(put(b"closed by now"))
    assert "Site acme is closed" in waiting()[0][1]


def quarantined() -> IncomingFile:
    arrival = put()
    take(arrival)
    return bucket.get_waiting_file("default", arrival.digest)


def test_out_of_quarantine_once_its_folder_has_an_owner(pump: Pump):
    file = quarantined()
    project = owner()
    bucket.again(file, by=BY)
    take_incoming_again(file)
    pump.hold = lambda message: not message.task.endswith("take_incoming")
    pump.run(lambda: pump.ran("take_incoming") == 2)  # the rule's own event came first, and found it waiting
    assert (waiting(), documents(project)) == ([], [file.name])
    assert IncomingFile.load(file.key).status == IncomingStatus.TAKEN


def test_tried_again_in_vain_it_waits_on_with_the_newer_reason():
    file = quarantined()
    bucket.add_tenant("acme", "default", owner("other"), by=BY)
    bucket.again(file, by=BY)
    aws.aws_client("s3").delete_object(Bucket=settings.BUCKET_NAME, Key=KEY, VersionId=file.s3version)
    take(Arrival(KEY, str(file.s3version), 10))
    assert "no longer in the bucket" in waiting()[0][1]


def test_discarded_it_is_never_taken():
    file = quarantined()
    bucket.discard(file, by=BY)
    assert waiting() == []
    project = owner()
    take(Arrival(KEY, str(file.s3version), 10))
    assert documents(project) == []
    for late in (bucket.discard, bucket.again):
        with pytest.raises(Conflict, match="no longer in quarantine"):
            late(file, by=BY)


def test_two_deliveries_put_it_into_quarantine_once():
    arrival = put()
    files = [bucket.find_file(arrival) for _ in range(2)]  # both looked before either wrote
    bucket.quarantine(files[0], "first")
    with pytest.raises(Conflict):
        bucket.quarantine(files[1], "second")
    assert [message for _, message in waiting()] == ["first"]


def test_a_purge_destroys_the_object_too_and_it_is_not_taken_again():
    project = owner()
    arrival = put()
    take(arrival)
    (run,) = [Run("default", project.id, arrival.document_id, row.workflow_id) for row in rows(project)]
    advance.fail(run, DOCUMENT_ANALYSIS, queries.execution(run), attempt=1, error="E", sentence="Not readable.")
    removals.delete_document("default", arrival.document_id, by=BY)
    removals.finish_removal("default", arrival.document_id)
    removals.purge_document("default", arrival.document_id, by=BY)
    removals.finish_removal("default", arrival.document_id)
    assert not [one for one in stored.objects("raw/") if one.endswith(arrival.version)]
    left = [str(row) for (_, pk, _), row in stored.rows().items() if arrival.digest in pk]
    assert [("bill" in row, "acme" in row) for row in left if "QUARANTINE" not in row] == [(False, False)]
    take(arrival)
    assert documents(project) == []


def test_a_folder_has_one_owner():
    project = owner()
    with pytest.raises(Conflict, match="is already assigned"):
        bucket.add_tenant("acme", "default", project, by=BY)
    bucket.remove_tenant("acme", by=BY)
    with pytest.raises(Exception, match="already removed"):
        bucket.remove_tenant("acme", by=BY)
    assert bucket.tenants().rows == []


def test_without_its_event_nothing_is_quarantined():
    arrival = put()
    with audit_refused(), pytest.raises(Unavailable):
        take(arrival)
    assert waiting() == []


def test_a_table_that_does_not_answer_is_asked_again(pump: Pump):
    owner()
    with fail("dynamodb", "GetItem", times=9), pytest.raises(Unavailable):
        take(put())
