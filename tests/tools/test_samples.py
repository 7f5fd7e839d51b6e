import datetime as dt
from pathlib import Path

import pytest

from config import clock
from projects.settings.defaults import INVOICE_PROJECT
from projects.settings.items import settings_to_store
from tests.tools import samples
from tests.workflows.stages.memory import context, kept, list_reasons, run_all
from workflows.intake import inspection
from workflows.runs import run_settings


@pytest.fixture(scope="module")
def paths(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    return samples.write_samples(tmp_path_factory.mktemp("samples"))


def outcome(path: Path) -> tuple[bool, dict[str, str], list[str]]:
    ctx = context(path, inspection.inspect(path, path.name).file_type)
    facts = run_all(ctx)["assess"].facts
    fields = kept(ctx).json("runs/run1/result.json")["fields"]
    return facts["review_required"], {field["name"]: field["value"] for field in fields}, list_reasons(ctx)


def test_the_clean_invoice_needs_nobody(paths: list[Path]) -> None:
    assert outcome(paths[0]) == (
        False,
        {
            "company": "Alder & Quill Stationers Ltd",
            "date": "2024-03-12",
            "address": "14 Lantern Street Northbridge NB2 4QT United Kingdom",
            "total": "510.24",
            "invoice_number": "AQ-2024-0418",
            "currency": "GBP",
        },
        [],
    )


@pytest.mark.parametrize("today", [dt.date(2026, 1, 31), dt.date(2026, 12, 2), clock.now().date()])
def test_the_invoice_that_is_due_next_month_needs_nobody(
    today: dt.date, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(clock, "now", lambda: dt.datetime.combine(today, dt.time(9), dt.UTC))
    path = samples.write_due_invoice(tmp_path, today)
    fields = tuple(run_settings.freeze(settings_to_store(INVOICE_PROJECT)).fields)
    ctx = context(path, fields=fields)
    facts = run_all(ctx)["assess"].facts
    values = {field["name"]: field["value"] for field in kept(ctx).json("runs/run1/result.json")["fields"]}
    following = (today.replace(day=1) + dt.timedelta(days=32)).replace(day=15)
    assert (facts["review_required"], list_reasons(ctx)) == (False, [])
    assert values == {
        "company": "Juniper Mill Paper Ltd",
        "date": (today - dt.timedelta(days=4)).isoformat(),
        "address": "2 Weir Street Saltmarsh SM4 2CD United Kingdom",
        "total": "1488.00",
        "invoice_number": f"JM-{today - dt.timedelta(days=4):%y%m}-0612",
        "currency": "GBP",
        "due_date": following.isoformat(),
        "po_number": "BS-20871",
        "iban": "GB33 BUKB 2020 1555 5555 55",
        "vat_id": "GB 000 7702 30",
        "net_total": "1240.00",
        "vat": "248.00",
    }


@pytest.mark.wide
def test_the_poor_receipt_goes_to_a_person_because_of_its_total(paths: list[Path]) -> None:
    required, values, reasons = outcome(paths[1])
    assert required
    assert values["company"] == "CORNER LARDER FOODS"
    assert any(reason.startswith("Total") for reason in reasons)


@pytest.mark.wide
def test_the_scan_of_two_pages_has_its_total_on_the_second(paths: list[Path]) -> None:
    _, values, _ = outcome(paths[2])
    assert (values["total"], values["invoice_number"], values["date"]) == ("2627.40", "BT-1127", "2024-11-18")


@pytest.mark.wide
def test_the_samples_are_the_same_every_time(paths: list[Path], tmp_path: Path) -> None:
    again = samples.write_samples(tmp_path / "new")
    assert [path.name for path in again] == [path.name for path in paths]
    assert [path.read_bytes() for path in again] == [path.read_bytes() for path in paths]
