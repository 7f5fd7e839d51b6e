"""Cases: what is open in one, who comes second, what a rejection opens, and what a purge leaves."""

from collections.abc import Callable
from typing import Any

import pytest

from config.errors import Conflict, NotFound, Refused
from review.cases import actions, queries
from review.cases.actions import CaseText, TaskText
from review.cases.items import CaseStatus, Kind
from review.decide import claims, decisions
from review.status import Decision
from tests.factories import ROSA as PERSON
from tests.factories import SITE, ended_run, verdict, waiting_run
from tests.flow.protocol import sweep_until_ended
from tests.pump import Pump
from tests.workflows.removing import MARTA, ROSA
from workflows.documents.actions import removals

OPEN, CLOSED = CaseStatus.OPEN, CaseStatus.CLOSED


@pytest.fixture
def case_id(table: str) -> str:
    return actions.create_case(SITE, CaseText("Mill claim"), by=ROSA).case_id


def state(case_id: str) -> tuple[str, int]:
    case = queries.get_case(SITE, case_id)
    return str(case.status), int(case.open_items)


def overtake(monkeypatch: pytest.MonkeyPatch, do: Callable[[], object]) -> None:
    """What another does just before the next transaction."""
    real, waiting = actions.transact, [do]

    def overtaken(*changes: Any, **more: Any) -> Any:
        if waiting:
            waiting.pop()()
        return real(*changes, **more)

    monkeypatch.setattr(actions, "transact", overtaken)


def listed(status: CaseStatus) -> list[str]:
    return [one.case_id for one in queries.list_cases(SITE, status).rows]


def test_a_case_closes_with_its_last_item_and_opens_with_the_next(case_id: str) -> None:
    task = actions.add_task(
        SITE, case_id, TaskText("Call", owner_id="7", owner_name="Rosa", due_on="2026-12-01"), by=ROSA
    )
    nigo = actions.add_nigo(SITE, case_id, "ID card missing", by=ROSA)
    with pytest.raises(Refused, match="open tasks"):
        actions.close_case(SITE, case_id, by=ROSA)
    assert [one.item_id for one in queries.list_tasks_of(SITE, "7").rows] == [task]
    actions.close_item(SITE, case_id, Kind.TASK, task, answer="Called", by=MARTA)
    assert (state(case_id), queries.list_tasks_of(SITE, "7").rows) == (("OPEN", 1), [])
    actions.close_item(SITE, case_id, Kind.NIGO, nigo, by=MARTA)
    assert (state(case_id), listed(OPEN), listed(CLOSED)) == (("CLOSED", 0), [], [case_id])
    actions.reopen_item(SITE, case_id, Kind.TASK, task, by=ROSA)
    assert (state(case_id), listed(OPEN)) == (("OPEN", 1), [case_id])
    assert [one.due_on for one in queries.list_tasks_of(SITE, "7").rows] == ["2026-12-01"]
    with pytest.raises(Conflict):
        actions.reopen_item(SITE, case_id, Kind.TASK, task, by=ROSA)


