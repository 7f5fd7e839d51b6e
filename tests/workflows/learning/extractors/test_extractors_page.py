"""The page that shows what extraction learned, and the buttons on it."""

import pytest
from django.urls import reverse

from projects.audit.events import Actor
from projects.settings import queries as project_queries
from tests.aws_faults import count_calls
from tests.html import one_line
from tests.people import alice, bob, signed_in
from tests.workflows.decided import project
from tests.workflows.learning.extractors.reviewed_orders import SITE, decide_order, project_of_orders
from workflows.learning import versions
from workflows.learning.extractors import actions
from workflows.learning.extractors.extractors import EXTRACTORS

ANNA = Actor("9", "Anna Berg")
pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("table")]


def url(name: str, *args: object) -> str:
    return reverse(f"workflows:{name}", args=args)


def active(project_id: str) -> int:
    return versions.active_version(EXTRACTORS, project_queries.get_project(SITE, project_id))


def activate(project_id: str, version: int, seen: object, reason: str = "Reads sponsors", who=alice):
    return signed_in(who()).post(url("activate-extractor", project_id, version), {"seen": str(seen), "reason": reason})


def show(project_id: str, **query: str) -> str:
    return one_line(signed_in(alice()).get(url("show-extractors", project_id), query).content)


@pytest.mark.wide
def test_a_new_project_says_how_many_reviews_are_left():
    assert "10 more reviews until extraction can learn" in show(project())
    some = project()
    for number in range(9):
        decide_order(some, number)
    page = show(some)
    assert "1 more review until extraction can learn" in page
    assert "Activate" not in page
    decide_order(some, 9)
    assert "There are enough reviews" in show(some)


@pytest.mark.wide
def test_an_extractor_shows_each_field_before_and_after_and_is_made_active_with_a_reason():
    project_id = project_of_orders(12)
    actions.train_extractor(SITE, project_id, by=ANNA)
    page = show(project_id)
    assert "Accuracy of extractor 1" in page
    assert "Cross-validated on 12 reviewed documents, each by reviews of other documents" in page
    assert '<th scope="row">Sponsor</th>' in page
    assert "Extractor and rules" in page
    assert "Trained extractor 1 on 12 reviewed documents" in page
    answer = activate(project_id, 1, 0)
    assert (answer.status_code, answer["Location"]) == (302, url("show-extractors", project_id))
    assert active(project_id) == 1
    page = show(project_id)
    assert "Deactivate extractor 1" in page
    assert "Activated extractor 1: Reads sponsors" in page
    activate(project_id, 0, 1, "New <forms>")
    assert active(project_id) == 0
    assert "Deactivated extractor 1: New &lt;forms&gt;" in show(project_id)


@pytest.mark.wide
def test_the_page_costs_three_reads():
    project_id = project_of_orders(12)
    actions.train_extractor(SITE, project_id, by=ANNA)
    browser = signed_in(alice())
    with count_calls() as calls:
        browser.get(url("show-extractors", project_id))
    assert calls.names() == ["dynamodb.GetItem", "dynamodb.Query", "dynamodb.Query"]


@pytest.mark.wide
def test_who_comes_second_or_gives_no_reason_is_told_and_keeps_what_was_typed():
    project_id = project_of_orders(12)
    actions.train_extractor(SITE, project_id, by=ANNA)
    actions.activate_extractor(SITE, project_id, 1, seen=0, reason="better", by=ANNA)
    late = activate(project_id, 0, 0, "My words")
    assert late.status_code == 409
    assert "Extractor 1 was activated by Anna Berg meanwhile" in one_line(late.content)
    assert 'value="My words"' in one_line(late.content)
    bare = activate(project_id, 0, 1, "")
    assert bare.status_code == 422
    assert "Enter a reason of at most 300 characters" in one_line(bare.content)
    assert active(project_id) == 1
    assert activate(project_id, 7, 1).status_code == 404


@pytest.mark.wide
def test_an_odd_number_in_the_address_shows_the_newest():
    project_id = project_of_orders(12)
    actions.train_extractor(SITE, project_id, by=ANNA)
    assert "Accuracy of extractor 1" in show(project_id, version="²")


def test_training_is_a_workers_and_what_it_refused_is_shown(pump):
    project_id = project()
    assert signed_in(alice()).post(url("train-extractor", project_id)).status_code == 302
    pump.run(lambda: pump.ran("train") == 1)
    assert show(project_id).count("Not trained: 10 more reviewed documents are needed") == 2  # also at the top


def test_a_reviewer_neither_sees_nor_changes_it():
    project_id = project()
    browser = signed_in(bob())
    assert browser.get(url("show-extractors", project_id)).status_code == 403
    assert browser.post(url("train-extractor", project_id)).status_code == 403
    assert activate(project_id, 1, 0, who=bob).status_code == 403


def test_reading_the_address_of_a_change_changes_nothing():
    browser = signed_in(alice())
    project_id = project()
    assert browser.get(url("train-extractor", project_id)).status_code == 405
    assert browser.get(url("activate-extractor", project_id, 1)).status_code == 405
