"""The row of a document's current step in its definition (seed 002), written with the run's state."""

from config import table
from config.transaction import Put
from workflows.definitions.blueprint import Definition
from workflows.runs.items import DefinitionDocument, Run, StepStatus


def plan_current_step(run: Run, definition: Definition, step: str, status: StepStatus, now: str) -> Put:
    """``step``: its name, empty at the end, which removes the row from the definition's list."""
    ids = {"document_id": run.document_id, "workflow_id": definition.name}
    key = table.DEFINITION_DOCUMENT.key(run.site, **ids)
    execution = table.EXECUTION.key(run.site, execution_id=run.workflow_id)
    row = DefinitionDocument(
        key.pk,
        key.sk,
        **(table.DEFINITION_DOCUMENT.gsi2(run.site, **ids) if step else {}),
        documentId=run.document_id,
        workflowId=definition.name,
        workflowName=definition.id,
        status=status,
        actionPk=execution.pk,
        actionSk=execution.sk,
        currentStepId=step or None,
        document_id=run.document_id,
        workflow_id=run.workflow_id,
        current_step=step or None,
        updated_at=now,
    )
    return Put(row, overwrite=True)
