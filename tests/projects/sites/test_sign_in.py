"""Signing in and out as people do it: where it leads, how often it may be tried, and what the audit keeps of it."""

import datetime as dt
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import pytest
from django.contrib.auth.models import Group, User
from django.test import Client

from config import clock
from config.errors import TooManyTries
from config.item import Item
from config.table import AUDIT_LINE
from projects.audit.items import AuditLine
from projects.sites import sign_in as sites_sign_in
from projects.sites.items import SignInTries
from projects.sites.permissions import Permission
from projects.sites.sign_in import ADDRESS, ANYWHERE, PAIR, RECORDED, SIGN_IN, Attempt, client_network
from tests.aws_faults import fail
from tests.each import each
from tests.html import one_line
from tests.people import PASSWORD, alice, bob, charlie, dora, person, signed_in
from tests.projects.make_sites import grant, make_site

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("table")]
TOO_MANY = "Too many attempts. Try again in"


def sign_in(
    name: str, password: str, address: str = "203.0.113.7", client: Client | None = None, path: str = "/login/"
):
    return (client or Client()).post(path, {"username": name, "password": password}, REMOTE_ADDR=address)


def audited() -> list[tuple[str, str, str, str]]:
    """Of accounts, the oldest first: what, of which, by whom, and the name it has in the payload."""
    rows = AuditLine.page(AUDIT_LINE.partition_key("default"), limit=500).rows
    kinds = ("account", "group")
    return [
        (row.type, row.entityId, row.user_name, row.payload.as_dict().get("account", ""))
        for row in rows
        if row.entityType in kinds
    ]


def pass_time(minutes: float) -> None:
    """What is counted was begun so much earlier."""
    for row in SignInTries.scan():
        if row.SK.startswith("TRIES#") and row.ends_at:
            ends = clock.iso(clock.parse(row.ends_at) - dt.timedelta(minutes=minutes))
            SignInTries.change(row.key, [SignInTries.ends_at.set(ends)], SignInTries.PK.exists())


def test_after_some_wrong_passwords_the_right_one_has_to_wait_and_then_works() -> None:
    user = bob()
    for _ in range(PAIR.tries):
        answer = sign_in("bob", "wrong")
        assert (answer.status_code, "Incorrect username or password" in answer.content.decode()) == (200, True)
    for password in ("wrong", PASSWORD):
        answer = sign_in("bob", password)
        page = one_line(answer.content)
        assert answer.status_code == 429
        assert f"{TOO_MANY} 5 min." in page
        assert "Incorrect username or password" not in page
        assert 0 < int(answer["Retry-After"]) <= PAIR.seconds
    pass_time(3)
    assert f"{TOO_MANY} 2 min." in sign_in("bob", PASSWORD).content.decode()
    pass_time(3)
    answer = sign_in("bob", PASSWORD)
    assert (answer.status_code, answer["Location"]) == (302, "/")
    assert [one[0] for one in audited()] == ["sign-in failed", "sign-in throttled", "signed in"]
    assert {one[1] for one in audited()} == {str(user.pk)}
    assert [one[2] for one in audited()] == ["Unknown", "Unknown", "Bob Ito"]


def test_a_right_password_forgets_what_was_tried_before() -> None:
    bob()
    for _ in range(3):
        for _ in range(PAIR.tries - 1):
            sign_in("bob", "wrong")
        assert sign_in("bob", PASSWORD).status_code == 302


def test_a_name_that_is_no_account_is_answered_and_recorded_alike_and_kept_nowhere() -> None:
    bob()
    seen = {}
    for name in ("bob", "s3cret-typed-into-the-wrong-box"):
        pages = [sign_in(name, "wrong", f"203.0.113.{len(name)}") for _ in range(PAIR.tries + 2)]
        seen[name] = [(one.status_code, TOO_MANY in one.content.decode()) for one in pages]
    assert seen["bob"] == seen["s3cret-typed-into-the-wrong-box"]
    assert [(one[0], one[3]) for one in audited()] == [
        ("sign-in failed", "bob"), ("sign-in throttled", "bob"), ("sign-in failed", ""), ("sign-in throttled", ""),
    ]  # fmt: skip
    everything = "".join(str(row.to_dynamodb_dict()) for row in [*Item.scan(), *AuditLine.scan()])
    assert "s3cret" not in everything
    assert "203.0.113" not in everything


