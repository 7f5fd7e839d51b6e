"""The people of a site: invited, given groups and deactivated by its admins, who reach into no site of others."""

import re
from smtplib import SMTPException

import pytest
from django.contrib.auth.models import Group, User
from django.core import mail
from django.test import Client

from config.errors import Conflict
from config.table import AUDIT_LINE
from projects.accounts import people
from projects.audit.items import AuditLine
from projects.sites.permissions import Permission
from tests.aws_faults import fail
from tests.html import one_line
from tests.people import PASSWORD, alice, bob, person, signed_in
from tests.projects.make_sites import BY, grant, make_site

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("table")]
PEOPLE = "/s/acme/settings/people/"
ANA = {"email": "Ana@example.org", "first_name": "Ana", "last_name": "Ruiz", "groups": ["acme-people"]}


@pytest.fixture(autouse=True)
def acme(table: str) -> None:
    make_site("acme")
    make_site("umbra")
    grant("acme", "acme-admins", Permission.READ, Permission.ADMIN)
    grant("acme", "acme-people", Permission.READ)
    grant("acme", "both", Permission.READ)
    grant("umbra", "both", Permission.READ)
    grant("umbra", "umbra-people", Permission.READ)
    for name in ("acme-people", "both", "umbra-people"):
        Group.objects.get_or_create(name=name)


@pytest.fixture
def admin() -> Client:
    return signed_in(person("lou", "Lee", "acme-admins"))


def audited(site: str = "acme") -> list[tuple[str, str]]:
    rows = AuditLine.page(AUDIT_LINE.partition_key(site), limit=500).rows
    return [(row.type, row.user_name) for row in rows if row.entityType == "account"]


def groups(user: User) -> list[str]:
    return sorted(user.groups.values_list("name", flat=True))


def test_a_last_name_is_not_needed_and_a_first_name_is_asked_for(admin: Client) -> None:
    refused = admin.post(PEOPLE, {**ANA, "first_name": ""})
    assert refused.status_code == 422
    assert "Enter a first name. Reviews and the audit log show it." in one_line(refused.content)
    assert admin.post(PEOPLE, {**ANA, "last_name": ""}).status_code == 302
    assert User.objects.get(username="ana@example.org").get_full_name() == "Ana"


def test_an_invited_person_chooses_a_password_and_is_in(admin: Client) -> None:
    assert admin.post(PEOPLE, ANA).status_code == 302
    assert "Invited" in one_line(admin.get(PEOPLE).content)
    assert mail.outbox[0].to == ["ana@example.org"]
    found = re.search(r"https?://[^/]+(/login/new-password/\S+)", mail.outbox[0].body)
    assert found
    path = found[1]
    browser = Client()
    form = browser.get(path)["Location"]
    asked = one_line(browser.get(form).content)
    told = ("Choose the password for your new account." in asked, "signed out" in asked)
    assert told == (True, False)  # there is no session that a first password could end
    word = {"new_password1": "quite another word 7", "new_password2": "quite another word 7"}
    assert browser.post(form, word).status_code == 302
    signed = browser.post("/login/", {"username": "ana@example.org", "password": word["new_password1"]})
    assert signed["Location"] == "/s/acme/"
    assert browser.get(PEOPLE).status_code == 403
    assert audited() == [("invited", "Lou Lee")]
    assert "already been used" in one_line(Client().get(path).content)


def test_an_address_that_has_an_account_anywhere_is_refused_without_its_name(admin: Client) -> None:
    User.objects.filter(pk=person("zed", "Zorn", "umbra-people").pk).update(email="ana@example.org")
    answer = admin.post(PEOPLE, ANA)
    assert (answer.status_code, "already exists" in one_line(answer.content)) == (409, True)
    assert "Zorn" not in answer.content.decode()
    assert not mail.outbox


def test_a_mail_that_is_not_sent_can_be_sent_again(admin: Client, monkeypatch) -> None:
    def broken(*_: object, **__: object) -> None:
        raise SMTPException("no")

    with monkeypatch.context() as patch:
        patch.setattr("projects.accounts.people_views.send_mail", broken)
        assert admin.post(PEOPLE, ANA).status_code == 302
    assert "was not sent" in one_line(admin.get(PEOPLE).content)
    user = User.objects.get(username="ana@example.org")
    assert admin.post(f"{PEOPLE}{user.pk}/", {"order": "invite"}).status_code == 302
    assert len(mail.outbox) == 1


def test_only_groups_whose_every_site_is_theirs_can_be_given(admin: Client) -> None:
    page = one_line(admin.get(PEOPLE).content)
    assert ('value="acme-people"' in page, 'value="both"' in page, "umbra-people" in page) == (True, False, False)
    assert admin.post(PEOPLE, ANA | {"groups": ["both"]}).status_code == 422
    user = person("tess", "T", "acme-people", "umbra-people")
    form = {"order": "groups", "shown": ["acme-people"], "groups": ["acme-admins", "both", "umbra-people", "admins"]}
    assert admin.post(f"{PEOPLE}{user.pk}/", form).status_code == 302
    assert groups(user) == ["acme-admins", "umbra-people"]  # what is others' stays as it was


