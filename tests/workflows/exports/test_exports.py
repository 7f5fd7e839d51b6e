"""Exports: what is written in each format, by whom, once, and what stays hidden."""

import csv
import datetime as dt
import io
import json
import re
import zipfile
from dataclasses import replace
from typing import Any

import pyarrow.parquet as pq
import pytest
from django.urls import reverse

from config import clock
from config.due import actions as due_work
from config.errors import Conflict, Refused
from projects.audit.events import Actor
from projects.settings import actions as project_actions
from projects.settings import queries as project_queries
from projects.settings.values import FieldSetting
from projects.sites.permissions import Permission
from tests.aws_faults import count_calls
from tests.factories import start_run
from tests.html import one_line
from tests.people import alice, bob, charlie, person, signed_in
from tests.projects.make_sites import grant
from tests.projects.policies.writing import BROKEN, activate
from tests.projects.projects import make_project, seen_of
from tests.workflows.repeated import field, publish
from tests.workflows.test_api import API, program
from workflows.exports import actions, due, queries, tasks, writing
from workflows.exports.actions import Orderer
from workflows.exports.choice import APART, CSV, EXCEL, FLAT, JSON_LINES, LEFT_OUT, PARQUET, Choice
from workflows.exports.items import Export, ExportSchedule
from workflows.storage.objects import open_object

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("table")]
SITE, BY = "default", Actor("1", "Rosa Marin")
ADMIN = Orderer(BY, ("admins",), is_everywhere=True)
ITEMS = "Description\nAmount, amount"
FIELDS = (
    FieldSetting("company", "Company", "text"),
    FieldSetting("date", "Date", "date"),
    FieldSetting("total", "Total", "amount"),
    FieldSetting("items", "Items", "table", columns=ITEMS),
)


@pytest.fixture
def project_id(table: str) -> str:
    return make_project("Bills", fields=FIELDS).id


def cell(column: str, value: str) -> dict[str, Any]:
    return {"column": column, "value": value}


def bill(project_id: str, company: str = "Mill Ltd", total: str = "4.50", rows: int = 2) -> Any:
    items = [[cell("description", f"=Pen {n}"), cell("amount", f"{n}.25")] for n in range(rows)]
    run = start_run(project_id=project_id)
    return publish(
        run, field("company", company), field("date", "2026-11-02"), field("total", total),
        field("items", "", rows=items),
    )  # fmt: skip


def exported(project_id: str, who: Orderer = ADMIN, **choice: Any) -> Export:
    row = actions.order_export(SITE, project_id, Choice(**choice), who=who)
    write(row)
    return queries.get_export(SITE, project_id, row.export_id)


def write(row: Export, owner: str = "me") -> None:
    writing.write_export(SITE, row.project_id, row.export_id, owner=owner, keep=lambda: None)


def content(row: Export, name: str) -> bytes:
    return open_object(writing.key_of(SITE, row, name)).read()


def lines(row: Export, name: str = "documents.csv") -> list[list[str]]:
    return list(csv.reader(io.StringIO(content(row, name).decode())))


def test_csv_has_a_line_for_each_row_of_a_table_and_nothing_in_it_is_a_formula(project_id):
    bill(project_id)
    bill(project_id, "Quill AG", rows=0)
    row = exported(project_id, columns=("document_id", "company", "total", "items"))
    head, *found = lines(row)
    assert head == ["Document ID", "Company", "Total", "Items: Description", "Items: Amount"]
    assert [one[1:] for one in found] == [
        ["Mill Ltd", "4.50", "'=Pen 0", "0.25"], ["Mill Ltd", "4.50", "'=Pen 1", "1.25"], ["Quill AG", "4.50", "", ""],
    ]  # fmt: skip
    assert (row.status, int(row.documents)) == ("done", 2)


def test_tables_apart_are_a_file_each_and_can_be_left_out(project_id):
    run = bill(project_id)
    apart = exported(project_id, tables=APART, columns=("company", "items"))
    assert lines(apart) == [["Company"], ["Mill Ltd"]]
    assert lines(apart, "items.csv")[1][1:] == [run.document_id, "'=Pen 0", "0.25"]
    assert lines(exported(project_id, tables=LEFT_OUT, columns=("company", "items"))) == [["Company"], ["Mill Ltd"]]


