"""A batch from its manifest to its end, on the emulator's machines, queues and table."""

import json

import pytest
from django.conf import settings
from django.urls import reverse

from config import aws
from config.due import sweeper
from config.errors import Conflict, Refused
from config.transaction import EXISTS
from projects.sites.permissions import Permission
from tests.people import charlie, signed_in
from tests.pump import Pump
from tests.workflows.batches import bulk
from tests.workflows.boxes import zipped
from tests.workflows.test_api import API, program
from workflows.batches import actions, lines, orders, reading
from workflows.batches.items import Batch
from workflows.engine import interventions
from workflows.runs import queries
from workflows.runs.actions.advance import execution_key
from workflows.runs.items import Execution, Run

pytestmark = pytest.mark.django_db
GONE = "The file was not found in the bucket. Upload it, then retry the failed lines."


def once_more(pump: Pump, word: str) -> None:
    """Every message of a kind that came so far comes a second time."""
    for message in [one for one in pump.seen if one.task.endswith(word)]:
        pump.redeliver(message)


def runs_of(batch: Batch) -> list[Run]:
    rows = queries.project_documents("default", batch.project_id).rows
    return [Run("default", batch.project_id, str(row.document_id), str(row.workflow_id)) for row in rows]


@pytest.mark.wide
def test_every_line_becomes_a_document_and_what_is_wrong_is_explained(pump: Pump):
    project, keys = bulk.project(), bulk.many(4)
    wrong = [keys[0], "bulk/other/a.pdf", {"project": "x"}, "bulk/default/none.txt"]
    batch = bulk.make(project, [*keys, *wrong], percent=50)
    done = bulk.ended(pump, batch)
    assert bulk.explained(batch) == [
        (5, "Duplicate key: already listed above."),
        (6, "The key is not a file under bulk/default/."),
        (7, "The key is missing."),
        (8, GONE),
    ]
    assert (done.status, done.total, done.bad, done.failed, done.published) == ("finished", 8, 3, 1, 4)
    assert len(runs_of(batch)) == 4
    before = bulk.now(batch).to_dynamodb_dict()
    for word in ("tasks.read", "open_part", "take_line", "look"):
        once_more(pump, word)
    assert bulk.now(batch).to_dynamodb_dict() == before
    assert len(runs_of(batch)) == 4


@pytest.mark.wide
def test_what_was_skipped_in_its_archives_is_counted_with_its_kinds(pump: Pump):
    project, client = bulk.project(), program(Permission.READ)
    box = {"a.txt": b"Minutes of the third meeting", "Setup.EXE": b"MZ" + b"\0" * 600, "b.exe": b"MZ" + b"\0" * 600}
    keys = [
        bulk.put("one.zip", zipped({**box, "empty.pdf": b"", "__MACOSX/._a.txt": b"x"})),
        bulk.put("two.zip", zipped({"c.txt": b"Minutes of the fourth meeting", "blob": b"\0\1\2" * 99})),
        bulk.put("whole.zip", zipped({"d.txt": b"Minutes of the fifth meeting"})),
    ]
    batch = bulk.make(project, keys, percent=100)
    done = bulk.ended(pump, batch)
    assert (done.unpacked, done.failed, done.skipped) == (3, 0, 4)
    shown = client.get(f"{API}/batches/{batch.id}").json()
    assert (shown["skipped"], shown["skipped_kinds"]) == (4, [".exe", ".pdf", "other"])
    text = " ".join(signed_in(charlie()).get(reverse("workflows:show-batch", args=[batch.id])).content.decode().split())
    assert "4 files inside unpacked mails and archives were skipped: .exe, .pdf, other." in text
    for word in ("take_line", "look", "unpack"):
        once_more(pump, word)
    assert bulk.now(batch).skipped == 4


def test_a_batch_of_whole_archives_says_nothing_of_skipped_files(pump: Pump):
    batch = bulk.make(bulk.project(), [bulk.put("whole.zip", zipped({"d.txt": b"Minutes of the fifth meeting"}))])
    assert bulk.ended(pump, batch).skipped_kinds is None
    assert "skipped" not in signed_in(charlie()).get(reverse("workflows:show-batch", args=[batch.id])).content.decode()


