"""The audit sample notices what is no longer as right as its calibration promised, and people are asked again."""

import json
import uuid
from collections.abc import Mapping
from random import Random
from typing import Any

import pytest

from projects.audit.events import Actor
from projects.settings import queries as project_queries
from tests.workflows.decided import decided_run, field, reviewed_project
from workflows.learning import actions, drift, versions
from workflows.learning.calibrations import CALIBRATIONS
from workflows.learning.drift import Audited
from workflows.runs import run_settings
from workflows.stages import assess
from workflows.stages.assessment import needs_review, proofs
from workflows.stages.calibration import Calibration
from workflows.stages.field_spec import FieldSpec
from workflows.storage import files
from workflows.storage.objects import DocumentFiles

pytestmark = pytest.mark.django_db  # a pause is told to people
SITE, ANNA = "default", Actor("1", "Anna Berg")


def documents_until_noticed(wrong: float, seed: int, most: int) -> int | None:
    """Documents of four values, each wrong at random; those whose run is sampled are audited."""
    random, audited = Random(seed), []
    for number in range(1, most + 1):
        values = [random.random() >= wrong for _ in range(4)]
        if needs_review.is_sampled(str(uuid.UUID(int=random.getrandbits(128))), assess.LEAST_AUDITED):
            audited.append(values)
            if drift.is_drifting(drift.sum_audited(audited[-drift.LAST :]), 0.01):
                return number
    return None


def test_a_damaged_calibration_is_noticed_within_50_documents() -> None:
    """Three values in ten wrong, as on papers of another kind."""
    noticed = [documents_until_noticed(0.3, seed, 50) for seed in range(200)]
    assert noticed.count(None) <= 4
    assert sorted(one or 51 for one in noticed)[100] <= 20


def test_a_calibration_that_keeps_its_promise_is_left_alone() -> None:
    assert sum(documents_until_noticed(0.005, seed, 200) is not None for seed in range(100)) <= 10


def test_one_wrong_value_is_no_proof_and_many_values_may_have_a_few() -> None:
    assert not drift.is_drifting(Audited(1, 4, 1), 0.01)
    assert drift.is_drifting(Audited(2, 8, 2), 0.01)
    assert not drift.is_drifting(Audited(50, 200, 3), 0.01)


@pytest.fixture
def learned(table: object, settings) -> str:  # type: ignore[no-untyped-def]
    settings.MOST_WRONG_PERCENT = 1
    project_id = reviewed_project()
    actions.propose_calibration(SITE, project_id, by=ANNA)
    actions.activate_calibration(SITE, project_id, 1, seen=0, by=ANNA)
    return project_id


def audit(project_id: str, *, wrong: bool, code: str = "audit", version: int = 1, proof: str = "") -> None:
    found = field("total", "amount", "12.00", label=1.0) | {"proof": proof, "limit": 0.9}
    run = decided_run(project_id, [found], {"total": "13.00"} if wrong else {})
    assessed = {"reasons": [{"code": code}], "calibration": version}
    store = DocumentFiles(SITE, project_id, run.document_id)
    store.write(files.assessment(run.workflow_id), json.dumps(assessed).encode(), "application/json")


def pinned(project_id: str) -> tuple[int, bool]:
    data = project_queries.get_project(SITE, project_id).data.as_dict()
    found = run_settings.freeze(data)
    return found.calibration_version, found.calibration_paused


@pytest.mark.wide
def test_too_many_wrong_audited_values_pause_the_calibration_once(learned: str) -> None:
    for wrong in (True, False, True):
        audit(learned, wrong=wrong)
    assert actions.pause_if_drifting(SITE, learned)
    assert pinned(learned) == (1, True)
    assert not actions.pause_if_drifting(SITE, learned)
    (event, *_) = versions.list_version_events(CALIBRATIONS, SITE, learned)
    assert (event.type, event.payload.as_dict()) == (
        "paused",
        {"version": 1, "documents": 3, "values": 3, "wrong": 2},
    )
    actions.activate_calibration(SITE, learned, 1, seen=1, by=ANNA)
    assert pinned(learned) == (1, False)


AMOUNTS = ("rent", "fee", "toll", "fine")  # none of them follows from the others
SPECS = tuple(FieldSpec(name, name, "amount", required=True, threshold=0.8) for name in AMOUNTS)


def read_surely(*, paused: bool) -> list[dict[str, Any]]:
    """Values that the calibration lets pass until it is paused."""
    promised = Calibration(1, {name: {"bias": 9.0} for name in AMOUNTS}, limits={"0.01": 0.9})
    found = [field(name, "amount", "12.00", label=1.0) | {"confidence": 1.0} for name in AMOUNTS]
    return proofs.add_proofs(found, promised, 0.01, paused=paused)


def list_asked(fields: list[dict[str, Any]]) -> list[str]:
    return [one.code for one in needs_review.find_review_reasons({"fields": fields}, SPECS, today="2026-01-01")]


@pytest.mark.wide
def test_of_shifted_documents_the_audit_notices_within_50_and_people_are_asked_again(learned: str) -> None:
    """Papers of another kind, read as surely as before and three values in ten wrong."""
    random = Random(4)
    for number in range(50):
        fields = read_surely(paused=pinned(learned)[1])
        if pinned(learned)[1]:
            break
        assert list_asked(fields) == []
        wrong = {name: "13.00" for name in AMOUNTS if random.random() < 0.3}
        if needs_review.is_sampled(f"run-{number}", assess.LEAST_AUDITED):
            audit_document(learned, fields, wrong)
            actions.pause_if_drifting(SITE, learned)
    assert pinned(learned) == (1, True)
    assert list_asked(read_surely(paused=True)) == ["unverified"] * len(AMOUNTS)


def audit_document(project_id: str, values: list[dict[str, Any]], corrections: Mapping[str, str]) -> None:
    """A sampled document, as a person decided it."""
    run = decided_run(project_id, values, corrections)
    assessed = {"reasons": [{"code": "audit"}], "calibration": 1}
    store = DocumentFiles(SITE, project_id, run.document_id)
    store.write(files.assessment(run.workflow_id), json.dumps(assessed).encode(), "application/json")


@pytest.mark.wide
def test_only_what_was_audited_under_this_calibration_counts(learned: str) -> None:
    for _ in range(3):
        audit(learned, wrong=True, code="low_confidence")
        audit(learned, wrong=True, version=7)
    assert not actions.pause_if_drifting(SITE, learned)


@pytest.mark.wide
def test_sellers_that_reviews_taught_count_and_what_sums_prove_does_not(learned: str) -> None:
    for _ in range(3):
        audit(learned, wrong=True, proof="sums")
    assert not actions.pause_if_drifting(SITE, learned)
    for _ in range(3):
        audit(learned, wrong=True, proof="seller")
    assert actions.pause_if_drifting(SITE, learned)


@pytest.mark.wide
def test_of_two_that_pause_the_second_changes_nothing(learned: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for _ in range(3):
        audit(learned, wrong=True)
    count = drift.count_audited

    def after_another(*args: object) -> Audited:
        found = count(*args)  # type: ignore[arg-type]
        monkeypatch.setattr(drift, "count_audited", count)
        assert actions.pause_if_drifting(SITE, learned)
        return found

    monkeypatch.setattr(drift, "count_audited", after_another)
    assert not actions.pause_if_drifting(SITE, learned)
    assert [one.type for one in versions.list_version_events(CALIBRATIONS, SITE, learned)].count("paused") == 1
