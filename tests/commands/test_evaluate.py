"""``manage.py evaluate`` on papers with a text layer, which no OCR has to read."""

import json
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from tests.tools import evaluate, paper
from tests.tools.evaluation import ablations, measuring, scores, truth
from tests.tools.paper import Sheet
from workflows.learning import lessons
from workflows.stages.calibration import plain

pytestmark = pytest.mark.slow

COUNT = 30
NAMES = ("MERANTI", "SURIA JAYA", "OAKFIELD", "KIM LEONG", "BINTANG EMAS", "NORTHGATE", "PERDANA")


def receipt(path: Path, number: int) -> dict[str, str]:
    """Every third one has no word that says which amount is the total."""
    company, place = f"{NAMES[number % len(NAMES)]} TRADING SDN BHD", f"LOT {number % 10 + 1}, JALAN DUA"
    label = "Total" if number % 3 else "Points"
    amount = f"{number + 10}.50"
    sheet = Sheet(300, 400)
    rows = (
        company,
        place,
        "81100 JOHOR BAHRU",
        f"Date: {number % 28 + 1:02d}/03/2024",
        "HINGE 99.00",
        f"{label} {amount}",
    )
    for place_down, row in enumerate(rows):
        sheet.text(20, 40 + 18 * place_down, row)
    paper.save([sheet], path)
    date = f"{number % 28 + 1:02d}-03-2024"
    return {"company": company, "date": date, "address": f"{place} 81100 JOHOR BAHRU", "total": f"RM {amount}"}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("papers")
    entries = []
    for number in range(COUNT):
        fields = receipt(made / f"r{number:02d}.pdf", number)
        entries.append({"file": f"r{number:02d}.pdf", "kind": "receipt", "fields": fields})
    (made / truth.NAME).write_text("\n".join(map(json.dumps, entries)))
    return made