@pytest.mark.parametrize("typed", ["BOB", "Bob", "ｂｏｂ"])
def test_other_letters_of_a_name_are_the_same_account(typed: str) -> None:
    bob()
    for _ in range(PAIR.tries):
        sign_in(typed, "wrong")
    assert sign_in("bob", PASSWORD).status_code == 429


@pytest.mark.wide
def test_a_stranger_does_not_keep_the_owner_out_who_signed_in_from_there_before() -> None:
    bob()
    assert sign_in("bob", PASSWORD, "198.51.100.1").status_code == 302
    for number in range(ANYWHERE.tries):
        sign_in("bob", "wrong", f"203.0.113.{number}")
    assert sign_in("bob", PASSWORD, "203.0.113.250").status_code == 429  # from elsewhere the account is closed
    assert sign_in("bob", PASSWORD, "198.51.100.1").status_code == 302
    pass_time(61)
    assert sign_in("bob", PASSWORD, "203.0.113.250").status_code == 302


@pytest.mark.wide
def test_an_address_that_tries_many_names_has_to_wait() -> None:
    bob()
    alice()
    assert sign_in("alice", PASSWORD, "203.0.113.9").status_code == 302
    for number in range(ADDRESS.tries):
        assert sign_in(f"name{number}", "wrong", "203.0.113.9").status_code == 200
    assert f"{TOO_MANY} 15 min." in sign_in("bob", PASSWORD, "203.0.113.9").content.decode()
    assert sign_in("alice", PASSWORD, "203.0.113.9").status_code == 302  # a colleague of the same office
    assert sign_in("bob", PASSWORD, "203.0.113.10").status_code == 302


@pytest.mark.wide
def test_who_guesses_fills_no_audit(monkeypatch) -> None:
    few = RECORDED._replace(tries=20)
    monkeypatch.setattr(sites_sign_in, "RECORDED", few)
    for number in range(few.tries + 5):
        attempt = Attempt(SIGN_IN, f"name{number}", f"198.51.100.{number}")
        sites_sign_in.record_failure(attempt, sites_sign_in.take_try(attempt))
    assert len(audited()) == few.tries


def test_requests_at_once_get_no_more_tries_than_one_after_the_other() -> None:
    start = Barrier(16)

    def take(number: int) -> bool:
        start.wait()
        try:
            sites_sign_in.take_try(Attempt(SIGN_IN, "bob", "203.0.113.7"))
        except TooManyTries:
            return False
        return True

    with ThreadPoolExecutor(16) as pool:
        assert sum(pool.map(take, range(16))) == PAIR.tries


@each(
    ("proxies", "forwarded", "counted"),
    [
        (0, "10.9.9.9", "203.0.113.7"),
        (1, "10.9.9.9", "10.9.9.9"),
        (1, "1.2.3.4, 10.9.9.9", "10.9.9.9"),  # the first was written by whoever sent it
        (2, "1.2.3.4, 10.9.9.9, 10.0.0.1", "10.9.9.9"),
        (2, "10.0.0.1", "203.0.113.7"),
        (1, "2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"),
        (1, "nonsense", "nonsense"),
    ],
)
def test_whose_address_it_is(settings, rf, proxies: int, forwarded: str, counted: str) -> None:
    settings.TRUSTED_PROXIES = proxies
    request = rf.get("/", REMOTE_ADDR="203.0.113.7", headers={"x-forwarded-for": forwarded})
    assert client_network(request) == counted


