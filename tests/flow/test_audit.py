"""Without its event no change is kept: each action while the table refuses its event, then for real."""

import inspect
import pkgutil
import re
from collections.abc import Callable, Iterator
from importlib import import_module
from typing import Any

import pytest

import projects
import review
import workflows
from config.errors import Unavailable
from tests.aws_faults import audit_refused
from tests.conftest import empty_table
from tests.flow.audit_stories import STORIES
from tests.flow.setting_stories import Story
from tests.workflows import stored

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("machines", "table")]
ACTIONS = re.compile(
    r"\.actions(\.|$)|^review\.(decide|handovers|quality)\.(?!pages|views)"
)  # where people's writes lie
# They take a person and write nothing by themselves, or what is no change of anything: a look, a lease, a draft.
WITHOUT_EVENT = {
    "projects.documents.actions.activity.record_denial",
    "projects.documents.actions.activity.record_view",
    "projects.documents.actions.classification.set_classification",
    "projects.documents.actions.documents.create_document",
    "projects.documents.actions.documents.version_row",
    "projects.documents.actions.properties.mark_public",
    "projects.documents.actions.properties.revise_attributes",  # what a change writes; whoever writes it says so
    "projects.documents.actions.properties.revise_tags",
    "projects.sites.actions.first_grant",
    "workflows.routing.actions.touch_ruleset",
    "workflows.testsets.actions.build_test_set",  # by adding cases, which has one
    "workflows.trials.actions.start_reading",
    "workflows.trials.actions.start_trial",
    "review.decide.claims.renew_claim",
    "review.decide.drafts.keep_draft",
    "review.decide.drafts.save_draft",
    "review.decide.separation.bar_editor",  # what their edit, which has an event, means for a review that waits
    "review.decide.separation.bar_editor_from_queue",  # likewise, when the next review is claimed
}


@pytest.mark.wide
@pytest.mark.parametrize("story", STORIES, ids=lambda story: story.__name__)
def test_without_its_event_no_change_is_kept(story: Story) -> None:
    for act, call in story():
        before = stored.rows()
        with audit_refused(), pytest.raises(Unavailable):
            call()
        assert stored.rows() == before, act.__name__
        call()
        assert stored.rows() != before, act.__name__


def people_do() -> Iterator[Callable[..., Any]]:
    for package in (projects, workflows, review):
        for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            if not ACTIONS.search(module.name) or module.ispkg:
                continue
            found = import_module(module.name)
            for name, function in inspect.getmembers(found, inspect.isfunction):
                own = function.__module__ == found.__name__ and not name.startswith("_")
                if own and "by" in inspect.signature(function).parameters:
                    yield function


@pytest.mark.wide
def test_every_action_of_a_person_is_tried() -> None:
    tried = set()
    for story in STORIES:
        empty_table()
        tried |= set(done(story))
    assert {f"{one.__module__}.{one.__name__}" for one in set(people_do()) - tried} == WITHOUT_EVENT


def done(story: Story) -> Iterator[Callable[..., Any]]:
    for act, call in story():
        call()
        yield act