def test_json_lines_hold_tables_inside_their_document(project_id):
    bill(project_id)
    (record,) = map(json.loads, content(exported(project_id, form=JSON_LINES), "documents.jsonl").splitlines())
    assert record["company"] == "Mill Ltd"
    assert record["items"][1] == {"description": "=Pen 1", "amount": "1.25"}
    assert record["decided_by"] is None


def test_excel_has_a_sheet_for_each_table(project_id):
    bill(project_id)
    body = content(exported(project_id, form=EXCEL, tables=APART), "documents.xlsx")
    with zipfile.ZipFile(io.BytesIO(body)) as book:
        assert {"xl/worksheets/sheet1.xml", "xl/worksheets/sheet2.xml"} <= set(book.namelist())
        assert "Items" in book.read("xl/workbook.xml").decode()


def test_excel_shows_when_a_document_was_published_as_an_instant(project_id):
    bill(project_id)
    body = content(exported(project_id, form=EXCEL), "documents.xlsx")
    with zipfile.ZipFile(io.BytesIO(body)) as book:
        published = re.search(r'<c r="F2" s="\d+"><v>([\d.]+)</v>', book.read("xl/worksheets/sheet1.xml").decode())
        assert "yyyy-mm-dd hh:mm:ss&quot; UTC&quot;" in book.read("xl/styles.xml").decode()
    assert published
    moment = dt.datetime(1899, 12, 30, tzinfo=dt.UTC) + dt.timedelta(days=float(published[1]))
    assert abs(clock.now() - moment) < dt.timedelta(minutes=1)


def test_parquet_has_types(project_id):
    bill(project_id)
    bill(project_id, total="about five")
    body = content(exported(project_id, form=PARQUET, tables=APART), "documents.parquet")
    table = pq.read_table(io.BytesIO(body))
    assert str(table.schema.field("total").type).startswith("decimal")
    assert str(table.schema.field("date").type) == "date32[day]"
    assert str(table.schema.field("published_at").type) == "timestamp[us, tz=UTC]"
    assert abs(clock.now() - table.column("published_at").to_pylist()[0]) < dt.timedelta(minutes=1)
    assert [None if one is None else str(one.normalize()) for one in table.column("total").to_pylist()] == ["4.5", None]


def test_only_published_results_of_the_range_are_exported(project_id):
    bill(project_id)
    start_run(project_id=project_id)
    assert len(lines(exported(project_id, tables=LEFT_OUT))) == 2
    assert len(lines(exported(project_id, tables=LEFT_OUT, since="2999-01-01T00:00:00"))) == 1
    assert len(lines(exported(project_id, tables=LEFT_OUT, until="2001-01-01T00:00:00"))) == 1


def test_a_page_of_documents_is_one_query_and_one_read_each(project_id, monkeypatch):
    monkeypatch.setattr(queries, "A_PAGE", 2)
    for _ in range(3):
        bill(project_id)
    row = actions.order_export(SITE, project_id, Choice(tables=LEFT_OUT), who=ADMIN)
    with count_calls() as calls:
        write(row)
    pages = [call for call in calls.of("dynamodb", "Query") if "#DOC" in str(call.params)]
    assert len(pages) == 2
    assert len(calls.of("s3", "GetObject")) == 3
    assert len(calls.of("s3", "PutObject")) == 1


def test_personal_fields_are_masked_unless_they_were_asked_for(project_id):
    hide(project_id)
    bill(project_id)
    assert lines(exported(project_id, columns=("company", "total")))[1] == ["•••", "4.50"]
    assert lines(exported(project_id, columns=("company", "total"), personal=True))[1] == ["Mill Ltd", "4.50"]


def test_what_the_access_policy_denies_to_who_ordered_it_is_left_out(project_id):
    one, _ = bill(project_id, "Mill Ltd"), bill(project_id, "Quill Ltd")
    wanted = f'input.action == "EXPORT"; input.document.id == "{one.document_id}"; input.user.id == "1"'
    activate(f'package countersign\n\ndeny contains "no" if {{ {wanted} }}\n')
    assert [line[0] for line in lines(exported(project_id, columns=("company",)))[1:]] == ["Quill Ltd"]
    activate(BROKEN)
    row = exported(project_id, columns=("company",))
    assert "access policy failed" in str(row.message)


