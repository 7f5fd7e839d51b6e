"""An extractor is trained from reviews, activated by a person with a reason, and pinned by the runs that begin then."""

import json

import pytest

from config.errors import Refused, StageFailed
from config.transaction import EXISTS
from projects.audit.events import Actor
from projects.settings import queries as project_queries
from tests.workflows.decided import decided_run, project
from tests.workflows.learning.extractors.reviewed_orders import (
    SITE,
    decide_order,
    project_of_orders,
    segment_of,
    sponsor_field,
)
from tests.workflows.stages.extractor.drawn import NAMES, order
from workflows.engine import step_context
from workflows.learning import reviewed, versions
from workflows.learning.extractors import actions, examples, extractors, training
from workflows.learning.extractors.extractors import EXTRACTORS, summary_from
from workflows.runs import queries, run_settings
from workflows.runs.items import Run
from workflows.stages.extractor.learned import UNLEARNED
from workflows.stages.registry import STAGES
from workflows.storage import files
from workflows.storage.objects import DocumentFiles, SiteFiles

ANNA, BORIS = Actor("1", "Anna Berg"), Actor("2", "Boris Klein")
pytestmark = pytest.mark.usefixtures("table")


def data_of(project_id: str) -> dict[str, object]:
    stored: dict[str, object] = project_queries.get_project(SITE, project_id).data.as_dict()
    return stored


@pytest.mark.wide
def test_reviews_become_a_version_that_says_how_it_would_have_done() -> None:
    project_id = project_of_orders()
    made = actions.train_extractor(SITE, project_id, by=ANNA)
    assert (made.number, made.documents, made.created_by, made.summary.groups) == (1, 16, "Anna Berg", 16)
    assert made.summary.before.f1 < 0.3
    assert made.summary.after.f1 > 0.8
    assert made.summary.gain.low > 0
    (field,) = made.summary.fields
    assert (field.name, field.type_id, field.kept) == ("sponsor", "", True)
    assert summary_from(made.summary.to_json()) == made.summary
    learned = extractors.load_extractor(SITE, project_id, made.sha256, 1)
    assert set(learned.types[""]) == {"sponsor"}
    assert len(learned.seen) == 16


@pytest.mark.wide
def test_what_is_stored_holds_no_words_of_the_documents() -> None:
    project_id = project_of_orders()
    made = actions.train_extractor(SITE, project_id, by=ANNA)
    stored = SiteFiles(SITE).read(files.extractor(project_id, made.sha256)).decode().casefold()
    assert not [word for name in NAMES for word in name.casefold().split() if word in stored]
    assert set(json.loads(stored)["types"][""]["sponsor"]) == {"buckets", "weights", "slope", "shift"}


@pytest.mark.wide
def test_the_same_reviews_make_one_version() -> None:
    project_id = project_of_orders()
    assert actions.train_extractor(SITE, project_id, by=ANNA) == actions.train_extractor(SITE, project_id, by=BORIS)
    assert len(versions.list_versions(EXTRACTORS, SITE, project_id)) == 1


def test_too_few_reviews_or_sellers_are_refused_with_a_sentence() -> None:
    with pytest.raises(Refused, match="10 more reviewed documents are needed"):
        actions.train_extractor(SITE, project(), by=ANNA)
    project_id = project()
    for number in range(10):
        company = sponsor_field("Meranti") | {"name": "company"}
        decided_run(project_id, [company], {}, segments=[segment_of(order(number))])
    with pytest.raises(Refused, match=r"are of 1 seller\. Review documents of at least 5 sellers"):
        actions.train_extractor(SITE, project_id, by=ANNA)


@pytest.mark.wide
def test_what_would_not_be_read_better_is_not_kept() -> None:
    """The values stand nowhere on the pages."""
    project_id = project()
    for number in range(12):
        decided_run(project_id, [sponsor_field()], {"sponsor": f"Else {number}"}, segments=[segment_of(order(number))])
    with pytest.raises(Refused, match="no field would be read better on other documents"):
        actions.train_extractor(SITE, project_id, by=ANNA)
    assert versions.list_versions(EXTRACTORS, SITE, project_id) == []


def test_a_document_whose_pages_are_gone_or_are_a_newer_contents_teaches_nothing() -> None:
    project_id = project()
    gone, newer = decide_order(project_id, 1), decide_order(project_id, 2)
    DocumentFiles(SITE, project_id, gone.document_id).clear_artifacts()
    board = queries.board(SITE, newer.workflow_id)
    type(board).change(board.key, [type(board).replaced_by.set("w2")], EXISTS)
    assert [one.read() for one in examples.list_examples(SITE, project_id)] == [None, None]


