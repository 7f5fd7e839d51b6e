"""Closed reviews expire if the deployment says after how many days, and nothing of a document on hold does."""

from typing import Any

import pytest

from config import clock, table
from config.errors import Conflict
from projects.audit.events import Actor
from projects.documents.actions import expiry, hold
from projects.documents.actions.expiry import ExpiringRow
from projects.documents.queries import get_document
from review.decide import redemption
from review.identity import ReviewRef, checkpoint_key
from tests.factories import SITE, decided_run
from tests.flow.protocol import sweep_until_ended
from tests.pump import Pump
from tests.review.reviews import open_review
from workflows.runs.items import Run

BY = Actor("1", "Rosa")
DAYS = 30


@pytest.fixture
def days(settings: Any) -> None:
    settings.REVIEW_DAYS = DAYS


def row(key: table.Key) -> ExpiringRow:
    return ExpiringRow.load(key)


def in_days(seconds: float | None) -> int:
    assert seconds
    return round((int(seconds) - clock.now().timestamp()) / 86_400)


def expired(*, held: bool = False) -> tuple[Run, ReviewRef]:
    run, ref = open_review()
    if held:
        hold.place_hold(SITE, run.document_id, "Case 4", by=BY)
    assert redemption.expire_review(run, attempt=1) == {"expired": True}
    return run, ref


@pytest.mark.usefixtures("table")
def test_without_the_setting_they_are_kept() -> None:
    _, ref = expired()
    assert [row(key).TimeToLive for key in (ref.key, checkpoint_key(ref))] == [None, None]


@pytest.mark.usefixtures("table", "days")
def test_a_review_that_expired_goes_with_its_checkpoint() -> None:
    _, ref = expired()
    assert [in_days(row(key).TimeToLive) for key in (ref.key, checkpoint_key(ref))] == [DAYS, DAYS]


@pytest.mark.wide
@pytest.mark.usefixtures("days")
def test_a_decided_one_goes_with_its_decision_and_its_checkpoint(pump: Pump) -> None:
    run, ref, verdict = decided_run(pump)
    sweep_until_ended(run, pump)
    keys = (ref.key, ref.decision_key(verdict.decision_id), checkpoint_key(ref))
    assert [in_days(row(key).TimeToLive) for key in keys] == [DAYS] * 3


@pytest.mark.usefixtures("table", "days")
def test_what_is_closed_under_a_hold_stays_until_it_is_released() -> None:
    run, ref = expired(held=True)
    for key in (ref.key, checkpoint_key(ref)):
        assert row(key).TimeToLive is None
        assert in_days(row(key).kept_until) == DAYS
    since = str(get_document(SITE, run.document_id).hold_at)
    hold.release_hold(SITE, run.document_id, since=since, by=BY)
    assert [in_days(row(key).TimeToLive) for key in (ref.key, checkpoint_key(ref))] == [DAYS, DAYS]


@pytest.mark.usefixtures("table", "days")
def test_a_hold_keeps_what_would_have_expired_and_twice_is_as_once() -> None:
    run, ref = expired()
    until = row(ref.key).TimeToLive
    hold.place_hold(SITE, run.document_id, "Case 4", by=BY)
    expiry.suspend(SITE, run.document_id)
    assert (row(ref.key).TimeToLive, row(ref.key).kept_until) == (None, until)
    with pytest.raises(Conflict):
        hold.place_hold(SITE, run.document_id, "Case 5", by=BY)
    hold.release_hold(SITE, run.document_id, since=str(get_document(SITE, run.document_id).hold_at), by=BY)
    expiry.resume(SITE, run.document_id)
    assert (row(ref.key).TimeToLive, row(ref.key).kept_until) == (until, None)


@pytest.mark.usefixtures("table", "days")
def test_a_hold_that_comes_between_is_seen_by_the_closing() -> None:
    run, ref = open_review()
    hold.place_hold(SITE, run.document_id, "Case 4", by=BY)
    # It believes that there is none: the document's own row says otherwise, in the same transaction.
    assert redemption.expire_review(run, attempt=1, held=False) == {"expired": True}
    assert row(ref.key).TimeToLive is None
