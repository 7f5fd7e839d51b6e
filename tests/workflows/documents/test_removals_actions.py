"""Delete, restore, purge: out of every list, back exactly, gone but for what the page says."""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest

from config import clock, table
from config.due.repairs import DECISION, RUN, Repair, record_repair
from config.errors import Conflict, CountersignError, NotFound, Refused, Unavailable
from projects.documents import queries as browse_queries
from projects.documents.actions import properties
from projects.documents.index_queries import ByDay
from projects.documents.queries import DELETED, PURGED, get_removal, list_removals
from review import queries as review_queries
from review.audit import timeline
from tests.aws_faults import before_each, crash_before, fail
from tests.factories import PROJECT_ID, SITE, ref_of, start_run
from tests.pump import Pump
from tests.workflows import stored
from tests.workflows.follow_ups import drive, published, statuses
from tests.workflows.removing import MARTA, ROSA, files_of, hang_on, is_trail, reviewed_document, told
from workflows.definitions.blueprint import DOCUMENT_ANALYSIS
from workflows.definitions.rules import Act
from workflows.documents.actions import removals as actions
from workflows.publish import actions as followups
from workflows.publish import queries as publish_queries
from workflows.publish.items import FollowUp
from workflows.runs import queries
from workflows.runs.actions import advance
from workflows.runs.items import FollowUpStatus, Run


def ended(run: Run) -> Run:
    advance.fail(run, DOCUMENT_ANALYSIS, queries.execution(run), attempt=1, error="E", sentence="Not readable.")
    return run


def document() -> Run:
    """One whose only run failed: quickly made."""
    return ended(start_run())


def kinds(run: Run) -> list[tuple[str, str]]:
    rows = browse_queries.list_activities(SITE, run.document_id).rows
    return [(row.type, row.user_name) for row in rows if row.type != "MODIFY"]


@pytest.mark.wide
def test_a_deleted_document_is_in_no_list_and_its_pages_are_closed(pump: Pump) -> None:
    run = reviewed_document(pump)
    ref = ref_of(run)
    actions.delete_document(SITE, run.document_id, by=MARTA, reason="Twice")
    left = sorted(sk for _, sk in stored.indexed(run.document_id) if not is_trail(("", "", sk)))
    decided, *others = left
    assert decided.startswith(f"{table.REVIEW.sort_prefix()}{ref.review_id}#DECISION#")
    assert others == ["removal", f"softdelete#document{run.document_id}"]
    assert "decision" in [row.kind for row in timeline.merge_page(timeline.all_sources(SITE), None, 50)[0]]
    assert not queries.project_documents(SITE, PROJECT_ID).rows
    assert not browse_queries.list_documents(SITE, ByDay(clock.now().date())).rows
    assert not queries.executions(SITE, DOCUMENT_ANALYSIS.name).rows
    with pytest.raises(NotFound):
        browse_queries.get_document(SITE, run.document_id)
    with pytest.raises(NotFound, match="deleted"):
        queries.board(SITE, run.workflow_id)
    with pytest.raises(NotFound, match="deleted"):
        review_queries.get_review(ref)
    (row,) = list_removals(SITE, DELETED).rows
    assert (row.name, row.holder_name, row.status) == (get_removal(SITE, run.document_id).name, MARTA.name, "deleted")


@pytest.mark.wide
def test_restoring_brings_every_row_back_exactly(pump: Pump) -> None:
    run = reviewed_document(pump)
    before = {key: row for key, row in stored.rows().items() if not is_trail(key)}
    actions.delete_document(SITE, run.document_id, by=ROSA)
    actions.restore_document(SITE, run.document_id, by=MARTA)
    assert {key: row for key, row in stored.rows().items() if not is_trail(key)} == before
    assert kinds(run)[:2] == [("RESTORE", MARTA.name), ("SOFT_DELETE", ROSA.name)]
    assert not list_removals(SITE, DELETED).rows
    actions.delete_document(SITE, run.document_id, by=ROSA)
    assert get_removal(SITE, run.document_id).status == "deleted"