@pytest.mark.wide
def test_the_failed_lines_alone_are_tried_again(pump: Pump):
    project, keys = bulk.project(), bulk.many(1)
    batch = bulk.make(project, [*keys, "bulk/default/late.txt", "bulk/default/never.txt", keys[0]], percent=100)
    ended = bulk.ended(pump, batch)
    bulk.put("late.txt")
    actions.retry_batch("default", ended, by=bulk.BY)
    with pytest.raises(Conflict, match="has changed"):  # who saw the page from before
        actions.retry_batch("default", ended, by=bulk.BY)
    orders.order_reading("default", batch.id, 2)
    done = bulk.ended(pump, batch)
    assert (done.status, done.attempt, done.published, done.failed, done.bad) == ("finished", 2, 2, 1, 1)
    assert [number for number, _ in bulk.explained(batch)] == [3, 4]
    assert done.done == done.total == 4


@pytest.mark.wide
def test_a_run_that_failed_goes_on_in_the_next_attempt(pump: Pump):
    project, keys = bulk.project(), bulk.many(1)
    batch = bulk.make(project, keys, percent=100)
    pump.hold = lambda message: message.task.endswith("run_step")
    pump.run(lambda: bool(pump.held) and bool(runs_of(batch)))
    (run,) = runs_of(batch)
    interventions.cancel(run, by=bulk.BY)
    pump.held.clear()
    lines.drive_batch("default", batch.id)
    done = bulk.ended(pump, batch)
    assert (done.failed, bulk.explained(batch)) == (1, [(1, "Cancelled by Alice Novak.")])
    pump.hold = lambda _message: False
    actions.retry_batch("default", done, by=bulk.BY)
    orders.order_reading("default", batch.id, 2)
    done = bulk.ended(pump, batch)
    assert (done.published, done.failed, bulk.explained(batch)) == (1, 0, [])
    assert runs_of(batch) == [run]


@pytest.mark.wide
def test_who_waits_for_a_person_gives_the_slot_back(pump: Pump):
    project = bulk.project(fields=True)
    batch = bulk.make(project, bulk.many(2), slots=1)
    done = bulk.ended(pump, batch)
    assert (done.status, done.waiting, done.published) == ("finished", 2, 0)


def test_too_much_that_fails_stops_it_and_the_bus_is_told(pump: Pump):
    batch = bulk.make(bulk.project(), [*bulk.many(2), *(f"bulk/default/gone-{n}.txt" for n in range(2))], percent=25)
    done = bulk.ended(pump, batch)
    assert (done.status, done.failed, done.published) == ("stopped", 2, 0)
    events = [row for row in Batch.partition(batch.PK, limit=50) if row["SK"]["S"].startswith("EVENT#")]
    (detail,) = [json.loads(row["bus_detail"]["S"]) for row in events]
    assert (detail["batchId"], detail["status"], detail["failed"], detail["total"]) == (batch.id, "stopped", 2, 4)


@pytest.mark.parametrize(
    ("manifest", "sentence"),
    [
        ("7", "Not a JSON list"),
        ('["bulk/other/a", "bulk/other/b"]', "No line of this manifest was started"),
        ('["bulk/other/a", "bulk/default/b"]', "1 of 2 lines are invalid, more than 20 %"),
    ],
)
def test_of_a_wrong_manifest_nothing_is_started(pump: Pump, manifest, sentence):
    batch = bulk.make(bulk.project(), manifest)
    done = bulk.ended(pump, batch)
    assert (done.status, sentence in str(done.message), done.GSI2PK) == ("refused", True, None)
    with pytest.raises(Refused, match="This batch has no failed lines"):
        actions.retry_batch("default", done, by=bulk.BY)


def test_cancelled_it_starts_nothing_more_and_counts_what_was_begun(pump: Pump):
    batch = bulk.make(bulk.project(), bulk.many(5), slots=1)
    pump.run(lambda: pump.ran("take_line") == 1)
    actions.cancel_batch("default", bulk.now(batch), by=bulk.BY)
    pump.run(lambda: not bulk.now(batch).at_work)
    lines.drive_batch("default", batch.id)
    done = bulk.now(batch)
    assert (done.status, done.published, done.taken, done.GSI2PK) == ("cancelled", 1, 1, None)
    with pytest.raises(Conflict, match="has changed"):
        actions.cancel_batch("default", batch, by=bulk.BY)


