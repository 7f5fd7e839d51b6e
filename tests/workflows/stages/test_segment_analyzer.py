import dataclasses
from pathlib import Path

from tests.tools.paper import Sheet, save
from tests.workflows.stages.memory import FIELDS, context, kept, list_reasons, run_all
from workflows.stages import (
    assess,
)
from workflows.stages.assessment import needs_review
from workflows.stages.assessment.triage import read_triage
from workflows.stages.base import FieldSpec, StageContext
from workflows.stages.registry import STAGES


def invoice(folder: Path, *, pages: int = 1, **changes: object) -> StageContext:
    sheets = [Sheet(400, 600) for _ in range(pages)]
    for sheet in sheets:  # an empty page would be read by OCR
        sheet.text(40, 580, "All prices in pounds sterling")
    sheets[0].text(40, 50, "Alder & Quill Stationers Ltd", size=14)
    sheets[0].text(40, 68, "14 Lantern Street")
    sheets[0].text(40, 80, "Northbridge NB2 4QT")
    sheets[0].text(40, 120, "Invoice no. AQ-0418")
    sheets[0].text(40, 134, "Invoice date 12 March 2024")
    sheets[0].text(40, 148, "Purchase order PO-55")
    sheets[-1].text(40, 300, "Total due £510.24")
    return context(save(sheets, folder / "a.pdf"), **changes)


def test_the_result_has_every_field_of_the_schema_in_its_order(tmp_path: Path) -> None:
    ctx = invoice(tmp_path)
    done = run_all(ctx)
    result = kept(ctx).json("runs/run1/result.json")
    assert [field["name"] for field in result["fields"]] == [spec.name for spec in FIELDS]
    assert {field["name"]: field["value"] for field in result["fields"]} == {
        "company": "Alder & Quill Stationers Ltd",
        "date": "2024-03-12",
        "address": "14 Lantern Street Northbridge NB2 4QT",
        "total": "510.24",
        "invoice_number": "AQ-0418",
        "currency": "GBP",
    }
    assert done["segment_analyzer"].facts == {"document_type": "invoice", "fields": 6}
    assert result["document_type"] == "invoice"
    assert result["version"] == 1


def test_a_field_says_what_is_printed_where_and_how_sure_it_is(tmp_path: Path) -> None:
    ctx = invoice(tmp_path)
    run_all(ctx)
    date = kept(ctx).json("runs/run1/result.json")["fields"][1]
    assert (date["raw"], date["page"], date["source"]) == ("12 March 2024", 0, "rules")
    assert 0.8 < date["confidence"] < 1
    x0, y0, x1, y1 = date["box"]
    assert 0 < x0 < x1 < 1
    assert y0 < 134 / 600 < y1
    assert (date["required"], date["threshold"]) == (FIELDS[1].required, FIELDS[1].threshold)
    assert date["candidates"][0]["value"] == "2024-03-12"
    assert date["candidates"][0]["evidence"]["label"] == 1.0


def test_pages_are_described_for_the_reviewer(tmp_path: Path) -> None:
    ctx = invoice(tmp_path, pages=2)
    run_all(ctx)
    result = kept(ctx).json("runs/run1/result.json")
    assert [(page["index"], page["image"]) for page in result["pages"]] == [
        (0, "preprocessed/page_0000.png"),
        (1, "preprocessed/page_0001.png"),
    ]
    assert next(field for field in result["fields"] if field["name"] == "total")["page"] == 1


def test_the_middle_of_a_long_document_is_not_searched(tmp_path: Path) -> None:
    ctx = invoice(tmp_path, pages=14)
    run_all(ctx)
    result = kept(ctx).json("runs/run1/result.json")
    assert len(result["pages"]) == 14
    assert next(field for field in result["fields"] if field["name"] == "total")["page"] == 13


def test_each_segment_gets_its_first_answer(tmp_path: Path) -> None:
    ctx = invoice(tmp_path, pages=2)
    run_all(ctx)
    segment = kept(ctx).json("analysis/segment_0000.json")
    assert segment["status"] == "completed"
    assert segment["ai_analysis"][0]["analysis_query"] == "Page 1 Analysis"
    assert "Invoice no. AQ-0418" in segment["ai_analysis"][0]["content"]


def test_analysing_again_changes_nothing(tmp_path: Path) -> None:
    ctx = invoice(tmp_path)
    run_all(ctx)
    first = dict(kept(ctx).kept)
    STAGES["segment_analyzer"].run(ctx)
    STAGES["assess"].run(ctx)
    assert kept(ctx).kept == first


def test_the_projects_own_field_is_found_by_its_label(tmp_path: Path) -> None:
    own = (FieldSpec("po", "Purchase order", "text", required=True, threshold=0.5),)
    ctx = invoice(tmp_path, fields=own)
    run_all(ctx)
    assert kept(ctx).json("runs/run1/result.json")["fields"][0]["value"] == "PO-55"


def test_a_document_without_text_is_no_error_and_says_so(tmp_path: Path) -> None:
    ctx = context(save([Sheet(200, 200)], tmp_path / "a.pdf"))
    done = run_all(ctx)
    assert done["assess"].facts["review_required"] is True
    assert list_reasons(ctx) == [
        "No page has readable text",
        "Company not found",
        "Date not found",
        "Total not found",
    ]