@pytest.fixture(scope="module")
def readings(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("readings")


def told(capsys: pytest.CaptureFixture[str], *arguments: str) -> dict[str, Any]:
    call_command("evaluate", *arguments, "--json")
    found: dict[str, Any] = json.loads(capsys.readouterr().out)
    return found


def test_f1_auc_and_reliability_are_told(folder: Path, readings: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = told(capsys, str(folder), "--readings", str(readings), "--split")
    assert found["documents"] == COUNT
    assert set(found["fields"]) == {"company", "date", "address", "total"}
    assert found["fields"]["company"]["f1"] == found["fields"]["date"]["f1"] == 1.0
    assert found["fields"]["total"]["right"] == sum(1 for number in range(COUNT) if number % 3)
    assert 0.5 < found["f1"] < 1.0
    assert found["auc"] > 0.7
    assert [level["threshold"] for level in found["reliability"]] == sorted(
        level["threshold"] for level in found["reliability"]
    )
    assert [found["split"][half]["documents"] for half in ("first", "second")] == [15, 15]
    assert found["after_reviews"]["reviewed"] == 24
    assert found["after_reviews"]["auc"] >= found["auc"]
    assert found["field_auc"].keys() == found["fields"].keys()
    assert all(
        low <= level["precision"] <= high
        for level in found["reliability"]
        if level["precision"] is not None
        for low, high in [level["interval"]]
    )
    assert found["other_sellers"]["documents"] == COUNT


def test_each_part_is_measured_with_and_without_by_folds(
    folder: Path, readings: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    asked = told(capsys, str(folder), "--readings", str(readings), "--ablations")
    found = asked["ablations"]
    assert f"Each seller held back: {COUNT} unseen documents of" in "\n".join(evaluate.report_lines(asked))
    assert (found["documents"], found["sellers"]) == (COUNT, len(NAMES))
    assert list(found["folds"]) == ["seller", "mixed"]
    for parts in found["folds"].values():
        assert [one["part"] for one in parts] == list(ablations.PARTS)
        for one in parts:
            assert one["f1"][1] <= one["f1"][0] <= one["f1"][2]
            assert 0 <= one["passed"] <= 1


def test_documents_that_were_tuned_on_are_not_measured_as_unseen(
    folder: Path, readings: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    papers = [measuring.paper(entry, readings) for entry in truth.entries(folder)]
    tuned = tmp_path / "tuned.txt"
    tuned.write_text("\n".join(one.fingerprint for one in scores.reviewed(measuring.answered(papers[3:]))))
    monkeypatch.setattr(evaluate, "TUNED", tuned)
    call_command("evaluate", str(folder), "--readings", str(readings), "--ablations")
    out = capsys.readouterr().out
    assert f"Of {COUNT} documents the rules were tuned on {COUNT - 3}" in out
    assert "With and without each part: 3 unseen documents are too few to measure on." in out


def test_of_many_documents_the_ones_not_reviewed_are_measured(
    folder: Path, readings: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    found = told(capsys, str(folder), "--readings", str(readings), "--reviewed", "20")["after_reviews"]
    assert (found["reviewed"], found["documents"], found["measured_on"]) == (20, 10, "on the 10 other documents")


def test_what_was_read_is_not_read_again(folder: Path, readings: Path, capsys: pytest.CaptureFixture[str]) -> None:
    told(capsys, str(folder), "--readings", str(readings))
    before = {path: path.stat().st_mtime_ns for path in readings.rglob("metadata.json")}
    told(capsys, str(folder), "--readings", str(readings))
    assert before
    assert before == {path: path.stat().st_mtime_ns for path in readings.rglob("metadata.json")}


def test_a_table_is_printed_for_people(folder: Path, readings: Path, capsys: pytest.CaptureFixture[str]) -> None:
    call_command("evaluate", str(folder), "--readings", str(readings), "--split")
    out = capsys.readouterr().out
    assert f"None of the {COUNT} documents is known to have been seen before." in out
    assert f"All documents: {COUNT} documents, F1 0." in out
    assert "The second half, every other document" in out
    assert "precision of the rest" in out


def test_documents_that_a_fit_has_seen_are_not_called_unseen(
    folder: Path, readings: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The fingerprint is of what the paper says, so that another scan or another name of the file is known too."""
    papers = [measuring.paper(entry, readings) for entry in truth.entries(folder)]
    learned = lessons.learn_weights(scores.reviewed(measuring.answered(papers[:10])))
    file = tmp_path / "calibration.json"
    file.write_text(json.dumps(plain(learned) | {"version": 1}))
    call_command("evaluate", str(folder), "--readings", str(readings), "--calibration", str(file))
    out = capsys.readouterr().out
    assert f"Of {COUNT} documents the rules were tuned on 0, the calibration saw 10." in out
    assert "say nothing of unseen documents" in out


def test_a_calibration_from_a_file_is_what_judges(
    folder: Path, readings: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "calibration.json"
    file.write_text(json.dumps({"version": 4, "weights": {"total": {"bias": -9}}, "vendors": []}))
    found = told(capsys, str(folder), "--readings", str(readings), "--calibration", str(file))
    assert found["calibration"] == 4
    assert found["reliability"][0]["asked"] >= 0.25  # every total


def test_what_cannot_be_read_counts_and_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    fields = receipt(tmp_path / "good.pdf", 1)
    (tmp_path / "bad.pdf").write_bytes(b"%PDF-1.4 nothing")
    entries = [{"file": name, "fields": fields} for name in ("good.pdf", "bad.pdf")]
    (tmp_path / truth.NAME).write_text("\n".join(map(json.dumps, entries)))
    found = told(capsys, str(tmp_path))
    assert found["fields"]["company"] == {
        "right": 1, "answered": 1, "expected": 2, "f1": 0.6667, "precision": 1.0, "recall": 0.5
    }  # fmt: skip
    assert [Path(one["file"]).name for one in found["unreadable"]] == ["bad.pdf"]
    assert found["after_reviews"] is None


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ((), "There is no ground_truth.jsonl in"),
        (("--truth", "{folder}/empty.jsonl"), "tells nothing of a document in"),
        (("--truth", "{folder}/odd.jsonl"), "is not one JSON object a line"),
    ],
)
def test_what_is_missing_is_named(tmp_path: Path, arguments: tuple[str, ...], sentence: str) -> None:
    (tmp_path / "empty.jsonl").touch()
    (tmp_path / "odd.jsonl").write_text("[1]\n")
    with pytest.raises(CommandError, match=sentence):
        call_command("evaluate", str(tmp_path), *(one.format(folder=tmp_path) for one in arguments))


@pytest.mark.parametrize(("given", "sentence"), [("3", "with --project"), ("none.json", "is not a calibration file")])
def test_a_calibration_that_is_not_there_is_named(folder: Path, given: str, sentence: str) -> None:
    with pytest.raises(CommandError, match=sentence):
        call_command("evaluate", str(folder), "--calibration", given)


def test_other_names_of_the_same_field_are_understood(tmp_path: Path) -> None:
    (tmp_path / "a.pdf").touch()
    line = {
        "file": "a.pdf",
        "kind": "invoice",
        "fields": {"seller": "Alder Ltd", "issue_date": "2024-03-01", "party": ["x"]},
    }
    (tmp_path / truth.NAME).write_text(json.dumps(line))
    (entry,) = truth.entries(tmp_path)
    assert entry.fields == {"company": "Alder Ltd", "date": "2024-03-01"}


def test_what_reviews_of_others_teach_extraction_is_told(
    folder: Path, readings: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = (str(folder), "--readings", str(readings), "--reviewed", "0", "--learn", "15")
    nothing, some = told(capsys, *arguments)["learning"]["receipt"]
    assert [one["reviews"] for one in (nothing, some)] == [0, 15]
    assert [one["documents"] for one in (nothing, some)] == [COUNT, COUNT]
    assert some["f1"] >= nothing["f1"]
    assert some["interval"][0] <= some["f1"] <= some["interval"][1]
    call_command("evaluate", *arguments)
    assert "Extraction learned from reviews of others, receipt: 30 documents" in capsys.readouterr().out