@pytest.mark.wide
def test_what_a_cancelled_batch_never_began_is_begun_when_somebody_says_so(pump: Pump):
    batch = bulk.make(bulk.project(), bulk.many(4), slots=1)
    pump.run(lambda: pump.ran("take_line") == 1)
    actions.cancel_batch("default", bulk.now(batch), by=bulk.BY)
    pump.run(lambda: not bulk.now(batch).at_work)
    halted = bulk.now(batch)
    actions.go_on("default", halted, by=bulk.BY)
    with pytest.raises(Conflict, match="has changed"):  # who comes second
        actions.go_on("default", halted, by=bulk.BY)
    orders.order_drive("default", batch.id)
    done = bulk.ended(pump, batch)
    assert (done.status, done.published, done.failed) == ("finished", 4, 0)
    with pytest.raises(Refused, match="All lines of this batch were started"):
        actions.go_on("default", done, by=bulk.BY)


@pytest.mark.wide
def test_a_batch_that_stopped_over_failures_goes_on_whatever_fails(pump: Pump):
    batch = bulk.make(bulk.project(), [*bulk.many(2), *(f"bulk/default/gone-{n}.txt" for n in range(2))], percent=25)
    actions.go_on("default", bulk.ended(pump, batch), by=bulk.BY)
    orders.order_drive("default", batch.id)
    done = bulk.ended(pump, batch)
    assert (done.status, done.failed, done.published) == ("finished", 2, 2)


@pytest.mark.wide
def test_one_that_was_cancelled_before_it_was_read_is_read(pump: Pump):
    batch = bulk.make(bulk.project(), bulk.many(1))
    actions.cancel_batch("default", bulk.now(batch), by=bulk.BY)
    pump.run()
    actions.go_on("default", bulk.now(batch), by=bulk.BY)
    orders.order_drive("default", batch.id)
    assert bulk.ended(pump, batch).published == 1


@pytest.mark.wide
def test_what_every_queue_and_every_worker_lost_the_sweeper_finds(pump: Pump):
    """No message of the batch itself arrives but those that the sweeper has sent."""
    batch = bulk.make(bulk.project(), bulk.many(2), slots=1)
    lost: set[str] = set()

    def lose(message) -> bool:
        first = message.task.startswith("workflows.batches") and message.task not in lost
        if first and not message.task.endswith("look"):
            lost.add(message.task)
            aws.aws_client("sqs").delete_message(
                QueueUrl=settings.QUEUE_URLS[message.queue], ReceiptHandle=message.receipt
            )
            pump.held.remove(message)
            return True
        return False

    pump.hold = lose

    def done() -> bool:
        sweeper.sweep()
        return bulk.now(batch).status == "finished"

    pump.run(done, seconds=120)
    assert (bulk.now(batch).published, len(lost)) == (2, 3)


def test_a_slot_leaks_where_a_worker_dies_behind_a_runs_end_and_comes_back(pump: Pump):
    batch = bulk.make(bulk.project(), bulk.many(1), slots=1)
    pump.run(lambda: bool(runs_of(batch)))
    (run,) = runs_of(batch)
    mark = Execution.batch_line.remove()  # nobody is told of its end
    Execution.change(execution_key(run), [mark], EXISTS)
    pump.run(lambda: queries.execution(run).status != "running")
    assert bulk.now(batch).at_work == {0: 0}
    lines.drive_batch("default", batch.id)
    assert (bulk.ended(pump, batch).published, bulk.now(batch).at_work) == (1, {})


@pytest.mark.wide
def test_another_batch_of_the_same_files_makes_no_second_document(pump: Pump):
    project, keys = bulk.project(), bulk.many(2)
    for _ in range(2):
        batch = bulk.make(project, keys)
        done = bulk.ended(pump, batch)
        assert (done.status, done.published) == ("finished", 2)
    assert len(runs_of(batch)) == 2


def test_parts_are_opened_once_by_whoever_is_first(pump: Pump):
    batch = bulk.make(bulk.project(), ["bulk/default/gone.txt", bulk.put("a.txt")])
    pump.hold = lambda message: message.task.endswith("open_part")
    pump.run(lambda: bulk.now(batch).status == "checking" and bool(pump.held))
    assert [reading.open_part("default", batch.id, 1, 0) for _ in range(2)] == [True, True]
    assert bulk.now(batch).failed == 1
    assert [reading.begin_batch("default", batch.id) for _ in range(2)] == [True, False]


def test_a_line_is_the_files_of_its_own_site_only(pump: Pump):
    key = bulk.put("a.txt", site="acme")
    batch = bulk.make(bulk.project(), [key], percent=100)
    assert bulk.ended(pump, batch).status == "refused"
    assert bulk.explained(batch) == [(1, "The key is not a file under bulk/default/.")]
