"""A queue for one group keeps its documents from all others: every address of the desk and of the API is asked."""

import uuid
from collections import defaultdict
from dataclasses import dataclass
from typing import Any

import pytest
from django.conf import settings
from django.contrib.auth.models import User
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client, RequestFactory

from config import clock, table
from config.item import Page as Rows
from projects.audit.events import actor_of
from projects.documents.actions import properties as attribute_actions
from projects.documents.items import ListedDocument
from projects.documents.queries import get_document, get_removal
from projects.queues import visibility
from projects.settings.items import Project
from projects.sites import directory
from projects.sites.permissions import EVERYTHING, Permission
from review.decide import claims
from review.identity import Person
from tests.aws_faults import count_calls
from tests.factories import ref_of
from tests.flow.test_url_roles import TABLE
from tests.flow.urls import Page, pages, world
from tests.people import alice, person, signed_in
from tests.projects.make_queues import make_queue
from tests.projects.make_sites import BY, grant
from tests.projects.projects import make_project
from tests.pump import Pump
from tests.workflows.boxes import zipped
from tests.workflows.make_rules import make_rule, make_ruleset, says
from tests.workflows.test_api import API, problem, program, upload
from workflows.definitions.rules import Act
from workflows.documents.actions import removals
from workflows.publish import queries as publish_queries
from workflows.runs import queries
from workflows.runs.items import ActionStatus, ActionType, Run

pytestmark = pytest.mark.django_db
READ_WRITE_DELETE = (Permission.READ, Permission.WRITE, Permission.DELETE)
WORD = "zebra"  # in the name and in every value of the documents that are hidden
TEXT = b"INVOICE\nVendor: Zebra Stripes GmbH\nInvoice number: ZEBRA-7731\nTotal: 33.90 EUR\n"
# What lists the documents for those that they are not hidden from; some of them only with a question.
LISTS = (
    "/",
    "/documents/",
    "/documents/?status=published",
    "/documents/?status=in_review",
    "/documents/?tag=pattern",
    "/documents/?tag=pattern&value=striped",
    "/documents/?a=vendor&o=is&v=striped",
    "/documents/deleted/",
    "/workflows/",
    "/workflows/projects/{project_id}/documents/",
    "/workflows/actions/?state=IN_QUEUE",
    "/queues/{queue_id}/",
    "/review/queues/{queue_id}/",
    "/search/?q=stripes",
    "/settings/audit/",
    "/settings/audit/?user={user_id}",
    "/settings/audit/export/csv/",
    "/settings/audit/export/json/",
)
# Of one document: what its pages show of it to those that are let in.
SHOWN = {
    "documents:show-document",
    "documents:show-deleted",
    "documents:change-hold",
    "workflows:delete-document",
    "workflows:show-work",
    "workflows:list-document-runs",
    "workflows:list-contents",
    "workflows:compare-runs",
    "workflows:show-run",
    "workflows:poll-run",
    "workflows:show-segment",
    "workflows:show-about",
}


@dataclass(frozen=True)
class Zoo:
    """Documents in the queue of a group: published, waiting for a person, deleted; who is in the group, who is not."""

    insider: User
    outsider: User
    published: Run
    waiting: Run
    deleted: Run
    known: dict[str, Any]

    def of(self, run: Run) -> dict[str, Any]:
        """What names this run in an address."""
        ids = {"document_id": run.document_id, "workflow_id": run.workflow_id, "run_id": run.workflow_id}
        review = {"review_id": ref_of(run).review_id} if run is self.waiting else {}
        return self.known | ids | review | {"project_id": run.project_id}


def member(name: str, group: str) -> User:
    grant("default", group, *EVERYTHING)
    return person(name, "M", group)


def sent(client: Client, project: Project, name: str, text: bytes = b"") -> Run:
    """With a number of its own: the same invoice again would wait for a person."""
    text = text or TEXT.replace(b"7731", b"%04d" % (sum(name.encode()) % 10_000))
    made = upload(client, project, name, text).json()
    return Run("default", project.id, made["document_id"], made["run_id"])


def body_of(answer: Any) -> str:
    body = b"".join(answer.streaming_content) if answer.streaming else answer.content
    return body.decode(errors="replace").lower()


@pytest.fixture
def scanner(pump: Pump) -> Client:
    pump.queues = tuple(settings.QUEUE_URLS)
    return program(*READ_WRITE_DELETE)


@pytest.fixture
def zoo(scanner: Client, pump: Pump) -> Zoo:
    insider, outsider = member("ina", "payroll"), member("otto", "logistics")
    known = world("default", "Plain")
    queue = make_queue("Payroll", ["payroll"])
    make_rule(make_ruleset(), says("stripes"), actions=(Act(ActionType.QUEUE, {"queue": queue.id}),))
    quick = make_project("Salaries", fields=(), review_queue=queue.id)
    published, deleted = (sent(scanner, quick, f"zebra-{which}.txt") for which in ("published", "deleted"))
    waiting = sent(scanner, make_project("Raises", review_queue=queue.id), "zebra-waiting.txt")
    queued = [published, deleted]
    pump.run(lambda: pump.ran("open_review") == 1 and all(in_queue(one) for one in queued), seconds=60)
    pump.run(idle=1)
    removals.delete_document("default", deleted.document_id, by=actor_of(insider))
    attribute_actions.add_tag("default", published.document_id, "pattern", "striped", by=actor_of(insider))
    attribute_actions.set_attribute("default", published.document_id, "vendor", ["striped"], by=actor_of(insider))
    claims.claim_review(ref_of(waiting), waiting, by=Person(str(insider.pk), "Ina M"))
    known |= {"queue_id": queue.id, "user_id": insider.pk}
    return Zoo(insider, outsider, published, waiting, deleted, known)


