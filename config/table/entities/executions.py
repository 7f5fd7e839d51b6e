"""Entities of executions without a document (seed 003), beside those of documents' runs."""

from config.table.keys import Entity, names

INPUT_EXECUTION = Entity(
    "countersign", "InputExecution", "EXECUTION#{execution_id}", "#METADATA",
    "WORKFLOW#{workflow_id}", "EXECUTION#{datetime}#{execution_id}", "DUE#{shard}", "{due_at}#execution#{execution_id}",
    attributes=names(
        "executionId workflowId status outcome currentStep triggeredBy createdAt updatedAt definition title "
        "engine_attempt last_transition review purged_at"
    ),
    note="seed 003's Execution without a document, due by another kind; after a purge without title and GSI1",
)  # fmt: skip
EXECUTION_INPUT = Entity(
    "countersign", "ExecutionInput", "EXECUTION#{execution_id}", "INPUT",
    attributes=names("json sha256"),
    note="what started it; gone after a purge",
)  # fmt: skip
EXECUTION_EVENT = Entity(
    "countersign", "ExecutionEvent", "EXECUTION#{execution_id}", "EVENT#{datetime_us}#{event_type}",
    gsi1pk="EVENTS#{date}", gsi1sk="{datetime_us}#{event_id}",
    gsi2pk="DUE#{shard}", gsi2sk="{due_at}#event#{event_id}",
    attributes=names("event_id type occurredAt correlationId bus_type bus_detail"),
    note="what the bus is told of an execution without a document; GSI1 as a document's event; GSI2 until it has been",
)  # fmt: skip
