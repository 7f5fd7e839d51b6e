"""Entities of trials: a prompt tried on one document, without a run."""

from config.table.keys import Entity, names

TRIAL = Entity(
    "countersign", "Trial", "trials#{project_id}", "trial#{trial_id}",
    attributes=names(
        "status purpose scope document_id model_id production production_scope draft_answer production_answer "
        "page_index readings error owner created_at userId user_name TimeToLive"
    ),
    note="ids and names of objects only, gone by TTL; what was tried and answered lies with the document",
)  # fmt: skip