def test_the_admins_sign_in_has_the_same_limits_and_is_recorded() -> None:
    root = person("root", "R")
    root.is_staff = root.is_superuser = True
    root.save()
    for _ in range(PAIR.tries):
        sign_in("root", "wrong", path="/admin/login/")
    assert sign_in("root", PASSWORD, path="/admin/login/").status_code == 429
    assert sign_in("root", PASSWORD).status_code == 429
    pass_time(6)
    browser = Client()
    answer = sign_in("root", PASSWORD, client=browser, path="/admin/login/?next=/admin/auth/user/")
    assert browser.get("/admin/").status_code == 200
    assert answer["Location"] == "/admin/auth/user/"
    assert browser.get("/admin/password_change/")["Location"] == "/account/password/"
    browser.post("/admin/logout/")
    assert browser.get("/admin/").status_code == 302
    assert [one[0] for one in audited()][-2:] == ["signed in", "signed out"]


def test_who_is_no_staff_is_told_so_and_not_sent_round_in_circles() -> None:
    browser = signed_in(alice())
    answer = browser.get("/admin/", follow=True)
    assert answer.status_code == 403
    assert "staff accounts" in one_line(answer.content)


def test_while_the_table_does_not_answer_nobody_is_let_in_and_everybody_out() -> None:
    bob()
    with fail("dynamodb", "BatchGetItem", error_code="InternalServerError", times=9):
        assert sign_in("bob", PASSWORD).status_code == 503
    browser = Client()
    assert sign_in("bob", PASSWORD, client=browser).status_code == 302
    with fail("dynamodb", "TransactWriteItems", error_code="InternalServerError", times=9):
        assert browser.post("/logout/").status_code == 302
    assert browser.get("/documents/").status_code == 302


def test_a_password_change_that_fails_names_who_was_signed_in() -> None:
    change(signed_in(bob()), "wrong", "quite another word 7")
    assert audited() == [("password change failed", str(bob().pk), "Bob Ito", "bob")]
    sign_in("nobody", "wrong")
    assert ("sign-in failed", "unknown", "Unknown", "") in audited()


def test_signing_in_and_out_is_in_the_audit_page() -> None:
    browser = Client()
    sign_in("bob", "wrong", client=browser) if bob() else None
    sign_in("bob", PASSWORD, client=browser)
    browser.post("/logout/")
    page = one_line(signed_in(alice()).get("/settings/audit/").content)
    sign_in("nobody", "wrong")
    assert "<b>Unknown account</b>" in one_line(signed_in(alice()).get("/settings/audit/").content)
    for words in ("Sign-in failed", "Signed in", "Signed out"):
        assert f"<span>{words} · <b>bob</b>" in page
    assert "Bob Ito" in page


# --- where it leads ---


@pytest.fixture
def sites(table: str) -> None:
    for site in ("acme", "umbra"):
        make_site(site)
        grant(site, f"{site}-people", Permission.READ)


@pytest.mark.usefixtures("sites")
@pytest.mark.parametrize(
    ("groups", "asked", "reached"),
    [
        (["acme-people"], "", "/s/acme/"),
        (["acme-people"], "/", "/s/acme/"),
        (["acme-people"], "/s/acme/documents/", "/s/acme/documents/"),
        (["acme-people", "umbra-people"], "/", "/sites/"),
        (["acme-people", "viewers"], "/", "/"),
        ([], "/", "/"),
    ],
)
def test_signing_in_leads_to_a_site_that_lets_one_in(groups: list[str], asked: str, reached: str) -> None:
    person("tess", "T", *groups)
    answer = Client().post("/login/", {"username": "tess", "password": PASSWORD, "next": asked})
    assert answer["Location"] == reached


@pytest.mark.usefixtures("sites")
def test_the_button_of_a_refusal_leads_to_a_page_that_opens() -> None:
    browser = signed_in(person("tess", "T", "acme-people"))
    for path in ("/", "/documents/", "/settings/", "/s/umbra/", "/nothing/"):
        page = browser.get(path)
        assert page.status_code in (403, 404)
        assert '<a class="button primary" href="/s/acme/">Go to Acme</a>' in one_line(page.content)
        assert 'class="app-nav"' not in page.content.decode()  # each of its tabs would be refused too
    assert '<summary aria-label="Select a site"><span class="truncate">Sites</span>' in one_line(
        browser.get("/").content
    )
    assert browser.get("/s/acme/").status_code == 200
    assert 'href="/s/acme/">Go to overview' in one_line(browser.get("/s/acme/settings/").content)


