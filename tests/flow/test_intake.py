"""A machine that the desk has never seen, its ASL plain JSONPath as its authors wrote it, is served end to end."""

import json

import pytest
from django.urls import reverse

from config import aws
from config.due import sweeper
from review.items.reviews import Review
from review.status import Decision
from tests.factories import review_of
from tests.flow.callers import Caller, Started, example, machine_arn, publish
from tests.flow.test_journey import bus_types
from tests.html import one_line
from tests.people import bob, signed_in
from tests.pump import Pump
from tests.review.handovers.asking import be_due
from tests.review.reviews import pass_deadline, url
from workflows.engine import driver
from workflows.engine.machines import desk_intake

pytestmark = pytest.mark.django_db
REQUEST = {
    "requestId": "r-1",
    "yearlyVolume": 25_000,
    "validFrom": "2026-12-01",
    "supplier": {"name": "Müller & Söhne", "iban": "DE02120300000000202051"},
    "mail": "Dear all,\nplease use our new account.",
}


@pytest.fixture
def supplier(pump: Pump) -> Caller:
    return publish("supplier-bank-change", example("supplier-bank-change"))


def decide(ref, decision: Decision = Decision.APPROVE, **typed: str) -> None:
    """As Bob does in his browser."""
    client = signed_in(bob())
    client.post(url("claim", ref))
    page = client.get(url("show-review", ref))
    sent = {f"field-{line.spec.name}": line.value for line in page.context["sheet"].lines}
    sent |= {f"field-{name}": value for name, value in typed.items()}
    sent |= {f"seen-{name}": "1" for name in page.context["sheet"].asked}
    form = {"ticket": page.context["ticket"], "decision": decision.value, "reason": "Not ours", **sent}
    answer = client.post(url("decide", ref), form)
    assert answer.status_code == 302, answer.content.decode()


def corrections_of(output: dict) -> dict:
    """As the caller reads them, with the rights that docs/review-requests.md names."""
    bucket, _, key = output["uri"].removeprefix("s3://").partition("/")
    return json.loads(aws.aws_client("s3").get_object(Bucket=bucket, Key=key)["Body"].read())


@pytest.mark.wide
def test_a_person_approves_and_the_machine_goes_on(supplier: Caller, pump: Pump) -> None:
    run = supplier.start(REQUEST)
    ref = run.review(pump)
    page = one_line(signed_in(bob()).get(url("show-review", ref)).content)
    assert "Requested by supplier-bank-change" in page
    assert "please use our new account." in page
    assert "New account of Müller &amp; Söhne" in page
    decide(ref, called_back="true", iban="DE89370400440532013000")
    run.end(pump)
    assert run.output()["changed"] is True
    review = review_of(ref)
    assert (review.status, review.delivery) == ("REDEEMED", "delivered")
    assert driver.took(run.arn, str(review.decision_id)) is True
    assert sorted(bus_types()) == ["document.review.decided", "document.review.required"]
    assert "received the decision" in one_line(signed_in(bob()).get(url("show-review", ref)).content)


@pytest.mark.wide
def test_the_answer_carries_a_pointer_to_what_was_corrected(supplier: Caller, pump: Pump) -> None:
    run = supplier.start(REQUEST)
    ref = run.review(pump)
    decide(ref, called_back="true", iban="DE89370400440532013000")
    run.end(pump)
    events = aws.aws_client("stepfunctions").get_execution_history(executionArn=run.arn)["events"]
    entered = [
        json.loads(one["stateEnteredEventDetails"]["input"]) for one in events if "stateEnteredEventDetails" in one
    ]
    desk = next(one["desk"] for one in entered if "desk" in one)
    assert set(desk) == {"review_id", "decision", "decision_id", "uri", "sha256"}
    decided = corrections_of(desk)
    assert decided["corrections"] == {"called_back": "true", "iban": "DE89370400440532013000"}
    assert decided["decision_id"] == desk["decision_id"]


@pytest.mark.wide
def test_a_rejection_is_a_choice_and_no_failure(supplier: Caller, pump: Pump) -> None:
    run = supplier.start(REQUEST)
    decide(run.review(pump), Decision.REJECT)
    run.end(pump)
    assert run.output() == {"changed": False}


def test_below_its_limit_the_desk_never_hears_of_it(supplier: Caller, pump: Pump) -> None:
    run = supplier.start({**REQUEST, "yearlyVolume": 5})
    run.end(pump)
    assert run.output()["changed"] is True
    assert pump.ran("take_question") == 0


def test_nobody_decides_and_the_machine_takes_its_other_way(supplier: Caller, pump: Pump) -> None:
    run = supplier.start(REQUEST)
    ref = run.review(pump)
    pass_deadline(ref)
    be_due(ref)

    def swept() -> bool:
        sweeper.sweep()
        return run.ended()

    pump.run(swept)
    assert run.output() == {"changed": False}
    assert review_of(ref).status == "EXPIRED"


