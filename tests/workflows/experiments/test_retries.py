"""What failed in an experiment is asked again, once for each retry and within the cost limit; nothing else is."""

from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from django.urls import reverse

from config.errors import Conflict, Refused
from tests.aws_faults import before_each, crash_after, crash_before
from tests.html import one_line
from tests.people import alice, bob, signed_in
from tests.projects.models.catalogue import BEN
from tests.pump import Pump
from tests.tools.paper import Sheet, save
from tests.workflows.experiments.counting_server import CAREFUL, Answer, CountingServer, read_receipt
from tests.workflows.experiments.made import (
    BY,
    MODEL,
    PRICED,
    make_experiment,
    make_set,
    save_prompt,
    work,
    work_all,
)
from tests.workflows.experiments.test_from_outside import Pipeline
from tests.workflows.experiments.test_lanes import free
from tests.workflows.providers.language_models.chat_server import completion
from tests.workflows.trials.reading import read_run
from workflows.experiments import actions, queries, tasks
from workflows.experiments.items import Experiment, ExperimentLane
from workflows.experiments.queries import ExperimentRef
from workflows.testsets.queries import SetRef

pytestmark = [pytest.mark.wide, pytest.mark.usefixtures("table"), pytest.mark.django_db]  # an experiment each


@dataclass
class Moody:
    """The counting server's answers, but nonsense about one document while it is out of order."""

    out_of_order: bool = True

    def answer(self, body: dict[str, Any]) -> tuple[int, Any]:
        """About a stubborn page it has to be corrected once."""
        told = str(body["messages"])
        nonsense = (self.out_of_order and "Draw0001" in told) or ("Stubborn" in told and "Correct it" not in told)
        return completion("?") if nonsense else read_receipt(body)


@pytest.fixture
def moody() -> Moody:
    return Moody()


@pytest.fixture
def answer(moody: Moody) -> Answer:
    return moody.answer


@pytest.fixture
def ref(server: CountingServer, moody: Moody, testset: SetRef) -> ExperimentRef:
    """Done, but for one of its three documents, which two variants that ask the same share."""
    priced = type(MODEL)(**{**vars(MODEL), **PRICED})
    careful = save_prompt(testset.project_id, CAREFUL)
    made = make_experiment(testset, [careful], thresholds=(0.4, 0.8), models=(priced,))
    head = work_all(made)
    assert (head.status, *counts(head), server.asked) == ("done", 4, 2, 4)  # it was asked twice about the one
    moody.out_of_order = False
    return made


def counts(head: Experiment) -> tuple[int, int]:
    return int(head.answered), int(head.failed)


def documents(ref: ExperimentRef) -> list[int]:
    head = queries.get_experiment(ref)
    halves = queries.load_results(ref, str(head.results_sha256)).halves
    return [sum(one.documents for one in halves[number].values()) for number in (1, 2)]


def test_only_what_failed_is_asked_again(server: CountingServer, ref: ExperimentRef) -> None:
    before = queries.get_experiment(ref)
    assert documents(ref) == [2, 2]
    actions.retry_experiment(ref, by=BEN)
    assert (queries.get_experiment(ref).status, queries.get_experiment(ref).ended_at) == ("running", None)
    head = work_all(ref)
    assert (head.status, *counts(head), server.asked) == ("done", 6, 0, 5)
    assert documents(ref) == [3, 3]
    assert int(head.spent) == int(before.spent) + 300
    assert (int(head.micros), int(head.tokens)) == (6 * 300, 6 * 120)
    assert not any(row.is_scheduled for row in queries.list_lanes(ref))
    with pytest.raises(Refused, match="nothing to retry"):
        actions.retry_experiment(ref, by=BEN)


def test_what_fails_again_can_be_retried_again(server: CountingServer, moody: Moody, ref: ExperimentRef) -> None:
    moody.out_of_order = True
    actions.retry_experiment(ref, by=BEN)
    head = work_all(ref)
    assert (head.status, *counts(head), server.asked) == ("done", 4, 2, 6)
    moody.out_of_order = False
    actions.retry_experiment(ref, by=BEN)
    head = work_all(ref)
    assert (head.status, *counts(head), server.asked) == ("done", 6, 0, 7)


def test_an_experiment_after_it_is_given_the_better_answer(
    server: CountingServer, ref: ExperimentRef, testset: SetRef
) -> None:
    actions.retry_experiment(ref, by=BEN)
    work_all(ref)
    again = work_all(make_experiment(testset, [2]))
    assert (*counts(again), server.asked) == (3, 0, 5)


def test_an_answer_that_was_corrected_is_not_asked_for_again(
    server: CountingServer, moody: Moody, pump: Pump, tmp_path: Path
) -> None:
    run = read_run(pump, file=save([draw_page("Stubborn"), draw_page("Draw0001")], tmp_path / "pages.pdf"))
    ref = make_experiment(make_set(run.project_id, [run.document_id]), [1])
    head = work_all(ref)
    assert (*counts(head), server.asked) == (0, 1, 4)  # two requests about each page
    moody.out_of_order = False
    actions.retry_experiment(ref, by=BEN)
    assert (*counts(work_all(ref)), server.asked) == (1, 0, 5)


def draw_page(words: str) -> Sheet:
    sheet = Sheet(300, 200)
    sheet.text(20, 40, words, size=14)
    return sheet


