"""A calibration is proposed from reviews, activated by a person, and pinned by the runs that begin then."""

import pytest

from config.errors import Conflict, Refused, StageFailed
from projects.audit.events import Actor
from projects.settings import queries as project_queries
from tests.workflows.decided import SELLERS, decided_run, field, project, reviewed_project
from workflows.engine import step_context
from workflows.learning import actions, calibrations, versions
from workflows.learning.calibrations import CALIBRATIONS
from workflows.runs import queries, run_settings
from workflows.runs.items import Run
from workflows.stages.calibration import UNCALIBRATED, Vendor
from workflows.stages.registry import STAGES

ANNA, BORIS = Actor("1", "Anna Berg"), Actor("2", "Boris Klein")
SITE = "default"
pytestmark = pytest.mark.usefixtures("table")


def data_of(project_id: str) -> dict[str, object]:
    stored: dict[str, object] = project_queries.get_project(SITE, project_id).data.as_dict()
    return stored


@pytest.mark.wide
def test_reviews_become_a_version_with_what_it_would_do() -> None:
    project_id = reviewed_project()
    made = actions.propose_calibration(SITE, project_id, by=ANNA)
    assert (made.number, made.documents, made.created_by) == (1, 24, "Anna Berg")
    assert made.summary.values == {"company": 24, "total": 24}
    assert made.summary.vendors == 6
    assert made.summary.auc is not None
    assert made.summary.levels[0].threshold == 0.5
    lesson = calibrations.get_calibration(SITE, project_id, 1)
    assert Vendor("MERANTI SDN BHD") in lesson.vendors
    assert set(lesson.weights) == {"company", "total"}
    assert len(lesson.seen) == 6  # of who, when and how much: the others say the same
    assert set(lesson.limits) <= {"0.005", "0.01", "0.02", "0.05"}


@pytest.mark.wide
def test_the_same_reviews_make_one_version() -> None:
    project_id = reviewed_project()
    first, again = (actions.propose_calibration(SITE, project_id, by=who) for who in (ANNA, BORIS))
    assert first == again
    assert len(versions.list_versions(CALIBRATIONS, SITE, project_id)) == 1


@pytest.mark.wide
def test_more_reviews_make_the_next_version_and_leave_the_first_as_it_is() -> None:
    project_id = reviewed_project()
    first = actions.propose_calibration(SITE, project_id, by=ANNA)
    decided_run(project_id, [field("total", "amount", "5.00", label=0.0)], {"total": "6.00"})
    second = actions.propose_calibration(SITE, project_id, by=BORIS)
    assert [one.number for one in versions.list_versions(CALIBRATIONS, SITE, project_id)] == [2, 1]
    assert second.sha256 != first.sha256
    assert versions.get_version(CALIBRATIONS, SITE, project_id, 1) == first


def test_too_few_reviews_are_refused_with_a_sentence() -> None:
    project_id = project()
    with pytest.raises(Refused, match="0 reviewed documents are too few: the same field needs 20 reviewed values"):
        actions.propose_calibration(SITE, project_id, by=ANNA)
    assert versions.list_versions(CALIBRATIONS, SITE, project_id) == []


def test_reviews_of_few_sellers_are_refused_since_nothing_shows_what_holds_for_others() -> None:
    project_id = project()
    for _ in range(24):
        decided_run(project_id, [field("company", "text", "MERANTI SDN BHD", legal=1.0)], {})
    with pytest.raises(Refused, match=r"are of 1 seller\. Review documents of at least 5 sellers"):
        actions.propose_calibration(SITE, project_id, by=ANNA)


@pytest.mark.wide
def test_what_does_not_hold_for_other_sellers_is_not_proposed() -> None:
    """Which totals are right follows from nothing that the next seller's papers would show."""
    project_id = project()
    well_read = {"margin": 1.0, "lead": 1.0, "read": 1.0, "clear": 1.0, "page": 1.0}
    named = dict.fromkeys(("legal", "trade", "registered", "addressed", "early"), 1.0)
    for number in range(40):
        total = field("total", "amount", "12.00", label=float(number % 2), **well_read)
        company = field("company", "text", f"{SELLERS[number % 6]} SDN BHD", **named, **well_read)
        decided_run(project_id, [total, company], {"total": "13.00"} if number % 6 in {0, 3} else {})
    with pytest.raises(Refused, match="would not be better for other sellers"):
        actions.propose_calibration(SITE, project_id, by=ANNA)


