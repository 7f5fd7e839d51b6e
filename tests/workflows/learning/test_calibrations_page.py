"""The page that shows how far confidence can be relied on, and the buttons on it."""

import re

import pytest
from django.urls import reverse

from projects.audit.events import Actor
from projects.settings import queries as project_queries
from tests.aws_faults import count_calls
from tests.html import one_line
from tests.people import alice, bob, signed_in
from tests.workflows.decided import decided_run, field, project, reviewed_project
from workflows.learning import actions, versions
from workflows.learning.calibrations import CALIBRATIONS

SITE, ANNA = "default", Actor("9", "Anna Berg")
pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("table")]


def url(name: str, *args: object) -> str:
    return reverse(f"workflows:{name}", args=args)


def active(project_id: str) -> int:
    return versions.active_version(CALIBRATIONS, project_queries.get_project(SITE, project_id))


def activate(project_id: str, version: int, seen: object, who=alice):
    return signed_in(who()).post(url("activate-calibration", project_id, version), {"seen": str(seen)})


def text(answer) -> str:
    return one_line(answer.content)


def test_a_project_without_reviews_says_what_has_to_come_first():
    page = text(signed_in(alice()).get(url("show-calibration", project())))
    assert "No calibration yet" in page
    assert "after 20 reviewed documents have values of a field" in page
    assert "Activate" not in page  # the prior is


@pytest.mark.wide
def test_a_proposal_shows_its_table_and_may_be_made_active():
    project_id = reviewed_project()
    actions.propose_calibration(SITE, project_id, by=ANNA)
    page = text(signed_in(alice()).get(url("show-calibration", project_id)))
    assert "Reliability of calibration 1" in page
    assert "on 24 reviewed documents" in page
    assert "24 documents, 6 sellers" in page
    assert "Ranks correct values above wrong ones in" in page
    assert 'aria-label="Activate calibration 1"' in page
    assert "Proposed calibration 1 from 24 reviewed documents" in page
    assert '<tr class="current"><th scope="row" class="number">80 %' in page


@pytest.mark.wide
def test_the_page_costs_three_reads():
    """The project, its versions, what was done last: the object in S3 is not needed."""
    project_id = reviewed_project()
    actions.propose_calibration(SITE, project_id, by=ANNA)
    browser = signed_in(alice())
    with count_calls() as calls:
        browser.get(url("show-calibration", project_id))
    assert calls.names() == ["dynamodb.GetItem", "dynamodb.Query", "dynamodb.Query"]


@pytest.mark.wide
def test_an_admin_makes_a_version_active_and_goes_back_to_the_prior():
    project_id = reviewed_project()
    actions.propose_calibration(SITE, project_id, by=ANNA)
    answer = activate(project_id, 1, 0)
    assert (answer.status_code, answer["Location"]) == (302, url("show-calibration", project_id))
    assert active(project_id) == 1
    assert 'aria-label="Activate the default calibration"' in text(
        signed_in(alice()).get(url("show-calibration", project_id))
    )
    activate(project_id, 0, 1)
    assert active(project_id) == 0


@pytest.mark.wide
@pytest.mark.parametrize("seen", ["3", "", "none"])
def test_who_comes_second_is_told_who_was_first(seen):
    project_id = reviewed_project()
    actions.propose_calibration(SITE, project_id, by=ANNA)
    decided_run(project_id, [field("total", "amount", "5.00", label=0.0)], {"total": "6.00"})
    actions.propose_calibration(SITE, project_id, by=ANNA)
    actions.activate_calibration(SITE, project_id, 1, seen=0, by=ANNA)
    answer = activate(project_id, 2, seen)
    assert answer.status_code == 409
    assert "Calibration 1 was activated by Anna Berg meanwhile" in text(answer)
    assert active(project_id) == 1


@pytest.mark.wide
def test_an_older_version_can_be_looked_at():
    project_id = reviewed_project()
    actions.propose_calibration(SITE, project_id, by=ANNA)
    decided_run(project_id, [field("total", "amount", "5.00", label=0.0)], {"total": "6.00"})
    actions.propose_calibration(SITE, project_id, by=ANNA)
    page = signed_in(alice()).get(url("show-calibration", project_id), {"version": "1"})
    assert "Reliability of calibration 1" in text(page)
    odd = signed_in(alice()).get(url("show-calibration", project_id), {"version": "²"})
    assert "Reliability of calibration 2" in text(odd)


def test_learning_is_a_workers_and_what_it_refused_is_shown(pump):
    project_id = project()
    answer = signed_in(alice()).post(url("propose-calibration", project_id))
    assert answer.status_code == 302
    pump.run(lambda: pump.ran("calibrate") == 1)
    page = text(signed_in(alice()).get(url("show-calibration", project_id)))
    assert "Not proposed: 0 reviewed documents are too few" in page
    assert page.count("Not proposed") == 2  # at the top too, not only in the history


def test_the_projects_page_is_told_what_is_published(settings):
    settings.MOST_WRONG_PERCENT = 1
    project_id = project()
    address = url("show-calibration", project_id)
    page = text(signed_in(alice()).get(reverse("projects:show-project", args=[project_id])))
    assert re.search(rf'<dt>Published without review</dt> *<dd[^>]* hx-get="{address}"', page)
    told = text(signed_in(alice(), htmx=True).get(address))
    assert told.startswith("<p>Verified values only")
    assert "About 32 more reviewed documents until values can be published by confidence" in told


def test_a_reviewer_neither_sees_nor_changes_it():
    project_id = reviewed_project(1)
    browser = signed_in(bob())
    assert browser.get(url("show-calibration", project_id)).status_code == 403
    assert browser.post(url("propose-calibration", project_id)).status_code == 403
    assert activate(project_id, 1, 0, who=bob).status_code == 403


def test_reading_the_address_of_a_change_changes_nothing():
    project_id = reviewed_project(1)
    browser = signed_in(alice())
    assert browser.get(url("propose-calibration", project_id)).status_code == 405
    assert browser.get(url("activate-calibration", project_id, 1)).status_code == 405


@pytest.mark.wide
def test_the_page_says_what_is_published_and_how_many_reviews_are_left(settings):
    settings.MOST_WRONG_PERCENT = 1
    new, learned = project(), reviewed_project(36)
    page = text(signed_in(alice()).get(url("show-calibration", new)))
    assert "Error limit 1 %" in page
    assert "Verified values only" in page
    assert "About 32 more reviewed documents until values can be published by confidence" in page
    assert "Propose one after 20 reviewed documents" in page
    assert "needs more reviews: they must show that it keeps the error limit of 1 %" in page
    assert "Propose and activate a calibration" in text(signed_in(alice()).get(url("show-calibration", learned)))
    assert "Only verified values are published without review" in text(
        signed_in(alice()).get(reverse("projects:show-project", args=[new]))
    )
    actions.propose_calibration(SITE, learned, by=ANNA)
    settings.MOST_WRONG_PERCENT = 5
    activate(learned, 1, 0)
    page = text(signed_in(alice()).get(url("show-calibration", learned)))
    settings.MOST_WRONG_PERCENT = 1
    assert "The reviews do not yet show which" in text(signed_in(alice()).get(url("show-calibration", learned)))
    assert "values with a confidence of at least" in page
    assert "such values were correct in the reviews, at least" in page
