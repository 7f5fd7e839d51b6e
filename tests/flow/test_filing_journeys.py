"""Journeys of filing by API alone, from an empty desk: folders, sharing, cases, entities; each as a customer tells it.

They follow FormKiQ's own guides (docs.formkiq.com: "Folder Permissions and Sharing", "Entity Types, Entities, and
Documents"), and for cases its schema, seed 002.
"""

import io
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client

from config import clock
from projects.audit.events import actor_of
from projects.sites.api_keys import create_api_key
from projects.sites.permissions import EVERYTHING
from review.identity import ReviewRef
from review.items.reviews import Review
from tests.factories import SITE, ended_run, review_of, sample_files
from tests.people import alice, bob, charlie, person, signed_in
from tests.pump import Pump
from tests.workflows.links.test_links import published

pytestmark = pytest.mark.django_db
API = "/api/v1"


class Caller:
    """A program with a key, or a person's own token; every answer is JSON or nothing."""

    def __init__(self, key: str) -> None:
        self.client = Client(headers={"Authorization": f"Bearer {key}"})

    def ask(self, method: str, path: str, body: Any = None, *, status: int = 200) -> Any:
        sent = {} if body is None else {"data": body, "content_type": "application/json"}
        answer = getattr(self.client, method)(f"{API}/{path}", **sent)
        assert answer.status_code == status, (method, path, answer.content)
        return answer.json() if answer.content else None

    def get(self, path: str, *, status: int = 200) -> Any:
        return self.ask("get", path, status=status)

    def send(self, path: str, name: str, body: bytes, **parts: str) -> Any:
        file = io.BytesIO(body)
        file.name = name
        answer = self.client.post(f"{API}/{path}", {"file": file, **parts})
        assert answer.status_code in {200, 201}, answer.content
        return answer.json()

    def names(self, path: str) -> list[str]:
        return [one["name"] for one in self.get(f"folders?path={path}")["items"]]


def program() -> Caller:
    return Caller(create_api_key(SITE, "Filing", EVERYTHING, by=actor_of(alice()))[1])


def token_of(user: User) -> Caller:
    return Caller(create_api_key(SITE, f"Token of {user}", EVERYTHING, by=actor_of(user), personal=True)[1])


def project(caller: Caller) -> str:
    return str(caller.ask("post", "projects", {"name": "Invoices"}, status=201)["id"])


@pytest.mark.wide
def test_a_folder_is_made_filled_moved_and_kept_for_a_group(pump: Pump) -> None:
    desk, admin, reviewer, viewer = program(), token_of(alice()), token_of(bob()), token_of(charlie())
    folder = desk.ask("post", "folders", {"path": "Review/Invoices"}, status=201)
    assert desk.names("") == ["Review"]
    bill = sample_files()[0].read_bytes()
    sent = desk.send(f"projects/{project(desk)}/documents", "bill.pdf", bill, folder="Review/Invoices")
    document = sent["document_id"]
    assert desk.names("Review/Invoices") == ["bill.pdf"]
    desk.ask("put", f"documents/{document}/path", {"name": "march.pdf"})
    moved = desk.ask("put", f"documents/{document}/path", {"folder": "Review/Invoices/2026"})
    assert moved["path"] == "Review/Invoices/2026/march.pdf"
    desk.ask("put", f"folders/{folder['id']}", {"path": "Archive/Bills"})
    assert desk.get("folders?path=Archive/Bills/2026")["path"] == "Archive/Bills/2026"  # the way that a page shows
    desk.get("folders?path=Review/Invoices", status=404)
    pump.run(lambda: desk.get(f"documents/{document}")["path"] == "Archive/Bills/2026/march.pdf")

    whole = admin.get(f"folders/{folder['id']}")
    assert whole["groups"] == []
    wish = {"groups": ["admins"], "version": whole["version"]}
    reviewer.ask("put", f"folders/{folder['id']}/groups", wish, status=403)
    admin.ask("put", f"folders/{folder['id']}/groups", wish | {"groups": ["nobody"]}, status=422)
    kept = admin.ask("put", f"folders/{folder['id']}/groups", wish)
    assert kept["groups"] == ["admins"]
    admin.ask("put", f"folders/{folder['id']}/groups", wish, status=409)  # as it was shown before
    for closed in (f"folders/{folder['id']}", "folders?path=Archive/Bills/2026", f"documents/{document}"):
        viewer.get(closed, status=404)
    assert (viewer.names("Archive"), admin.names("Archive")) == ([], ["Bills"])
    shared = admin.ask("post", f"folders/{folder['id']}/shares", {"group": "viewers"}, status=201)
    assert viewer.names("Archive/Bills/2026") == ["march.pdf"]
    reviewer.get(f"documents/{document}", status=404)
    admin.ask("delete", f"shares/{shared['id']}", status=204)
    viewer.get(f"documents/{document}", status=404)
    opened = admin.ask("put", f"folders/{folder['id']}/groups", {"groups": [], "version": kept["version"]})
    assert (opened["groups"], viewer.names("Archive/Bills/2026")) == ([], ["march.pdf"])
    admin.ask("delete", f"folders/{folder['id']}", status=422)  # not empty
    admin.ask("put", f"documents/{document}/path", {"folder": ""})
    for path in ("Archive/Bills/2026", "Archive/Bills", "Archive"):
        admin.ask("delete", f"folders/{admin.get(f'folders?path={path}')['folder_id']}", status=204)
    assert admin.names("") == ["Review"]