@pytest.mark.wide
def test_a_proposal_changes_no_run() -> None:
    project_id = reviewed_project()
    actions.propose_calibration(SITE, project_id, by=ANNA)
    assert run_settings.settings_of(SITE, project_id, data_of(project_id)).calibration_version == 0


@pytest.mark.wide
def test_an_active_version_is_pinned_by_runs_that_begin_then() -> None:
    project_id = reviewed_project()
    made = actions.propose_calibration(SITE, project_id, by=ANNA)
    actions.activate_calibration(SITE, project_id, 1, seen=0, by=BORIS)
    settings = run_settings.settings_of(SITE, project_id, data_of(project_id))
    assert (settings.calibration_version, settings.calibration_sha256) == (1, made.sha256)
    assert run_settings.from_json(run_settings.to_json(settings)) == settings
    assert calibrations.run_calibration(Run(SITE, project_id, "d", "w"), settings).version == 1
    (row,) = versions.list_versions(CALIBRATIONS, SITE, project_id)
    assert (row.activated_by, bool(row.activated_at)) == ("Boris Klein", True)


@pytest.mark.wide
def test_activation_bumps_no_version_of_the_settings_and_twice_is_one() -> None:
    """An admin who has the settings open saves them without a clash."""
    project_id = reviewed_project()
    before = project_queries.get_project(SITE, project_id).version
    actions.propose_calibration(SITE, project_id, by=ANNA)
    for _ in range(2):
        actions.activate_calibration(SITE, project_id, 1, seen=0, by=BORIS)
    assert project_queries.get_project(SITE, project_id).version == before


@pytest.mark.wide
def test_the_prior_can_be_activated_again() -> None:
    project_id = reviewed_project()
    actions.propose_calibration(SITE, project_id, by=ANNA)
    actions.activate_calibration(SITE, project_id, 1, seen=0, by=BORIS)
    with pytest.raises(Conflict, match="Calibration 1 was activated"):
        actions.activate_calibration(SITE, project_id, 0, seen=2, by=ANNA)
    actions.activate_calibration(SITE, project_id, 0, seen=1, by=ANNA)
    settings = run_settings.freeze(data_of(project_id))
    assert (settings.calibration_version, settings.calibration_sha256) == (0, "")
    assert calibrations.run_calibration(Run(SITE, project_id, "d", "w"), settings) == UNCALIBRATED


@pytest.mark.wide
def test_each_change_has_its_audit_event() -> None:
    project_id = reviewed_project()
    actions.propose_calibration(SITE, project_id, by=ANNA)
    actions.activate_calibration(SITE, project_id, 1, seen=0, by=BORIS)
    events = project_queries.EntityEvent.page(
        project_queries.ENTITY_EVENT.partition_key(SITE, entity_type="calibration", entity_id=project_id)
    ).rows
    assert [(one.type, one.metadata["name"]) for one in events] == [
        ("proposed", "Anna Berg"),
        ("activated", "Boris Klein"),
    ]
    assert events[1].payload.as_dict() == {"before": 0, "after": 1}


def test_a_pinned_version_that_is_gone_fails_the_run_with_a_sentence() -> None:
    settings = run_settings.freeze({"calibration": {"version": 4, "sha256": "0" * 64}})
    with pytest.raises(StageFailed, match="Calibration 4, which this run began with, cannot be read"):
        calibrations.run_calibration(Run(SITE, "proj_x", "d", "w"), settings)


@pytest.mark.wide
def test_the_analysis_is_given_what_its_run_pinned_and_no_other_stage_is() -> None:
    """A later activation does not reach a run that has begun, however often its stage is repeated."""
    project_id = reviewed_project()
    actions.propose_calibration(SITE, project_id, by=ANNA)
    actions.activate_calibration(SITE, project_id, 1, seen=0, by=BORIS)
    run = decided_run(project_id, [], {}, pinned=run_settings.settings_of(SITE, project_id, data_of(project_id)))
    actions.activate_calibration(SITE, project_id, 0, seen=1, by=ANNA)
    given = {}
    for name in ("segment_analyzer", "assess"):
        execution, document = queries.execution(run), queries.document_of(run)
        with step_context.open_context(run, STAGES[name], document, execution, lambda: None) as context:
            given[name] = context.calibration.version
    assert given == {"segment_analyzer": 1, "assess": 0}
