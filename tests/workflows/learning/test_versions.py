"""What calibrations and extractors have in common: numbered versions, one of them active, all of them kept."""

from typing import Any

import pytest

from config import transaction
from config.errors import Conflict, NotFound, Refused, StageFailed, Unavailable
from projects.audit.events import Actor
from projects.settings import queries as project_queries
from tests.workflows.decided import project
from workflows.learning import versions
from workflows.learning.calibrations import CALIBRATIONS
from workflows.learning.calibrations import Summary as CalibrationSummary
from workflows.learning.extractors.extractors import EXTRACTORS
from workflows.learning.extractors.extractors import Summary as ExtractorSummary
from workflows.learning.scores import Interval, Score
from workflows.learning.versions import Kind, Version
from workflows.runs import run_settings

ANNA, BORIS = Actor("1", "Anna Berg"), Actor("2", "Boris Klein")
SITE = "default"
NOTHING = Score(0, 0, 0)
SUMMARIES: dict[str, Any] = {
    "calibration": CalibrationSummary({}, 0, None, None, (), {}),
    "extractor": ExtractorSummary(0, (), NOTHING, NOTHING, Interval(0.1, 0.0, 0.2)),
}
pytestmark = [
    pytest.mark.usefixtures("table"),
    pytest.mark.parametrize("kind", [CALIBRATIONS, EXTRACTORS], ids=lambda kind: kind.name),
]


def keep(kind: Kind[Any], project_id: str, content: Any, *, by: Actor = ANNA) -> Version[Any]:
    return versions.keep_version(
        kind, SITE, project_id, content, summary=SUMMARIES[kind.name], documents=3, verb="learned", by=by
    )


def activate(kind: Kind[Any], project_id: str, number: int, *, seen: int, by: Actor) -> None:
    stored = project_queries.get_project(SITE, project_id)
    versions.activate_version(kind, SITE, stored, number, seen=seen, by=by)


def numbers(kind: Kind[Any], project_id: str) -> list[int]:
    return [one.number for one in versions.list_versions(kind, SITE, project_id)]


def active(kind: Kind[Any], project_id: str) -> int:
    return versions.active_version(kind, project_queries.get_project(SITE, project_id))


def test_each_content_is_one_version_and_the_newest_is_not_kept_again(kind: Kind[Any]) -> None:
    project_id = project()
    first = keep(kind, project_id, {"a": 1})
    assert keep(kind, project_id, {"a": 1}, by=BORIS) == first
    second = keep(kind, project_id, {"a": "ü"})
    assert numbers(kind, project_id) == [2, 1]
    assert versions.get_version(kind, SITE, project_id, 1) == first
    assert (first.created_by, first.documents, first.summary) == ("Anna Berg", 3, SUMMARIES[kind.name])
    assert versions.read_content(kind, SITE, project_id, second.sha256) == {"a": "ü"}


def test_kinds_are_numbered_apart(kind: Kind[Any]) -> None:
    project_id = project()
    (other,) = {CALIBRATIONS.name: CALIBRATIONS, EXTRACTORS.name: EXTRACTORS}.keys() - {kind.name}
    keep(kind, project_id, {"a": 1})
    activate(kind, project_id, 1, seen=0, by=ANNA)
    for one in (CALIBRATIONS, EXTRACTORS):
        assert (numbers(one, project_id), active(one, project_id)) == (([], 0) if one.name == other else ([1], 1))


