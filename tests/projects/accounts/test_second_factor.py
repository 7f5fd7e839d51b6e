"""A second factor by code: added, asked for, counted, spent once, removed; each change in the audit."""

import time

import pytest
from allauth.mfa.models import Authenticator
from allauth.mfa.totp.internal.auth import format_hotp_value, hotp_value
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command
from django.test import Client
from django.urls import reverse

from config.errors import Conflict
from config.item import Item
from config.table import AUDIT_LINE
from projects.accounts.adapters import FactorAdapter
from projects.audit.items import AuditLine
from projects.sites import sign_in
from projects.sites.sign_in import PAIR
from tests.aws_faults import fail
from tests.html import one_line
from tests.people import PASSWORD, bob, signed_in

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("table")]
ADD = "/account/security/app/"


def code(secret: str, later: int = 0) -> str:
    return format_hotp_value(hotp_value(secret, int(time.time()) // 30 + later))


def confirm(client: Client, path: str) -> None:
    assert client.get(path)["Location"].startswith("/account/confirm/")
    answer = client.post(f"/account/confirm/?next={path}", {"password": PASSWORD})
    assert (answer.status_code, answer["Location"]) == (302, path)


def add_app(client: Client) -> str:
    confirm(client, ADD)
    secret: str = client.get(ADD).context["form"].secret
    assert client.post(ADD, {"code": code(secret)}).status_code == 302
    return secret


def first_step(client: Client) -> None:
    answer = client.post("/login/", {"username": "bob", "password": PASSWORD, "next": "/documents/"})
    assert (answer.status_code, answer["Location"]) == (302, "/login/code/")
    assert client.get("/documents/").status_code == 302  # not in yet


def audited() -> list[str]:
    rows = AuditLine.page(AUDIT_LINE.partition_key("default"), limit=500).rows
    return [row.type for row in rows if row.entityType == "account"]


def test_after_the_password_a_code_is_asked_for_and_opens_the_page_that_was_asked_for() -> None:
    secret = add_app(signed_in(bob()))
    browser = Client()
    first_step(browser)
    assert "Enter a code" in one_line(browser.get("/login/code/").content)
    answer = browser.post("/login/code/", {"code": code(secret, 1)})
    assert (answer.status_code, answer["Location"]) == (302, "/documents/")
    assert browser.get("/documents/").status_code == 200
    assert audited() == ["authenticator app added", "recovery codes added", "signed in"]


def test_a_code_opens_once_in_whichever_process() -> None:
    secret = add_app(signed_in(bob()))
    spent = code(secret, 1)
    sign_in.spend_code(bob(), spent)  # by another process
    browser = Client()
    first_step(browser)
    assert browser.post("/login/code/", {"code": spent}).status_code == 422
    with pytest.raises(Conflict):
        sign_in.spend_code(bob(), spent)


def test_codes_are_guessed_as_seldom_as_passwords_and_the_wait_is_told() -> None:
    secret = add_app(signed_in(bob()))
    browser = Client()
    first_step(browser)
    for _ in range(PAIR.tries):
        assert "Incorrect code" in one_line(browser.post("/login/code/", {"code": "000000"}).content)
    answer = browser.post("/login/code/", {"code": code(secret, 1)})
    assert (answer.status_code, "Too many attempts. Try again in 5 min." in answer.content.decode()) == (429, True)
    assert 0 < int(answer["Retry-After"]) <= PAIR.seconds
    assert audited()[2:] == ["second factor failed", "second factor throttled"]
    assert "000000" not in "".join(str(row.to_dynamodb_dict()) for row in [*Item.scan(), *AuditLine.scan()])


def test_a_recovery_code_opens_once() -> None:
    mine = signed_in(bob())
    add_app(mine)
    codes = mine.get("/account/security/codes/").context["unused_codes"]
    assert len(codes) == 10
    for expected in (302, 422):
        browser = Client()
        first_step(browser)
        assert browser.post("/login/code/", {"code": codes[0]}).status_code == expected
    page = mine.get("/account/security/codes/")
    assert "9 of 10 are unused" in one_line(page.content)


def test_each_page_that_changes_a_factor_says_what_it_does() -> None:
    mine = signed_in(bob())
    add_app(mine)
    passkey = Authenticator.objects.create(user=bob(), type="webauthn", data={"name": "Phone", "credential": {}})
    for name, args, words in (
        ("mfa_generate_recovery_codes", [], "Your current codes will stop working."),
        ("mfa_deactivate_totp", [], "Remove"),
        ("mfa_edit_webauthn", [passkey.pk], 'value="Phone"'),
    ):
        answer = mine.get(reverse(name, args=args))
        assert answer.status_code == 200, name
        assert words in one_line(answer.content), name


def test_the_secret_is_not_in_the_database_as_it_is(settings) -> None:
    secret = add_app(signed_in(bob()))
    stored = Authenticator.objects.get(user=bob(), type="totp").data["secret"]
    assert secret not in stored
    settings.SECRET_KEY, settings.SECRET_KEY_FALLBACKS = "x" * 50, [settings.SECRET_KEY]
    assert FactorAdapter().decrypt(stored) == secret
    settings.SECRET_KEY_FALLBACKS = []
    with pytest.raises(Conflict, match="secret key was changed"):
        FactorAdapter().decrypt(stored)


def test_an_app_is_not_added_or_removed_without_its_record() -> None:
    mine = signed_in(bob())
    confirm(mine, ADD)
    secret = mine.get(ADD).context["form"].secret
    with fail("dynamodb", "TransactWriteItems", error_code="InternalServerError", times=9):
        assert mine.post(ADD, {"code": code(secret)}).status_code == 503
    assert not Authenticator.objects.exists()
    assert mine.post(ADD, {"code": code(secret)}).status_code == 302
    with fail("dynamodb", "TransactWriteItems", error_code="InternalServerError", times=9):
        assert mine.post(f"{ADD}remove/").status_code == 503
    assert Authenticator.objects.filter(type="totp").exists()
    assert mine.post(f"{ADD}remove/").status_code == 302
    assert not Authenticator.objects.exists()  # the recovery codes went with it
    assert Client().post("/login/", {"username": "bob", "password": PASSWORD})["Location"] == "/"


def test_the_password_is_asked_for_before_anything_is_changed_and_counted() -> None:
    mine = signed_in(bob())
    for path in (ADD, "/account/security/passkeys/add/"):
        assert mine.get(path)["Location"].startswith("/account/confirm/")
    for _ in range(PAIR.tries):
        assert "Your password is incorrect." in one_line(mine.post("/account/confirm/", {"password": "wrong"}).content)
    assert "Too many attempts" in one_line(mine.post("/account/confirm/", {"password": PASSWORD}).content)


def test_no_one_sees_the_second_step_before_the_first() -> None:
    assert Client().get("/login/code/")["Location"] == "/login/"
    assert Client().get("/account/security/")["Location"].startswith("/login/")


def test_who_is_deactivated_between_the_steps_stays_out() -> None:
    secret = add_app(signed_in(bob()))
    browser = Client()
    first_step(browser)
    User.objects.filter(username="bob").update(is_active=False)
    browser.post("/login/code/", {"code": code(secret, 1)})
    assert browser.get("/documents/").status_code == 302


def test_secrets_move_to_a_new_key_and_the_old_one_may_go(settings) -> None:
    secret = add_app(signed_in(bob()))
    old = settings.SECRET_KEY
    settings.SECRET_KEY, settings.SECRET_KEY_FALLBACKS = "a new one", [old]
    for _ in range(2):  # again it changes nothing
        call_command("rotate_secrets", verbosity=0)
    settings.SECRET_KEY_FALLBACKS = []
    row = Authenticator.objects.get(type=Authenticator.Type.TOTP)
    assert FactorAdapter().decrypt(row.data["secret"]) == secret
    browser = Client()
    first_step(browser)
    assert browser.post("/login/code/", {"code": code(secret, 1)}).status_code == 302
    settings.SECRET_KEY = "another one without a fallback"
    with pytest.raises(CommandError, match="Nothing was changed"):
        call_command("rotate_secrets", verbosity=0)
    assert Authenticator.objects.get(pk=row.pk).data == row.data
