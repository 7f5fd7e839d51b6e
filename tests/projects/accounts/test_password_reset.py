"""A new password for who forgot theirs: by a mail, with an answer that tells no one who has an account."""

import re

import pytest
from django.contrib.auth.models import User
from django.core import mail
from django.test import Client
from pytest_django import Settings

from projects.sites.sign_in import PAIR
from tests.aws_faults import fail
from tests.html import one_line
from tests.people import PASSWORD, bob

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("table")]
NEW = {"new_password1": "quite another word 7", "new_password2": "quite another word 7"}


@pytest.fixture
def owner() -> User:
    user = bob()
    User.objects.filter(pk=user.pk).update(email="bob@example.org")
    return user


def ask(address: str) -> object:
    return Client().post("/login/forgotten/", {"email": address})


def link() -> str:
    found = re.search(r"https?://[^/]+(/login/new-password/\S+)", mail.outbox[-1].body)
    assert found
    return found[1]


def open_form(browser: Client) -> str:
    return browser.get(link())["Location"]


def test_a_link_sets_a_password_once_and_ends_every_session(owner: User) -> None:
    elsewhere, browser = Client(), Client()
    elsewhere.force_login(owner)
    answers = [ask(address) for address in ("bob@example.org", "nobody@example.org")]
    assert [(one.status_code, one["Location"]) for one in answers] == [(302, "/login/")] * 2  # type: ignore[attr-defined]
    assert [one.to for one in mail.outbox] == [["bob@example.org"]]
    form = open_form(browser)
    assert "You will be signed out everywhere." in one_line(browser.get(form).content)
    assert browser.post(form, NEW | {"new_password2": "slip"}).status_code == 422
    assert browser.post(form, NEW)["Location"] == "/login/"
    assert elsewhere.get("/documents/").status_code == 302
    assert "has already been used or has expired" in one_line(Client().get(link()).content)
    assert Client().post("/login/", {"username": "bob", "password": NEW["new_password1"]}).status_code == 302


def test_a_laptop_says_where_its_mails_are_whoever_asks(owner: User, settings: Settings) -> None:
    for address in ("bob@example.org", "nobody@example.org"):
        browser = Client()
        page = browser.post("/login/forgotten/", {"email": address}, follow=True)
        assert f"Emails are written to {settings.EMAIL_FILE_PATH}." in one_line(page.content)
    settings.EMAIL_HOST = "mail.example.org"
    page = Client().post("/login/forgotten/", {"email": "bob@example.org"}, follow=True)
    assert "Emails are written to" not in one_line(page.content)


def test_a_deactivated_account_gets_no_mail_and_its_link_opens_nothing(owner: User) -> None:
    ask("bob@example.org")
    User.objects.filter(pk=owner.pk).update(is_active=False)
    assert "has already been used or has expired" in one_line(Client().get(link()).content)
    ask("bob@example.org")
    assert len(mail.outbox) == 1


def test_mails_are_asked_for_as_seldom_as_passwords_are_tried(owner: User) -> None:
    for _ in range(PAIR.tries):
        ask("bob@example.org")
    answer = Client().post("/login/forgotten/", {"email": "BOB@example.org"})
    assert (answer.status_code, "Too many attempts" in answer.content.decode()) == (429, True)
    assert len(mail.outbox) == PAIR.tries


def test_a_password_is_not_set_without_its_record(owner: User) -> None:
    ask("bob@example.org")
    browser = Client()
    form = open_form(browser)
    with fail("dynamodb", "TransactWriteItems", error_code="InternalServerError", times=9):
        assert browser.post(form, NEW).status_code == 503
    assert User.objects.get(pk=owner.pk).check_password(PASSWORD)