def test_counts_travel_and_what_is_said_of_values_lies_beside_the_result(tmp_path: Path) -> None:
    many = tuple(
        FieldSpec(f"f{number}", f"Field {number}", "text", required=True, threshold=0.8) for number in range(12)
    )
    ctx = invoice(tmp_path, fields=many)
    facts = run_all(ctx)["assess"].facts
    stored = kept(ctx).json("runs/run1/assessment.json")
    assert not {"reasons", "triage"} & facts.keys()
    assert (weighed := read_triage(stored["triage"]))
    assert weighed.codes == ("missing",)
    assert len(stored["reasons"]) == facts["unsure"] == facts["fields"] == 12
    assert stored["result_sha256"] == facts["result_sha256"]
    assert stored["reasons"][0] == {"field": "f0", "code": "missing", "text": "Field 0 not found"}


def test_a_script_that_cannot_be_read_sends_the_document_to_a_person(tmp_path: Path) -> None:
    sheet = Sheet(200, 100)
    sheet.bar((0, 0, 200, 100), (0.9, 0.9, 0.9))
    ctx = context(save([sheet], tmp_path / "a.pdf"), language="ru")
    run_all(ctx)
    assert any("Russian" in reason for reason in list_reasons(ctx))


def test_what_does_not_fit_together_is_kept_and_asked_about(tmp_path: Path) -> None:
    sheet = Sheet(400, 600)
    for place, row in enumerate(("Alder Ltd", "Date 12/03/2024", "Sub Total 10.00", "VAT 2.00", "Total due 13.00")):
        sheet.text(40, 50 + 20 * place, row)
    fields = tuple(dataclasses.replace(spec, threshold=0.0) for spec in FIELDS)
    ctx = context(save([sheet], tmp_path / "a.pdf"), fields=fields)
    run_all(ctx)
    text = "Total 13.00 does not follow from 10.00 and what is added to it"
    assert kept(ctx).json("runs/run1/result.json")["checks"] == [{"field": "total", "text": text}]
    assert text in [reason["text"] for reason in kept(ctx).json("runs/run1/assessment.json")["reasons"]]


def test_the_assessment_tells_the_review_what_may_be_approved(tmp_path: Path) -> None:
    names = ("unseen_allowed", "lacking_allowed")
    allowed, usual = (invoice(tmp_path, **dict.fromkeys(names, one)) for one in (True, False))
    facts = run_all(allowed)["assess"].facts
    assert [facts[name] for name in names] == [True, True]
    assert not {*names} & run_all(usual)["assess"].facts.keys()


def test_the_assessment_tells_the_review_which_reasons_there_are_to_reject(tmp_path: Path) -> None:
    facts = run_all(invoice(tmp_path, reject_reasons="Not ours\nDuplicate"))["assess"].facts
    assert facts["reject_reasons"] == ["Not ours", "Duplicate"]
    assert "reject_reasons" not in run_all(invoice(tmp_path))["assess"].facts


def test_the_assessment_tells_the_review_the_share_of_second_reviews(tmp_path: Path) -> None:
    assert run_all(invoice(tmp_path, check_share=0.1))["assess"].facts["check_share"] == 0.1
    assert "check_share" not in run_all(invoice(tmp_path))["assess"].facts


def test_the_assessment_says_by_which_policy_it_decided(tmp_path: Path) -> None:
    fields = tuple(dataclasses.replace(spec, threshold=0.0) for spec in FIELDS)
    labels = ", ".join(f"{spec.label} 0 %" for spec in FIELDS)
    sampled, usual = (invoice(tmp_path, fields=fields, audit_share=share) for share in (1.0, 0.0))
    assert run_all(sampled)["assess"].reason == f"Goes to review: threshold 80 %, {labels}, audit sample 100 %."
    assert run_all(usual)["assess"].reason == f"Needs no review: threshold 80 %, {labels}."
    settings = dataclasses.replace(usual.settings, most_wrong=0.005, calibration_version=2, calibration_paused=True)
    told = assess.describe_policy(settings, [dataclasses.replace(one, threshold=0.8) for one in FIELDS])
    assert told == "threshold 80 %, error limit 0.5 %, calibration 2, paused, audit sample 15 %"


def test_a_sampled_document_is_reviewed_though_nothing_is_in_doubt(tmp_path: Path) -> None:
    fields = tuple(dataclasses.replace(spec, threshold=0.0) for spec in FIELDS)
    sampled, usual = (invoice(tmp_path, fields=fields, audit_share=share) for share in (1.0, 0.0))
    assert run_all(sampled)["assess"].facts["review_required"] is True
    assert list_reasons(sampled) == [needs_review.AUDIT]
    assert run_all(usual)["assess"].facts["review_required"] is False


def test_the_result_says_which_language_the_document_is_in(tmp_path: Path) -> None:
    ctx = invoice(tmp_path)
    run_all(ctx)
    assert kept(ctx).json("runs/run1/result.json")["language"] == "en"
