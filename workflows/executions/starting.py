"""Starting and cancelling executions without a document, and their engines."""

import logging

from django.conf import settings
from django.utils.translation import gettext

from config.errors import Refused, Unavailable
from config.phrase import Sentence
from projects.audit.events import Actor
from workflows.definitions import states, versions
from workflows.definitions.blueprint import Definition
from workflows.engine import driver
from workflows.executions import actions
from workflows.executions.actions import Wish
from workflows.executions.items import InputExecution

log = logging.getLogger(__name__)


def startable_definition(family: str) -> Definition:
    """Return the active version of a family. Raises: Refused if there is none or it runs on documents."""
    if family not in versions.list_names():
        raise Refused(gettext("No such workflow. Choose one that is active and needs no document."), field="workflow")
    definition = versions.active_definition(family)
    if definition.needs_document:
        raise Refused(
            gettext("%(family)s runs on documents. Upload one, or choose another workflow.") % {"family": family},
            field="workflow",
        )
    return definition


def start_execution(site: str, wish: Wish, *, by: Actor) -> tuple[InputExecution, bool]:
    """Start it once per key; the second value is whether this call did. Raises: Refused."""
    execution, new = actions.create_execution(site, wish, by=by)
    if new:
        try:
            start_attempt(site, execution, wish.definition, attempt=1)
        except Unavailable:
            log.warning("execution waits for the sweeper", extra={"run": execution.executionId})
    return execution, new


def start_attempt(site: str, execution: InputExecution, definition: Definition, *, attempt: int) -> None:
    """Start the engine at the execution's current step. Raises: Unavailable."""
    driver.start(
        execution.run_on(site),
        definition,
        attempt=attempt,
        start_at=definition.step(int(execution.currentStep)).name,
        file_name=definition.name,
        project_name="",
        review_seconds=settings.REVIEW_TIMEOUT_SECONDS + states.ANSWER_SECONDS,
    )


def cancel_execution(site: str, execution_id: str, *, by: Actor) -> None:
    """Cancel it and stop its engine. Raises: NotFound; Conflict if it has ended or was just decided."""
    execution = actions.cancel_execution(site, execution_id, by=by)
    definition, attempt = versions.find_definition(execution.definition), int(execution.engine_attempt)
    try:
        driver.stop(
            definition, execution.run_on(site), attempt, Sentence("Cancelled by a person."), kind=execution.engine
        )
    except Unavailable:  # the engine will find that it has ended
        log.warning("engine execution runs out by itself", extra={"run": execution_id})