@pytest.mark.usefixtures("sites")
def test_who_may_go_to_several_sites_chooses_one() -> None:
    browser = signed_in(person("tess", "T", "acme-people", "umbra-people"))
    assert 'href="/sites/">Select a site</a>' in one_line(browser.get("/").content)
    page = one_line(browser.get("/sites/").content)
    assert ('href="/s/acme/"' in page, 'href="/s/umbra/"' in page) == (True, True)


def test_who_may_go_nowhere_is_offered_the_way_out() -> None:
    browser = signed_in(dora())
    page = one_line(browser.get("/").content)
    assert '<button class="button primary" type="submit">Sign out</button>' in one_line(page)
    assert "No role assigned" in one_line(browser.get("/sites/").content)


# --- one's own password ---


def change(client: Client, old: str, new: str, again: str | None = None):
    form = {"old_password": old, "new_password1": new, "new_password2": again or new}
    return client.post("/account/password/", form)


def test_a_new_password_ends_the_sessions_elsewhere_and_keeps_this_one() -> None:
    here, elsewhere = signed_in(bob()), signed_in(bob())
    assert "/account/password/" in here.get("/").content.decode()
    assert here.get("/account/password/").status_code == 200
    answer = change(here, PASSWORD, "quite another word 7")
    assert (answer.status_code, answer["Location"]) == (302, "/")
    page = here.get("/")
    assert (page.status_code, [one.level_tag for one in page.context["messages"]]) == (200, ["success"])
    assert elsewhere.get("/")["Location"].startswith("/login/")
    assert sign_in("bob", PASSWORD).status_code == 200
    assert sign_in("bob", "quite another word 7").status_code == 302
    assert ("password changed", str(bob().pk), "Bob Ito", "bob") in audited()
    assert "another word" not in "".join(str(row.to_dynamodb_dict()) for row in [*Item.scan(), *AuditLine.scan()])


@pytest.mark.parametrize(
    ("old", "new", "again", "words"),
    [
        ("wrong", "quite another word 7", None, "Your current password is incorrect."),
        (PASSWORD, "quite another word 7", "quite another", "The new passwords do not match."),
        (PASSWORD, "short", None, "too short"),
        (PASSWORD, "password", None, "too common"),
    ],
)
def test_what_is_not_taken_is_said_beside_its_field(old: str, new: str, again: str | None, words: str) -> None:
    browser = signed_in(bob())
    answer = change(browser, old, new, again)
    assert answer.status_code == 422
    assert words in one_line(answer.content)
    assert browser.get("/").status_code == 200
    assert User.objects.get(username="bob").check_password(PASSWORD)


@pytest.mark.wide
def test_a_session_that_was_left_open_is_no_way_to_guess_the_password() -> None:
    browser = signed_in(bob())
    for _ in range(PAIR.tries):
        assert change(browser, "wrong", "quite another word 7").status_code == 422
    answer = change(browser, PASSWORD, "quite another word 7")
    assert (answer.status_code, f"{TOO_MANY} 5 min." in answer.content.decode()) == (429, True)
    assert sign_in("bob", PASSWORD).status_code == 302  # counted apart
    pass_time(6)
    assert change(browser, PASSWORD, "quite another word 7").status_code == 302


def test_slips_in_the_new_password_use_up_no_tries() -> None:
    browser = signed_in(bob())
    for _ in range(PAIR.tries + 1):
        assert change(browser, PASSWORD, "quite another word 7", "slip").status_code == 422
    assert change(browser, PASSWORD, "quite another word 7").status_code == 302


def test_a_password_is_not_changed_without_its_record() -> None:
    browser = signed_in(bob())
    form = {"old_password": PASSWORD, "new_password1": "quite another word 7", "new_password2": "quite another word 7"}
    browser.raise_request_exception = False
    real = sites_sign_in.record_new_password
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sites_sign_in, "record_new_password", lambda user: failing(real, user))
        assert browser.post("/account/password/", form).status_code == 503
    assert User.objects.get(username="bob").check_password(PASSWORD)


def failing(real: Callable[[User], None], user: User) -> None:
    with fail("dynamodb", "TransactWriteItems", error_code="InternalServerError", times=9):
        real(user)


