"""Entities of batches: many files listed in one manifest (ADR 0016)."""

from config.table.keys import Entity, names

BATCH = Entity(
    "countersign", "Batch", "BATCH#{batch_id}", "META", "BATCHES", "{batch_id}",
    "DUE#{shard}", "{due_at}#batch#{batch_id}",
    attributes=names(
        "name status project_id project_name manifest form attempt total parts planned opened taken lanes slots share "
        "percent allowed bad failed published rejected waiting unpacked skipped skipped_kinds message again tries "
        "lease_owner step_lease_until userId user_name created_at updated_at"
    ),
    note="where a batch stands, its lanes (slot → line) included; GSI2 while something is to be done",
)  # fmt: skip
BATCH_LINE = Entity(
    "countersign", "BatchLine", "BATCH#{batch_id}", "LINE#{number:08d}",
    attributes=names("number s3_key name project_id document_id message again attempt updated_at"),
    note="only of a line of the manifest that is wrong or failed, with the reason",
)  # fmt: skip
ACTIVE_BATCH = Entity(
    "countersign", "ActiveBatch", "BATCHES", "ACTIVE#{batch_id}",
    attributes=names("project_id created_at"),
    note="the batches of a site that take slots now, which share them",
    not_shown="a lock: which batches share the slots now; each batch shows its own status and slots",
)  # fmt: skip
BATCH_EVENT = Entity(
    "countersign", "BatchEvent", "BATCH#{batch_id}", "EVENT#{datetime_us}#{event_type}",
    gsi1pk="EVENTS#{date}", gsi1sk="{datetime_us}#{event_id}",
    gsi2pk="DUE#{shard}", gsi2sk="{due_at}#event#{event_id}",
    attributes=names("event_id type occurredAt correlationId bus_type bus_detail"),
    note="what the bus is told of a batch; GSI1 as a document's event; GSI2 until it has been",
    internal="a batch's page says the same of its own row: how it ended, and the counts",
)  # fmt: skip
