"""Reads of executions without a document: one, its input, its transitions, and lists by family."""

from collections.abc import Sequence

from config import table
from config.errors import NotFound
from config.item import Item, Page
from config.phrase import Phrase
from config.table import Key
from workflows.executions.items import ExecutionInput, InputExecution
from workflows.runs.items import Transition

MISSING = Phrase("Execution not found.")
_MOST = 200  # more than a definition's steps, each of which is left once


def execution_key(site: str, execution_id: str) -> Key:
    return table.INPUT_EXECUTION.key(site, execution_id=execution_id)


def input_key(site: str, execution_id: str) -> Key:
    return table.EXECUTION_INPUT.key(site, execution_id=execution_id)


def get_execution(site: str, execution_id: str) -> InputExecution:
    """Strongly consistent (AP2). Raises: NotFound, also for a document's run and a purged execution."""
    try:
        found = InputExecution.load(execution_key(site, execution_id))
    except (NotFound, table.InvalidKey) as error:
        raise NotFound(MISSING) from error
    if found.input_sha256 is None or found.purged_at:
        raise NotFound(MISSING)
    return found


def get_input(site: str, execution_id: str) -> str:
    """Return the input as JSON. Raises: NotFound."""
    return str(ExecutionInput.load(input_key(site, execution_id)).json)


def list_executions(site: str, family: str, *, cursor: str | None = None) -> Page[InputExecution]:
    """AP3: the executions of a family, newest first: one Query, and one BatchGetItem for what the index lacks."""
    pk = table.INPUT_EXECUTION.gsi1_partition(site, workflow_id=family)
    page = InputExecution.page(pk, index="GSI1", newest_first=True, cursor=cursor)
    found = {one.key: one for one in InputExecution.load_many([row.key for row in page.rows], consistent=False)}
    return Page([found[row.key] for row in page.rows if row.key in found], page.next)


def list_transitions(site: str, execution_id: str) -> Sequence[Transition]:
    """AP4: its transitions, oldest first; one Query, since it leaves each step once."""
    pk = table.TRANSITION.partition_key(site, execution_id=execution_id)
    prefix = Item.SK.startswith(table.TRANSITION.sort_prefix())
    return Transition.page(pk, sk=prefix, limit=_MOST, consistent=True).rows
