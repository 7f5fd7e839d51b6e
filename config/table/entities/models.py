"""Entities of models: a site's catalogue, and the latest test of each model."""

from config.table.keys import Entity, names

MODEL = Entity(
    "countersign", "Model", "models#", "model#{model_id}",
    attributes=names("model_id spec version chosen created_at created_by updated_at updated_by"),
    note="of language and OCR models; spec: how it is asked, its price; never an address or key of its endpoint",
)  # fmt: skip
MODEL_TEST = Entity(
    "countersign", "ModelTest", "models#", "test#{model_id}",
    attributes=names(
        "model_id status spec asked_at asked_by started_at ended_at ms tokens_in tokens_out micros words confidence "
        "answer message TimeToLive"
    ),
    note="the last one of each model, asked by an admin and made by a worker",
)  # fmt: skip
