"""Folders: names that are taken, moves at once, paths that follow, and what a deleted document leaves behind."""

from collections.abc import Callable
from typing import Any

import pytest

from config.due import sweeper
from config.errors import Conflict, NotFound, Refused
from config.item import Item
from projects.documents import queries as documents_queries
from projects.documents.actions import properties
from projects.documents.index_queries import ByTag
from projects.documents.queries import get_document
from projects.folders import actions, placing, queries
from projects.folders.items import FolderEntry
from projects.folders.queries import ROOT
from projects.folders.tasks import refresh_folder
from tests.factories import PROJECT_ID, SITE, ended_run, start_run
from tests.workflows.removing import MARTA, ROSA
from workflows.documents.actions import removals
from workflows.runs import queries as run_queries

pytestmark = pytest.mark.usefixtures("table")


def folder(path: str) -> str:
    return actions.create_path(SITE, path, by=ROSA)


def names(folder_id: str) -> list[str]:
    return [str(one.path) for one in queries.list_entries(SITE, folder_id).rows]


def path_of(document_id: str) -> str:
    return str(get_document(SITE, document_id).path)


def before_write(monkeypatch: pytest.MonkeyPatch, module: Any, do: Callable[[], object]) -> None:
    """What another does just before the next transaction of ``module``."""
    real, waiting = module.transact, [do]

    def overtaken(*changes: Any, **more: Any) -> Any:
        if waiting:
            waiting.pop()()
        return real(*changes, **more)

    monkeypatch.setattr(module, "transact", overtaken)


def test_a_path_is_made_once_whatever_its_letters() -> None:
    made = folder("Invoices/2026")
    assert folder(" /invoices//2026/ ") == made == queries.find_path(SITE, "INVOICES/2026")
    assert names(ROOT) == ["Invoices"]
    assert [one.name for one in queries.list_crumbs(SITE, made)] == ["Invoices", "2026"]
    with pytest.raises(Conflict, match="already a folder “invoices”"):
        actions.create_folder(SITE, ROOT, "invoices", by=MARTA)
    with pytest.raises(NotFound):
        queries.find_path(SITE, "Invoices/2027")


@pytest.mark.parametrize("name", ["", " ", "a/b", "..", "\x07", "x" * 121])
def test_names_that_no_folder_can_have(name: str) -> None:
    with pytest.raises(Refused):
        actions.create_folder(SITE, ROOT, name, by=ROSA)


def test_a_folder_is_not_made_in_one_that_is_being_deleted(monkeypatch: pytest.MonkeyPatch) -> None:
    outer = folder("Outer")
    before_write(monkeypatch, actions, lambda: actions.delete_folder(SITE, outer, by=MARTA))
    with pytest.raises(Conflict):
        actions.create_folder(SITE, outer, "Inner", by=ROSA)
    assert names(ROOT) == []


def test_a_folder_that_something_came_into_is_not_deleted(monkeypatch: pytest.MonkeyPatch) -> None:
    outer, run = folder("Outer"), start_run()
    actions.move_document(SITE, run.document_id, outer, by=ROSA)
    with pytest.raises(Refused, match="not empty"):
        actions.delete_folder(SITE, outer, by=MARTA)
    assert actions.move_document(SITE, run.document_id, ROOT, by=ROSA)
    before_write(monkeypatch, actions, lambda: refuse_to_enter(run.document_id, outer))
    actions.delete_folder(SITE, outer, by=MARTA)
    assert names(ROOT) == []
    assert path_of(run.document_id) == get_document(SITE, run.document_id).name


def refuse_to_enter(document_id: str, folder_id: str) -> None:
    with pytest.raises(NotFound):
        actions.move_document(SITE, document_id, folder_id, by=ROSA)


def test_two_moves_at_once_make_no_circle(monkeypatch: pytest.MonkeyPatch) -> None:
    one, other = folder("One"), folder("Other")
    before_write(monkeypatch, actions, lambda: actions.move_folder(SITE, other, parent_id=one, name="Other", by=MARTA))
    with pytest.raises(Conflict):
        actions.move_folder(SITE, one, parent_id=other, name="One", by=ROSA)
    with pytest.raises(Refused, match="into itself"):
        actions.move_folder(SITE, one, parent_id=other, name="One", by=ROSA)
    assert (names(ROOT), names(one)) == (["One"], ["Other"])