def test_of_two_who_retry_at_once_one_does(server: CountingServer, ref: ExperimentRef) -> None:
    with (
        before_each("dynamodb", "TransactWriteItems", lambda: actions.retry_experiment(ref, by=BEN)),
        pytest.raises(Conflict, match="Ben Ito changed this experiment: it is running now"),
    ):
        actions.retry_experiment(ref, by=BY)
    head = work_all(ref)
    assert (head.status, *counts(head), int(head.retries), server.asked) == ("done", 6, 0, 1, 5)


def test_a_worker_that_is_late_in_leaving_does_not_take_the_lane_away(
    server: CountingServer, ref: ExperimentRef
) -> None:
    """It had seen the end; the retry came before it took its lane from the index."""
    row = queries.get_lane(ref, 0)
    ExperimentLane.change(row.key, [ExperimentLane.lease_owner.set("late")], ExperimentLane.PK.exists())
    actions.retry_experiment(ref, by=BEN)
    with pytest.raises(Conflict):
        actions.finish_lane(ref, row, owner="late", is_done=True)
    assert (work_all(ref).status, server.asked) == ("done", 5)


def test_messages_that_come_twice_ask_once(server: CountingServer, ref: ExperimentRef, pump: Pump) -> None:
    actions.retry_experiment(ref, by=BEN)
    pump.hold = lambda message: not message.task.endswith("experiments.tasks.work")
    tasks.order_lanes(ref)
    tasks.order_lanes(ref)
    pump.run(lambda: pump.ran("experiments.tasks.work") == 4)
    for message in [one for one in pump.seen if one.task.endswith("experiments.tasks.work")]:
        pump.redeliver(message)
    head = queries.get_experiment(ref)
    assert (head.status, *counts(head), server.asked) == ("done", 6, 0, 5)


@pytest.mark.parametrize(
    ("crash", "out_of_order"),
    [
        (lambda: crash_after("s3", "PutObject", 1), False),  # the answer is kept, nothing else
        (lambda: crash_before("dynamodb", "TransactWriteItems", 1), True),  # the outcome too, which failed again
        (lambda: crash_after("dynamodb", "TransactWriteItems", 1), False),
    ],
)
def test_a_worker_that_ends_asks_no_one_again(
    server: CountingServer,
    moody: Moody,
    ref: ExperimentRef,
    crash: Callable[[], AbstractContextManager[None]],
    out_of_order: bool,
) -> None:
    moody.out_of_order = out_of_order
    actions.retry_experiment(ref, by=BEN)
    with crash():
        for lane in range(2):
            work(ref, lane)
    free(ref)
    head = work_all(ref)
    expected = (4, 2, 6) if out_of_order else (6, 0, 5)
    assert (head.status, *counts(head), server.asked) == ("done", *expected)


def test_the_cost_limit_still_holds(server: CountingServer, moody: Moody, ref: ExperimentRef) -> None:
    spent = Decimal(int(queries.get_experiment(ref).spent)) / 1_000_000
    with pytest.raises(Refused, match="spent already"):
        actions.retry_experiment(ref, limit=spent, by=BEN)
    moody.out_of_order = True
    actions.retry_experiment(ref, limit=spent + Decimal("0.0001"), by=BEN)
    head = work_all(ref)
    assert (head.status, *counts(head), server.asked) == ("over_limit", 4, 2, 6)  # the second was not begun
    moody.out_of_order = False
    actions.resume_experiment(ref, limit=Decimal(1), by=BEN)
    head = work_all(ref)
    assert (head.status, *counts(head)) == ("done", 4, 2)  # it shares the answer of the first
    actions.retry_experiment(ref, by=BEN)
    assert counts(work_all(ref)) == (6, 0)


def test_a_retry_is_paused_and_resumed(server: CountingServer, ref: ExperimentRef) -> None:
    actions.retry_experiment(ref, by=BEN)
    actions.pause_experiment(ref, by=BY)
    assert (work_all(ref).status, server.asked) == ("paused", 4)
    with pytest.raises(Conflict, match="it is paused now"):
        actions.retry_experiment(ref, by=BEN)
    actions.resume_experiment(ref, by=BY)
    head = work_all(ref)
    assert (head.status, *counts(head), server.asked) == ("done", 6, 0, 5)


def test_a_button_and_the_api_retry(server: CountingServer, ref: ExperimentRef) -> None:
    admin, one = signed_in(alice()), (ref.project_id, ref.experiment_id)
    page, retry = (reverse(f"workflows:{name}-experiment", args=one) for name in ("show", "retry"))
    assert "Retry 2 failed" in one_line(admin.get(page).content)
    assert signed_in(bob()).post(retry, {"limit": "5"}).status_code == 403
    assert admin.post(retry, {"limit": "x"}).status_code == 422
    assert "Failed answers are asked for again." in one_line(admin.post(retry, {"limit": "5"}, follow=True).content)
    late = admin.post(retry, {"limit": "5"})
    assert (late.status_code, "it is running now" in one_line(late.content)) == (409, True)
    work_all(ref)
    assert "Retry 2 failed" not in one_line(admin.get(page).content)
    desk = Pipeline(ref.project_id)
    told = desk.send("POST", f"/experiments/{ref.experiment_id}/retry", 422, limit=5)
    assert "nothing to retry" in told["detail"]
