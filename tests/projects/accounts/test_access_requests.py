"""A person without a role asks a site's admins, who are told; one of them gives groups or declines, once."""

import datetime as dt

import pytest
from django.contrib.auth.models import User
from django.test import Client

from config import clock
from config.table import NOTIFICATION
from projects.accounts import access_requests
from projects.sites.permissions import ADMINS, Permission
from review.notifications import mails
from review.notifications.items import Notification
from tests.compat.pages import words
from tests.html import one_line
from tests.people import alice, bob, charlie, person, signed_in
from tests.projects.make_sites import grant, make_site
from tests.workflows.test_api import API, problem, program

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("table")]
ASK, PEOPLE, LIST = "/account/access/", "/settings/people/", "/review/notifications/list/"
WANTED = {"wanted": "REVIEW", "note": "I am new in <b>accounts payable</b>"}


@pytest.fixture
def admin() -> Client:
    return signed_in(alice())


@pytest.fixture
def stranger() -> User:
    return person("nora", "Neu")


def groups(user: User) -> set[str]:
    return set(user.groups.values_list("name", flat=True))


def answer(user: User, order: str, **more: object) -> tuple[str, dict[str, object]]:
    return f"{PEOPLE}requests/{user.pk}/", {"order": order, **more}


def test_a_person_without_a_role_asks_and_is_let_in(admin: Client, stranger: User) -> None:
    browser = signed_in(stranger)
    refused = browser.get("/review/")
    assert (refused.status_code, f"{ASK}?wanted=READ" in refused.content.decode()) == (403, True)
    assert browser.post(ASK, WANTED).status_code == 302
    assert "You asked" in words(browser.get(ASK).content.decode())
    assert "Nora Neu asks for access" in words(admin.get(LIST).content.decode())
    page = one_line(admin.get(PEOPLE).content)
    assert "Claim and decide reviews" in page
    assert "&lt;b&gt;accounts payable&lt;/b&gt;" in page
    assert admin.post(*answer(stranger, "admit", groups=["reviewers"])).status_code == 302
    assert groups(stranger) == {"reviewers"}
    assert browser.get("/review/").status_code == 200
    assert "Alice Novak gave you access" in words(browser.get(LIST).content.decode())
    assert "Access requests" not in admin.get(PEOPLE).content.decode()


def test_who_may_view_asks_for_what_they_miss(admin: Client) -> None:
    viewer = charlie()
    browser = signed_in(viewer)
    refused = browser.post("/review/next/")
    assert f"{ASK}?wanted=REVIEW" in refused.content.decode()
    assert 'value="REVIEW" selected' in browser.get(f"{ASK}?wanted=REVIEW").content.decode()
    assert browser.post(ASK, {"wanted": "READ"}).status_code == 422  # they can do that already
    browser.post(ASK, WANTED)
    admin.post(*answer(viewer, "admit", groups=["reviewers"]))
    assert groups(viewer) == {"reviewers", "viewers"}


def test_one_asks_once_and_again_a_week_after_a_refusal(
    admin: Client, stranger: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    browser = signed_in(stranger)
    assert [browser.post(ASK, WANTED).status_code for _ in range(2)] == [302, 409]
    assert admin.post(*answer(stranger, "decline")).status_code == 302
    assert admin.post(*answer(stranger, "decline")).status_code == 409  # the second of two admins
    assert "Alice Novak declined your request" in words(browser.get(ASK).content.decode())
    assert browser.post(ASK, WANTED).status_code == 409
    later = clock.now() + dt.timedelta(days=access_requests.AGAIN_DAYS, seconds=1)
    monkeypatch.setattr(clock, "now", lambda: later)
    browser = signed_in(stranger)
    assert browser.post(ASK, WANTED).status_code == 302
    assert len(access_requests.list_requests("default")) == 1


def test_only_groups_of_the_admins_own_can_be_given_and_none_is_an_error(stranger: User) -> None:
    make_site("acme")
    grant("acme", "acme-admins", Permission.READ, Permission.ADMIN)
    grant("acme", "acme-people", Permission.READ)
    member = person("tess", "T", "acme-people")
    assert signed_in(stranger).post(f"/s/acme{ASK}", WANTED).status_code == 404  # no one learns which sites there are
    assert signed_in(member).post(f"/s/acme{ASK}", WANTED).status_code == 302
    lou = signed_in(person("lou", "Lee", "acme-admins"))
    path, form = answer(member, "admit", groups=[ADMINS])
    assert lou.post(f"/s/acme{path}", form).status_code == 422
    assert lou.post(f"/s/acme{path}", {"order": "admit"}).status_code == 422
    assert groups(member) == {"acme-people"}
    assert access_requests.list_requests("default") == []  # a request is its site's
    assert signed_in(alice()).post(path, form).status_code == 404


def test_a_viewer_or_reviewer_answers_nothing(stranger: User) -> None:
    signed_in(stranger).post(ASK, WANTED)
    assert signed_in(bob()).post(*answer(stranger, "admit", groups=["reviewers"])).status_code == 403
    assert signed_in(stranger).post(*answer(stranger, "admit", groups=[ADMINS])).status_code == 403
    assert groups(stranger) == set()


def test_mails_go_to_who_is_an_admin_still(stranger: User) -> None:
    ada = alice()
    signed_in(stranger).post(ASK, WANTED)
    (row,) = Notification.page(NOTIFICATION.partition_key("default", user_id=str(ada.pk))).rows
    mail = mails._write_mail("default", row)
    assert mail
    assert (mail.subject, mail.url.endswith(PEOPLE)) == ("Nora Neu asks for access", True)
    ada.groups.clear()
    assert mails._write_mail("default", row) is None


def test_a_program_lists_what_was_asked_for_admins_only(stranger: User) -> None:
    signed_in(stranger).post(ASK, WANTED)
    listed = program(Permission.READ, Permission.ADMIN).get(f"{API}/access-requests")
    assert [(one["user_id"], one["name"], one["note"]) for one in listed.json()] == [
        (str(stranger.pk), "Nora Neu", WANTED["note"])
    ]
    problem(program(Permission.READ).get(f"{API}/access-requests"), 403)
