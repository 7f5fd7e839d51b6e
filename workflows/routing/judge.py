"""Evaluation of pinned rules after the analysis: reads the facts that they need, and stores the result."""

import dataclasses
import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from config.table import decode_part
from projects.documents.queries import list_attributes
from projects.schemas import composite_keys
from projects.schemas.attribute_values import format_value
from workflows.definitions import stored_rules
from workflows.definitions.rules import Facts, Judgement, Rule, Source, When, any_rule_reads, judge_rules, to_plain
from workflows.routing import barcodes, pinned_rules
from workflows.routing.barcodes import Barcode
from workflows.runs import run_files
from workflows.runs.items import DocumentWorkflow, Run
from workflows.stages import file_kinds
from workflows.stages.artifacts import write_json
from workflows.stages.document_types import of_result
from workflows.stages.segment_analyzer import FIRST, LAST
from workflows.storage import files
from workflows.storage.objects import DocumentFiles

DOCUMENT_TYPE = "document_type"  # a field of every document with a known type


def judge_document(
    run: Run, document: DocumentWorkflow, *, pages: int, heartbeat: Callable[[], None]
) -> dict[str, Any]:
    """Return the facts for the advance out of the assessment: queue, deciding rules, sha256 of the stored result.

    Empty if the run pinned no rules for this time. Raises: NotFound, Tampered if a stored file is gone.
    """
    book = pinned_rules.load_pinned_rules(run.site, stored_rules.read_routing(document.routing).book)
    rules = [rule for rule in book.rules if rule.when == When.ANALYSIS]
    if not rules:
        return {}
    store = run_files.files_of(run)
    looked_at = [index for index in range(pages) if index < FIRST or index >= pages - LAST]
    has_codes = any_rule_reads(rules, Source.BARCODE) and file_kinds.has_pages(str(document.data["file_type"]))
    codes = _read_barcodes(store, looked_at, heartbeat) if has_codes else []
    facts = _facts(run, document, rules, looked_at, codes)
    judgement = judge_rules(rules, facts, When.ANALYSIS)
    content = {
        "version": 1,
        "judgement": to_plain(judgement),
        "barcodes": [dataclasses.asdict(code) for code in codes],
    }
    body = write_json(store, files.routing_judgement(run.workflow_id), content)
    found: dict[str, Any] = {"routing_sha256": files.sha256(body), **judgement.facts}
    return found | ({"queue": judgement.effect.queue} if judgement.effect.queue else {})


def judgement_of(run: Run, sha256: str | None) -> Judgement:
    """Load the stored result. Raises: NotFound, Tampered."""
    if not sha256:
        return Judgement()
    store = run_files.files_of(run)
    return stored_rules.judgement_from(
        json.loads(store.read_pinned(files.routing_judgement(run.workflow_id), sha256))["judgement"]
    )


def _read_barcodes(store: DocumentFiles, indices: Sequence[int], heartbeat: Callable[[], None]) -> list[Barcode]:
    found: list[Barcode] = []
    for index in indices:
        found += barcodes.on_page(store, index)
        heartbeat()
    return found


def _facts(
    run: Run, document: DocumentWorkflow, rules: Sequence[Rule], indices: Sequence[int], codes: Sequence[Barcode]
) -> Facts:
    store = run_files.files_of(run, document)
    result = json.loads(store.read(files.result(run.workflow_id)))
    return Facts(
        content_type=str(document.data["file_type"]),
        pages=[_text(store, index) for index in indices] if any_rule_reads(rules, Source.TEXT) else (),
        barcodes=[code.text for code in codes],
        fields=_values(result),
        attributes=_attributes(run) if any_rule_reads(rules, Source.ATTRIBUTE) else {},
    )


def _values(result: Mapping[str, Any]) -> dict[str, list[str]]:
    """Return the field values, with the document type's name unless a field has that name."""
    kind = of_result.type_entry(result)
    found = {DOCUMENT_TYPE: [str(kind["name"])]} if kind and kind["id"] else {}
    return found | {field["name"]: [str(field["value"])] for field in result["fields"] if field.get("value")}


def _text(store: DocumentFiles, index: int) -> str:
    segment: Mapping[str, Any] = json.loads(store.read(files.segment(index)))
    return str(segment.get("text_content") or "")


def _attributes(run: Run) -> dict[str, list[str]]:
    """Return the attributes set by people or other runs.

    Composite rows are omitted; one without a value has its name.
    """
    found: dict[str, list[str]] = {}
    for row in list_attributes(run.site, run.document_id):
        if row.valueType != composite_keys.VALUE_TYPE:
            key = row.key_ or decode_part(row.SK.split("#")[1])
            found.setdefault(key, []).append(format_value(row.value) or key)
    return found