@pytest.mark.wide
def test_a_purge_leaves_what_the_page_says_and_nothing_else(pump: Pump) -> None:
    run = reviewed_document(pump)
    other = document()
    hang_on(other.document_id)
    record_repair(DECISION, SITE, document_id=run.document_id, workflow_id=run.workflow_id)
    record_repair(RUN, SITE, document_id=other.document_id, workflow_id="w")
    kept = {key: row for key, row in stored.rows().items() if other.document_id in str(row)}
    repair = table.REPAIR.key(table.DEFAULT_SITE, kind=DECISION)
    repaired = int(Repair.load(repair).repairs)
    actions.delete_document(SITE, run.document_id, by=ROSA, reason="Mill's, not ours")
    before, files = told(run), len(files_of(run))
    name = str(get_removal(SITE, run.document_id).name)
    assert files > 5
    actions.purge_document(SITE, run.document_id, by=MARTA)
    actions.finish_removal(SITE, run.document_id)
    left = {key for key, row in stored.rows().items() if run.document_id in str(row) or run.workflow_id in str(row)}
    assert {sk for _, _, sk in left if not is_trail(("", "", sk))} == {"removal"}
    assert not [key for key, row in stored.rows().items() if name in str(row) and run.document_id in str(row)]
    assert int(Repair.load(repair).repairs) == repaired
    assert told(run) == {kind: number + 1 for kind, number in before.items()} | {
        "ev#": before["ev#"] + 2  # the audit record and the line that lists it
    }
    assert not files_of(run)
    assert {key: row for key, row in stored.rows().items() if other.document_id in str(row)} == kept
    record = get_removal(SITE, run.document_id)
    assert (record.status, record.user_name, record.purged_by_name) == ("purged", ROSA.name, MARTA.name)
    assert (record.name, record.reason, record.shown_name) == (None, None, run.document_id)
    assert [row.document_id for row in list_removals(SITE, PURGED).rows] == [run.document_id]
    assert not list_removals(SITE, DELETED).rows
    assert kinds(run)[0] == ("DELETE", MARTA.name)


def test_while_a_run_is_under_way_nothing_is_deleted(table: str) -> None:
    run = start_run()
    with pytest.raises(Refused, match="in progress"):
        actions.delete_document(SITE, run.document_id, by=ROSA)
    assert browse_queries.get_document(SITE, run.document_id)
    assert not list_removals(SITE, DELETED).rows


def test_what_follows_a_publication_rests_while_its_document_is_deleted(pump: Pump) -> None:
    run = published(Act("QUEUE", {"queue": "q1"}), Act("PUBLISH"))
    before = {key: row for key, row in stored.rows().items() if not is_trail(key)}
    actions.delete_document(SITE, run.document_id, by=ROSA)
    drive(run)  # its message was on the way
    assert statuses(run) == ["PENDING", "PENDING"]
    assert not [key for key in stored.rows() if "DUE#" in str(key)]
    actions.restore_document(SITE, run.document_id, by=ROSA)
    assert {key: row for key, row in stored.rows().items() if not is_trail(key)} == before
    drive(run)
    assert statuses(run) == ["IN_QUEUE", "PENDING"]
    assert publish_queries.list_queued_documents(SITE, "q1").rows
    actions.delete_document(SITE, run.document_id, by=ROSA)
    assert not publish_queries.list_queued_documents(SITE, "q1").rows


def test_while_a_worker_does_what_follows_nothing_is_deleted(pump: Pump) -> None:
    run = published(Act("PUBLISH"))
    followups.claim_follow_up(run, owner="worker")
    with pytest.raises(Refused, match="are running"):
        actions.delete_document(SITE, run.document_id, by=ROSA)
    followups.end_follow_up(run, owner="worker", status=FollowUpStatus.DONE)
    actions.delete_document(SITE, run.document_id, by=ROSA)


def with_follow_ups(run: Run, count: int, status: FollowUpStatus) -> list[Run]:
    """As after so many runs of the document: each published, and each with something that followed."""
    runs_of = [replace(run, workflow_id=f"{run.workflow_id[:-4]}Z{number:03}") for number in range(count)]
    for one in runs_of:
        row = FollowUp.load(followups.follow_up_key_of(run))
        row.SK, row.workflowId, row.status = followups.follow_up_key_of(one).sk, one.workflow_id, status
        if status == FollowUpStatus.OPEN:
            row.GSI2SK = row.GSI2SK.replace(run.workflow_id, one.workflow_id)
        else:
            row.GSI2PK = row.GSI2SK = None
        row.save()
    return runs_of


def follow_ups(run: Run) -> dict[str, str]:
    pk = followups.follow_up_key_of(run).pk
    return {row.SK: row.status for row in FollowUp.every(pk, sk=FollowUp.SK.startswith("followup#"), consistent=True)}


@pytest.mark.wide
@pytest.mark.parametrize("status", [FollowUpStatus.DONE, FollowUpStatus.OPEN])
def test_a_document_with_many_follow_ups_is_deleted_and_comes_back_exactly(pump: Pump, status: FollowUpStatus) -> None:
    run = published(Act("PUBLISH"))
    with_follow_ups(run, 120, status)
    before = {key: row for key, row in stored.rows().items() if not is_trail(key)}
    actions.delete_document(SITE, run.document_id, by=ROSA)
    assert set(follow_ups(run).values()) == {"deleted"}
    assert not [key for key in stored.rows() if "DUE#" in str(key)]
    actions.restore_document(SITE, run.document_id, by=ROSA)
    assert {key: row for key, row in stored.rows().items() if not is_trail(key)} == before


