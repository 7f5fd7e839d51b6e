"""Runs that are led on by the actions alone: no machine, no stage, no minutes."""

from workflows.definitions.blueprint import DOCUMENT_ANALYSIS
from workflows.runs import queries
from workflows.runs.actions import advance
from workflows.runs.actions.advance import Advance
from workflows.runs.items import END, Outcome, Run


def advanced(run: Run, *, outcome: str = "") -> None:
    """One step on; ``outcome`` is what the step says."""
    execution = queries.execution(run)
    step = DOCUMENT_ANALYSIS.step(int(execution.currentStep))
    to = step.after(outcome)
    ends = Outcome.PUBLISHED if to == END else None
    attempt = int(execution.engine_attempt)
    move = Advance(step, to, attempt, result="completed", outcome=ends, facts={"segment_count": 1})
    advance.advance(run, DOCUMENT_ANALYSIS, move, last=execution.last_transition)


def waiting(run: Run) -> Run:
    """Its document waits for a person; there is no review yet."""
    review = DOCUMENT_ANALYSIS.named("human_review").order
    while int(queries.execution(run).currentStep) != review:
        here = DOCUMENT_ANALYSIS.step(int(queries.execution(run).currentStep))
        advanced(run, outcome="review_required" if here.name == "assess" else "")
    return run


def published(run: Run) -> Run:
    while int(queries.execution(run).currentStep) != END:
        advanced(run)
    return run


def failed(run: Run, error: str = "E", outcome: Outcome = Outcome.FAILED) -> Run:
    advance.fail(
        run,
        DOCUMENT_ANALYSIS,
        queries.execution(run),
        attempt=1,
        error=error,
        sentence="Not readable.",
        outcome=outcome,
    )
    return run
