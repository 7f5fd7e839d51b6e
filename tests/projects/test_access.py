import pytest
from django.contrib.auth.models import Group

from config.errors import NotAllowed, NotFound
from projects import access
from tests.people import alice, bob, charlie, dora, person, signed_in
from tests.projects.projects import make_project

pytestmark = pytest.mark.django_db
CHECKS = {
    "view": access.check_can_view,
    "upload": access.check_can_upload,
    "review": access.check_can_review,
    "configure": access.check_can_configure,
}


@pytest.mark.parametrize(
    ("who", "may"),
    [
        (alice, {"view", "upload", "review", "configure"}),
        (bob, {"view", "upload", "review"}),
        (charlie, {"view"}),
        (dora, set()),
    ],
)
def test_each_role_may_do_its_part_and_no_more(who, may):
    for what, check in CHECKS.items():
        if what in may:
            check(who())
        else:
            with pytest.raises(NotAllowed, match=r"^You (may|are) .+\.$"):
                check(who())


def test_whether_somebody_can_and_whether_the_check_lets_them_are_one_rule():
    for who in (alice, bob, charlie, dora):
        can = access.abilities(who())
        assert (can.view, can.upload, can.review, can.configure) == (
            access.can_view(who()), access.can_upload(who()), access.can_review(who()), access.can_configure(who())
        )  # fmt: skip


def test_a_superuser_is_an_admin_without_a_group():
    root = dora()
    root.is_superuser = True
    assert access.can_configure(root)


def test_of_two_roles_the_stronger_counts():
    assert access.role_of(person("erik", "Lund", "viewers", "reviewers")) == "reviewers"


def test_a_disabled_account_has_no_role_and_no_session(client):
    bert = bob()
    client.force_login(bert)
    bert.is_active = False
    bert.save()
    assert access.role_of(bert) == ""
    assert client.get("/projects/").status_code == 302


def test_a_page_asks_sql_for_the_session_and_the_user_only(table, django_assert_num_queries):
    browser = signed_in(bob())
    with django_assert_num_queries(2):
        assert browser.get("/projects/").status_code == 200


def test_a_project_is_only_handed_to_those_who_may(table, rf):
    project = make_project()
    request = rf.get("/")
    request.site = "default"
    for resolve, who in (
        (access.project_to_view, dora),
        (access.project_to_upload, charlie),
        (access.project_to_configure, bob),
    ):
        request.user = who()
        with pytest.raises(NotAllowed):
            resolve(request, project.id)
        request.user = alice()
        assert resolve(request, project.id).id == project.id
        with pytest.raises(NotFound):
            resolve(request, "proj_none")


def test_the_roles_are_there_after_a_migration(db):
    assert set(Group.objects.values_list("name", flat=True)) >= set(access.ROLES)
