import json
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.core.management import call_command
from django.urls import get_resolver

from config import table
from config.table import ENTITIES, Entity, page
from config.table.uses import NOT_SHOWN, Uses, uses_of
from review.api import api
from tests.each import each

SEEDS = Path(settings.BASE_DIR).parent / "shared/single_table.json"
COLUMNS = ("table", "pk", "sk", "gsi1pk", "gsi1sk", "gsi2pk", "gsi2sk", "attributes")
DESIGNS = ("pipeline_state", "review_checkpoint", "state_machine", "event_pipeline", "document_management")
USES = ("written_by", "read_by", "page", "api")
GETS = {
    one["operationId"]
    for path in api.get_openapi_schema(path_prefix="")["paths"].values()
    for method, one in path.items()
    if method == "get"
}
# Where we differ on purpose; each such row says why in its ``deviation``.
DEVIATIONS = {
    ("Step", "sk"),
    ("ReviewCheckpoint", "attributes"),
    ("Execution", "gsi2pk"),
    ("Execution", "gsi2sk"),
    ("DocumentEvent", "gsi1pk"),
    ("DocumentEvent", "gsi1sk"),
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


@pytest.mark.wide
def test_show_keys_prints_every_entity_as_json(capsys: pytest.CaptureFixture[str]) -> None:
    call_command("show_keys", "--json")
    printed = json.loads(capsys.readouterr().out)
    columns = page.key_rows()[0].keys()
    assert [{name: row[name] for name in columns} for row in printed] == page.key_rows()
    assert_used(printed)


def assert_used(rows: list[dict[str, Any]]) -> None:
    """Each kind of row is written, read, shown on a page and by the API, or says why no one could want that."""
    lacking = {
        row["entity"]: {name for name in USES if not row[name]} for row in rows if not all(row[name] for name in USES)
    }
    assert lacking == {}, "add what writes, reads or shows it, or say in its declaration why nobody could want that"
    used = {row["entity"] for row in rows for name in USES if row[name].startswith("used")}
    assert used == set(), "add what shows it, or say in its declaration why nothing does"


@pytest.mark.parametrize(
    ("name", "uses"),
    [
        ("DOCUMENT_TAG", ("projects.documents.queries.document_rows", "documents:show-document", "show_document")),
        ("EXECUTION", ("workflows.runs.queries.execution", "workflows:show-history", "list_executions")),
        ("CASE_TASK", ("review.cases.queries.get_case_rows", "cases:show-case", "show_case")),
        ("AUDIT_LINE", ("review.audit.timeline.all_sources", "audit:show-audit", "list_audit")),
        ("ENTITY", ("projects.entities.queries.list_entities", "entities:list-entities", "list_entities")),
    ],
)
def test_cells_name_what_shows_rows_and_not_what_only_changes_them(name: str, uses: tuple[str, ...]) -> None:
    found = uses_of(getattr(table, name))
    assert (found.read_by, found.page, found.api) == uses


@pytest.mark.parametrize(
    ("name", "writer"),
    [
        ("DOCUMENT_COPY", "projects.documents.actions.copies.remember_digests"),
        ("CASE_DOCUMENT", "review.cases.actions.attach_document"),
        ("FOLLOW_UP", "workflows.publish.actions._of_follow_up"),
    ],
)
def test_what_only_removes_rows_is_no_writer_if_there_is_another(name: str, writer: str) -> None:
    assert uses_of(getattr(table, name)).written_by == writer


def test_what_uses_a_row_without_showing_it_is_not_named_as_its_reader() -> None:
    copies, values = uses_of(table.DOCUMENT_COPY), uses_of(table.SITE_ALLOWED_VALUE)
    assert copies.read_by == "projects.documents.queries.list_earlier_copies"
    told = f"not shown: {table.DOCUMENT_COPY.not_shown}"
    assert (copies.page, copies.api) == (told, told)
    assert (values.page, values.api) == ("schemas:edit-attribute", "show_attribute")
    unnamed = uses_of(replace(table.DOCUMENT_COPY, not_shown=""))
    assert (unnamed.page, unnamed.api) == ("", "")


@each("entity", [one for one in ENTITIES if one.not_shown])
def test_what_is_not_shown_says_why(entity: Entity) -> None:
    assert len(entity.not_shown.split()) >= 8
    uses = uses_of(entity)
    assert f"{NOT_SHOWN}{entity.not_shown}" in (uses.page, uses.api), "it is shown: drop the sentence"
    assert entity.not_shown in page.keys_page()


def is_page(name: str) -> bool:
    space, _, view = name.partition(":")
    _, resolver = get_resolver().namespace_dict[space]
    return view in resolver.reverse_dict


@each("entity", [one for one in ENTITIES if one.shown_by])
def test_what_is_said_to_show_a_row_is_there(entity: Entity) -> None:
    shown_on, operation = entity.shown_by
    uses = uses_of(entity)
    assert not shown_on or (is_page(shown_on) and uses.page == shown_on)
    assert (operation in GETS, uses.api) == (True, operation)
    assert NOT_SHOWN not in f"{uses.page}{uses.api}"


@pytest.mark.parametrize(
    ("name", "operation"),
    [
        ("BATCH", "list_batches"), ("MAPPING", "show_mapping"), ("RUN_FIGURES", "list_failures"),
        ("QUALITY_FIGURES", "show_quality"), ("REVIEW_CHECK", "list_disputes"), ("AUDIT_LINE", "list_audit"),
        ("TEST_SET_VERSION", "list_test_set_versions"),
    ],
)  # fmt: skip
def test_what_people_look_for_has_an_operation_of_its_own(name: str, operation: str) -> None:
    assert uses_of(getattr(table, name)).api == operation


@each("entity", [one for one in ENTITIES if one.internal])
def test_what_is_internal_says_why_and_lacks_something(entity: Entity) -> None:
    assert len(entity.internal.split()) >= 8
    assert "internal: " in "".join(asdict(uses_of(entity)).values())
    assert entity.internal in page.keys_page()


def test_a_new_kind_of_row_that_nothing_uses_is_found() -> None:
    unused = Entity("countersign", "Unheard", "UNHEARD#{id}", "META")
    assert uses_of(unused) == Uses()


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
