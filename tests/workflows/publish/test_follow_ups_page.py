"""The page of what rules decided and what follows, the retry, and the documents in a queue."""

import html
import json

import pytest
from django.contrib.auth.models import Group
from django.urls import reverse

from config.errors import Conflict
from projects.audit.events import Actor
from tests.aws_faults import count_calls
from tests.html import one_line
from tests.people import alice, bob, charlie, signed_in
from tests.projects.make_queues import SITE, make_queue
from tests.pump import Pump
from tests.workflows.follow_ups import drive, published, ready, statuses
from tests.workflows.make_rules import is_pdf, make_rule, make_ruleset
from workflows.definitions.rules import Act, When
from workflows.publish import actions
from workflows.publish import queries as publish_queries
from workflows.runs.actions import advance
from workflows.runs.items import Execution, WorkflowSteps
from workflows.storage import files
from workflows.storage.objects import DocumentFiles

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("pump")]
FAILING = Act("WEBHOOK", {"url": "https://10.0.0.1/"})


def text(response):
    return one_line(response.content)


def panel(user, run):
    return signed_in(user).get(reverse("workflows:show-follow-up", args=[run.document_id, run.workflow_id]))


def retry_url(run, number=0, kind="WEBHOOK"):
    return reverse("workflows:retry-action", args=[run.document_id, run.workflow_id, number, kind])


def done_url(queue, run, number=0):
    return reverse("workflows:settle-document", args=[queue.id, run.document_id, number])


def queue_url(queue):
    return reverse("workflows:list-queued", args=[queue.id])


def admit(user, group):
    user.groups.add(Group.objects.get_or_create(name=group)[0])
    return user


def test_the_page_names_the_rules_that_decided_and_because_of_what():
    make_rule(make_ruleset("Incoming <b>"), is_pdf(), when=When.UPLOAD, description="PDFs & more", language="de")
    run = ready()
    content = {"judgement": {"decisions": [], "effect": {}}}
    content["judgement"]["decisions"].append(
        {"rule_id": "r", "ruleset_id": "s", "rule": "Large ones", "ruleset": "Later", "why": ["Total is large"]}
    )
    body = json.dumps(content).encode()
    DocumentFiles(SITE, run.project_id, run.document_id).write(
        files.routing_judgement(run.workflow_id), body, "application/json"
    )
    pinned = [Execution.routing_sha256.set(files.sha256(body))]
    Execution.change(advance.execution_key(run), pinned, Execution.PK.exists())
    page = text(panel(alice(), run))
    for words in ("PDFs &amp; more", "Incoming &lt;b&gt;", "On upload", "Type of file is “application/pdf”"):
        assert words in page
    for words in ("Large ones", "After the analysis", "Total is large", reverse("routing:edit-rule", args=["s", "r"])):
        assert words in page
    assert "/settings/rules/" not in text(panel(charlie(), run))


def test_where_no_rule_held_the_page_says_so():
    run = ready()
    assert "No rule has matched yet" in text(panel(charlie(), run))
    assert (
        signed_in(charlie()).get(reverse("workflows:show-follow-up", args=[run.document_id, "none"])).status_code == 404
    )


def test_each_action_is_shown_with_its_state_and_watched_while_it_moves():
    run = published(Act("OCR"), FAILING, Act("NOTIFY", {"to": "a@example.org"}))
    assert "every 3s" in text(panel(bob(), run))
    drive(run)
    page = text(panel(bob(), run))
    for words in ("Done", "Failed", "private or reserved", "Pending", "a@example.org"):
        assert words in page
    assert "every 3s" not in page
    assert page.count("Retry") == 1


def test_the_run_page_leads_to_it():
    run = ready()
    address = reverse("workflows:show-run", args=[run.document_id, run.workflow_id])
    assert reverse("workflows:show-follow-up", args=[run.document_id, run.workflow_id]) in text(
        signed_in(bob()).get(address)
    )


def test_somebody_has_a_failed_action_done_again_once(pump: Pump):
    run = published(FAILING)
    drive(run)
    browser = signed_in(bob())
    assert browser.get(retry_url(run)).status_code == 405
    assert browser.post(retry_url(run))["Location"].endswith(f"/{run.workflow_id}/")
    assert browser.post(retry_url(run)).status_code == 409
    assert statuses(run) == ["PENDING"]
    pump.run(lambda: pump.ran("follow_up") == 1)
    assert statuses(run) == ["FAILED"]


def test_who_only_looks_has_nothing_done_again():
    run = published(FAILING)
    drive(run)
    assert "Retry" not in text(panel(charlie(), run))
    assert signed_in(charlie()).post(retry_url(run)).status_code == 403
    assert statuses(run) == ["FAILED"]


