"""Counts of a site, project or queue while a policy may hide some of what they count."""

import re

import pytest

from projects.policies import actions
from projects.sites.permissions import Permission
from review.notifications import mails
from tests.factories import SITE
from tests.html import one_line
from tests.people import alice, bob, charlie, signed_in
from tests.projects.policies.writing import BY, DEPARTMENTS, activate
from tests.review.reviews import open_review
from tests.workflows.insight.test_pages import PROJECT, desk
from tests.workflows.test_api import API, problem, program
from workflows.runs.items import Run

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("table", "desk")]
__all__ = ["desk"]
NOTE = "Without counts: an access policy may hide some"
COUNTED = (
    "/documents/", "/documents/?status=published", "/", "/?state=running",
    f"/workflows/projects/{PROJECT}/documents/",
    "/review/queues/", "/review/views/", "/review/waiting/",
)  # fmt: skip


def test_no_page_counts_what_an_active_policy_may_hide() -> None:
    open_review("note.pdf")
    rosa = signed_in(bob())
    before = {path: one_line(rosa.get(path).content) for path in COUNTED}
    assert all(NOTE not in page for page in before.values())
    assert all(re.search(r"<b>\d|\d on this site|\d waiting|count\">\d|\">\d", page) for page in before.values())
    activate(DEPARTMENTS)
    for path in COUNTED:
        page = one_line(rosa.get(path).content)
        main = page.partition("<main")[2].partition("</main")[0]
        assert NOTE in main, path
        assert not re.search(r"<b>\d|\d on this site|\d waiting|class=\"tally\"", main), path
    actions.deactivate_policy(SITE, active=1, by=BY)
    assert NOTE not in one_line(rosa.get("/documents/").content)


def test_whoever_can_deactivate_the_policy_sees_all_figures(desk: list[Run]) -> None:
    activate(DEPARTMENTS)
    ada = signed_in(alice())
    assert '<dl class="tiles">' in one_line(ada.get("/insight/").content)
    assert NOTE not in one_line(ada.get("/documents/").content)


def test_fragments_have_no_counts_either() -> None:
    _, ref = open_review("note.pdf")
    rosa = signed_in(bob())
    position = f"/review/{ref.document_id}/{ref.review_id}/position/"
    paths, asks = ("/review/queues/", "/review/views/", "/review/waiting/", position), {"HX-Request": "true"}
    assert all(re.search(r"\d</b>|\d of \d|\">\d", one_line(rosa.get(one, headers=asks).content)) for one in paths)
    activate(DEPARTMENTS)
    for path in paths:
        page = one_line(rosa.get(path, headers=asks).content)
        assert not re.search(r"<b>\d|\d of \d|class=\"number\"", page), path


def test_insight_has_no_figures_under_a_policy(desk: list[Run]) -> None:
    vera, key = signed_in(charlie()), program(Permission.READ, Permission.ADMIN)
    assert '<dl class="tiles">' in one_line(vera.get("/insight/").content)
    assert "<dt>" in one_line(vera.get("/insight/wall/").content)
    assert key.get(f"{API}/figures").json()["now"]["received"] == 4
    activate(DEPARTMENTS)
    for path in ("/insight/", f"/insight/?project={PROJECT}"):
        page = one_line(vera.get(path).content)
        assert "No figures while an access policy is active" in page
        assert "<dt>" not in page
        assert NOTE not in page
    wall = one_line(vera.get("/insight/wall/").content)
    assert NOTE in wall
    assert "<dt>" not in wall
    for of in ("", "steps", "costs"):
        assert vera.get("/insight/days.csv", {"of": of}).status_code == 422
    assert "may hide from you" in problem(key.get(f"{API}/figures"), 422)["detail"]
    problem(key.get(f"{API}/figures", {"project_id": PROJECT}), 422)


def test_queues_by_api_have_no_counts_under_a_policy() -> None:
    open_review("note.pdf")
    key = program(Permission.READ)
    assert key.get(f"{API}/queues").json()["items"][0]["waiting"] == 1
    activate(DEPARTMENTS)
    assert key.get(f"{API}/queues").json()["items"][0]["waiting"] is None


def test_the_daily_mail_leaves_out_the_shared_queue_under_a_policy() -> None:
    """As the pages do: to those who can deactivate the policy it is shown."""
    open_review("note.pdf")
    rosa, ada = str(bob().pk), str(alice().pk)
    for who in (rosa, ada):
        found = mails._write_digest(SITE, who)
        assert found
        assert "Waiting in the shared queue: 1" in found.text
    activate(DEPARTMENTS)
    assert mails._write_digest(SITE, rosa) is None
    found = mails._write_digest(SITE, ada)
    assert found
    assert "Waiting in the shared queue: 1" in found.text
