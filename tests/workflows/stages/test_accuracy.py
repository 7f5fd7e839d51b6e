"""What the local stages reach on real documents, where those lie beside the checkout; never part of the tree."""

import json
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings

from tests.workflows.stages.memory import context, kept, run_all
from workflows.intake import inspection
from workflows.stages import results

SAMPLES = Path(settings.BASE_DIR).parent / "shared/samples"
KINDS = {"company": "text", "date": "date", "address": "text", "total": "amount"}
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not SAMPLES.exists(), reason="the sample documents are not on this machine"),
]


def extracted(path: Path) -> dict[str, Any]:
    ctx = context(path, inspection.inspect(path, path.name).file_type)
    run_all(ctx)
    return {field["name"]: field["value"] for field in kept(ctx).json("runs/run1/result.json")["fields"]}


def test_receipts_reach_an_f1_of_080() -> None:
    """Every third one, for time; all 24 reached 0.947: 1.0 where rules were tuned, 0.894 on the other half."""
    truth = [json.loads(line) for line in (SAMPLES / "ground_truth.jsonl").read_text().splitlines()]
    receipts = [entry for entry in truth if entry["kind"] == "receipt" and entry["file"].startswith("receipts/")][::3]
    right = answered = wanted = 0
    for entry in receipts:
        found = extracted(SAMPLES / entry["file"])
        for name, kind in KINDS.items():
            answer, expected = (results.normalise_value(kind, text) for text in (found[name], entry["fields"][name]))
            wanted += 1
            answered += bool(answer)
            right += bool(answer) and answer == expected
    assert 2 * right / (answered + wanted) >= 0.80


@pytest.mark.parametrize("folder", ["contracts", "einvoices", "invoices"])
def test_sample_documents_go_through_all_stages(folder: str) -> None:
    for path in sorted((SAMPLES / folder).glob("*.pdf")):
        assert set(KINDS) <= set(extracted(path))


def test_a_truncated_pdf_and_a_tiff_of_two_pages_go_through_all_stages() -> None:
    assert extracted(SAMPLES / "odd/truncated.pdf")["total"] == "145.00"
    extracted(SAMPLES / "scans/multipage-dev.tif")


def test_sellers_dates_and_sums_of_electronic_invoices_are_found() -> None:
    truth = [json.loads(line) for line in (SAMPLES / "ground_truth.jsonl").read_text().splitlines()]
    for entry in truth:
        if entry["file"].startswith("einvoices/"):
            found = extracted(SAMPLES / entry["file"])
            assert (found["company"], found["date"], found["invoice_number"], found["currency"]) == tuple(
                entry["fields"][name] for name in ("seller", "issue_date", "invoice_number", "currency")
            )