def test_paths_follow_a_folder_that_moves_also_if_a_worker_dies(monkeypatch: pytest.MonkeyPatch) -> None:
    inner, run = folder("Old/Inner"), start_run()
    old = queries.find_path(SITE, "Old")
    actions.move_document(SITE, run.document_id, inner, by=ROSA)
    name = get_document(SITE, run.document_id).name
    assert path_of(run.document_id) == f"Old/Inner/{name}"
    monkeypatch.setattr("config.brokers.queues.enqueue", lambda task, _queue, kwargs, **_: sent.append(kwargs))
    sent: list[dict[str, str]] = []
    assert actions.move_folder(SITE, old, parent_id=folder("Archive"), name="New", by=ROSA)
    assert not actions.move_folder(SITE, old, parent_id=folder("Archive"), name="New", by=ROSA)
    sweeper.sweep()  # no message was sent: the sweeper finds what is due
    while sent:
        message = sent.pop()
        refresh_folder(**message)
        refresh_folder(**message)  # delivered twice
    assert path_of(run.document_id) == f"Archive/New/Inner/{name}"
    assert not [row for row in Item.scan() if row.SK == "change"]


def test_a_folder_renamed_in_its_letters_only_stays_where_it_is() -> None:
    made = folder("invoices")
    assert actions.move_folder(SITE, made, parent_id=ROOT, name="Invoices", by=ROSA)
    assert names(ROOT) == ["Invoices"]
    assert queries.get_folder(SITE, made).path == "Invoices"


def test_documents_of_one_name_stand_beside_each_other(monkeypatch: pytest.MonkeyPatch) -> None:
    inbox, first, second = folder("Inbox"), start_run(), start_run()
    name = get_document(SITE, first.document_id).name
    stem, _, ending = name.rpartition(".")
    real, waiting = placing.choose_place, [lambda: actions.move_document(SITE, second.document_id, inbox, by=MARTA)]

    def overtaken(*args: Any) -> Any:
        place = real(*args)
        if waiting:
            waiting.pop()()
        return place

    monkeypatch.setattr(placing, "choose_place", overtaken)
    actions.move_document(SITE, first.document_id, inbox, by=ROSA)
    assert names(inbox) == [f"{stem} (2).{ending}", name]
    assert path_of(second.document_id) == f"Inbox/{name}"
    with pytest.raises(Conflict, match="already a document"):
        actions.rename_document(SITE, second.document_id, f"{stem} (2).{ending}", by=ROSA)


def test_a_document_that_comes_into_a_folder_gets_a_free_name() -> None:
    inbox = folder("Inbox")
    first = start_run(folder_id=inbox)
    second = start_run(folder_id=inbox)
    assert {path_of(one.document_id).partition(" (2)")[1] for one in (first, second)} == {"", " (2)"}
    with pytest.raises(Refused, match="folder was deleted"):
        start_run(folder_id="01HZZZZZZZZZZZZZZZZZZZZZZ9")


def test_a_document_is_renamed_in_its_folder_and_in_every_list() -> None:
    inbox, run = folder("Inbox"), start_run()
    properties.add_tag(SITE, run.document_id, "kind", "bill", by=ROSA)
    actions.move_document(SITE, run.document_id, inbox, by=ROSA)
    assert actions.rename_document(SITE, run.document_id, "Bill.pdf", by=ROSA)
    assert not actions.rename_document(SITE, run.document_id, "Bill.pdf", by=ROSA)
    assert (names(inbox), path_of(run.document_id)) == (["Bill.pdf"], "Inbox/Bill.pdf")
    assert [one.name for one in documents_queries.list_documents(SITE, ByTag("kind", "bill")).rows] == ["Bill.pdf"]
    assert [one.name for one in run_queries.project_documents(SITE, PROJECT_ID).rows] == ["Bill.pdf"]
    assert actions.rename_document(SITE, run.document_id, "BILL.pdf", by=ROSA)
    assert names(inbox) == ["BILL.pdf"]


def test_a_deleted_document_leaves_its_folder_and_comes_back_to_it() -> None:
    inbox, run = folder("Inbox"), ended_run()
    actions.move_document(SITE, run.document_id, inbox, by=ROSA)
    filed = path_of(run.document_id)
    removals.delete_document(SITE, run.document_id, by=ROSA)
    assert names(inbox) == []
    removals.restore_document(SITE, run.document_id, by=ROSA)
    assert (f"Inbox/{names(inbox)[0]}", path_of(run.document_id)) == (filed, filed)
    removals.delete_document(SITE, run.document_id, by=ROSA)
    actions.delete_folder(SITE, inbox, by=ROSA)
    removals.restore_document(SITE, run.document_id, by=ROSA)
    assert get_document(SITE, run.document_id).folder_id is None


def test_groups_of_a_folder_that_another_changed_meanwhile() -> None:
    made = folder("Payroll")
    version = int(queries.get_folder(SITE, made).version)
    actions.restrict_folder(SITE, made, ["finance"], version=version, by=MARTA)
    with pytest.raises(Conflict, match=MARTA.name):
        actions.restrict_folder(SITE, made, [], version=version, by=ROSA)
    assert actions.move_folder(SITE, made, parent_id=folder("Staff"), name="Payroll", by=ROSA)
    assert [one.folder_id for one in queries.list_restricted(SITE)] == [made]
    assert FolderEntry.load(queries.folder_key(SITE, folder("Staff"), "Payroll")).groups == ["finance"]
