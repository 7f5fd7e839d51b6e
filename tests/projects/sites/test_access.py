import pytest
from django.contrib.auth.models import AnonymousUser, Group

from config.errors import NotAllowed, NotFound
from projects.sites import access, permissions
from projects.sites.permissions import Permission
from tests.aws_faults import count_calls
from tests.each import each
from tests.people import alice, bob, charlie, dora, person, signed_in
from tests.projects.make_sites import grant, make_site
from tests.projects.projects import make_project

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("table")]
CHECKS = {
    "view": access.check_can_view,
    "upload": access.check_can_upload,
    "review": access.check_can_review,
    "delete": access.check_can_delete,
    "govern": access.check_can_govern,
    "configure": access.check_can_configure,
}
ROLES = [
    (alice, set(CHECKS)),
    (bob, {"view", "upload", "review"}),
    (charlie, {"view"}),
    (dora, set()),
    (AnonymousUser, set()),
]


@pytest.fixture
def asks(rf):
    """A request of somebody's on a site."""

    def make(user, site="default"):
        request = rf.get("/")
        request.site, request.user = site, user
        return request

    return make


@each(("who", "may"), ROLES)
def test_each_role_may_do_its_part_and_no_more(asks, who, may):
    for what, check in CHECKS.items():
        if what in may:
            check(asks(who()))
        else:
            with pytest.raises(NotAllowed, match=r"^You (can|cannot|have) .+\.$"):
                check(asks(who()))


@each(("who", "may"), ROLES)
def test_whether_somebody_can_and_whether_the_check_lets_them_are_one_rule(asks, who, may):
    can = access.abilities(asks(who()))
    assert {name for name in CHECKS if getattr(can, name)} == may
    simple = {"review": access.can_review, "delete": access.can_delete}
    assert {name for name, ask in simple.items() if ask(asks(who()))} == may & simple.keys()


def test_a_superuser_is_an_admin_everywhere_without_a_group(asks):
    root = dora()
    root.is_superuser = True
    make_site("acme")
    assert access.permissions_of(asks(root)) == access.permissions_of(asks(root, "acme")) == permissions.EVERYTHING


@pytest.mark.parametrize("site", ["acme", "nowhere", "No such id"])
def test_not_even_a_superuser_is_on_a_site_that_is_closed_or_not_there(asks, site):
    root = dora()
    root.is_superuser = True
    make_site("acme", closed=True)
    assert not access.permissions_of(asks(root, site))


def test_of_two_roles_both_count(asks):
    erik = person("erik", "Lund", "viewers", "reviewers")
    assert access.abilities(asks(erik)).role == "Reviewer"


def test_the_three_groups_are_nobody_on_another_site(asks):
    make_site("acme")
    for who in (alice, bob, charlie):
        assert not access.permissions_of(asks(who(), "acme"))


def test_on_another_site_a_group_may_do_what_its_row_says_and_nothing_else(asks):
    make_site("acme")
    grant("acme", "reviewers", Permission.READ, Permission.DELETE)
    assert access.permissions_of(asks(bob(), "acme")) == {Permission.READ, Permission.DELETE}
    assert access.permissions_of(asks(bob())) == permissions.DEFAULTS["reviewers"]


def test_on_the_default_site_a_row_takes_the_place_of_the_defaults(asks):
    grant("default", "reviewers", Permission.READ)
    assert access.permissions_of(asks(bob())) == {Permission.READ}
    grant("default", "reviewers")
    assert access.permissions_of(asks(bob())) == set()


def test_groups_with_odd_names_are_told_apart(asks):
    make_site("acme")
    grant("acme", "a#site#acme/ü", Permission.WRITE)
    assert access.permissions_of(asks(person("u", "U", "a"), "acme")) == set()
    assert access.permissions_of(asks(person("v", "V", "a#site#acme/ü"), "acme")) == {Permission.WRITE}


def test_a_word_of_a_later_version_allows_nothing(asks):
    grant("default", "viewers", "READ", "PUBLISH")
    assert access.permissions_of(asks(charlie())) == {Permission.READ}


def test_a_disabled_account_has_no_role_and_no_session(client, asks):
    bert = bob()
    client.force_login(bert)
    bert.is_active = False
    bert.save()
    assert access.abilities(asks(bert)).role == ""
    assert access.groups_of(asks(bert)) == frozenset()
    assert client.get("/projects/").status_code == 302


def test_the_groups_of_a_request_are_the_names_of_the_persons(asks):
    assert access.groups_of(asks(person("erik", "Lund", "viewers", "night shift"))) == {"viewers", "night shift"}
    assert access.groups_of(asks(AnonymousUser())) == frozenset()


def test_a_page_asks_sql_for_the_session_and_the_user_only(django_assert_num_queries):
    erik = person("erik", "Lund", "viewers", "night shift", "reviewers")
    browser = signed_in(erik)
    with django_assert_num_queries(2):
        assert browser.get("/projects/").status_code == 200


def test_permissions_cost_a_page_nothing_once_they_are_known():
    browser = signed_in(bob())
    with count_calls() as seen:
        browser.get("/projects/")
    assert seen.names() == ["dynamodb.Query"]


def test_a_project_is_only_handed_to_those_who_may(asks):
    project = make_project()
    for resolve, who in (
        (access.project_to_view, dora),
        (access.project_to_upload, charlie),
        (access.project_to_configure, bob),
    ):
        with pytest.raises(NotAllowed):
            resolve(asks(who()), project.id)
        assert resolve(asks(alice()), project.id).id == project.id
        with pytest.raises(NotFound):
            resolve(asks(alice()), "proj_none")


def test_the_roles_are_there_after_a_migration(db):
    assert set(Group.objects.values_list("name", flat=True)) >= set(permissions.ROLES)
