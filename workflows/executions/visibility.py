"""Who may see an execution without a document: the queues of its approvals say so, as a document's queue does.

Whoever started it sees it all the same.
"""

from config.errors import NotFound
from projects.audit.events import Actor
from projects.queues import admission
from projects.queues import queries as queue_queries
from projects.web.http import DeskRequest
from workflows.definitions import versions
from workflows.executions import queries
from workflows.executions.items import InputExecution


def get_visible(request: DeskRequest, execution_id: str, by: Actor) -> InputExecution:
    """Raises: NotFound, also of what is not theirs: no one learns which."""
    execution = queries.get_execution(request.site, execution_id)
    if not is_visible(execution, by, list_closed_names(request)):
        raise NotFound(queries.MISSING)
    return execution


def is_visible(execution: InputExecution, by: Actor, closed: frozenset[str]) -> bool:
    """``closed``: the names of the queues that do not let the person in."""
    if not closed or execution.triggeredBy == by.id:
        return True
    definition = versions.find_definition(execution.definition)
    return closed.isdisjoint(step.queue.casefold() for step in definition.steps if step.queue)


def list_closed_names(request: DeskRequest) -> frozenset[str]:
    """Folded; nothing is read where every queue lets the person in."""
    closed = admission.list_closed_queues(request)
    if not closed:
        return frozenset()
    return frozenset(one.name.casefold() for one in queue_queries.all_queues(request.site) if one.id in closed)
