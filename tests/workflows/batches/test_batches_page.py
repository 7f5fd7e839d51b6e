import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse

from config import clock
from config.transaction import EXISTS
from tests.aws_faults import count_calls, fail
from tests.each import each
from tests.html import one_line
from tests.people import alice, charlie, signed_in
from tests.projects.make_sites import make_site
from tests.workflows.batches import bulk
from workflows.batches import actions, queries
from workflows.batches.items import Batch, BatchStatus

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("table")]
LIST = "/batches/"


def sent(browser, project, **more):
    form = {"batch_id": clock.new_ulid(), "slots": "4", "percent": "20", **more}
    return browser.post(f"/batches/new/{project.id}/", form, follow=True)


def file(text: str = "bulk/default/a.pdf\n") -> SimpleUploadedFile:
    return SimpleUploadedFile("november.txt", text.encode())


def finished(failed: int = 1) -> Batch:
    batch = bulk.make(bulk.project(), [])
    actions.record_manifest("default", batch, total=3, bad=0, planned=3, parts=0, allowed=3)
    actions.begin_lines("default", batch)
    Batch.change(batch.key, [Batch.failed.set(failed), Batch.published.set(3 - failed)], EXISTS)
    actions.finish_batch("default", batch, BatchStatus.FINISHED)
    actions.store_line(
        actions.explain_line("default", batch.id, 2, "=It is gone.", attempt=1, key="bulk/default/b", again=True)
    )
    return bulk.now(batch)


def test_a_desk_without_one_says_how_they_are_made():
    page = one_line(signed_in(alice()).get(LIST).content)
    assert "No batches yet" in page
    assert '<a href="/projects/" aria-current="page">' in page


def test_a_manifest_is_uploaded_and_its_batch_opens():
    project = bulk.project()
    answer = sent(signed_in(alice()), project, manifest=file())
    text = one_line(answer.content)
    assert "Its manifest is being checked" in text
    assert "Reading manifest" in text
    (batch,) = queries.list_batches("default").rows
    assert (batch.name, batch.form, batch.slots, batch.user_name) == ("november.txt", "list", 4, "Alice Novak")
    assert answer.redirect_chain[-1][0] == reverse("workflows:show-batch", args=[batch.id])


def test_a_manifest_in_the_bucket_is_named():
    key = bulk.put("manifests/keys.csv", b"key\nbulk/default/a.pdf\n")
    sent(signed_in(alice()), bulk.project(), key=key, name="From the scanner")
    (batch,) = queries.list_batches("default").rows
    assert (batch.name, batch.form, batch.manifest) == ("From the scanner", "csv", key)


def test_a_manifest_that_was_not_taken_leads_to_the_next_one():
    project = bulk.project()
    batch = bulk.make(project, "{no list")
    actions.refuse_batch("default", batch, "Not a JSON list.")
    link = f'href="/batches/new/{project.id}/"'
    text = one_line(signed_in(alice()).get(f"/batches/{batch.id}/").content)
    assert link in text
    assert "Progress" not in text
    assert link not in one_line(signed_in(charlie()).get(f"/batches/{batch.id}/").content)
    assert link not in one_line(signed_in(alice()).get(f"/batches/{finished().id}/").content)


def test_sent_twice_it_is_one_batch():
    project, batch_id, browser = bulk.project(), clock.new_ulid(), signed_in(alice())
    for _ in range(2):
        assert sent(browser, project, batch_id=batch_id, manifest=file()).status_code == 200
    assert len(queries.list_batches("default").rows) == 1


@each(
    ("form", "sentence"),
    [
        ({}, "Choose a file or enter a key"),
        ({"key": "bulk/default/none.csv"}, "The manifest was not found in the bucket"),
        ({"key": "bulk/acme/keys.csv"}, "must begin with bulk/default/"),
        ({"key": "projects/p/documents/d/d.pdf"}, "must begin with bulk/default/"),
        ({"key": "bulk/default/a", "slots": "0"}, "greater than or equal to 1"),
        ({"key": "bulk/default/a", "slots": "101"}, "less than or equal to 100"),
        ({"key": "bulk/default/a", "percent": "101"}, "less than or equal to 100"),
    ],
)
def test_what_cannot_be_a_batch_says_why_and_keeps_what_was_typed(form, sentence):
    answer = sent(signed_in(alice()), bulk.project(), **form)
    assert (answer.status_code, sentence in answer.content.decode()) == (422, True)
    assert queries.list_batches("default").rows == []


