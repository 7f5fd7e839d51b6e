"""The answer on its way to another system: sent once, again where the first may be lost, and never called certain."""

import json

import pytest
from django.conf import settings

from config import clock, table
from config.due import sweeper
from config.errors import Conflict, Unavailable
from config.logs import JsonFormatter
from review.decide.due import drive_review
from review.decide.tasks import redeem
from review.handovers import delivery
from review.handovers.tasks import take_question
from review.identity import checkpoint_key
from review.items.reviews import Review, ReviewDecision
from review.status import Decision, ReviewStatus
from tests.aws_faults import answered, before_each, count_calls, crash_after, crash_before, fail
from tests.config import grants
from tests.factories import review_of
from tests.flow.test_journey import bus_types
from tests.review.handovers.asking import ARN, ask, asked, be_due, decide, hand_over, kinds, no_undo
from tests.review.reviews import pass_deadline
from workflows.runs.items import ReviewCheckpoint

pytestmark = pytest.mark.usefixtures("desk")
CLOSED = "TaskTimedOut"


def decided(**changes):
    ref = hand_over(**changes).ref
    decision_id = decide(ref, amount="12.34")
    no_undo(ref)
    return ref, decision_id


def sent(seen) -> list[dict]:
    return [call.params for call in seen.calls if call.operation.startswith("SendTask")]


@pytest.fixture
def taken():
    """An engine that takes every token: no execution of the emulator waits for these."""
    with answered("stepfunctions", "SendTaskSuccess", {}) as seen:
        yield seen.calls


def history(*outputs: str, **more):
    """Of the caller's execution."""
    at = clock.now()
    events = [
        {
            "timestamp": at, "type": "TaskSucceeded", "id": i,
            "taskSucceededEventDetails": {"resourceType": "states", "resource": "x", "output": one},
        }
        for i, one in enumerate(outputs, 1)
    ]  # fmt: skip
    return answered("stepfunctions", "GetExecutionHistory", {"events": events, **more})


def test_the_answer_is_ids_and_a_pointer_and_sent_once(taken) -> None:
    ref, decision_id = decided(token="secret")
    delivery.deliver_answer(ref, decision_id)
    review = review_of(ref)
    (call,) = taken
    output = json.loads(call.params["output"])
    assert call.params["taskToken"] == "secret"
    assert set(output) == {"review_id", "decision", "decision_id", "uri", "sha256"}
    assert (output["decision"], output["decision_id"]) == ("approve", decision_id)
    assert (review.status, review.delivery, review.GSI2PK) == ("REDEEMED", "delivered", None)
    assert kinds(ref)[-1] == "HUMAN_REVIEW_ANSWERED"
    with pytest.raises(Conflict):
        delivery.deliver_answer(ref, decision_id)
    redeem.apply(kwargs={"site": "default", **named(ref), "decision_id": decision_id}, throw=True)
    assert len(taken) == 1


def named(ref) -> dict[str, str]:
    return {"document_id": ref.document_id, "review_id": ref.review_id}


def test_a_rejection_is_an_answer_like_any_other(taken) -> None:
    ref = hand_over().ref
    decision_id = decide(ref, Decision.REJECT)
    no_undo(ref)
    delivery.deliver_answer(ref, decision_id)
    assert json.loads(taken[0].params["output"])["decision"] == "reject"


def test_nothing_is_sent_while_it_can_be_taken_back(taken) -> None:
    ref = hand_over().ref
    decision_id = decide(ref)
    with pytest.raises(Conflict):
        delivery.deliver_answer(ref, decision_id)
    assert taken == []


def test_a_closed_token_without_an_execution_is_uncertain_and_says_so() -> None:
    ref, decision_id = decided(execution_arn="")
    with fail("stepfunctions", "SendTaskSuccess", error_code=CLOSED):
        delivery.deliver_answer(ref, decision_id)
    review = review_of(ref)
    assert (review.status, review.delivery, review.GSI2PK) == ("REDEEMED", "uncertain", None)
    assert "document.review.decided" in bus_types()


@pytest.mark.parametrize(
    ("events", "more", "how"),
    [
        (["{}", '{"decision_id": "%s"}'], {}, "delivered"),
        (["{}"], {}, "undelivered"),
        (["{}"], {"nextToken": "more and more"}, "uncertain"),
    ],
)
def test_a_closed_token_of_a_known_execution_is_looked_up(events, more, how: str) -> None:
    ref, decision_id = decided()
    seen = history(*(one.replace("%s", decision_id) for one in events), **more)
    with seen, fail("stepfunctions", "SendTaskSuccess", error_code=CLOSED):
        delivery.deliver_answer(ref, decision_id)
    assert review_of(ref).delivery == how


def test_an_execution_that_nobody_knows_any_more_leaves_it_uncertain() -> None:
    ref, decision_id = decided()
    with fail("stepfunctions", "SendTaskSuccess", error_code=CLOSED):
        delivery.deliver_answer(ref, decision_id)
    assert review_of(ref).delivery == "uncertain"


