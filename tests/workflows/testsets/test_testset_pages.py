"""Pages of test sets, who may open them and what they cost."""

from unittest import mock

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse

from config.brokers import queues
from config.errors import Unavailable
from projects.audit.events import Actor
from tests.aws_faults import count_calls
from tests.html import one_line
from tests.people import alice, bob, signed_in
from tests.pump import Pump
from tests.workflows.decided import decided_run, field, project
from workflows.testsets import actions, items, queries
from workflows.testsets.actions import Source
from workflows.testsets.cases import Case
from workflows.testsets.queries import SetRef

SITE, ANNA = "default", Actor("1", "Anna Berg")
pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("table")]


def url(name: str, *args: object) -> str:
    return reverse(f"workflows:{name}", args=args)


def reviewed(project_id: str) -> str:
    return decided_run(project_id, [field("total", "amount", "12.00")], {"total": "13.00"}).document_id


def filled(project_id: str) -> SetRef:
    reviewed(project_id)
    ref = actions.create_test_set(SITE, project_id, "Receipts", by=ANNA)
    actions.build_test_set(ref, Source(), by=ANNA)
    return ref


def build_by_worker(pump: Pump) -> None:
    pump.hold = lambda message: not message.task.endswith("testsets.tasks.build")  # the documents' own runs stay
    pump.run(lambda: pump.ran("testsets.tasks.build") == 1)


def test_one_click_makes_a_set_of_reviewed_documents(pump: Pump) -> None:
    project_id, admin = project(), signed_in(alice())
    reviewed(project_id)
    empty = one_line(admin.get(url("list-test-sets", project_id)).content)
    assert "Create from reviewed documents" in empty
    made = admin.post(url("create-test-set", project_id), {"name": "Reviewed documents", "most": "200"})
    assert made.status_code == 302
    assert one_line(admin.get(made["Location"]).content).count("Adding documents") == 1
    build_by_worker(pump)
    head = queries.list_test_sets(SITE, project_id).rows[0]
    half = "tuning" if head.tuning else "held_back"
    page = one_line(admin.get(made["Location"], {"half": half}).content)
    assert "receipt.pdf" in page
    assert "Version 1 · 1 document with known answers" in page
    assert "Version 1 has 1 document." in one_line(signed_in(alice(), htmx=True).get(made["Location"]).content)
    assert "Reviewed documents" in one_line(admin.get(url("list-test-sets", project_id)).content)


def test_a_worker_that_is_lost_or_was_never_told_is_said_so() -> None:
    project_id, admin = project(), signed_in(alice())
    with mock.patch.object(queues, "enqueue", side_effect=Unavailable("Away")):
        made = admin.post(url("create-test-set", project_id), {"name": "Mine", "most": "5"})
    page = one_line(admin.get(made["Location"]).content)
    assert ("No worker is available. Nothing was added" in page, "hx-trigger" in page) == (True, False)
    ref = filled(project_id)
    actions.announce_building(ref)
    shown = url("show-test-set", project_id, ref.testset_id)
    assert "Adding documents. Runs started earlier go first." in one_line(admin.get(shown).content)
    with mock.patch.object(items, "LONGEST_SECONDS", 0):
        assert "the worker was lost. Add the documents again." in one_line(admin.get(shown).content)


def test_a_wrong_file_is_refused_before_anything_is_made() -> None:
    project_id = project()
    file = SimpleUploadedFile("a.csv", b"document,colour\na,red\n")
    typed = {"name": "Mine", "most": "5", "file": file}
    answer = signed_in(alice()).post(url("create-test-set", project_id), typed)
    assert answer.status_code == 422
    assert "Line 2 has a field that this project does not have" in one_line(answer.content)
    assert queries.list_test_sets(SITE, project_id).rows == []
    assert signed_in(alice()).post(url("create-test-set", project_id), {"name": ""}).status_code == 422


def test_documents_are_added_and_removed_and_who_is_late_is_told(pump: Pump) -> None:
    project_id, admin = project(), signed_in(alice())
    ref = filled(project_id)
    reviewed(project_id)
    assert admin.post(url("add-to-test-set", project_id, ref.testset_id), {"most": "9"}).status_code == 302
    build_by_worker(pump)
    cases = queries.load_cases(ref, str(queries.get_test_set(ref).sha256))
    assert len(cases) == 2
    gone = {"document_id": cases[0].document_id, "version": "2"}
    assert admin.post(url("remove-from-test-set", project_id, ref.testset_id), gone).status_code == 302
    late = admin.post(url("remove-from-test-set", project_id, ref.testset_id), gone)
    assert late.status_code == 409
    assert "changed this test set to version 3" in one_line(late.content)


def test_a_page_of_a_large_set_costs_as_much_as_of_a_small_one() -> None:
    project_id, admin = project(), signed_in(alice())
    ref = actions.create_test_set(SITE, project_id, "Many", by=ANNA)
    actions.add_cases(ref, [Case(f"d{number}", "0" * 64, "tuning", 1) for number in range(60)], note="", by=ANNA)
    queries.load_cases.cache_clear()
    with count_calls() as calls:
        page = one_line(admin.get(url("show-test-set", project_id, ref.testset_id)).content)
    assert sorted(calls.names()) == [
        "dynamodb.BatchGetItem", "dynamodb.GetItem", "dynamodb.GetItem", "dynamodb.Query", "dynamodb.Query",
        "s3.GetObject",
    ]  # fmt: skip
    assert page.count("Removed: the document was deleted") == 25
    assert "after=25" in page
    last = one_line(admin.get(url("show-test-set", project_id, ref.testset_id), {"after": "50"}).content)
    assert last.count("Removed: the document was deleted") == 10
    assert admin.get(url("show-test-set", project_id, ref.testset_id), {"half": "third"}).status_code == 404


def test_only_who_configures_the_project_sees_its_test_sets() -> None:
    project_id, reviewer = project(), signed_in(bob())
    ref = filled(project_id)
    for name in ("list-test-sets", "create-test-set"):
        assert reviewer.get(url(name, project_id)).status_code == 403
    assert reviewer.get(url("show-test-set", project_id, ref.testset_id)).status_code == 403
    for name in ("add-to-test-set", "remove-from-test-set"):
        assert reviewer.post(url(name, project_id, ref.testset_id)).status_code == 403
        assert signed_in(alice()).get(url(name, project_id, ref.testset_id)).status_code == 405
    assert signed_in(alice()).get(url("show-test-set", project(name="Other"), ref.testset_id)).status_code == 404