def test_an_empty_manifest_and_one_that_is_too_large_are_not_taken(settings):
    browser, project = signed_in(alice()), bulk.project()
    assert "The manifest is empty" in sent(browser, project, manifest=file(" \n")).content.decode()
    settings.BATCH_MAX_BYTES = 10
    answer = sent(browser, project, manifest=file())
    assert (answer.status_code, "The manifest is larger than 10" in answer.content.decode()) == (422, True)
    answer = sent(browser, project, manifest=file("a" * 100_000))
    assert (answer.status_code, "The manifest is larger than 10" in answer.content.decode()) == (413, True)


def test_a_page_is_two_calls_and_polls_only_while_something_moves():
    batch = bulk.make(bulk.project(), [])
    browser = signed_in(alice())
    url = reverse("workflows:show-batch", args=[batch.id])
    browser.get(url)
    with count_calls() as calls:
        text = one_line(browser.get(url).content)
    assert calls.names() == ["dynamodb.GetItem", "dynamodb.Query"]
    assert "every 3s" in text
    done = browser.get(reverse("workflows:show-batch", args=[finished().id])).content.decode()
    assert "every 3s" not in done
    assert "It is gone." in done
    assert "3 of 3" in done
    assert "Retry failed lines" in done
    assert "Retry failed lines" not in one_line(signed_in(charlie()).get(url).content)


def test_the_list_is_one_query_and_one_call():
    for _ in range(2):
        finished()
    browser = signed_in(alice())
    browser.get(LIST)
    with count_calls() as calls:
        text = one_line(browser.get(LIST).content)
    assert calls.names() == ["dynamodb.Query", "dynamodb.BatchGetItem"]
    assert text.count("3 of 3") == 2


def test_the_report_is_a_table_that_no_spreadsheet_runs():
    response = signed_in(charlie()).get(reverse("workflows:export-report", args=[finished().id]))
    head, line = b"".join(response.streaming_content).decode().splitlines()
    assert head.startswith("line,key,reason")
    assert line == "2,bulk/default/b,'=It is gone.,yes,,"


def test_the_failed_are_tried_again_slots_are_changed_and_it_is_cancelled():
    batch, browser = finished(), signed_in(alice())

    def post(name: str, **form: str) -> str:
        return browser.post(reverse(f"workflows:{name}", args=[batch.id]), form, follow=True).content.decode()

    assert "Retrying the failed lines" in post("retry-batch")
    assert bulk.now(batch).attempt == 2
    assert "This batch has no failed lines" in post("retry-batch")
    assert "Concurrency limit set to 9" in post("change-slots", slots="9")
    assert "1 to 100" in post("change-slots", slots="many")
    assert "Batch cancelled" in post("cancel-batch")
    assert "cannot be cancelled" in post("cancel-batch")
    assert bulk.now(batch).slots == 9


def test_where_no_queue_answers_the_batch_is_made_and_waits_for_the_sweeper():
    with fail("sqs", "SendMessage", times=20):
        assert sent(signed_in(alice()), bulk.project(), manifest=file()).status_code == 200
    assert len(queries.list_batches("default").rows) == 1


def test_another_sites_batch_is_not_here():
    make_site("acme")
    batch = bulk.make(bulk.project("acme"), [], site="acme")
    browser = signed_in(alice())
    for name in ("show-batch", "export-report"):
        assert browser.get(reverse(f"workflows:{name}", args=[batch.id])).status_code == 404
    assert browser.post(reverse("workflows:cancel-batch", args=[batch.id])).status_code == 404
