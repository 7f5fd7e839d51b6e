import pytest

from config import clock
from config.errors import NotFound
from config.table import InvalidKey
from projects.audit.events import Actor
from projects.settings import actions as project_actions
from projects.settings.merging import digest_settings
from projects.settings.values import ProjectSettings
from review.audit import timeline
from review.decide import claims, decisions
from review.decide.decisions import Verdict
from review.identity import Person
from review.queries import get_review as load
from review.status import Decision
from tests.review.reviews import open_review

ALICE, BOB = Actor("1", "Alice Novak"), Actor("2", "Bob Ito")
SITE = "default"

pytestmark = pytest.mark.usefixtures("table")


def decided(name: str = "receipt.pdf"):
    run, ref = open_review(name)
    person = Person(BOB.id, BOB.name)
    claims.claim_review(ref, run, by=person)
    found = load(ref)
    verdict = Verdict(clock.new_ulid(), Decision.APPROVE, int(found.version), found.result_sha256, {}, name=name)
    decisions.decide_review(ref, run, verdict, by=person)
    return run, ref, verdict


def project(name: str, by: Actor = ALICE) -> str:
    made = project_actions.create_project(
        SITE, ProjectSettings(name), by=by, project_id=project_actions.new_project_id()
    )
    return made.id


def everything(limit: int = 25) -> list[timeline.AuditRow]:
    return list(timeline.list_rows(timeline.all_sources(SITE), limit=limit, most=1000))


def test_settings_documents_and_decisions_are_one_list_newest_first() -> None:
    project("Receipts")
    decided()
    rows = everything()
    assert [row.kind for row in rows] == ["decision", "document", "settings"]
    assert [row.at for row in rows] == sorted((row.at for row in rows), reverse=True)
    assert rows[0].words == "Approved"
    assert rows[0].what == "receipt.pdf"
    assert rows[2].words == "Project created"
    assert rows[2].who == "Alice Novak"


def test_a_kind_and_a_day_narrow_every_list_and_stay_one_query_each() -> None:
    project("Receipts")
    decided()
    today = clock.iso(clock.now())[:10]
    for sources in (timeline.all_sources(SITE), timeline.of_user(SITE, BOB.id)):
        every, _ = timeline.merge_page(sources, None, 50)
        of_today, _ = timeline.merge_page(timeline.narrow(sources, day=today), None, 50)
        assert of_today == every
        assert timeline.merge_page(timeline.narrow(sources, day="2020-01-01"), None, 50) == ([], None)
        (only,) = timeline.narrow(sources, kind="decision", day=today)
        rows, _ = timeline.merge_page([only], None, 50)
        assert [row.kind for row in rows] == ["decision"]


@pytest.mark.wide
@pytest.mark.parametrize("limit", [1, 2, 3, 7])
def test_pages_of_any_size_leave_nothing_out_and_repeat_nothing(limit: int) -> None:
    for number in range(4):
        project(f"P{number}")
    decided("a.pdf")
    project("P4")
    decided("b.pdf")
    assert everything(limit) == everything(25)
    assert len(everything(limit)) == 9


def test_a_person_s_list_has_what_that_person_did_and_nothing_else() -> None:
    project("Hers", by=ALICE)
    project("His", by=BOB)
    decided()
    rows = list(timeline.list_rows(timeline.of_user(SITE, BOB.id), limit=2, most=100))
    assert [(row.kind, row.who) for row in rows] == [("decision", "Bob Ito"), ("settings", "Bob Ito")]
    assert rows[1].words == "Project created"


def test_a_document_s_list_has_its_life_and_who_touched_it() -> None:
    run, _, _ = decided()
    decided("another.pdf")
    rows = list(timeline.list_rows(timeline.of_document(SITE, run.document_id), limit=3, most=100))
    assert {row.kind for row in rows} == {"document", "run"}
    assert "Review approved" in [row.words for row in rows]
    assert {row.document_id for row in rows} == {run.document_id}


def test_a_record_s_list_says_what_was_and_what_is() -> None:
    project_id = project("Old name")
    before = digest_settings(ProjectSettings("Old name"), 1)
    project_actions.update_project(SITE, project_id, ProjectSettings("New name"), seen=before, by=BOB)
    rows = list(timeline.list_rows(timeline.of_record(SITE, "project", project_id), limit=25, most=100))
    assert [row.words for row in rows] == ["Project updated", "Project created"]
    assert any(change["before"] == "Old name" and change["after"] == "New name" for change in rows[0].changes)


def test_a_decision_that_was_taken_back_says_so() -> None:
    run, ref, verdict = decided()
    decisions.undo_decision(ref, run, decision_id=verdict.decision_id, by=Person(BOB.id, BOB.name))
    assert everything()[0].words == "Decision undone"


def test_a_rejection_says_why() -> None:
    run, ref = open_review("odd.pdf")
    claims.claim_review(ref, run, by=Person(BOB.id, BOB.name))
    found = load(ref)
    verdict = Verdict(
        clock.new_ulid(),
        Decision.REJECT,
        int(found.version),
        found.result_sha256,
        {},
        reason="Not ours",
        name="odd.pdf",
    )
    decisions.decide_review(ref, run, verdict, by=Person(BOB.id, BOB.name))
    assert (everything()[0].words, everything()[0].reason) == ("Rejected", "Not ours")


def test_another_site_s_history_is_not_in_the_list() -> None:
    project("Here")
    decided()
    for sources in (timeline.all_sources("acme"), timeline.of_user("acme", BOB.id)):
        assert list(timeline.list_rows(sources, limit=25, most=100)) == []


def test_a_cursor_of_another_list_is_gone() -> None:
    for number in range(3):
        project(f"P{number}")
    _, cursor = timeline.merge_page(timeline.all_sources(SITE), None, 1)
    assert cursor
    for other in (
        timeline.all_sources("acme"),
        timeline.of_user(SITE, ALICE.id),
        timeline.of_record(SITE, "project", "p"),
    ):
        with pytest.raises(NotFound):
            timeline.merge_page(other, cursor, 1)
    with pytest.raises(NotFound):
        timeline.merge_page(timeline.all_sources(SITE), "made up", 1)


def test_an_id_that_no_key_can_hold_is_refused() -> None:
    with pytest.raises(InvalidKey):
        timeline.of_document(SITE, "a#b")
