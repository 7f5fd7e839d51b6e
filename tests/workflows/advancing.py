"""Runs that are led on by the actions alone: no machine, no stage, no minutes."""

from workflows import queries
from workflows.actions import runs
from workflows.actions.runs import Advance
from workflows.definitions import DOCUMENT_ANALYSIS
from workflows.frozen import Run
from workflows.status import END, Outcome


def advanced(run: Run, *, outcome: str = "") -> None:
    """One step on; ``outcome`` is what the step says."""
    execution = queries.execution(run)
    step = DOCUMENT_ANALYSIS.step(int(execution.currentStep))
    to = step.after(outcome)
    ends = Outcome.PUBLISHED if to == END else None
    move = Advance(step, to, 1, result="completed", outcome=ends, facts={"segment_count": 1})
    runs.advance(run, DOCUMENT_ANALYSIS, move, last=execution.last_transition)


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


def failed(run: Run) -> Run:
    runs.fail(run, DOCUMENT_ANALYSIS, queries.execution(run), attempt=1, error="E", sentence="Not readable.")
    return run