def test_a_group_of_the_main_sites_own_is_the_main_sites(admin: Client) -> None:
    grant("acme", "admins", Permission.READ)
    assert "admins" in people.site_groups("acme")
    user = person("tess", "T", "acme-people")
    form = {"order": "groups", "shown": ["acme-people"], "groups": ["acme-people", "admins"]}
    admin.post(f"{PEOPLE}{user.pk}/", form)
    assert groups(user) == ["acme-people"]


def test_deactivation_holds_at_once_for_every_session_and_the_next_sign_in(admin: Client) -> None:
    user = person("tess", "T", "acme-people")
    browsers = [signed_in(user), Client()]
    browsers[1].post("/login/", {"username": "tess", "password": PASSWORD})
    assert [one.get("/s/acme/").status_code for one in browsers] == [200, 200]
    assert admin.post(f"{PEOPLE}{user.pk}/", {"order": "deactivate"}).status_code == 302
    assert [one.get("/s/acme/").status_code for one in browsers] == [302, 302]
    assert Client().post("/login/", {"username": "tess", "password": PASSWORD}).status_code == 200
    assert admin.post(f"{PEOPLE}{user.pk}/", {"order": "deactivate"}).status_code == 409  # the loser
    assert admin.post(f"{PEOPLE}{user.pk}/", {"order": "reactivate"}).status_code == 302
    assert [one.get("/s/acme/").status_code for one in browsers[1:]] == [302]  # that session is gone
    assert audited()[-2:] == [("updated", "Lou Lee")] * 2


def test_who_works_elsewhere_too_is_not_deactivated_from_here(admin: Client) -> None:
    user = person("tess", "T", "acme-people", "umbra-people")
    assert admin.post(f"{PEOPLE}{user.pk}/", {"order": "deactivate"}).status_code == 422
    assert User.objects.get(pk=user.pk).is_active
    stranger = person("zed", "Zorn", "umbra-people")
    assert admin.get(f"{PEOPLE}{stranger.pk}/").status_code == 404


def test_no_one_changes_themselves_or_a_superuser(admin: Client) -> None:
    lou = User.objects.get(username="lou")
    root = person("root", "R", "acme-people")
    User.objects.filter(pk=root.pk).update(is_superuser=True)
    for user in (lou, root):
        for order in ("deactivate", "groups", "invite"):
            assert admin.post(f"{PEOPLE}{user.pk}/", {"order": order}).status_code == 422
        assert admin.get(f"{PEOPLE}{user.pk}/").status_code == 200


def test_groups_that_another_admin_changed_meanwhile_are_not_overwritten() -> None:
    user = person("tess", "T", "acme-people")
    with pytest.raises(Conflict):
        people.set_groups("acme", user, shown=["acme-admins"], chosen=[], may=["acme-people", "acme-admins"], by=BY)
    assert groups(user) == ["acme-people"]


def test_nothing_is_changed_without_its_record(admin: Client) -> None:
    user = person("tess", "T", "acme-people")
    browser = signed_in(user)
    with fail("dynamodb", "TransactWriteItems", error_code="InternalServerError", times=9):
        assert admin.post(PEOPLE, ANA).status_code == 503
    with fail("dynamodb", "TransactWriteItems", error_code="InternalServerError", times=9):
        assert admin.post(f"{PEOPLE}{user.pk}/", {"order": "deactivate"}).status_code == 503
    assert not User.objects.filter(username="ana@example.org").exists()
    assert browser.get("/s/acme/").status_code == 200


def test_the_main_sites_admins_have_the_page_too() -> None:
    bob()
    page = one_line(signed_in(alice()).get("/settings/people/").content)
    assert ("Bob Ito" in page, 'value="reviewers"' in page) == (True, True)


def test_only_staff_of_the_main_site_are_shown_the_way_to_administration(admin: Client) -> None:
    staff = alice()
    User.objects.filter(pk=staff.pk).update(is_staff=True)
    here, main = (one_line(signed_in(staff).get(url).content) for url in (PEOPLE, "/settings/people/"))
    assert "Accounts of other sites and new groups:" in main
    assert "Accounts of other sites" not in here + one_line(admin.get(PEOPLE).content)
    assert "Choose who is in a group under People" in one_line(admin.get("/s/acme/settings/groups/").content)


def test_the_page_keeps_the_bar_of_every_page(admin: Client) -> None:
    assert 'id="search-box"' in admin.get(PEOPLE).content.decode()