# --- accounts, in Django's own admin ---


@pytest.fixture
def root() -> Client:
    user = person("root", "Rita")
    user.is_staff = user.is_superuser = True
    user.save()
    return signed_in(user)


def user_form(user: User, **more: object) -> dict[str, object]:
    joined = user.date_joined
    fields = {
        "username": user.username, "first_name": user.first_name, "last_name": user.last_name, "email": user.email,
        "is_active": "on", "date_joined_0": f"{joined:%Y-%m-%d}", "date_joined_1": f"{joined:%H:%M:%S}",
        "groups": [group.pk for group in user.groups.all()],
    }  # fmt: skip
    return fields | more


def changes(kind: str = "account") -> list[tuple[str, dict[str, object]]]:
    rows = AuditLine.page(AUDIT_LINE.partition_key("default"), limit=500).rows
    return [(row.type, row.payload.as_dict()) for row in rows if row.entityType == kind]


def test_accounts_that_an_admin_makes_changes_and_deletes_are_in_the_audit(root: Client) -> None:
    new = {
        "username": "newcomer",
        "usable_password": "true",
        "password1": "quite a word 7",
        "password2": "quite a word 7",
    }
    assert root.post("/admin/auth/user/add/", new).status_code == 302
    user = User.objects.get(username="newcomer")
    group = Group.objects.get_or_create(name="reviewers")[0]
    form = user_form(user, groups=[group.pk], is_staff="on", email="new@example.org")
    assert root.post(f"/admin/auth/user/{user.pk}/change/", form).status_code == 302
    word = {"usable_password": "true", "password1": "quite another word", "password2": "quite another word"}
    assert root.post(f"/admin/auth/user/{user.pk}/password/", word).status_code == 302
    assert (
        root.post(
            f"/admin/auth/user/{user.pk}/change/",
            user_form(user, groups=[group.pk], is_staff="on", email="new@example.org"),
        ).status_code
        == 302
    )
    assert root.post(f"/admin/auth/user/{user.pk}/delete/", {"post": "yes"}).status_code == 302
    told = changes()
    assert [one[0] for one in told] == ["created", "updated", "updated", "deleted"]
    assert all(one[1]["account"] == "newcomer" for one in told)
    assert told[1][1]["groups"] == {"before": [], "after": ["reviewers"]}
    assert told[1][1]["is_staff"] == {"before": False, "after": True}
    assert told[1][1]["email"] == "changed"
    assert set(told[2][1]) == {"account", "password"}
    assert {one[2] for one in audited()} == {"Root Rita"}
    text = "".join(str(row.to_dynamodb_dict()) for row in AuditLine.scan())
    assert not [word for word in ("quite", "pbkdf2", "example.org", "argon") if word in text]


def test_accounts_that_are_deleted_together_and_groups_are_in_the_audit_too(root: Client) -> None:
    ids = [str(user.pk) for user in (bob(), charlie())]
    action = {"action": "delete_selected", "_selected_action": ids, "post": "yes"}
    assert root.post("/admin/auth/user/", action).status_code == 302
    assert sorted(one[1]["account"] for one in changes() if one[0] == "deleted") == ["bob", "charlie"]
    assert root.post("/admin/auth/group/add/", {"name": "payroll"}).status_code == 302
    group = Group.objects.get(name="payroll")
    assert root.post(f"/admin/auth/group/{group.pk}/change/", {"name": "salaries"}).status_code == 302
    assert root.post(f"/admin/auth/group/{group.pk}/delete/", {"post": "yes"}).status_code == 302
    told = changes("group")
    assert [one[0] for one in told] == ["created", "updated", "deleted"]
    assert told[1][1]["name"] == {"before": "payroll", "after": "salaries"}


def test_an_account_is_not_changed_without_its_record(root: Client) -> None:
    user = bob()
    with fail("dynamodb", "TransactWriteItems", error_code="InternalServerError", times=9):
        answer = root.post(f"/admin/auth/user/{user.pk}/change/", user_form(user, is_superuser="on"))
    assert answer.status_code == 503
    assert not User.objects.get(pk=user.pk).is_superuser
