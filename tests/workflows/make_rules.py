"""Rules for tests, made through the actions that the product uses, and documents that come under them."""

import uuid
from pathlib import Path
from typing import Any

from config import clock
from projects.audit.events import Actor
from tests.factories import PROJECT, PROJECT_ID, SITE, sample_files
from workflows.definitions.rules import Condition, Effect, Operator, Source, When
from workflows.intake import inspection
from workflows.intake import store as intake_store
from workflows.routing import actions
from workflows.routing.actions import MappingDraft, RuleDraft, RulesetDraft
from workflows.routing.items import Ruleset, StoredMapping, StoredRule
from workflows.runs.items import Run
from workflows.runs.new_run import Original
from workflows.storage.objects import DocumentFiles

ALICE = Actor("1", "Alice Novak")
BOB = Actor("2", "Bob Ito")


def is_pdf() -> Condition:
    return Condition(Source.CONTENT_TYPE, Operator.EQ, "application/pdf")


def says(words: str) -> Condition:
    return Condition(Source.TEXT, Operator.CONTAINS, words)


def make_ruleset(
    description: str = "Invoices", *, priority: int = 10, on: bool = True, by: Actor = ALICE, site: str = SITE,
    ruleset_id: str | None = None,
) -> Ruleset:  # fmt: skip
    draft = RulesetDraft(description, priority, on)
    return actions.create_ruleset(site, draft, by=by, ruleset_id=ruleset_id or clock.new_ulid())


def draft(
    *conditions: Condition, description: str = "To the payables", priority: int = 10, on: bool = True,
    when: When = When.ANALYSIS, **effect: Any,
) -> RuleDraft:  # fmt: skip
    return RuleDraft(description, priority, on, when, conditions, Effect(**effect))


def make_rule(
    ruleset: Ruleset, *conditions: Condition, by: Actor = ALICE, site: str = SITE, rule_id: str | None = None,
    **wanted: Any,
) -> StoredRule:  # fmt: skip
    return actions.create_rule(
        site, ruleset.documentId, draft(*conditions, **wanted), by=by, rule_id=rule_id or clock.new_ulid()
    )


def make_mapping(
    *pairs: tuple[str, str], name: str = "Totals", by: Actor = ALICE, site: str = SITE, mapping_id: str | None = None
) -> StoredMapping:
    wanted = MappingDraft(name, "", on=True, pairs=pairs)
    return actions.create_mapping(site, wanted, by=by, mapping_id=mapping_id or clock.new_ulid())


def arrived(file: Path | None = None, *, project: dict[str, Any] = PROJECT, site: str = SITE) -> Run:
    """A document that came as an upload does: inspected, stored, asked about, started."""
    file = file or sample_files()[0]
    seen = inspection.inspect(file, file.name)
    plan = intake_store.plan_run(site, PROJECT_ID, project, seen.file_type)
    document_id = str(uuid.uuid4())
    store = DocumentFiles(site, PROJECT_ID, document_id)
    with file.open("rb") as body:
        kept = store.save_original(body, seen.extension, seen.file_type)
    size = file.stat().st_size
    original = Original(file.name, seen.file_type, size, kept.key, seen.page_count, kept.sha256, kept.version)
    return intake_store.start(plan, document_id=document_id, original=original, by=Actor("test", "test"))