def hide(project_id: str) -> None:
    project = project_queries.get_project(SITE, project_id)
    fields = tuple(replace(one, personal=one.name == "company") for one in FIELDS)
    after = replace(project.settings, fields=fields)
    project_actions.update_project(SITE, project_id, after, seen=seen_of(project), by=BY)


def test_a_task_that_comes_twice_writes_once(project_id):
    bill(project_id)
    row = actions.order_export(SITE, project_id, Choice(), who=ADMIN)
    kwargs = {"site": SITE, "project_id": project_id, "export_id": row.export_id}
    tasks.write.apply(kwargs=kwargs, throw=True)
    with count_calls() as calls:
        tasks.write.apply(kwargs=kwargs, throw=True)
    assert calls.names() == ["dynamodb.GetItem"]


def test_of_two_workers_one_writes_and_who_lost_the_lease_stops(project_id):
    bill(project_id)
    row = actions.order_export(SITE, project_id, Choice(), who=ADMIN)
    claimed = actions.claim_export(row, owner="first")
    with pytest.raises(Conflict):
        actions.claim_export(row, owner="second")
    assert actions.finish_export(SITE, claimed, 1, [])
    assert not actions.finish_export(SITE, claimed, 2, [])
    with pytest.raises(Conflict):
        actions.renew_export(claimed, 3, owner="first")


def test_an_export_that_ends_its_workers_is_given_up(project_id, settings):
    row = actions.order_export(SITE, project_id, Choice(), who=ADMIN)
    for number in range(settings.WORKER_ATTEMPTS):
        claimed = actions.claim_export(row, owner=str(number))
        claimed.update(actions=[Export.lease_until.set("2001")])
    due.resume_export(SITE, queries.get_export(SITE, project_id, row.export_id))
    ended = queries.get_export(SITE, project_id, row.export_id)
    assert ended.status == "failed"
    assert "shorter range" in str(ended.message)


def test_what_cannot_be_exported_is_refused(project_id):
    for choice in (Choice(form="doc"), Choice(tables="x"), Choice(since="2026-02", until="2026-01")):
        with pytest.raises(Refused):
            actions.order_export(SITE, project_id, choice, who=ADMIN)
    for _ in range(actions.MOST_AT_ONCE):
        actions.order_export(SITE, project_id, Choice(), who=ADMIN)
    with pytest.raises(Refused, match="are running"):
        actions.order_export(SITE, project_id, Choice(), who=ADMIN)


def test_a_schedule_exports_what_came_since_and_is_due_again(project_id):
    schedule = actions.create_schedule(SITE, project_id, Choice(), "day", "finance/daily", who=ADMIN)
    bill(project_id)
    soon = clock.iso(clock.in_seconds(60))
    later = due_work.postpone_actions(ExportSchedule, soon, schedule_id=schedule.schedule_id)
    schedule.update(actions=[ExportSchedule.due_at.set(soon), *later])
    row = queries.list_schedules(SITE, project_id)[0]
    due.begin_scheduled(SITE, row)
    (found,) = queries.list_exports(SITE, project_id).rows
    assert found.schedule_id == schedule.schedule_id
    assert found.folder.startswith("finance/daily/")
    write(found)
    assert len(lines(queries.get_export(SITE, project_id, found.export_id))) > 1
    assert actions.begin_scheduled(SITE, row) is None  # another sweeper moved it on
    assert len(queries.list_exports(SITE, project_id).rows) == 1
    after = queries.list_schedules(SITE, project_id)[0]
    assert after.since == row.due_at
    actions.delete_schedule(SITE, project_id, schedule.schedule_id, by=BY)
    assert not queries.list_schedules(SITE, project_id)


def page(project_id: str, name: str = "list-exports", *more: Any) -> str:
    return reverse(f"workflows:{name}", args=[project_id, *more])


def form(**more: Any) -> dict[str, Any]:
    return {"form": CSV, "tables": FLAT, "columns": ["company", "total"], **more}