def test_fields_that_were_approved_unread_teach_nothing() -> None:
    project_id = project()
    decided_run(project_id, [sponsor_field("X")], {}, segments=[segment_of(order(1))], unseen=("sponsor",))
    assert examples.list_examples(SITE, project_id) == []
    assert len(list(reviewed.list_decided_runs(SITE, project_id))) == 1


@pytest.mark.wide
def test_types_are_learned_apart_and_few_documents_of_one_are_not() -> None:
    project_id = project_of_orders()
    held = examples.list_examples(SITE, project_id)
    mixed = [training.replace(one, type_id="order" if place < 12 else "other") for place, one in enumerate(held)]
    assert set(training.train_extractor(mixed).extractor.types) == {"order"}


@pytest.mark.wide
def test_a_new_version_changes_no_run_until_it_is_active() -> None:
    project_id = project_of_orders()
    made = actions.train_extractor(SITE, project_id, by=ANNA)
    assert run_settings.settings_of(SITE, project_id, data_of(project_id)).extractor_version == 0
    actions.activate_extractor(SITE, project_id, 1, seen=0, reason="Reads sponsors", by=BORIS)
    settings = run_settings.settings_of(SITE, project_id, data_of(project_id))
    assert (settings.extractor_version, settings.extractor_sha256) == (1, made.sha256)
    assert run_settings.from_json(run_settings.to_json(settings)) == settings
    assert extractors.run_extractor(Run(SITE, project_id, "d", "w"), settings).version == 1
    (row,) = versions.list_versions(EXTRACTORS, SITE, project_id)
    assert (row.activated_by, bool(row.activated_at)) == ("Boris Klein", True)


@pytest.mark.wide
def test_it_is_deactivated_with_a_reason_and_each_change_has_its_event() -> None:
    project_id = project_of_orders()
    actions.train_extractor(SITE, project_id, by=ANNA)
    for reason in ("", "  ", "x" * 301):
        with pytest.raises(Refused, match="Enter a reason"):
            actions.activate_extractor(SITE, project_id, 1, seen=0, reason=reason, by=BORIS)
    for _ in range(2):
        actions.activate_extractor(SITE, project_id, 1, seen=0, reason="Reads sponsors", by=BORIS)
    actions.activate_extractor(SITE, project_id, 0, seen=1, reason="New forms", by=ANNA)
    settings = run_settings.freeze(data_of(project_id))
    assert (settings.extractor_version, settings.extractor_sha256) == (0, "")
    assert extractors.run_extractor(Run(SITE, project_id, "d", "w"), settings) == UNLEARNED
    events = list(reversed(versions.list_version_events(EXTRACTORS, SITE, project_id)))
    assert [one.type for one in events] == ["trained", "activated", "activated"]
    assert events[2].payload.as_dict() == {"before": 1, "after": 0, "reason": "New forms"}


def test_a_pinned_version_that_is_gone_fails_the_run_with_a_sentence() -> None:
    settings = run_settings.freeze({"extractor": {"version": 4, "sha256": "0" * 64}})
    with pytest.raises(StageFailed, match="Extractor 4, which this run began with, cannot be read"):
        extractors.run_extractor(Run(SITE, "proj_x", "d", "w"), settings)


@pytest.mark.wide
def test_the_analysis_is_given_what_its_run_pinned_and_no_other_stage_is() -> None:
    project_id = project_of_orders()
    actions.train_extractor(SITE, project_id, by=ANNA)
    actions.activate_extractor(SITE, project_id, 1, seen=0, reason="better", by=BORIS)
    run = decided_run(project_id, [], {}, pinned=run_settings.settings_of(SITE, project_id, data_of(project_id)))
    actions.activate_extractor(SITE, project_id, 0, seen=1, reason="worse", by=ANNA)
    given = {}
    for name in ("segment_analyzer", "assess"):
        execution, document = queries.execution(run), queries.document_of(run)
        with step_context.open_context(run, STAGES[name], document, execution, lambda: None) as context:
            given[name] = context.extractor.version
    assert given == {"segment_analyzer": 1, "assess": 0}


@pytest.mark.wide
def test_the_active_one_is_what_the_next_is_compared_with_on_documents_it_has_not_seen() -> None:
    project_id = project_of_orders()
    actions.train_extractor(SITE, project_id, by=ANNA)
    actions.activate_extractor(SITE, project_id, 1, seen=0, reason="better", by=ANNA)
    held = examples.list_examples(SITE, project_id)
    active = extractors.load_extractor(
        SITE, project_id, versions.get_version(EXTRACTORS, SITE, project_id, 1).sha256, 1
    )
    fresh = [training.replace(one, fingerprint=f"new {one.id}") for one in held]
    assert training.train_extractor(held, active).before.f1 < 0.3  # all seen: the rules stand in for it
    again = training.train_extractor(fresh, active)
    assert again.before.f1 > 0.8
    assert not again.extractor.types  # no better than what is in force
