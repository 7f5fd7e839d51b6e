"""Where someone is signed in, and signing out there."""

import pytest
from allauth.usersessions.models import UserSession
from django.test import Client

from tests.html import one_line
from tests.people import PASSWORD, alice, bob

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("table")]


def sign_in(name: str, agent: str) -> Client:
    browser = Client(headers={"user-agent": agent})
    assert browser.post("/login/", {"username": name, "password": PASSWORD}).status_code == 302
    return browser


def key(browser: Client) -> str:
    return browser.cookies["sessionid"].value


def ids(browser: Client) -> list[int]:
    return [one.pk for one, _ in browser.get("/account/sessions/").context["sessions"]]


def test_each_session_is_listed_and_one_of_them_or_all_others_end_at_once() -> None:
    bob()
    here, there, elsewhere = (sign_in("bob", name) for name in ("(X11; Linux) Firefox/140.0", "There/1", "Elsewhere/1"))
    page = one_line(here.get("/account/sessions/").content)
    assert all(name in page for name in ("Firefox on Linux", "Unknown browser", "This one"))
    there_id = next(
        one.pk for one, _ in there.get("/account/sessions/").context["sessions"] if one.session_key == key(there)
    )
    for _ in range(2):  # ending it twice is the same as once
        assert here.post("/account/sessions/end/", {"session": there_id}).status_code == 302
    assert (there.get("/documents/").status_code, elsewhere.get("/documents/").status_code) == (302, 200)
    assert here.post("/account/sessions/end/").status_code == 302
    assert (elsewhere.get("/documents/").status_code, here.get("/documents/").status_code) == (302, 200)
    assert len(ids(here)) == 1


def test_no_one_ends_the_session_of_another() -> None:
    alice()
    bob()
    mine, others = sign_in("bob", "Mine/1"), sign_in("alice", "Others/1")
    assert mine.post("/account/sessions/end/", {"session": ids(others)[0]}).status_code == 302
    assert mine.post("/account/sessions/end/", {"session": "none"}).status_code == 404
    assert others.get("/documents/").status_code == 200


def test_after_a_new_password_the_only_session_is_the_one_that_set_it() -> None:
    bob()
    here = sign_in("bob", "Here/1")
    sign_in("bob", "There/1")
    form = {"old_password": PASSWORD, "new_password1": "quite another word 7", "new_password2": "quite another word 7"}
    assert here.post("/account/password/", form).status_code == 302
    (one,) = ids(here)
    assert UserSession.objects.get(pk=one).session_key == key(here)
