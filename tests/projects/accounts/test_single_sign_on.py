"""Signing in by OpenID Connect, by a provider that runs beside the test."""

from collections.abc import Iterator

import pytest
from allauth.socialaccount.models import SocialAccount
from django.contrib.auth.models import Group, User
from django.test import Client

from config.table import AUDIT_LINE
from projects.accounts.single_sign_on import claimed_groups
from projects.audit.items import AuditLine
from tests.aws_faults import fail
from tests.html import one_line
from tests.people import PASSWORD, bob
from tests.projects.accounts import provider

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("table")]
GROUPS = {"desk-reviewers": "reviewers", "desk-leads": "leads"}
NINA = {"email": "nina@example.org", "email_verified": True, "name": "Nina Sato", "preferred_username": "nina"}


@pytest.fixture(scope="module")
def running() -> Iterator[str]:
    with provider.running() as url:
        yield url


@pytest.fixture
def url(running: str, settings) -> str:
    settings.OIDC_URL, settings.OIDC_NAME, settings.OIDC_GROUPS = running, "Acme ID", GROUPS
    settings.SOCIALACCOUNT_PROVIDERS = provider.register(running)
    return running


def told(answer) -> str:
    return " ".join(str(one) for one in answer.context["messages"])


def audited() -> list[tuple[str, str]]:
    rows = AuditLine.page(AUDIT_LINE.partition_key("default"), limit=500).rows
    return [(row.type, row.user_name) for row in rows if row.entityType == "account"]


def test_without_a_provider_there_is_no_button_and_no_address() -> None:
    assert "Use a passkey" in one_line(Client().get("/login/").content)
    assert "oidc" not in Client().get("/login/").content.decode()
    assert Client().get("/oidc/sso/login/").status_code == 404


def test_someone_new_gets_an_account_with_the_groups_that_are_mapped(url: str) -> None:
    provider.know(url, "s1", **NINA, groups=["desk-reviewers", "admins", "other"])
    browser = Client()
    assert "Sign in with Acme ID" in one_line(browser.get("/login/").content)
    answer = provider.pass_provider(browser, "s1", then="/documents/")
    assert (answer.status_code, answer["Location"]) == (302, "/documents/")
    assert browser.get("/documents/").status_code == 200
    user = User.objects.get(username="nina")
    assert (user.get_full_name(), user.email, user.has_usable_password()) == ("Nina Sato", "nina@example.org", False)
    assert [one.name for one in user.groups.all()] == ["reviewers"]  # never "admins", which nobody mapped
    assert not user.is_staff
    assert audited() == [("created", "Single sign-on"), ("updated", "Single sign-on"), ("signed in", "Nina Sato")]


def test_groups_follow_the_provider_and_those_that_it_does_not_map_stay(url: str) -> None:
    provider.know(url, "s2", **NINA, groups=["desk-reviewers"])
    provider.pass_provider(Client(), "s2")
    user = User.objects.get(username="nina")
    user.groups.add(Group.objects.create(name="payroll"))
    for claim, expected in ((["desk-leads"], ["leads", "payroll"]), (None, ["payroll"])):
        provider.know(url, "s2", **NINA, **({"groups": claim} if claim else {}))
        provider.pass_provider(Client(), "s2")
        assert sorted(one.name for one in user.groups.all()) == expected
    assert User.objects.filter(email=NINA["email"]).count() == 1


def test_a_verified_address_is_that_accounts_and_its_password_stays(url: str) -> None:
    user = bob()
    User.objects.filter(pk=user.pk).update(email="bob@example.org")
    provider.know(url, "s3", email="Bob@example.org", email_verified=True, groups=["desk-reviewers"])
    browser = Client()
    provider.pass_provider(browser, "s3")
    assert browser.get("/").wsgi_request.user == user
    assert User.objects.get(pk=user.pk).check_password(PASSWORD)
    assert SocialAccount.objects.get(user=user).uid == "s3"


@pytest.mark.parametrize(("verified", "root"), [(False, False), (True, True)])
def test_an_address_that_is_not_verified_or_a_superusers_opens_no_account(url: str, verified: bool, root: bool) -> None:
    User.objects.filter(pk=bob().pk).update(email="bob@example.org", is_superuser=root)
    provider.know(url, "s4", email="bob@example.org", email_verified=verified, preferred_username="bob")
    browser = Client()
    answer = provider.pass_provider(browser, "s4")
    assert answer["Location"] == "/login/"
    assert "already exists" in told(browser.get("/login/"))
    assert not SocialAccount.objects.exists()
    assert browser.get("/documents/").status_code == 302


def test_a_deactivated_account_stays_closed(url: str) -> None:
    provider.know(url, "s5", **NINA, groups=["desk-reviewers"])
    browser = Client()
    provider.pass_provider(browser, "s5")
    User.objects.filter(username="nina").update(is_active=False)
    assert browser.get("/documents/").status_code == 302
    again = Client()
    provider.pass_provider(again, "s5")
    assert "deactivated" in told(again.get("/login/"))
    assert again.get("/documents/").status_code == 302


def test_who_turns_back_there_or_brings_a_code_of_nobodys_is_told_so(url: str) -> None:
    browser = Client()
    provider.pass_provider(browser, "s6", action="deny")
    assert browser.get("/documents/").status_code == 302
    for query in ("?code=made-up&state=made-up", "?error=server_error", ""):
        answer = Client().get(f"/oidc/sso/login/callback/{query}")
        assert (answer.status_code, answer["Location"]) == (302, "/login/")


def test_while_the_table_does_not_answer_no_account_is_made(url: str) -> None:
    provider.know(url, "s7", **NINA)
    with fail("dynamodb", "TransactWriteItems", error_code="InternalServerError", times=9):
        assert provider.pass_provider(Client(), "s7").status_code == 503
    assert not User.objects.filter(email=NINA["email"]).exists()


@pytest.mark.parametrize("claim", [["desk-leads"], "desk-leads", ["desk-leads", 7, None]])
def test_a_claim_may_be_a_list_or_a_word_in_either_answer(settings, claim: object) -> None:
    settings.OIDC_GROUPS = GROUPS
    for answer in ("userinfo", "id_token"):
        assert claimed_groups({answer: {"groups": claim}}) == {"leads"}
    assert claimed_groups({"userinfo": {}}) == frozenset()