def in_queue(run: Run) -> bool:
    return any(
        one.status == ActionStatus.IN_QUEUE for one in publish_queries.document_actions("default", run.document_id)
    )


def asked(client: Client, method: str, page: Page, known: dict[str, Any]) -> Any:
    return client.generic(method, page.path(known), content_type="application/x-www-form-urlencoded")


@pytest.mark.wide
def test_no_page_shows_a_document_to_whom_its_queue_does_not_admit(zoo: Zoo) -> None:
    browser, wrong = signed_in(zoo.outsider), []
    for run in (zoo.published, zoo.waiting, zoo.deleted):
        known = zoo.of(run)
        for page in pages():
            if page.name.startswith(("api:", "logout")):
                continue
            of_one = ":document_id>" in page.route
            for method in TABLE[page.name]:
                if method != "GET" and not of_one:  # a form about no document
                    continue
                got = asked(browser, method, page, known)
                if WORD in body_of(got) or (of_one and got.status_code != 404):
                    wrong.append(f"{method} {page.route}: {got.status_code}")
    for path in LISTS:
        if WORD in body_of(browser.get(path.format(**zoo.of(zoo.published)))):
            wrong.append(f"GET {path} lists it")
    assert wrong == []


@pytest.mark.wide
def test_all_of_them_show_it_to_the_group_of_the_queue(zoo: Zoo) -> None:
    browser = signed_in(zoo.insider)
    found = {
        page.name
        for run in (zoo.published, zoo.deleted)
        for page in pages()
        if not page.name.startswith("api:") and "GET" in TABLE[page.name]
        if WORD in body_of(asked(browser, "GET", page, zoo.of(run)))
    }
    assert sorted(SHOWN - found) == []
    for path in LISTS:
        run = zoo.waiting if "waiting" in path else zoo.published
        assert WORD in body_of(browser.get(path.format(**zoo.of(run)))), path
    root = zoo.outsider
    root.is_superuser = True
    root.save()
    assert WORD in body_of(signed_in(root).get(f"/documents/{zoo.published.document_id}/"))


@pytest.mark.wide
def test_the_audit_of_others_says_that_something_was_done_and_neither_to_what_nor_how(zoo: Zoo) -> None:
    browser = signed_in(zoo.outsider)
    page = body_of(browser.get("/settings/audit/"))
    assert "document in a restricted queue" in page
    assert "striped" not in page
    for query in (f"document={zoo.published.document_id}", f"type=document&record={zoo.deleted.document_id}"):
        assert browser.get(f"/settings/audit/?{query}").status_code == 404
        assert browser.get(f"/settings/audit/export/json/?{query}").status_code == 404
    removals.purge_document("default", zoo.deleted.document_id, by=BY)
    removals.finish_removal("default", zoo.deleted.document_id)
    assert WORD not in body_of(browser.get("/settings/audit/"))
    assert WORD in body_of(signed_in(zoo.insider).get("/settings/audit/"))


@pytest.mark.wide
def test_no_program_but_the_one_that_sent_it_gets_it(zoo: Zoo, scanner: Client) -> None:
    other = program(*READ_WRITE_DELETE)
    addresses = other.get(f"{API}/openapi.json").json()["paths"]
    for run in (zoo.published, zoo.waiting):
        at = f"{API}/documents/{run.document_id}"
        asked_for = 0
        for address, methods in addresses.items():
            if "{document_id}" not in address:
                continue
            paths = [
                address.format_map(defaultdict(lambda: "none", document_id=document_id, run_id=run_id))
                for document_id, run_id in ((run.document_id, run.workflow_id), (str(uuid.uuid4()), "01K" + "0" * 23))
            ]
            for method in methods:
                body = {"step": "assess"} if address.endswith("/again") else {}
                answer, as_nothing = (
                    getattr(other, method)(path, body, content_type="application/json") for path in paths
                )
                # Who may not ask at all, or asks for nothing that can be, is told so of what is not there as well.
                problem(answer, as_nothing.status_code)
                assert answer.status_code in (403, 404, 422)
                assert answer.json()["detail"] == as_nothing.json()["detail"]
                asked_for += answer.status_code == 404
        assert asked_for >= 8
        listed = f"{API}/projects/{run.project_id}/documents"
        assert other.get(listed).json()["items"] == []
        assert run.document_id in [one["id"] for one in scanner.get(listed).json()["items"]]
        assert scanner.get(f"{at}/runs/{run.workflow_id}").status_code == 200
    assert other.get(f"{API}/search?q=stripes").json()["items"] == []
    assert len(scanner.get(f"{API}/search?q=stripes").json()["items"]) == 1