def test_what_cannot_be_reviewed_fails_with_the_sentence(supplier: Caller, pump: Pump) -> None:
    run = supplier.start({**REQUEST, "supplier": {"name": "x" * 1001, "iban": "1"}})
    run.end(pump)
    found = run.status()
    assert (found["status"], found["error"]) == ("FAILED", "QuestionRefused")
    assert "title" in found["cause"]
    assert "xxx" not in found["cause"]


@pytest.mark.wide
def test_a_caller_that_is_restarted_finds_its_review_and_gets_the_answer(supplier: Caller, pump: Pump) -> None:
    first = supplier.start(REQUEST)
    ref = first.review(pump)
    aws.aws_client("stepfunctions").stop_execution(executionArn=first.arn)
    second = supplier.start(REQUEST)
    assert second.review(pump) == ref
    decide(ref, called_back="true")
    second.end(pump)
    assert second.output()["changed"] is True
    assert pump.ran("take_question") == 2


@pytest.mark.wide
def test_an_answer_to_a_caller_that_is_gone_is_never_called_delivered(supplier: Caller, pump: Pump) -> None:
    run = supplier.start(REQUEST)
    ref = run.review(pump)
    decide(ref, called_back="true")
    tokens = [message.kwargs["question"]["token"] for message in pump.seen if message.task.endswith("take_question")]
    aws.aws_client("stepfunctions").send_task_failure(
        taskToken=tokens[0], error="ReviewExpired"
    )  # somebody else was first
    pump.run(lambda: review_of(ref).delivery is not None)
    assert review_of(ref).delivery == "undelivered"
    assert "stopped waiting" in one_line(signed_in(bob()).get(url("show-review", ref)).content)


@pytest.mark.wide
def test_a_message_that_the_queue_delivers_twice_is_one_review(supplier: Caller, pump: Pump) -> None:
    run = supplier.start(REQUEST)
    ref = run.review(pump)
    pump.redeliver(next(message for message in pump.seen if message.task.endswith("take_question")))
    assert len(Review.page("REVIEWS#review", index="GSI1").rows) == 1
    decide(ref, called_back="true")
    run.end(pump)
    assert run.output()["changed"] is True


# --- every path of our own machine ------------------------------------------------
def intake(given: dict) -> str:
    answer = aws.aws_client("stepfunctions").start_execution(
        stateMachineArn=machine_arn(desk_intake.name()), input=json.dumps(given)
    )
    return str(answer["executionArn"])


def test_without_a_token_the_intake_fails_itself(pump: Pump) -> None:
    run = Started(Caller("none", {}), intake({"title": "x", "text": "y"}))
    run.end(pump)
    assert run.status()["error"] == "NoToken"
    assert pump.ran("take_question") == 0


@pytest.mark.wide
def test_what_the_queue_does_not_take_is_refused_in_a_message_of_its_own(pump: Pump, monkeypatch) -> None:
    """The state that hands over sends to a queue that is not there; the one that refuses is as published."""
    machine = json.loads(desk_intake.compile_machine())
    state = machine["States"]["hand_over"]
    state["Arguments"]["QueueUrl"] += "-gone"
    state["Retry"][0]["IntervalSeconds"] = 1
    state["Retry"][0]["MaxAttempts"] = 1
    publish("desk-intake-gone", machine)
    theirs = example("supplier-bank-change", DeskIntakeArn=machine_arn("desk-intake-gone"))
    run = publish("supplier-of-a-gone-desk", theirs).start(REQUEST)
    run.end(pump)
    found = run.status()
    assert (found["status"], found["error"]) == ("FAILED", "QuestionRefused")
    assert "could not be queued" in found["cause"]
    assert pump.ran("refuse_question") == 1


@pytest.mark.wide
@pytest.mark.parametrize("name", ["taskToken", "TaskToken"])
def test_the_other_names_of_a_token_are_read_too(pump: Pump, name: str) -> None:
    definition = example("supplier-bank-change")
    asked = definition["States"]["Ask the desk"]["Parameters"]["Input"]
    asked[f"{name}.$"] = asked.pop("token.$")
    run = publish("supplier-other-name", definition).start(REQUEST)
    decide(run.review(pump), called_back="true")
    run.end(pump)
    assert run.output()["changed"] is True


def test_the_review_is_in_the_queue_with_its_callers_name(supplier: Caller, pump: Pump) -> None:
    supplier.start(REQUEST).review(pump)
    html = signed_in(bob()).get(reverse("review:queue")).content.decode()
    assert "New account of Müller &amp; Söhne" in html
    assert "supplier-bank-change" in html