def test_an_answer_that_was_lost_is_sent_again_when_it_is_due(taken) -> None:
    ref, decision_id = decided()
    with crash_after("dynamodb", "UpdateItem"):  # marked and not sent
        delivery.deliver_answer(ref, decision_id)
    assert review_of(ref).status == ReviewStatus.REDEEMING
    no_undo(ref)
    be_due(ref)
    sweeper.sweep()
    assert (review_of(ref).delivery, len(taken)) == ("delivered", 1)
    assert kinds(ref).count("HUMAN_REVIEW_ANSWERED") == 1


def test_a_worker_that_dies_behind_the_engines_answer_sends_nothing_again(taken) -> None:
    ref, decision_id = decided()
    with crash_before("dynamodb", "TransactWriteItems"):  # sent, marked and not recorded
        delivery.deliver_answer(ref, decision_id)
    be_due(ref)
    sweeper.sweep()
    sweeper.sweep()
    assert len(taken) == 1
    assert kinds(ref).count("HUMAN_REVIEW_ANSWERED") == 1
    assert review_of(ref).GSI2PK is None


def test_an_engine_that_does_not_answer_is_asked_again() -> None:
    ref, decision_id = decided()
    with fail("stepfunctions", "SendTaskSuccess", error_code="ServiceUnavailable", times=9), pytest.raises(Unavailable):
        delivery.deliver_answer(ref, decision_id)
    review = review_of(ref)
    assert (review.status, review.delivery) == (ReviewStatus.REDEEMING, None)
    assert review.GSI2PK


def test_a_newer_token_behind_the_answer_is_answered_too(taken) -> None:
    ref, decision_id = decided(id="1", token="old")
    delivery.deliver_answer(ref, decision_id)
    again = hand_over(id="1", token="new")
    assert again.decided == decision_id
    delivery.deliver_answer(ref, decision_id)
    assert [call.params["taskToken"] for call in taken] == ["old", "new"]
    assert (review_of(ref).delivery, review_of(ref).GSI2PK) == ("delivered", None)


def test_a_newer_token_while_the_old_one_is_looked_up_is_not_lost() -> None:
    ref, decision_id = decided(id="1", token="old")
    again = before_each("stepfunctions", "GetExecutionHistory", lambda: hand_over(id="1", token="new") and None)
    with history("{}"), again, fail("stepfunctions", "SendTaskSuccess", error_code=CLOSED), pytest.raises(Conflict):
        delivery.deliver_answer(ref, decision_id)
    be_due(ref)
    with answered("stepfunctions", "SendTaskSuccess", {}) as seen:
        sweeper.sweep()
    assert [call.params["taskToken"] for call in seen.calls] == ["new"]
    assert review_of(ref).delivery == "delivered"


def test_what_a_program_asked_is_put_up_once_and_told_on_the_bus() -> None:
    ref = ask().ref
    decision_id = decide(ref)
    with pytest.raises(Conflict):
        delivery.deliver_answer(ref, decision_id)  # it can still be taken back
    no_undo(ref)
    with count_calls() as seen:
        delivery.deliver_answer(ref, decision_id)
    assert sent(seen) == []
    assert (review_of(ref).status, review_of(ref).delivery) == ("REDEEMED", "to_fetch")
    with pytest.raises(Conflict):
        delivery.deliver_answer(ref, decision_id)
    assert bus_types().count("document.review.decided") == 1


def test_nobody_decides_in_time(taken) -> None:
    ref = hand_over(token="secret").ref
    pass_deadline(ref)
    be_due(ref)
    with count_calls() as seen:
        sweeper.sweep()
        sweeper.sweep()
    ((failure),) = sent(seen)
    assert (failure["taskToken"], failure["error"]) == ("secret", "ReviewExpired")
    review = review_of(ref)
    assert (review.status, review.GSI1PK, review.GSI2PK) == ("EXPIRED", None, None)
    assert kinds(ref).count("HUMAN_REVIEW_EXPIRED") == 1
    assert bus_types().count("document.review.expired") == 1


def test_an_expiry_that_could_not_be_told_is_told_later() -> None:
    ref = hand_over().ref
    pass_deadline(ref)
    with crash_before("stepfunctions", "SendTaskFailure"):
        delivery.expire_handover(ref, review_of(ref))
    assert review_of(ref).GSI2PK
    be_due(ref)
    with count_calls() as seen:
        sweeper.sweep()
    assert len(sent(seen)) == 1
    assert review_of(ref).GSI2PK is None
    assert kinds(ref).count("HUMAN_REVIEW_EXPIRED") == 1
    delivery.tell_expired(ref)  # a second sweeper was as fast
    assert review_of(ref).status == ReviewStatus.EXPIRED


def test_a_programs_question_expires_without_a_token() -> None:
    ref = ask().ref
    pass_deadline(ref)
    with count_calls() as seen:
        delivery.expire_handover(ref, review_of(ref))
    assert sent(seen) == []
    assert (review_of(ref).status, review_of(ref).GSI2PK) == ("EXPIRED", None)