def test_an_item_added_while_the_last_is_completed_keeps_the_case_open(
    case_id: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    task = actions.add_task(SITE, case_id, TaskText("Call"), by=ROSA)
    overtake(monkeypatch, lambda: actions.add_nigo(SITE, case_id, "Signature missing", by=MARTA))
    actions.close_item(SITE, case_id, Kind.TASK, task, by=ROSA)
    assert state(case_id) == ("OPEN", 1)


def test_who_completes_second_is_told(case_id: str, monkeypatch: pytest.MonkeyPatch) -> None:
    task = actions.add_task(SITE, case_id, TaskText("Call"), by=ROSA)
    overtake(monkeypatch, lambda: actions.close_item(SITE, case_id, Kind.TASK, task, by=MARTA))
    with pytest.raises(Conflict, match=MARTA.name):
        actions.close_item(SITE, case_id, Kind.TASK, task, by=ROSA)
    with pytest.raises(Conflict, match=MARTA.name):
        actions.update_task(SITE, case_id, task, TaskText("Write"), by=ROSA)
    with pytest.raises(Conflict, match=MARTA.name):
        actions.close_case(SITE, case_id, by=ROSA)
    assert state(case_id) == ("CLOSED", 0)


def test_a_form_sent_twice_is_one_task(case_id: str) -> None:
    for _ in range(2):
        actions.add_task(SITE, case_id, TaskText("Call"), by=ROSA, task_id="01HZZZZZZZZZZZZZZZZZZZZZZ3")
    assert state(case_id) == ("OPEN", 1)


def test_texts_that_another_changed_meanwhile(case_id: str) -> None:
    actions.update_case(SITE, case_id, CaseText("Mill", number="C-1", reference="P 7"), version=1, by=MARTA)
    with pytest.raises(Conflict, match=MARTA.name):
        actions.update_case(SITE, case_id, CaseText("Other"), version=1, by=ROSA)
    case = queries.get_case(SITE, case_id)
    assert (case.name, case.caseNumber, case.documentNumber) == ("Mill", "C-1", "P 7")


@pytest.mark.parametrize("text", [TaskText(""), TaskText("x" * 121), TaskText("Call", due_on="tomorrow")])
def test_texts_that_are_refused(case_id: str, text: TaskText) -> None:
    with pytest.raises(Refused):
        actions.add_task(SITE, case_id, text, by=ROSA)


def test_a_task_changes_hands(case_id: str) -> None:
    task = actions.add_task(SITE, case_id, TaskText("Call", owner_id="7", owner_name="Rosa"), by=ROSA)
    actions.update_task(SITE, case_id, task, TaskText("Call", owner_id="8", owner_name="Marta"), by=ROSA)
    assert (len(queries.list_tasks_of(SITE, "7").rows), len(queries.list_tasks_of(SITE, "8").rows)) == (0, 1)
    actions.update_task(SITE, case_id, task, TaskText("Call"), by=ROSA)
    assert not queries.list_tasks_of(SITE, "8").rows


def test_documents_are_attached_once_and_a_purge_takes_them_out(case_id: str) -> None:
    run = ended_run()
    nigo = actions.add_nigo(SITE, case_id, "Unreadable", by=ROSA)
    assert actions.attach_document(SITE, case_id, run.document_id, by=ROSA)
    assert not actions.attach_document(SITE, case_id, run.document_id, by=MARTA)
    assert actions.attach_document(SITE, case_id, run.document_id, by=ROSA, kind=Kind.NIGO, item_id=nigo)
    with pytest.raises(NotFound):
        actions.attach_document(SITE, case_id, run.document_id, by=ROSA, kind=Kind.TASK, item_id=nigo)
    actions.detach_document(SITE, case_id, run.document_id, by=ROSA, kind=Kind.NIGO, item_id=nigo)
    with pytest.raises(Conflict):
        actions.detach_document(SITE, case_id, run.document_id, by=ROSA, kind=Kind.NIGO, item_id=nigo)
    assert [one.case_id for one in queries.list_cases_of_document(SITE, run.document_id)] == [case_id]
    removals.delete_document(SITE, run.document_id, by=ROSA)
    removals.purge_document(SITE, run.document_id, by=ROSA)
    for _ in range(2):
        removals.finish_removal(SITE, run.document_id)
    assert not queries.get_case_rows(SITE, case_id).documents
    with pytest.raises(NotFound):
        actions.attach_document(SITE, case_id, run.document_id, by=ROSA)


@pytest.mark.wide
def test_a_rejected_review_opens_a_nigo_in_its_case_once(case_id: str, pump: Pump) -> None:
    run, ref = waiting_run(pump)
    actions.attach_document(SITE, case_id, run.document_id, by=ROSA)
    actions.close_case(SITE, case_id, by=ROSA)
    claims.claim_review(ref, run, by=PERSON)
    decisions.decide_review(ref, run, verdict(ref, Decision.REJECT), by=PERSON)
    sweep_until_ended(run, pump)
    rows = queries.get_case_rows(SITE, case_id)
    assert state(case_id) == ("OPEN", 1)
    assert [one.review for one in rows.nigos] == [ref.path]
    assert {one.type for one in rows.documents} == {"Case", "Nigo"}
    assert [one.description for one in rows.nigos] == ["Not ours"]
    removals.delete_document(SITE, run.document_id, by=ROSA)
    removals.purge_document(SITE, run.document_id, by=ROSA)
    removals.finish_removal(SITE, run.document_id)
    (nigo,) = queries.get_case_rows(SITE, case_id).nigos
    assert (nigo.name, nigo.description, nigo.review) == ("Review rejected", None, None)
    assert queries.get_case_rows(SITE, case_id).documents == []
