"""The pages of queues under the settings, and the project that names one."""

import pytest
from django.contrib.auth.models import Group

from projects.audit.events import actor_of
from projects.queues import actions as queue_actions
from projects.queues import queries as queue_queries
from projects.settings import queries as project_queries
from projects.sites.permissions import EVERYTHING
from tests.html import one_line
from tests.people import alice, bob, charlie, dora, signed_in
from tests.projects.make_queues import SITE, make_queue
from tests.projects.make_sites import grant, make_site
from tests.projects.projects import make_project, sealed, typed

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("table")]
LIST = "/settings/queues/"


def text(response):
    return one_line(response.content)


def names():
    return [queue.name for queue in queue_queries.all_queues(SITE)]


@pytest.mark.parametrize("who", [bob, charlie, dora])
def test_only_an_admin_sees_or_changes_queues(who):
    queue, browser = make_queue(), signed_in(who())
    for url in (LIST, f"{LIST}new/", f"{LIST}{queue.id}/"):
        assert browser.get(url).status_code == 403
    for url in (f"{LIST}new/", f"{LIST}{queue.id}/", f"{LIST}{queue.id}/archive/", f"{LIST}{queue.id}/restore/"):
        assert browser.post(url, {"name": "Mine", "version": "1"}).status_code == 403
    assert names() == ["Payables"]


def test_an_empty_list_says_what_a_queue_is_for():
    assert "No other queues yet" in text(signed_in(alice()).get(LIST))


def test_the_list_shows_who_is_let_in_and_what_is_archived():
    make_queue("Open")
    closed = make_queue("Closed <b>", ["finance"])
    queue_actions.archive_queue(SITE, closed.id, by=actor_of(alice()))
    page = text(signed_in(alice()).get(LIST))
    for words in ("All reviewers", "finance", "Archived", "Closed &lt;b&gt;"):
        assert words in page


def test_a_queue_is_made_once_however_often_its_form_is_sent():
    Group.objects.create(name="finance")
    browser = signed_in(alice())
    page = text(browser.get(f"{LIST}new/"))
    queue_id = page.split('name="queue_id" value="')[1][:26]
    form = {"queue_id": queue_id, "name": "  Pay   ables ", "groups": ["finance"]}
    for _ in range(2):
        assert browser.post(f"{LIST}new/", form)["Location"] == LIST
    assert names() == ["Pay ables"]
    assert list(queue_queries.get_queue(SITE, queue_id).groups) == ["finance"]


def test_another_site_is_offered_the_groups_that_may_do_something_there():
    make_site("acme")
    for name in ("finance", "globex-people"):
        Group.objects.create(name=name)
    grant("acme", "admins", *EVERYTHING)
    grant("acme", "acme #1/people", "READ")
    browser = signed_in(alice())
    page = text(browser.get("/s/acme/settings/queues/new/"))
    assert "acme #1/people" in page
    assert "globex-people" not in page
    form = {"name": "Payables", "groups": ["globex-people"]}
    assert browser.post("/s/acme/settings/queues/new/", form).status_code == 422
    assert browser.post("/s/acme/settings/queues/new/", form | {"groups": ["acme #1/people"]}).status_code == 302


@pytest.mark.parametrize(
    ("form", "words"),
    [
        ({"name": " "}, "Enter a queue name"),
        ({"name": "x" * 81}, "at most 80"),
        ({"name": "x", "groups": ["nobody"]}, "no longer exists"),
    ],
)
def test_what_cannot_be_saved_is_said_beside_it(form, words):
    answer = signed_in(alice()).post(f"{LIST}new/", form)
    assert answer.status_code == 422
    assert words in text(answer)
    assert names() == []


def test_a_queue_is_renamed_and_keeps_a_group_that_is_gone():
    queue = make_queue("Old", ["dissolved"])
    browser = signed_in(alice())
    assert 'value="dissolved"' in text(browser.get(f"{LIST}{queue.id}/"))
    browser.post(f"{LIST}{queue.id}/", {"name": "New", "groups": ["dissolved"], "version": "1"})
    found = queue_queries.get_queue(SITE, queue.id)
    assert (found.name, list(found.groups)) == ("New", ["dissolved"])


def test_who_saves_second_keeps_what_was_typed_and_may_save_over_it():
    queue, browser = make_queue("Old"), signed_in(alice())
    browser.post(f"{LIST}{queue.id}/", {"name": "First", "version": "1"})
    answer = browser.post(f"{LIST}{queue.id}/", {"name": "Second", "version": "1"})
    assert answer.status_code == 409
    for words in ("Alice Novak changed this queue", 'value="Second"', 'name="version" value="2"'):
        assert words in text(answer)
    assert names() == ["First"]
    browser.post(f"{LIST}{queue.id}/", {"name": "Second", "version": "2"})
    assert names() == ["Second"]


def test_a_queue_is_archived_and_used_again_by_a_post():
    queue, browser = make_queue(), signed_in(alice())
    assert browser.get(f"{LIST}{queue.id}/archive/").status_code == 405
    assert browser.post(f"{LIST}{queue.id}/archive/")["Location"] == LIST
    assert browser.post(f"{LIST}{queue.id}/archive/").status_code == 409
    assert "Restore queue" in text(browser.get(f"{LIST}{queue.id}/"))
    browser.post(f"{LIST}{queue.id}/restore/")
    assert not queue_queries.get_queue(SITE, queue.id).is_archived


def test_a_queue_that_is_not_there_is_not_found():
    assert signed_in(alice()).get(f"{LIST}none/").status_code == 404


def test_a_project_names_the_queue_that_its_reviews_wait_in():
    queue, project = make_queue("Payables"), make_project()
    browser = signed_in(alice())
    url = f"/projects/{project.id}/"
    assert "Payables" in text(browser.get(f"{url}edit/"))
    browser.post(f"{url}edit/", typed(project.settings, seen=sealed(project), review_queue=queue.id))
    assert project_queries.get_project(SITE, project.id).settings.review_queue == queue.id
    assert "Payables" in text(browser.get(url))


def test_a_project_cannot_choose_an_archived_queue_and_keeps_one_it_has():
    queue, other = make_queue("Gone"), make_queue("Kept")
    project = make_project(review_queue=other.id)
    for one in (queue, other):
        queue_actions.archive_queue(SITE, one.id, by=actor_of(alice()))
    browser = signed_in(alice())
    page = text(browser.get(f"/projects/{project.id}/edit/"))
    assert ("Gone" in page, "Kept" in page) == (False, True)
    answer = browser.post(
        f"/projects/{project.id}/edit/", typed(project.settings, seen=sealed(project), review_queue=queue.id)
    )
    assert answer.status_code == 422
    assert "Kept (archived)" in text(browser.get(f"/projects/{project.id}/"))