@pytest.mark.wide
def test_of_many_follow_ups_one_that_is_done_while_the_others_still_follow_rests_too(pump: Pump) -> None:
    run = published(Act("PUBLISH"))
    last = with_follow_ups(run, 120, FollowUpStatus.OPEN)[-1]
    with crash_before("dynamodb", "TransactWriteItems", nth=2):  # the deletion stands, its rows have yet to follow
        actions.delete_document(SITE, run.document_id, by=ROSA)
    assert follow_ups(run)[followups.follow_up_key_of(last).sk] == "OPEN"
    for _ in range(2):
        drive(last)
    assert follow_ups(run)[followups.follow_up_key_of(last).sk] == "deleted"
    actions.finish_removal(SITE, run.document_id)
    actions.restore_document(SITE, run.document_id, by=ROSA)
    assert set(follow_ups(run).values()) == {"OPEN"}
    actions.delete_document(SITE, run.document_id, by=ROSA)


@pytest.mark.wide
def test_a_worker_that_is_late_hides_nothing_of_a_document_that_is_back(pump: Pump) -> None:
    run = published(Act("PUBLISH"))
    last = with_follow_ups(run, 120, FollowUpStatus.OPEN)[-1]
    with crash_before("dynamodb", "TransactWriteItems", nth=2):
        actions.delete_document(SITE, run.document_id, by=ROSA)

    def back() -> None:
        actions.finish_removal(SITE, run.document_id)
        actions.restore_document(SITE, run.document_id, by=ROSA)

    with before_each("dynamodb", "TransactWriteItems", back):
        drive(last)
    assert set(follow_ups(run).values()) == {"OPEN"}


def test_what_is_not_deleted_is_neither_restored_nor_purged(table: str) -> None:
    run = document()
    for act in (actions.restore_document, actions.purge_document):
        with pytest.raises(NotFound):
            act(SITE, run.document_id, by=ROSA)
    with pytest.raises(NotFound):
        actions.delete_document(SITE, "nothing", by=ROSA)
    with pytest.raises(NotFound):
        actions.delete_document("acme", run.document_id, by=ROSA)


@pytest.mark.wide
def test_of_restoring_and_purging_at_once_one_happens(table: str) -> None:
    for _ in range(5):
        run = document()
        actions.delete_document(SITE, run.document_id, by=ROSA)

        def attempt(act: object, run: Run = run) -> str:
            try:
                act(SITE, run.document_id, by=MARTA)  # type: ignore[operator]
            except (Conflict, NotFound) as error:
                return type(error).__name__
            return "done"

        with ThreadPoolExecutor(2) as lanes:
            answers = list(lanes.map(attempt, [actions.restore_document, actions.purge_document]))
        assert answers.count("done") == 1
        actions.finish_removal(SITE, run.document_id)
        assert [kind for kind, _ in kinds(run)].count("DELETE") == (answers[1] == "done")


def test_two_who_delete_at_once_delete_once(table: str) -> None:
    run = document()

    def attempt(_: int) -> bool:
        try:
            actions.delete_document(SITE, run.document_id, by=ROSA)
        except CountersignError:
            return False
        return True

    with ThreadPoolExecutor(4) as lanes:
        assert list(lanes.map(attempt, range(4))).count(True) == 1
    assert [kind for kind, _ in kinds(run)].count("SOFT_DELETE") == 1


@pytest.mark.wide
def test_a_tag_that_comes_while_the_document_goes_is_lost_neither_way(table: str) -> None:
    for number in range(5):
        run = document()

        def tag(key: str, run: Run = run) -> bool:
            try:
                return properties.add_tag(SITE, run.document_id, key, "v", by=ROSA)
            except NotFound:
                return False

        with ThreadPoolExecutor(5) as lanes:
            tagging = [lanes.submit(tag, f"k{number}-{i}") for i in range(4)]
            actions.delete_document(SITE, run.document_id, by=MARTA)
            given = sum(one.result() for one in tagging)
        assert [key for key in stored.indexed(run.document_id) if key[1].startswith("tags#")] == []
        actions.restore_document(SITE, run.document_id, by=MARTA)
        assert len(browse_queries.list_tags(SITE, run.document_id)) == given
        assert len([key for key in stored.indexed(run.document_id) if key[1].startswith("tags#")]) == given


@pytest.mark.parametrize("act", ["delete", "restore", "purge"])
def test_where_the_trail_cannot_be_written_nothing_happens(table: str, act: str) -> None:
    run = document()
    hang_on_later = act != "delete"
    if hang_on_later:
        actions.delete_document(SITE, run.document_id, by=ROSA)
    before = stored.rows()
    with fail("dynamodb", "TransactWriteItems", times=99), pytest.raises(Unavailable):
        getattr(actions, f"{act}_document")(SITE, run.document_id, by=MARTA)
    assert stored.rows() == before


def test_finishing_twice_changes_nothing(table: str) -> None:
    run = document()
    actions.delete_document(SITE, run.document_id, by=ROSA)
    before = stored.rows()
    actions.finish_removal(SITE, run.document_id)
    assert stored.rows() == before
    actions.purge_document(SITE, run.document_id, by=ROSA)
    actions.finish_removal(SITE, run.document_id)
    before = stored.rows()
    actions.finish_removal(SITE, run.document_id)
    assert stored.rows() == before