def test_expiry_loses_against_a_decision_and_before_the_deadline(taken) -> None:
    early = hand_over().ref
    with pytest.raises(Conflict):
        delivery.expire_handover(early, review_of(early))
    ref, decision_id = decided()
    before = review_of(ref)
    pass_deadline(ref)
    with pytest.raises(Conflict):
        delivery.expire_handover(ref, before)
    delivery.deliver_answer(ref, decision_id)
    assert review_of(ref).delivery == "delivered"


def test_a_machine_that_waits_again_after_the_expiry_is_told_at_once() -> None:
    ref = hand_over(id="1").ref
    pass_deadline(ref)
    delivery.expire_handover(ref, review_of(ref))
    with count_calls() as seen:
        take_question.apply(kwargs={"question": asked(id="1", token="new"), "entered": "2026-01-01T00:00:00Z"})
    ((failure),) = sent(seen)
    assert (failure["taskToken"], failure["error"]) == ("new", "ReviewExpired")


@pytest.mark.parametrize("question", [asked(site="nowhere"), asked(title=""), {"token": "t"}, asked(colour=1)])
def test_what_cannot_be_reviewed_fails_the_callers_task_with_a_sentence(question) -> None:
    with count_calls() as seen:
        take_question.apply(kwargs={"question": question, "entered": "2026-01-01T00:00:00Z"}, throw=True)
    ((failure),) = sent(seen)
    assert failure["error"] == "QuestionRefused"
    assert failure["cause"].endswith(".")
    assert json.dumps(question) not in failure["cause"]


def test_a_refusal_that_the_engine_did_not_take_is_tried_again() -> None:
    message = {"question": {"token": "t"}, "entered": "2026-01-01T00:00:00Z"}
    with fail("stepfunctions", "SendTaskFailure", error_code="ServiceUnavailable", times=2), count_calls() as seen:
        take_question.apply(kwargs=message)  # eagerly, so that a retry runs here
    assert len(sent(seen)) == 3


def test_no_token_is_ever_logged(caplog) -> None:
    message = {"question": {"token": "very-secret", "title": "\x00"}, "entered": "2026-01-01T00:00:00Z"}
    with fail("stepfunctions", "SendTaskFailure", error_code="ServiceUnavailable", times=99), caplog.at_level("DEBUG"):
        take_question.apply(kwargs=message)
    ours = [one for one in caplog.records if not one.name.startswith(("botocore", "boto3", "urllib3"))]
    assert "very-secret" not in "".join(JsonFormatter().format(one) for one in ours)


def test_repair_knows_whose_review_it_is(taken) -> None:
    ref, _ = decided()
    be_due(ref)
    drive_review("default", Review.load(ref.key))
    assert review_of(ref).delivery == "delivered"


def test_only_a_worker_may_answer_and_look_callers_up() -> None:
    for role, may in (("worker", True), ("web", False)):
        statements = grants.policies(f"{settings.STACK}-{role}")
        for need in (grants.Need("states:SendTaskSuccess", "*"), grants.Need("states:GetExecutionHistory", ARN)):
            assert grants.grants(statements, need) is may


def kept(ref) -> tuple[int, int]:
    """Epoch seconds until which the review and its checkpoint are kept; 0: for good."""
    checkpoint = ReviewCheckpoint.load(checkpoint_key(ref))
    return int(review_of(ref).TimeToLive or 0), int(checkpoint.TimeToLive or 0)


def days_from_now(seconds: int) -> int:
    return round((seconds - clock.now().timestamp()) / 86_400)


def test_what_is_answered_is_kept_for_some_time_and_then_goes_with_its_decision(taken) -> None:
    ref, decision_id = decided()
    assert kept(ref) == (0, 0)
    delivery.deliver_answer(ref, decision_id)
    assert [days_from_now(until) for until in kept(ref)] == [settings.QUESTION_DAYS] * 2
    key = table.REVIEW_DECISION.key("default", **named(ref), decision_id=decision_id)
    assert days_from_now(int(ReviewDecision.load(key).TimeToLive)) == settings.QUESTION_DAYS


def test_what_is_put_up_to_be_fetched_goes_too() -> None:
    ref = ask().ref
    decision_id = decide(ref)
    no_undo(ref)
    delivery.deliver_answer(ref, decision_id)
    assert all(kept(ref))


def test_what_nobody_decided_goes_once_its_caller_was_told() -> None:
    ref = hand_over().ref
    pass_deadline(ref)
    with fail("stepfunctions", "SendTaskFailure"), pytest.raises(Unavailable):
        delivery.expire_handover(ref, review_of(ref))
    assert kept(ref)[0] == 0  # its token is needed
    with answered("stepfunctions", "SendTaskFailure", {}):
        delivery.tell_expired(ref)
    assert all(kept(ref))


def test_what_is_asked_for_again_stays_until_it_is_answered_again(taken) -> None:
    ref, decision_id = decided(id="q-7")
    delivery.deliver_answer(ref, decision_id)
    hand_over(id="q-7", token="newer", entered=clock.iso(clock.in_seconds(5)))
    assert kept(ref)[0] == 0
    no_undo(ref)
    delivery.deliver_answer(ref, decision_id)
    assert all(kept(ref))
    assert [call.params["taskToken"] for call in taken][1:] == ["newer"]
