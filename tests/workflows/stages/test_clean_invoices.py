"""Clean invoices of normal suppliers pass straight through: nothing that is right is a reason to ask a person."""

import datetime as dt
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from projects.schemas.defaults import DEFAULT_ATTRIBUTES, DEFAULT_CLASSIFICATIONS
from projects.settings.values import date_range
from tests.generated import invoices
from tests.generated.invoices import LAYOUTS, Invoice
from tests.tools import paper
from tests.workflows.stages.memory import context, kept
from tests.workflows.stages.papers import default_types
from workflows.stages import (
    results,
)
from workflows.stages.assessment import needs_review
from workflows.stages.base import FieldSpec
from workflows.stages.document_types import of_result
from workflows.stages.registry import STAGES

TODAYS = (dt.date(2026, 1, 31), dt.date(2026, 6, 28), dt.date(2026, 11, 20))
TOMORROW = dt.timedelta(days=1)


def specs(one: Invoice) -> tuple[FieldSpec, ...]:
    """The shipped classification, and what a site asks beside it by the labels of its own language; all required."""
    words = one.words
    labels = {"due_date": words["due"], "purchase_order": words["order"], "net_total": words["net"]}
    shipped = [DEFAULT_ATTRIBUTES[use.key] for use in DEFAULT_CLASSIFICATIONS["invoice"].uses]
    asked = [(one.key, labels.get(one.key, one.label), one.kind, one.columns) for one in shipped]
    asked += [("iban", "IBAN", "text", ""), ("tax_id", words["tax_id"], "text", "")]
    asked += [("net_amount", words["net"], "amount", ""), ("tax_amount", words["tax"], "amount", "")]
    return tuple(
        FieldSpec(name, label, kind, required=True, threshold=0.8, date_range=date_range(name, kind), columns=columns)
        for name, label, kind, columns in asked
    )


def read(path: Path, fields: Sequence[FieldSpec], **changes: Any) -> dict[str, Any]:
    """Of a new project: no reviews tell yet how reliable confidence is."""
    ctx = context(path, fields=tuple(fields), **({"language": "en", "most_wrong": 0.01} | changes))
    return analysed(ctx)


def analysed(ctx: Any) -> dict[str, Any]:
    for name, stage in STAGES.items():
        stage.run(ctx)
        if name == "segment_analyzer":
            break
    result: dict[str, Any] = kept(ctx).json("runs/run1/result.json")
    return result


def differing(result: dict[str, Any], truth: dict[str, str]) -> dict[str, str | None]:
    """Field → what was read in the place of the truth."""
    found = {field["name"]: field for field in result["fields"]}
    return {
        name: found[name]["value"]
        for name, value in truth.items()
        if results.normalise_value(found[name]["type"], found[name]["value"])
        != results.normalise_value(found[name]["type"], value)
    }


@pytest.mark.wide
@pytest.mark.parametrize("today", [*(pytest.param(one, marks=pytest.mark.slow) for one in TODAYS[1:]), TODAYS[0]])
@pytest.mark.parametrize("layout", LAYOUTS)
def test_every_layout_and_supplier_passes_without_a_reason(layout: str, today: dt.date, tmp_path: Path) -> None:
    reasons, wrong = {}, {}
    for name, one in invoices.every(today):
        if name != layout:
            continue
        path = invoices.draw(layout, one, tmp_path / f"{one.number}.pdf")
        result = read(path, specs(one))
        if why := needs_review.find_review_reasons(result, specs(one), today=today.isoformat()):
            reasons[one.supplier.name] = [reason.text for reason in why]
        if read_otherwise := differing(result, one.truth):
            wrong[one.supplier.name] = read_otherwise
    assert (reasons, wrong) == ({}, {})


@pytest.mark.wide
@pytest.mark.parametrize("layout", LAYOUTS)
def test_each_is_an_invoice_where_the_type_is_found(layout: str, tmp_path: Path) -> None:
    doubtful = {}
    for name, one in invoices.every(TODAYS[0]):
        if name != layout:
            continue
        path = invoices.draw(layout, one, tmp_path / f"{one.number}.pdf")
        typed = replace(context(path, typing="required"), types=default_types())
        result = analysed(typed)
        if (doubt := of_result.describe_type_doubt(result)) or result["classification"]["id"] != "invoice":
            doubtful[one.supplier.name] = doubt
    assert doubtful == {}


def test_what_is_wrong_on_it_is_still_a_reason(tmp_path: Path) -> None:
    """Of next month, or due before it was written."""
    today = TODAYS[2]
    _, clean = next(invoices.every(today))
    ahead = replace(clean, issued=today + dt.timedelta(days=9))
    late = replace(clean, due=clean.issued - dt.timedelta(days=9))
    for one, words in ((ahead, "is in the future"), (late, "is later than the day that payment is due")):
        result = read(invoices.draw("pairs", one, tmp_path / "a.pdf"), specs(one))
        found = needs_review.find_review_reasons(result, specs(one), today=today.isoformat())
        assert [words in reason.text for reason in found] == [True]


@pytest.mark.wide
def test_of_a_scan_nothing_but_the_letters_of_the_seller_may_be_doubtful(tmp_path: Path) -> None:
    """How sure an address of one line is that OCR read was measured; a project's reviews teach its sellers."""
    today = TODAYS[2]
    _, one = next(invoices.every(today))
    image = paper.scanned(paper.picture(LAYOUTS["pairs"](one), 200), seed=3, angle=0.2)
    image.save(tmp_path / "scan.png", dpi=(200, 200))
    result = analysed(context(tmp_path / "scan.png", "image/png", fields=specs(one)))
    found = needs_review.find_review_reasons(result, specs(one), today=today.isoformat())
    assert {(reason.field, reason.code) for reason in found} <= {
        (one, "low_confidence") for one in ("company", "address")
    }
    assert differing(result, one.truth) == {}