@pytest.mark.wide
def test_a_document_is_shared_with_a_person_and_by_a_link_and_both_end_at_once(pump: Pump) -> None:
    admin, outsider = token_of(alice()), person("olga", "Weber", "viewers")
    run = published()
    folder = admin.ask("post", "folders", {"path": "Board"}, status=201)["id"]
    admin.ask("put", f"documents/{run.document_id}/path", {"folder": "Board"})
    admin.ask("put", f"folders/{folder}/groups", {"groups": ["admins"], "version": 1})
    guest = token_of(outsider)
    guest.get(f"documents/{run.document_id}", status=404)
    shares = f"documents/{run.document_id}/shares"
    share = admin.ask("post", shares, {"user_id": str(outsider.pk)}, status=201)
    admin.ask("post", shares, {"user_id": str(outsider.pk)}, status=409)
    assert guest.get(f"documents/{run.document_id}")["id"] == run.document_id
    assert [one["shared_with"] for one in admin.get("shares")["items"]] == ["user"]
    admin.ask("delete", f"shares/{share['id']}", status=204)
    guest.get(f"documents/{run.document_id}", status=404)

    wish = {"link": {"name": "Auditors", "days": 2, "max_openings": 1, "password": "a long word"}}
    link = admin.ask("post", shares, wish, status=201)
    assert (link["has_password"], link["max_openings"], link["openings"]) == (True, 1, 0)
    assert clock.iso(clock.in_seconds(86_400)) < link["expires_at"] < clock.iso(clock.in_seconds(3 * 86_400))
    at = "/shared/" + link["url"].partition("/shared/")[2]
    browser = Client()
    assert browser.post(at, {"password": "a guess"}).status_code == 422
    inside = browser.post(at, {"password": "a long word"})["Location"]
    assert "4.00" in browser.get(inside).content.decode()
    assert Client().post(at, {"password": "a long word"}).status_code == 410  # opened as often as it may be
    assert admin.get(shares)["items"][0]["openings"] == 1
    admin.ask("delete", f"shares/{link['id']}", status=204)
    assert browser.get(inside).status_code == 404
    assert admin.get(shares)["items"] == []
    public = admin.ask("put", f"documents/{run.document_id}/publication", {})
    path = "/published/" + public["url"].partition("/published/")[2]
    assert Client().get(path).status_code == 200
    admin.ask("delete", f"documents/{run.document_id}/publication", status=204)
    assert Client().get(path).status_code in {404, 410}