def test_the_page_orders_shows_and_hands_out(project_id):
    bill(project_id)
    browser = signed_in(alice())
    assert browser.post(page(project_id), form())["Location"] == page(project_id)
    shown = one_line(browser.get(page(project_id)).content)
    assert "Queued" in shown
    assert 'hx-trigger="every 3s"' in shown
    (row,) = queries.list_exports(SITE, project_id).rows
    write(row)
    fragment = one_line(signed_in(alice(), htmx=True).get(page(project_id)).content)
    assert "<html" not in fragment
    address = page(project_id, "download-export", row.export_id, 0)
    assert address in fragment
    answer = browser.get(address)
    assert b"Mill Ltd" in b"".join(answer.streaming_content)
    assert answer["Content-Disposition"].startswith("attachment")
    assert browser.get(page(project_id, "download-export", row.export_id, 1)).status_code == 404
    assert browser.post(page(project_id), form(columns=[])).status_code == 422


def test_the_list_tells_exports_with_tables_apart_from_others(project_id):
    bill(project_id)
    for tables in (FLAT, APART, LEFT_OUT):
        exported(project_id, form=EXCEL, tables=tables)
    shown = one_line(signed_in(alice()).get(page(project_id)).content)
    assert [shown.count(words) for words in ("Excel, tables apart", "Excel, without tables", "Excel <small")] == [
        1,
        1,
        1,
    ]


def test_exporting_takes_its_own_permission(project_id):
    bill(project_id)
    assert page(project_id) in signed_in(alice()).get(f"/projects/{project_id}/").content.decode()
    for who in (bob(), charlie()):
        assert signed_in(who).get(page(project_id)).status_code == 403
        assert page(project_id) not in signed_in(who).get(f"/projects/{project_id}/").content.decode()
    grant(SITE, "controllers", Permission.READ, Permission.EXPORT)
    assert signed_in(person("carol", "Carol", "controllers")).get(page(project_id)).status_code == 200


def test_a_file_with_personal_data_is_not_for_who_may_not_see_it(project_id):
    hide(project_id)
    bill(project_id)
    row = exported(project_id, personal=True)
    grant(SITE, "controllers", Permission.READ, Permission.EXPORT)
    browser = signed_in(person("carol", "Carol", "controllers"))
    assert browser.get(page(project_id, "download-export", row.export_id, 0)).status_code == 403
    assert "has personal data" in one_line(browser.get(page(project_id)).content)
    browser.post(page(project_id), form(personal="on"))
    (mine, _) = queries.list_exports(SITE, project_id).rows
    assert not Choice.from_json(mine.choice).personal


def test_schedules_are_saved_and_deleted_on_the_page(project_id):
    browser = signed_in(alice())
    wrong = browser.post(page(project_id, "create-export-schedule"), form(every="day", folder="../x"))
    assert wrong.status_code == 422
    browser.post(page(project_id, "create-export-schedule"), form(every="month", folder="finance"))
    (row,) = queries.list_schedules(SITE, project_id)
    assert f"exports/{project_id}/finance/" in one_line(browser.get(page(project_id)).content)
    browser.post(page(project_id, "delete-export-schedule", row.schedule_id))
    assert not queries.list_schedules(SITE, project_id)


def test_schedules_are_kept_by_api(project_id):
    client = program(Permission.READ, Permission.EXPORT)
    url = f"{API}/projects/{project_id}/export-schedules"
    wish = {"every": "week", "folder": "finance/weekly", "format": "csv"}
    made = client.post(url, wish, content_type="application/json")
    assert made.status_code == 201, made.json()
    (row,) = queries.list_schedules(SITE, project_id)
    assert (row.repeat, row.folder, made.json()["next_at"]) == ("week", "finance/weekly", row.due_at)
    assert client.get(url).json()["items"] == [made.json()]
    for wrong in ({"folder": "../x"}, {"every": "hour"}, {"columns": ["unknown"]}, {"format": "doc"}):
        assert client.post(url, wish | wrong, content_type="application/json").status_code == 422, wrong
    assert client.post(url, wish | {"personal": True}, content_type="application/json").status_code == 403
    assert program(Permission.READ, Permission.ADMIN).get(url).status_code == 403
    assert client.delete(f"{url}/{row.schedule_id}").status_code == 204
    assert client.delete(f"{url}/{row.schedule_id}").status_code == 204
    assert client.get(url).json()["items"] == []
