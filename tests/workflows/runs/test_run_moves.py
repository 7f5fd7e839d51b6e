"""The table of moves against the conditions in the writes: every action on a run in every state."""

from collections.abc import Callable
from dataclasses import dataclass

import pytest

from config import table
from config.errors import Conflict, CountersignError, Refused
from config.transaction import EXISTS
from projects.audit.events import Actor
from projects.documents import queries as document_queries
from projects.documents import recount
from tests.factories import start_run
from workflows.definitions.blueprint import DOCUMENT_ANALYSIS, DOCUMENT_APPROVAL
from workflows.engine import interventions
from workflows.runs import items as runs_items
from workflows.runs import queries
from workflows.runs.actions import advance
from workflows.runs.actions.advance import Advance
from workflows.runs.items import (
    END,
    RUN_ENDS,
    RUN_MOVES,
    Execution,
    Outcome,
    ProjectDocument,
    ProjectWorkflow,
    ResumeWay,
    Run,
    RunMove,
    RunState,
    RunStatus,
)

pytestmark = pytest.mark.usefixtures("table")

ROSA = Actor("7", "Rosa Marin")
V2, V2_REVIEW = DOCUMENT_ANALYSIS, DOCUMENT_ANALYSIS.named("human_review").order
Act = Callable[[Run, Execution], object]


def leave(step: str, to: str, outcome: Outcome | None = None, definition=V2) -> Act:
    """The run goes from ``step`` to ``to``, or ends if that is empty, as a message that was sent before says."""

    def act(run: Run, seen: Execution) -> object:
        order = definition.named(to).order if to else END
        move = Advance(definition.named(step), order, int(seen.engine_attempt), result="completed", outcome=outcome)
        return advance.advance(run, definition, move, last=seen.last_transition)

    return act


def fail(outcome: Outcome = Outcome.FAILED) -> Act:
    def act(run: Run, seen: Execution) -> object:
        return advance.fail(run, V2, seen, attempt=1, error="E", sentence="Not readable.", outcome=outcome)

    return act


def resume(run: Run, seen: Execution) -> object:
    way = ResumeWay.ACCEPT if queries.execution(run).outcome == Outcome.PARTIAL else ResumeWay.AGAIN
    return interventions.resume(run, way, by=ROSA)


@dataclass(frozen=True)
class Case:
    """``running`` and ``waiting``: the steps that a run in these states is at."""

    moves: tuple[RunMove, ...]
    act: Act
    running: str = "segment_prep"
    waiting: str = "human_review"


ACTIONS = {
    "advance": Case((runs_items.ADVANCE,), leave("segment_prep", "format_parser")),
    "wait": Case((runs_items.WAIT,), leave("assess", "human_review"), running="assess"),
    "decide": Case((runs_items.DECIDE,), leave("human_review", "graph_builder")),
    "publish": Case((runs_items.PUBLISH,), leave("publish", "", Outcome.PUBLISHED), running="publish"),
    "reject": Case((runs_items.REJECT,), leave("human_review", "", Outcome.REJECTED), running="publish"),
    "end partial": Case((runs_items.END_PARTIAL,), leave("assess", "", Outcome.PARTIAL), running="assess"),
    "expire": Case((runs_items.EXPIRE,), fail(Outcome.EXPIRED)),
    "fail": Case((runs_items.FAIL,), fail()),
    "cancel": Case((runs_items.CANCEL,), lambda run, _: interventions.cancel(run, by=ROSA)),
    "resume": Case((runs_items.RESUME,), resume),
}
NOT_FROM_RUNNING = {"reject"}  # by the decision itself; a step after it may, which is tried below


def put_into(run: Run, state: RunState, case: Case) -> None:
    """The execution alone, which is what guards every move."""
    if state in runs_items.UNDER_WAY:
        order = V2.named(case.running if state == RunState.RUNNING else case.waiting).order
        Execution.change(advance.execution_key(run), [Execution.currentStep.set(order)], EXISTS)
        return
    ended = [Execution.status.set(RUN_ENDS[Outcome(state)]), Execution.outcome.set(state.value)]
    Execution.change(advance.execution_key(run), [*ended, Execution.currentStep.set(END)], EXISTS)


def ended_run(state: RunState) -> Run:
    """As runs end; what a person may resume has all its rows."""
    run = start_run()
    if state in runs_items.RESUME.sources:
        seen = queries.execution(run)
        advance.fail(run, V2, seen, attempt=1, error="E", sentence="No.", outcome=Outcome.FAILED)
    return run


def state_of(run: Run) -> RunState:
    execution = queries.execution(run)
    waits = not execution.outcome and V2.step(int(execution.currentStep)).type == "approval"
    return runs_items.state_of(execution.outcome, waits=waits)


@pytest.mark.parametrize("name", ACTIONS)
def test_an_action_moves_exactly_the_runs_that_the_table_allows(name: str) -> None:
    case = ACTIONS[name]
    tried: tuple[Run, Execution] | None = None  # what refused is the next state's too: nothing of it was changed
    for state in sorted(RunState, key=lambda state: state not in runs_items.UNDER_WAY):
        if tried is None or name == "resume":
            run = ended_run(state) if name == "resume" else start_run()
            tried = run, queries.execution(run)
        run, seen = tried
        put_into(run, state, case)
        if state in runs_items.UNDER_WAY:
            seen = queries.execution(run)
        expected = next((move.to for move in case.moves if state in move.sources), state)
        allowed = any(state in move.sources for move in case.moves)
        if name in NOT_FROM_RUNNING and state == RunState.RUNNING:
            expected, allowed = state, False
        try:
            case.act(run, seen)
        except (Conflict, Refused):
            assert not allowed, state
            tried = run, seen
        else:
            assert allowed, state
            tried = None
        assert state_of(run) == expected, state


