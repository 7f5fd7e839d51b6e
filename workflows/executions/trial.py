"""Trials of a workflow's plan: the path that a document or data would take. Nothing is started or stored."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from django.http import HttpRequest

from config.errors import NotFound
from config.phrase import Phrase, tell_sentence
from config.table import InvalidKey
from projects.personal.access import check_can_see
from projects.queues import visibility
from workflows.definitions import diagram
from workflows.definitions.blueprint import APPROVE, END, Definition, StepDefinition, tell_label
from workflows.definitions.composition import BETWEEN, KINDS
from workflows.engine import steps, waits
from workflows.engine.steps import Choice
from workflows.executions.data import write_input
from workflows.executions.steps import choose_way
from workflows.runs import queries, seed_000
from workflows.runs.items import Run
from workflows.stages.assessment.reason_words import tell_reason


@dataclass(frozen=True)
class TrialLine:
    """What would happen at one step; ``tone``: its CSS class."""

    label: str
    words: str
    tone: str = "quiet-text"


def try_on_document(request: HttpRequest, definition: Definition, document_id: str) -> list[TrialLine]:
    """Return the path of the document's newest result after its analysis, if every approval is given.

    Raises: NotFound; NotAllowed if personal values, which a condition would tell, are hidden from the person.
    """
    site = str(request.site)
    try:
        visibility.check_document(request, document_id)
        workflow_id = seed_000.newest_run(site, document_id)
        link = queries.document_workflow(site, document_id, workflow_id or "")
        run = Run(site, str(link.data["project_id"]), document_id, workflow_id or "")
        execution = queries.execution(run)
        check_can_see(request, project_id=run.project_id)
        begins = definition.named("assess").after()
        return list(_walk(definition, begins, lambda step: steps.choose(run, step, execution, link)))
    except InvalidKey as error:
        raise NotFound(visibility.MISSING) from error


def try_on_data(definition: Definition, data: Any) -> list[TrialLine]:
    """Return the path of an execution with this input. Raises: Refused."""
    text = write_input(data)
    return list(_walk(definition, 1, lambda step: choose_way(step, text)))


def _walk(definition: Definition, begins: int, choose: Callable[[StepDefinition], Choice]) -> Iterator[TrialLine]:
    step = definition.step(begins)
    while True:
        outcome = ""
        if step.type in ("choice", "wait"):
            taken = choose(step)
            outcome = taken.outcome
            yield TrialLine(tell_label(step.label), taken.why)
        elif step.type == "approval":
            outcome = APPROVE
            yield TrialLine(tell_label(step.label), _ask(step.queue), "status warn")
        elif step.does:
            yield TrialLine(tell_label(step.label), describe_step(step))
        order = step.after(outcome)
        if order == END:
            return
        step = definition.step(order)


def _ask(queue: str) -> str:
    named = Phrase("Asks for approval in %(queue)s.").fill(queue=queue)
    return named if queue else Phrase("Asks for approval.")


_ADDRESSED = ("mail", "webhook")  # step actions with the main site's addresses, which may hold secrets


def describe_step(step: StepDefinition, *, addresses: bool = True) -> str:
    """Describe a step's settings, apart from its transitions. ``addresses``: also the recipients of what it sends."""
    found = _list_settings(step, addresses=addresses)
    return ". ".join(one.translated() if isinstance(one, Phrase) else one for one in found)


def _list_settings(step: StepDefinition, *, addresses: bool) -> Iterator[str]:
    for case in step.cases:
        when = "; ".join(one.words.translated() for one in case.conditions)
        yield Phrase("%(step)s: %(why)s").fill(step=diagram.name_outcome(case.outcome), why=when)
    if step.type == "wait":
        yield tell_sentence(waits.describe_wait(step)).translated().rstrip(".。")
    if step.does:
        kind, shown = KINDS.get(step.does, step.does), addresses or step.does not in _ADDRESSED
        values = ", ".join(value for _, value in step.parameters) if shown else ""
        yield Phrase("%(step)s: %(why)s").fill(step=kind, why=values) if values else kind
    also = {
        step.asks: tell_reason(step.asks),
        step.queue: Phrase("Queue %(name)s").fill(name=step.queue),
        ", ".join(step.corrects): Phrase("May correct %(fields)s").fill(fields=", ".join(step.corrects)),
        "another" if step.another else "": Phrase("A different reviewer than before"),
        step.needs: Phrase("Only if a document needs it"),
        step.part: Phrase("Part of %(workflow)s").fill(workflow=step.part.rpartition(BETWEEN)[2]),
        step.ends or "": Phrase("The run ends %(outcome)s").fill(outcome=Phrase(str(step.ends))),
    }
    yield from (words for given, words in also.items() if given)