def test_of_two_that_learn_at_once_the_second_takes_the_next_number(
    kind: Kind[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """It saw no version: the loser of the number looks again."""
    project_id = project()
    keep(kind, project_id, {"a": 1})
    seen, stale = versions.list_versions, iter([[]])

    def before_the_other(*args: Any) -> Any:
        empty = next(stale, None)
        return seen(*args) if empty is None else empty

    monkeypatch.setattr(versions, "list_versions", before_the_other)
    assert keep(kind, project_id, {"a": 2}).number == 2


def test_who_never_gets_a_number_is_told_to_try_again(kind: Kind[Any], monkeypatch: pytest.MonkeyPatch) -> None:
    project_id = project()
    keep(kind, project_id, {"a": 1})
    monkeypatch.setattr(versions, "list_versions", lambda *_args: [])
    with pytest.raises(Conflict, match=f"Another {kind.name} of this project is being created. Try again"):
        keep(kind, project_id, {"a": 2})


def test_an_active_version_is_pinned_by_runs_that_begin_then(kind: Kind[Any]) -> None:
    project_id = project()
    made = keep(kind, project_id, {"a": 1})
    activate(kind, project_id, 1, seen=0, by=BORIS)
    data = project_queries.get_project(SITE, project_id).data.as_dict()
    pinned = run_settings.freeze(data)
    assert getattr(pinned, f"{kind.name}_version") == 1
    assert getattr(pinned, f"{kind.name}_sha256") == made.sha256
    (row,) = versions.list_versions(kind, SITE, project_id)
    assert (row.activated_by, bool(row.activated_at)) == ("Boris Klein", True)


def test_of_two_activations_the_second_is_told_who_was_first(kind: Kind[Any]) -> None:
    project_id = project()
    keep(kind, project_id, {"a": 1})
    keep(kind, project_id, {"a": 2})
    activate(kind, project_id, 1, seen=0, by=BORIS)
    with pytest.raises(Conflict, match=f"{kind.label} 1 was activated by Boris Klein meanwhile"):
        activate(kind, project_id, 2, seen=0, by=ANNA)
    assert active(kind, project_id) == 1


def test_of_two_that_go_back_the_second_is_told_that_none_is_active(kind: Kind[Any]) -> None:
    project_id = project()
    keep(kind, project_id, {"a": 1})
    activate(kind, project_id, 1, seen=0, by=BORIS)
    activate(kind, project_id, 0, seen=1, by=BORIS)
    assert active(kind, project_id) == 0
    with pytest.raises(Conflict, match=kind.none_activated):
        activate(kind, project_id, 0, seen=1, by=ANNA)


def test_what_is_not_there_cannot_be_activated(kind: Kind[Any]) -> None:
    project_id = project()
    for number in (7, 7_000_000):
        with pytest.raises(NotFound, match=f"{kind.label} {number} not found"):
            activate(kind, project_id, number, seen=0, by=ANNA)


def test_each_change_has_its_event_and_goes_with_it(kind: Kind[Any], monkeypatch: pytest.MonkeyPatch) -> None:
    project_id = project()
    made = keep(kind, project_id, {"a": 1})
    activate(kind, project_id, 1, seen=0, by=BORIS)
    events = versions.list_version_events(kind, SITE, project_id)
    assert [(one.type, one.metadata["name"], one.payload.as_dict()) for one in events] == [
        ("activated", "Boris Klein", {"before": 0, "after": 1}),
        ("learned", "Anna Berg", {"version": 1, "documents": 3, "sha256": made.sha256}),
    ]

    def refuse(*_args: Any) -> list[str]:
        raise Unavailable("No answer.")

    monkeypatch.setattr(transaction, "_write", refuse)
    with pytest.raises(Unavailable):
        keep(kind, project_id, {"a": 2})
    with pytest.raises(Unavailable):
        activate(kind, project_id, 0, seen=1, by=BORIS)
    assert (numbers(kind, project_id), active(kind, project_id)) == ([1], 1)


def test_a_message_delivered_twice_is_refused_once(kind: Kind[Any]) -> None:
    project_id = project()
    for order in ("m1", "m1", "m2"):
        versions.record_refusal(kind, SITE, project_id, Refused("Too few reviews."), by=ANNA, order=order)
    events = versions.list_version_events(kind, SITE, project_id)
    assert [(one.type, one.payload["order"]) for one in events] == [("refused", "m2"), ("refused", "m1")]
    assert events[0].payload["reason"] == "Too few reviews."


def test_a_pinned_content_that_cannot_be_read_fails_the_run_and_storage_that_is_away_does_not(kind: Kind[Any]) -> None:
    def gone() -> None:
        raise NotFound("No object.")

    def away() -> None:
        raise Unavailable("S3 is not responding.")

    with pytest.raises(StageFailed, match=rf"{kind.label} 4, which this run began with, cannot be read\. Choose"):
        versions.load_pinned(kind, 4, gone)
    with pytest.raises(Unavailable):
        versions.load_pinned(kind, 4, away)