def test_a_step_after_the_review_may_end_the_run_as_the_review_was_decided() -> None:
    run = start_run(definition=DOCUMENT_APPROVAL)
    Execution.change(advance.execution_key(run), [Execution.currentStep.set(18)], EXISTS)
    leave("tell_rejected", "", Outcome.REJECTED, DOCUMENT_APPROVAL)(run, queries.execution(run))
    assert queries.execution(run).outcome == "rejected"


def test_one_approval_may_follow_on_another() -> None:
    run = start_run(definition=DOCUMENT_APPROVAL)
    Execution.change(advance.execution_key(run), [Execution.currentStep.set(11)], EXISTS)
    leave("first_approval", "second_approval", definition=DOCUMENT_APPROVAL)(run, queries.execution(run))
    assert int(queries.execution(run).currentStep) == 13


@pytest.mark.parametrize("outcome", [Outcome.PUBLISHED, Outcome.PARTIAL, Outcome.CANCELLED])
def test_what_waits_for_a_person_is_never_published_or_cancelled_without_one(outcome: Outcome) -> None:
    run = start_run()
    Execution.change(advance.execution_key(run), [Execution.currentStep.set(V2_REVIEW)], EXISTS)
    with pytest.raises(CountersignError, match=f"from waiting to {outcome}") as refused:
        leave("human_review", "", outcome)(run, queries.execution(run))
    assert type(refused.value) is CountersignError
    assert queries.execution(run).status == RunStatus.RUNNING


def test_every_move_is_tried_above() -> None:
    tried = {move for case in ACTIONS.values() for move in case.moves} | {runs_items.START, runs_items.ASK_ANOTHER}
    assert tried == set(RUN_MOVES)


def test_every_state_is_reached_and_only_what_can_go_on_is_left() -> None:
    assert {move.to for move in RUN_MOVES} == set(RunState)
    left = {source for move in RUN_MOVES for source in move.sources}
    assert left == {*runs_items.UNDER_WAY, *(RunState(outcome) for outcome in runs_items.RESUMABLE)}


def test_an_ended_run_is_in_the_state_of_its_outcome() -> None:
    assert {state.value for state in RunState} - {"running", "waiting"} == {outcome.value for outcome in Outcome}


def test_nothing_but_a_start_makes_a_run() -> None:
    assert [move for move in RUN_MOVES if not move.sources] == [runs_items.START]
    with pytest.raises(CountersignError, match="from nothing to waiting"):
        runs_items.check_can_move(None, RunState.WAITING)


def shown(run: Run) -> tuple[str, ...]:
    """What every row says of the run's state: execution, board, seed 000's rows, and the document's two."""
    document = ProjectDocument.load(
        table.PROJECT_DOCUMENT.key(run.site, project_id=run.project_id, document_id=run.document_id)
    )
    link = queries.document_workflow(run.site, run.document_id, run.workflow_id)
    listed = ProjectWorkflow.load(
        table.PROJECT_WORKFLOW.key(run.site, project_id=run.project_id, workflow_id=run.workflow_id)
    )
    board = queries.board(run.site, run.workflow_id, consistent=True)
    words = (board.GSI1SK, link.data["status"], listed.data["status"], document.status, document.data["status"])
    assert len(set(words)) == 1, words
    assert board.outcome == document.outcome == queries.execution(run).outcome
    own = document_queries.get_document(run.site, run.document_id)
    assert table.DOCUMENT_BY_STATUS.gsi2_partition(run.site, status=own.status) == document.GSI2PK
    assert recount.find_differences(run.site) == []
    return str(words[0]), str(own.status), str(document.current_step or ""), str(board.current_step)


def test_every_row_shows_the_state_that_a_run_comes_to() -> None:
    run = start_run()
    assert shown(run) == ("in_progress", "in_progress", "", "segment_prep")
    leave("segment_prep", "assess")(run, queries.execution(run))
    assert shown(run) == ("in_progress", "in_progress", "", "assess")
    leave("assess", "human_review")(run, queries.execution(run))
    assert shown(run) == ("in_progress", "waiting", "human_review", "human_review")
    leave("human_review", "graph_builder")(run, queries.execution(run))
    assert shown(run) == ("in_progress", "in_progress", "", "graph_builder")
    fail()(run, queries.execution(run))
    assert shown(run) == ("failed", "failed", "", "graph_builder")
    interventions.resume(run, ResumeWay.AGAIN, by=ROSA)
    assert shown(run) == ("in_progress", "in_progress", "", "graph_builder")
    leave("graph_builder", "publish")(run, queries.execution(run))
    leave("publish", "", Outcome.PUBLISHED)(run, queries.execution(run))
    assert shown(run) == ("completed", "published", "", "publish")


def test_an_error_that_was_mended_is_gone_from_the_runs_row() -> None:
    run = start_run()
    fail()(run, queries.execution(run))
    assert queries.document_workflow(run.site, run.document_id, run.workflow_id).data["error"] == "Not readable."
    interventions.resume(run, ResumeWay.AGAIN, by=ROSA)
    assert "error" not in queries.document_workflow(run.site, run.document_id, run.workflow_id).data.as_dict()
