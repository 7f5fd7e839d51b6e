"""Publishing a definition: an immutable version, and the family's head that names the active one."""

from config import clock, table
from config.errors import Conflict
from config.transaction import Put, transact
from workflows.definitions import Definition
from workflows.items import runs

ACTIVE = "active"


def publish(site: str, definition: Definition) -> bool:
    """Write version and steps where they are new, then move the head; False where the version was there already."""
    now = clock.iso(clock.now())
    version = runs.Definition(
        *table.DEFINITION.key(site, workflow_id=definition.id),
        workflowId=definition.id,
        name=definition.name,
        version=definition.version,
        status=ACTIVE,
        description=definition.description,
        createdAt=now,
        updatedAt=now,
    )
    steps = [
        runs.DefinitionStep(
            *table.DEFINITION_STEP.key(site, workflow_id=definition.id, step_order=step.order),
            workflowId=definition.id,
            stepOrder=step.order,
            name=step.label,
            type=step.type,
            config={"stage": step.name, "next": {outcome or "default": order for outcome, order in step.next.items()}},
        )
        for step in definition.steps
    ]
    try:
        transact([Put(version), *(Put(step) for step in steps), _head(site, definition, now)])
    except Conflict:
        return False
    return True


def _head(site: str, definition: Definition, now: str) -> Put:
    key = table.DEFINITION.key(site, workflow_id=definition.name)
    head = runs.Definition(
        *key,
        workflowId=definition.name,
        name=definition.name,
        version=definition.version,
        status=ACTIVE,
        description=definition.description,
        createdAt=now,
        updatedAt=now,
    )
    return Put(head, overwrite=True)
