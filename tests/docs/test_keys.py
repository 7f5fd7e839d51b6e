import json
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.core.management import call_command

from config.table import page
from tests.each import each

SEEDS = Path(settings.BASE_DIR).parent / "shared/single_table.json"
COLUMNS = ("table", "pk", "sk", "gsi1pk", "gsi1sk", "gsi2pk", "gsi2sk", "attributes")
DESIGNS = ("pipeline_state", "review_checkpoint", "state_machine", "event_pipeline", "document_management")
# Where we differ on purpose; each such row says why in its ``deviation``.
DEVIATIONS = {
    ("Step", "sk"),
    ("ReviewCheckpoint", "attributes"),
    ("Execution", "gsi2pk"),
    ("Execution", "gsi2sk"),
    ("DocumentEvent", "gsi2pk"),
    ("DocumentEvent", "gsi2sk"),
    ("ReviewTask", "pk"),
    ("ReviewTask", "sk"),
    ("ReviewTask", "gsi1pk"),
    ("ReviewTask", "gsi1sk"),
    ("ReviewTask", "gsi2pk"),
    ("ReviewTask", "gsi2sk"),
    ("SoftDeletedDocument", "gsi1pk"),
    ("DocumentAction", "sk"),
    ("DocumentMultiValueTag", "sk"),
    ("Ruleset", "sk"),
    ("Rule", "gsi1sk"),
    ("RuleByStatus", "sk"),
    ("OpaPolicyItem", "sk"),
}


def test_the_page_of_keys_is_what_the_key_space_says() -> None:
    assert (Path(settings.BASE_DIR) / "docs/keys.md").read_text() == page.keys_page()


def test_show_keys_prints_every_entity_as_json(capsys: pytest.CaptureFixture[str]) -> None:
    call_command("show_keys", "--json")
    assert json.loads(capsys.readouterr().out) == page.key_rows()


@pytest.mark.skipif(not SEEDS.exists(), reason="the seeds' list of keys is not beside this checkout")
@each("design", DESIGNS)
def test_keys_are_the_seeds_but_for_the_listed_deviations(design: str) -> None:
    ours = {row["entity"]: row for row in page.key_rows()}
    seeds: list[dict[str, Any]] = [row for row in json.loads(SEEDS.read_text()) if row["design"] == design]
    assert seeds
    differing = {
        (seed["entity"], column) for seed in seeds for column in COLUMNS if ours[seed["entity"]][column] != seed[column]
    }
    assert differing == {key for key in DEVIATIONS if key[0] in {seed["entity"] for seed in seeds}}
    assert all(ours[entity]["deviation"] for entity, _ in differing)