@pytest.mark.wide
def test_a_case_gathers_papers_learns_from_a_rejection_and_closes_when_nothing_is_open(pump: Pump) -> None:
    desk, reviewer, owner = program(), token_of(bob()), charlie()
    sent = desk.send(f"projects/{project(desk)}/documents", "claim.txt", b"I claim what was agreed.")
    document, run = sent["document_id"], sent["run_id"]
    case = desk.ask("post", "cases", {"name": "Claim of Mrs Alder", "documents": [document]}, status=201)
    at = f"cases/{case['id']}"
    wish = {"name": "Ask for the signed form", "owner_id": str(owner.pk), "due_on": "2030-12-31"}
    task = desk.ask("post", f"{at}/tasks", wish, status=201)["id"]
    second = ended_run()  # a paper that comes later, for the task
    desk.ask("put", f"{at}/documents/{second.document_id}?task={task}", {})
    assert "Ask for the signed form" in signed_in(owner).get("/cases/tasks/").content.decode()
    desk.ask("put", f"{at}/status", {"status": "CLOSED"}, status=422)

    pump.run(lambda: bool(desk.get("reviews")["items"]))
    (waiting,) = desk.get("reviews")["items"]
    assert (waiting["document_id"], waiting["run_id"]) == (document, run)
    review, where = waiting["id"], f"documents/{document}/reviews/{waiting['id']}"
    held = reviewer.ask("post", f"{where}/claim", {})
    verdict = {"ticket": held["ticket"], "decision": "reject", "reason": "The signature is missing."}
    reviewer.ask("post", f"{where}/decide", verdict)
    ref = ReviewRef(SITE, document, review)
    Review.change(ref.key, [Review.redeem_after.set(clock.iso(clock.now()))], Review.PK.exists())
    pump.run(lambda: review_of(ref).status == "APPLIED" and bool(desk.get(at)["nigos"]))
    (nigo,) = desk.get(at)["nigos"]
    assert nigo["description"] == "The signature is missing."
    assert desk.get(at)["open_items"] == 2

    desk.ask("put", f"{at}/tasks/{task}/status", {"status": "CLOSED", "answer": "Form received"})
    assert desk.get(at)["status"] == "OPEN"
    done = desk.ask("put", f"{at}/nigos/{nigo['id']}/status", {"status": "CLOSED", "answer": "Signed copy filed"})
    assert (done["status"], done["open_items"]) == ("CLOSED", 0)
    assert done["tasks"][0]["documents"] == [second.document_id]
    assert case["id"] in {one["id"] for one in desk.get("cases?status=CLOSED")["items"]}
    desk.ask("post", f"{at}/nigos", {"name": "No stamp"}, status=201)
    assert desk.get(at)["status"] == "OPEN"


LIST = b"""Name,VAT ID,IBAN,City
Juniper Mill Ltd,GB 123 4567 82,GB29 NWBK 6016 1331 9268 19,Leeds
Brook Surveyors,,,York
Juniper Mill Limited,GB123456782,,
,,,Hull
"""


@pytest.mark.wide
def test_suppliers_come_from_a_list_a_document_names_one_and_duplicates_are_merged(table: str) -> None:
    desk = program()
    kind = desk.ask("post", "entities", {"name": "Suppliers"}, status=201)["id"]
    desk.ask("post", "entities", {"name": "Suppliers"}, status=409)
    report = desk.send(f"entities/{kind}/import", "suppliers.csv", LIST)
    assert (report["created"], report["updated"], [one["line"] for one in report["refused"]]) == (2, 1, [5])
    mill = next(one for one in desk.get(f"entities/{kind}")["items"] if one["name"] == "Juniper Mill Ltd")
    assert (mill["attributes"]["City"], mill["aliases"]) == ("Leeds", ["Juniper Mill Limited"])
    other = desk.ask("post", f"entities/{kind}", {"name": "The Mill", "attributes": {"region": "North"}}, status=201)
    desk.ask("post", f"entities/{kind}", {"name": "Copycat", "tax_id": "GB123456782"}, status=409)
    kept = desk.ask("post", f"entities/{kind}/{mill['id']}/merge", {"duplicate_id": other["id"]})
    assert "The Mill" in kept["aliases"]
    assert kept["attributes"]["region"] == "North"
    assert desk.get(f"entities/{kind}/{other['id']}")["merged_into"] == mill["id"]
