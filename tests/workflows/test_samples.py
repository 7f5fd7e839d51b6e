from pathlib import Path

import pytest

from tests.workflows.stages.memory import context, kept, run_all
from workflows import intake, samples


@pytest.fixture(scope="module")
def paths(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    return samples.write_samples(tmp_path_factory.mktemp("samples"))


def outcome(path: Path) -> tuple[bool, dict[str, str], list[str]]:
    ctx = context(path, intake.inspect(path, path.name).file_type)
    facts = run_all(ctx)["assess"].facts
    fields = kept(ctx).json("runs/run1/result.json")["fields"]
    return facts["review_required"], {field["name"]: field["value"] for field in fields}, facts["reasons"]


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


def test_the_poor_receipt_goes_to_a_person_because_of_its_total(paths: list[Path]) -> None:
    required, values, reasons = outcome(paths[1])
    assert required
    assert values["company"] == "CORNER LARDER FOODS"
    assert any(reason.startswith("Total") for reason in reasons)


def test_the_scan_of_two_pages_has_its_total_on_the_second(paths: list[Path]) -> None:
    _, values, _ = outcome(paths[2])
    assert (values["total"], values["invoice_number"], values["date"]) == ("2627.40", "BT-1127", "2024-11-18")


def test_the_samples_are_the_same_every_time(paths: list[Path], tmp_path: Path) -> None:
    again = samples.write_samples(tmp_path / "new")
    assert [path.name for path in again] == [path.name for path in paths]
    assert [path.read_bytes() for path in again] == [path.read_bytes() for path in paths]
