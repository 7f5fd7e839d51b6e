import pytest
from django.conf import settings

from tests.aws_faults import count_calls, fail
from tests.html import one_line
from tests.people import alice, bob, charlie, dora, signed_in
from tests.projects.projects import make_project

pytestmark = pytest.mark.django_db
URL = "/projects/"


def test_everybody_with_a_role_sees_the_projects(table):
    make_project("Travel receipts")
    for who in (alice, bob, charlie):
        assert b"Travel receipts" in signed_in(who()).get(URL).content


def test_only_an_admin_is_offered_to_make_and_change(table):
    make_project()
    assert b"New project" in signed_in(alice()).get(URL).content
    for who in (bob, charlie):
        page = signed_in(who()).get(URL).content
        assert b"New project" not in page
        assert b"/edit/" not in page


def test_somebody_without_a_role_is_told_what_to_do(table):
    answer = signed_in(dora()).get(URL)
    assert answer.status_code == 403
    assert b"have no role on this site yet" in answer.content


def test_somebody_unknown_is_asked_to_sign_in(client):
    assert client.get(URL)["Location"] == "/login/?next=/projects/"


def test_an_empty_list_says_what_to_do_next(table):
    assert b"Create project" in signed_in(alice()).get(URL).content
    page = signed_in(charlie()).get(URL).content
    assert b"Ask an admin to create the first project" in page
    assert b"/projects/new/" not in page


def test_a_name_with_markup_is_shown_as_text(table):
    make_project('<script>alert("x")</script> & 発注書')
    page = one_line(signed_in(alice()).get(URL).content)
    assert "<script>alert" not in page
    assert "&lt;script&gt;alert(&quot;x&quot;)&lt;/script&gt; &amp; 発注書" in page


def test_long_lists_come_in_pages_of_one_query_each(table):
    for i in range(settings.PAGE_SIZE + 2):
        make_project(f"Project {i:02}")
    browser = signed_in(bob())
    with count_calls() as seen:
        first = browser.get(URL)
    assert [operation for _, operation, _ in seen.calls] == ["Query"]
    rows = [row.name for row in first.context["projects"]]
    assert (rows[0], len(rows)) == ("Project 26", settings.PAGE_SIZE)
    with count_calls() as seen:
        second = browser.get(URL, {"after": first.context["next_cursor"]})
    assert [operation for _, operation, _ in seen.calls] == ["Query"]
    assert [row.name for row in second.context["projects"]] == ["Project 01", "Project 00"]
    assert b"First page" in second.content


def test_a_cursor_of_something_else_is_not_found(table):
    assert signed_in(bob()).get(URL, {"after": "eyJ9:forged"}).status_code == 404


def test_a_list_that_cannot_be_read_says_so_with_503(table):
    browser = signed_in(bob())
    with fail("dynamodb", "Query", error_code="InternalServerError", times=9):
        answer = browser.get(URL)
    assert answer.status_code == 503
    assert b"Countersign is temporarily unavailable" in answer.content


def test_only_reading_is_allowed(table):
    assert signed_in(alice()).post(URL).status_code == 405