def test_an_action_that_is_not_there_or_of_another_run_is_not_found():
    run = published(FAILING)
    for address in (
        retry_url(run, 5),
        retry_url(run, 0, "OCR"),
        retry_url(run, 0, "a%23b"),
        reverse("workflows:retry-action", args=[run.document_id, "other", 0, "WEBHOOK"]),
    ):
        assert signed_in(bob()).post(address).status_code == 404


def test_documents_in_a_queue_are_one_query_and_the_queue_itself():
    queue = make_queue("Payables")
    run = published(Act("QUEUE", {"queue": queue.id}))
    drive(run)
    browser = signed_in(bob())
    browser.get(queue_url(queue))
    with count_calls() as calls:
        page = text(browser.get(queue_url(queue)))
    assert "secret-name.pdf" in page
    assert calls.names() == ["dynamodb.GetItem", "dynamodb.Query"]
    assert queue_url(queue) in text(browser.get(reverse("review:show-queue", args=[queue.id])))


def test_an_empty_queue_says_so():
    assert "No documents in this queue" in text(signed_in(bob()).get(queue_url(make_queue())))


def test_a_person_is_done_once_and_what_is_behind_goes_on(pump: Pump):
    queue = make_queue("Payables")
    run = published(Act("QUEUE", {"queue": queue.id}), Act("OCR"))
    drive(run)
    browser = signed_in(bob())
    assert browser.get(done_url(queue, run)).status_code == 405
    assert browser.post(done_url(queue, run))["Location"] == queue_url(queue)
    answer = browser.post(done_url(queue, run))
    assert answer.status_code == 409
    assert "was already taken out" in text(answer)
    pump.run(lambda: pump.ran("follow_up") == 1)
    assert statuses(run) == ["COMPLETE", "COMPLETE"]
    assert "No documents in this queue" in text(browser.get(queue_url(queue)))


def test_a_queue_of_other_groups_is_not_there_and_nothing_in_it_is_done():
    queue = make_queue("Secret", ["finance"])
    run = published(Act("QUEUE", {"queue": queue.id}))
    drive(run)
    browser = signed_in(bob())
    assert browser.get(queue_url(queue)).status_code == 404
    assert browser.post(done_url(queue, run)).status_code == 404
    other = make_queue("Open")
    assert browser.post(done_url(other, run)).status_code == 404  # not through another queue either
    assert statuses(run) == ["IN_QUEUE"]
    assert signed_in(admit(bob(), "finance")).post(done_url(queue, run)).status_code == 302


def test_who_only_looks_is_not_offered_done_and_refused():
    queue = make_queue()
    run = published(Act("QUEUE", {"queue": queue.id}))
    drive(run)
    browser = signed_in(charlie())
    assert "Done with" not in text(browser.get(queue_url(queue)))
    assert browser.post(done_url(queue, run)).status_code == 403


def test_a_document_of_a_newer_content_keeps_no_text_of_the_older(pump: Pump):
    run = published(Act("OCR"))
    replaced = [WorkflowSteps.replaced_by.set("01ZZZZZZZZZZZZZZZZZZZZZZZZ")]
    WorkflowSteps.change(advance.board_key(run), replaced, WorkflowSteps.PK.exists())
    drive(run)
    (action,) = publish_queries.actions_of(run)
    assert (action.status, "newer file version" in action.message) == ("FAILED", True)
    with pytest.raises(Conflict):
        actions.settle_action(run, action, by=Actor("1", "Rosa"))  # not in any queue


def test_what_failed_is_listed_by_one_query_and_whatever_else_is_asked_for():
    run = published(FAILING, Act("OCR"))
    drive(run)
    browser, address = signed_in(charlie()), reverse("workflows:list-actions")
    browser.get(address)
    with count_calls() as calls:
        page = text(browser.get(address))
    assert calls.names() == ["dynamodb.Query"]
    assert ("secret-name.pdf" in page, "Call a webhook" in page, "Store text" in page) == (True, True, False)
    assert "Store text" in text(browser.get(address, {"state": "PENDING"}))
    assert "None: needs review" in text(browser.get(address, {"state": "IN_QUEUE"}))
    assert "Call a webhook" in text(browser.get(address, {"state": "COMPLETE"}))  # no such list: what failed


def test_a_list_of_actions_goes_on_where_its_page_ends(settings):
    settings.PAGE_SIZE = 25
    run = published(*[Act("OCR")] * 30)
    browser, address = signed_in(charlie()), reverse("workflows:list-actions")
    page = text(browser.get(address, {"state": "PENDING"}))
    following = html.unescape(page.split('rel="next" href="')[1].split('"')[0])
    assert text(browser.get(following)).count("Store text") == 5
    assert len(statuses(run)) == 30
