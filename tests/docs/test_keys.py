import json
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.core.management import call_command

from config import key_page

SEEDS = Path(settings.BASE_DIR).parent / "shared/single_table.json"
COLUMNS = ("pk", "sk", "gsi1pk", "gsi1sk", "gsi2pk", "gsi2sk", "attributes")
DESIGNS = ("pipeline_state", "review_checkpoint", "state_machine", "event_pipeline")
# Where we differ on purpose: entity and column → why.
DEVIATIONS = {
    ("Step", "sk"): "STEP#10 sorts before STEP#2: fixed width",
    ("ReviewCheckpoint", "attributes"): "one TTL attribute, TimeToLive, for the whole table",
    ("Execution", "gsi2pk"): "the due index, which the seeds do not have",
    ("Execution", "gsi2sk"): "the due index",
    ("DocumentEvent", "gsi2pk"): "the due index: an event that has yet to be published",
    ("DocumentEvent", "gsi2sk"): "the due index",
    ("ReviewTask", "pk"): "a table of its own in the seed; its key in the one table is ours to choose",
    ("ReviewTask", "sk"): "as its pk",
    ("ReviewTask", "gsi1pk"): "the queue",
    ("ReviewTask", "gsi1sk"): "the queue, by deadline",
    ("ReviewTask", "gsi2pk"): "the due index",
    ("ReviewTask", "gsi2sk"): "the due index",
}


def test_the_page_of_keys_is_what_the_key_space_says() -> None:
    assert (Path(settings.BASE_DIR) / "docs/keys.md").read_text() == key_page.page()


def test_show_keys_prints_every_entity_as_json(capsys: pytest.CaptureFixture[str]) -> None:
    call_command("show_keys", "--json")
    assert json.loads(capsys.readouterr().out) == key_page.rows()


@pytest.mark.skipif(not SEEDS.exists(), reason="the seeds' list of keys is not beside this checkout")
@pytest.mark.parametrize("design", DESIGNS)
def test_keys_are_the_seeds_but_for_the_listed_deviations(design: str) -> None:
    ours = {row["entity"]: row for row in key_page.rows()}
    seeds: list[dict[str, Any]] = [row for row in json.loads(SEEDS.read_text()) if row["design"] == design]
    assert seeds
    differing = {
        (seed["entity"], column) for seed in seeds for column in COLUMNS if ours[seed["entity"]][column] != seed[column]
    }
    assert differing == {key for key in DEVIATIONS if key[0] in {seed["entity"] for seed in seeds}}