def request_of(user: User) -> Any:
    request = RequestFactory().get("/")
    request.user, request.site = user, "default"
    return request


@pytest.mark.wide
def test_a_page_that_hides_all_its_rows_is_filled_from_the_next(zoo: Zoo, scanner: Client) -> None:
    last = sent(scanner, make_project("Open", fields=()), "plain.txt", b"Plain words")

    def read(cursor: str | None) -> Rows[Any]:
        pk = table.DOCUMENT.gsi1_partition("default", date=clock.now().date().isoformat())
        return ListedDocument.page(pk, index="GSI1", limit=1, cursor=cursor)

    seen = []
    page = visibility.filter_page(request_of(zoo.outsider), read, None, lambda row: row.document_id)
    while page.next:
        seen += [row.document_id for row in page.rows]
        page = visibility.filter_page(request_of(zoo.outsider), read, page.next, lambda row: row.document_id)
    assert last.document_id in seen
    assert not {zoo.published.document_id, zoo.waiting.document_id} & set(seen)


@pytest.mark.wide
def test_a_document_follows_the_rule_that_chose_its_queue_and_keeps_it_through_a_removal(
    scanner: Client, pump: Pump
) -> None:
    first, then, last = (make_queue(name, ["payroll"]).id for name in ("First", "Then", "Last"))
    make_rule(make_ruleset(), says("stripes"), queue=then)
    project = make_project("Raises", fields=(), review_queue=first)

    def queue_of(run: Run) -> str | None:
        return get_document("default", run.document_id).queue

    run, plain = sent(scanner, project, "a.txt"), sent(scanner, project, "b.txt", b"Plain words")
    asks = sent(scanner, make_project("Asks", review_queue=first), "c.txt")
    assert (queue_of(run), queue_of(plain), queue_of(asks)) == (first, first, first)
    pump.run(lambda: pump.ran("open_review") == 1 and ended(run) and ended(plain), seconds=60)
    assert (queue_of(run), queue_of(plain), queue_of(asks)) == (then, first, then)
    make_rule(make_ruleset(priority=1), says("spots"), actions=(Act(ActionType.QUEUE, {"queue": last}),))
    late = sent(scanner, project, "d.txt", b"Spots")
    pump.run(lambda: in_queue(late), seconds=60)
    assert queue_of(late) == last
    removals.delete_document("default", run.document_id, by=BY)
    assert get_removal("default", run.document_id).queue == then
    removals.restore_document("default", run.document_id, by=BY)
    assert queue_of(run) == then


def ended(run: Run) -> bool:
    return queries.board(run.site, run.workflow_id).outcome is not None


@pytest.mark.wide
def test_a_mail_in_an_open_queue_does_not_name_what_came_out_of_it_for_others(scanner: Client, pump: Pump) -> None:
    member("ina", "payroll")
    queue = make_queue("Payroll", ["payroll"])
    make_rule(make_ruleset(), says("stripes"), queue=queue.id)
    project = make_project("Open", fields=())
    packed = zipped({"zebra-inside.txt": TEXT, "plain.txt": b"Plain words"})
    made = upload(scanner, project, "both.zip", packed).json()
    pump.run(lambda: len(project_documents(project)) == 3 and not under_way(), seconds=60)
    page = body_of(signed_in(member("otto", "logistics")).get(f"/documents/{made['document_id']}/"))
    assert ("plain.txt" in page, WORD in page) == (True, False)


def project_documents(project: Project) -> list[Any]:
    return list(queries.project_documents("default", project.id).rows)


def under_way() -> bool:
    return bool(queries.in_progress("default").rows)


@pytest.mark.wide
def test_who_may_not_see_what_they_uploaded_is_told_so(zoo: Zoo) -> None:
    url = f"/workflows/projects/{zoo.published.project_id}/upload/"
    file = SimpleUploadedFile("mine.txt", b"Plain words")
    (told,) = signed_in(zoo.outsider).post(url, {"files": file}, headers={"accept": "application/json"}).json()["files"]
    assert told["url"] == f"/projects/{zoo.published.project_id}/"
    assert "queue of groups that you are not a member of" in told["notes"][-1]


def test_only_a_closed_queue_costs_a_page_a_call(scanner: Client, pump: Pump) -> None:
    run = sent(scanner, make_project("Open", fields=()), "plain.txt", b"Plain words")
    browser = signed_in(alice())
    browser.get(f"/workflows/{run.document_id}/{run.workflow_id}/")

    def calls() -> list[str]:
        with count_calls() as seen:
            assert browser.get(f"/workflows/{run.document_id}/{run.workflow_id}/poll/").status_code == 200
        return seen.names()

    before = calls()
    make_queue("Open to all")
    directory.list_limited_queues("default")
    assert calls() == before
    make_queue("Payroll", ["payroll"])
    directory.list_limited_queues("default")
    assert calls() == ["dynamodb.BatchGetItem", *before]
