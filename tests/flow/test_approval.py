"""The definition with two approvals, really run: who is asked, what is done in between, how it ends."""

from pathlib import Path
from typing import Any
from unittest import mock

import pytest
from django.contrib.auth.models import User
from django.urls import reverse

from config import aws
from config.errors import Conflict
from projects.audit.events import actor_of
from projects.documents.queries import list_tags
from review.decide import claims
from review.status import Decision, ReviewStatus
from tests.factories import MARTA, ROSA, review_of
from tests.flow.approvals import asked, at, begin, decide, ended, moves, ref_at
from tests.flow.test_journey import bus_types, output_of
from tests.people import alice, signed_in
from tests.pump import Pump
from workflows.definitions.blueprint import DOCUMENT_APPROVAL
from workflows.engine import driver, steps
from workflows.engine.step_work import StepOrder
from workflows.runs import queries

AFTER = [("graph_builder", "completed"), ("mark_accepted", "completed"), ("tell_accepted", "completed")]
PUBLISHED = [*AFTER, ("publish", "completed")]


def test_what_costs_little_needs_no_approval(pump: Pump, tmp_path: Path) -> None:
    run = begin(tmp_path, "99.99")
    pump.run(lambda: ended(run))
    assert moves(run) == [("needs_approval", "small"), *PUBLISHED]
    assert queries.execution(run).outcome == "published"
    assert driver.state(DOCUMENT_APPROVAL, run, 1) == "ended"
    assert [(row.tag_key, row.tagValue) for row in list_tags(run.site, run.document_id)] == [("approval", "accepted")]
    assert sorted(bus_types()) == ["document.approved", "document.processed"]
    reason = queries.board(run.site, run.workflow_id).data["needs_approval"]["reason"]
    assert reason == "Field total is less than “100”, Field total is greater than “-100”"


@pytest.mark.every_engine
def test_a_step_that_fails_unexpectedly_is_ordered_again(pump: Pump, tmp_path: Path) -> None:
    run, tried, inner = begin(tmp_path, "99.99"), [], steps.perform

    def fail_once(order: StepOrder, **options: Any) -> Any:
        if order.step == DOCUMENT_APPROVAL.named("needs_approval").order:
            tried.append(order)
            if len(tried) == 1:
                raise RuntimeError("unforeseen")
        return inner(order, **options)

    with mock.patch.object(steps, "perform", fail_once):
        with pytest.raises(RuntimeError, match="unforeseen"):
            pump.run(lambda: ended(run))
        pump.run(lambda: ended(run))
    assert len(tried) == 2
    assert (queries.execution(run).outcome, int(queries.execution(run).engine_attempt)) == ("published", 1)


@pytest.mark.wide
def test_from_a_hundred_one_person_is_asked(pump: Pump, tmp_path: Path) -> None:
    run = begin(tmp_path, "100.00")
    first = asked(run, pump, "first_approval")
    assert review_of(first).reasons == ["Approval: its total is 100 or more, or was not found"]
    decide(run, first, Decision.APPROVE, by=ROSA)
    pump.run(lambda: ended(run))
    choices = [("needs_approval", "otherwise"), ("first_approval", "approve"), ("needs_second", "modest")]
    assert moves(run) == [*choices, *PUBLISHED]


@pytest.mark.every_engine("slow")
def test_from_a_thousand_two_people_are_asked_and_both_corrections_are_published(pump: Pump, tmp_path: Path) -> None:
    run = begin(tmp_path, "250.00")
    first = asked(run, pump, "first_approval")
    decide(run, first, Decision.APPROVE, by=ROSA, total="2500.00")
    second = asked(run, pump, "second_approval")
    assert second != first
    assert review_of(first).status == ReviewStatus.APPLIED
    with pytest.raises(Conflict):
        claims.claim_review(second, run, by=ROSA)
    decide(run, second, Decision.APPROVE, by=MARTA, total="2500.00", company="Acme")
    pump.run(lambda: ended(run))
    assert [one for one in moves(run) if "approv" in one[0] or "second" in one[0]] == [
        ("needs_approval", "otherwise"),
        ("first_approval", "approve"),
        ("needs_second", "otherwise"),
        ("second_approval", "approve"),
    ]
    fields: Any = output_of(run)["fields"]
    assert {one["name"]: one["value"] for one in fields}["total"] == "2500.00"
    assert queries.execution(run).outcome == "published"


@pytest.mark.django_db
@pytest.mark.parametrize("total", ["150.00", "1500.00"])
def test_a_rejection_is_told_to_the_sender_and_ends_the_run(
    pump: Pump, tmp_path: Path, mailoutbox: list[Any], total: str
) -> None:
    sender = User.objects.create_user("sam", "sam@example.org", id=70)
    run = begin(tmp_path, total, by=actor_of(sender))
    decide(run, asked(run, pump, "first_approval"), Decision.REJECT, by=ROSA)
    pump.run(lambda: ended(run))
    assert moves(run)[-2:] == [("first_approval", "reject"), ("tell_rejected", "completed")]
    execution = queries.execution(run)
    assert (execution.outcome, execution.status) == ("rejected", "completed")
    assert queries.project_documents(run.site, run.project_id).rows[0].outcome == "rejected"
    (mail,) = mailoutbox
    assert mail.to == ["sam@example.org"]
    assert run.workflow_id in mail.body
    assert "receipt" not in mail.body
    assert sorted(bus_types()) == ["document.failed", "document.review.required"]


@pytest.mark.every_engine("slow")
def test_the_second_person_may_reject_too(pump: Pump, tmp_path: Path) -> None:
    run = begin(tmp_path, "1500.00")
    decide(run, asked(run, pump, "first_approval"), Decision.APPROVE, by=ROSA)
    decide(run, asked(run, pump, "second_approval"), Decision.REJECT, by=MARTA)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("workflows.engine.step_actions.address_of", lambda _user_id: "")
        pump.run(lambda: ended(run))
    assert queries.execution(run).outcome == "rejected"
    told = queries.board(run.site, run.workflow_id).data["tell_rejected"]["reason"]
    assert told == "The sender has no email address. No email was sent."
    assert (at(run), ref_at(run, "second_approval")) == ("tell_rejected", ref_at(run, "second_approval"))
    assert aws.aws_client("stepfunctions")


@pytest.mark.django_db
def test_pages_say_what_was_corrected_and_why_it_was_rejected(pump: Pump, tmp_path: Path) -> None:
    run, viewer = begin(tmp_path, "250.00"), signed_in(alice())
    first = asked(run, pump, "first_approval")
    of_run = reverse("workflows:show-run", args=[run.document_id, run.workflow_id])
    pages = of_run, reverse("workflows:show-work", args=[run.document_id])
    before = [viewer.get(page).content.decode() for page in pages]
    assert all("250.00" in page and "corrected" not in page for page in before)
    decide(run, first, Decision.APPROVE, by=ROSA, total="2500.00")
    second = asked(run, pump, "second_approval")
    between = [viewer.get(page).content.decode() for page in pages]
    assert all("2500.00" in page and "corrected" in page for page in between)
    decide(run, second, Decision.REJECT, by=MARTA)
    pump.run(lambda: ended(run))
    assert "Not ours" in viewer.get(pages[0]).content.decode()
