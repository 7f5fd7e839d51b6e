"""Rules while typing: the check says what sending would say, a warning wants a reason, an error blocks."""

import json

import pytest

from review import queries
from review.decide import claims
from review.items.reviews import Review, ReviewDecision
from tests.aws_faults import count_calls
from tests.html import one_line
from tests.people import bob, charlie, signed_in
from tests.review.desk.pages import form
from tests.review.desk.test_answers import decided, decision_key
from tests.review.reviews import open_review, person, result, url
from workflows.stages.base import FieldSpec

pytestmark = pytest.mark.usefixtures("desk")


def invoice(**values: str):
    """A result of an invoice's sums, read without doubt."""
    kinds = {"date": "date", "net_total": "amount", "vat": "amount", "total": "amount", "iban": "text"}
    kinds |= {"due_date": "date"} if "due_date" in values else {}
    stored = {"date": "2024-03-31", "net_total": "100.00", "vat": "20.00", "total": "120.00"} | values
    fields = []
    for name, kind in kinds.items():
        spec = FieldSpec(name, name.replace("_", " ").capitalize(), kind, False, 0.8)
        value = stored.get(name)
        read = {"value": value, "raw": value, "confidence": 0.99, "page": 0, "box": None, "source": "rules"}
        fields.append({**vars(spec), **read, "candidates": []})
    return {**result(), "fields": fields}


def claimed(found):
    run, ref = open_review(found=found)
    claims.claim_review(ref, run, by=person(bob()))
    return run, ref


def check(ref, **changes):
    sent = {name: text for name, text in form(bob(), ref).items() if not name.startswith("seen-")}  # as the script
    answer = signed_in(bob()).post(url("check-fields", ref), sent | changes)
    assert answer.status_code == 200
    return json.loads(answer.content)["fields"]


def decide(ref, **changes):
    return signed_in(bob()).post(url("decide", ref), form(bob(), ref, **changes))


def test_the_check_says_what_is_stored_what_is_wrong_and_what_to_look_at() -> None:
    _, ref = claimed(invoice())
    said = check(ref, **{"field-total": "125,5", "field-date": "yesterday", "field-iban": "DE00"})
    told = "Total 125.50 is not 100.00 + 20.00 = 120.00"
    assert said["total"] == {"stored": "125.50", "error": "", "warnings": [told], "repair": "120.00"}
    assert said["date"]["error"] == "Enter the date as 2024-03-31 or 31/03/2024."
    assert said["iban"]["warnings"] == ["Iban is not a valid IBAN: its check digits do not match"]
    assert said["vat"] == {"stored": "", "error": "", "warnings": [], "repair": ""}
    page = one_line(signed_in(bob()).get(url("show-review", ref)).content)
    assert page.count("data-repair ") == page.count('data-use="" data-repair hidden')  # nothing to repair as it stands


def test_each_rule_that_a_field_fails_is_said_and_answered_for() -> None:
    run, ref = claimed(invoice(due_date="2024-04-30"))
    told = ["Due date 1990-01-01 is more than 30 years ago", "Due date 1990-01-01 is before Date 2024-03-31"]
    assert check(ref, **{"field-due_date": "1990-01-01"})["due_date"]["warnings"] == told
    refused = one_line(decide(ref, **{"field-due_date": "1990-01-01"}).content)
    assert all(f"<span>{one}</span>" in refused for one in told)
    decide(ref, **{"field-due_date": "1990-01-01", "field-#why-due_date": "As printed"})
    kept = [(one["field"], one["text"], one["reason"]) for one in decided(run, ref)["warnings"]]
    assert kept == [("due_date", one, "As printed") for one in told]


def test_a_box_is_ticked_beside_a_question_and_not_beside_an_error() -> None:
    """A value that only lacks a reason was found right; one that is wrong is to be corrected, and not left to check."""
    found = invoice(total="125.00")
    found["fields"][0] |= {"confidence": 0.5}
    _, ref = claimed(found)
    refused = one_line(decide(ref, **{"field-date": "yesterday"}).content)
    ticked = 'name="seen-{}" value="1" checked data-seen'
    assert [name for name in ("date", "total") if ticked.format(name) in refused] == ["total"]
    assert 'id="e-date" data-sent-error>' in refused
    assert 'id="e-total" data-sent-error="reason">' in refused
    assert "2 to correct" in refused


def test_what_is_said_while_typing_is_said_in_the_language_of_the_page() -> None:
    _, ref = claimed(invoice())
    typed = form(bob(), ref, **{"field-date": "03/04/2024", "field-vat": "x", "field-iban": "DE00"})
    answer = signed_in(bob()).post(url("check-fields", ref), typed, headers={"accept-language": "de"})
    said = json.loads(answer.content)["fields"]
    assert said["date"]["stored"] == "3. April 2024"
    assert said["vat"]["error"] == "Geben Sie den Betrag als 33.90 oder 1,007.50 ein, ohne Wörter."
    assert said["iban"]["warnings"] == ["Iban ist keine gültige IBAN: Die Prüfziffern passen nicht"]


def test_a_value_that_is_required_is_missed_as_soon_as_it_is_taken_away() -> None:
    _, ref = claimed(required(invoice(), "total"))
    cleared, answered = ({"field-total": ""}, {"answer-total": "absent"})
    assert check(ref)["total"]["error"] == ""
    assert check(ref, **cleared)["total"]["error"] == "Total is required. Enter it or reject the document."
    assert check(ref, **answered)["total"]["error"] == (
        "This project requires a value here. Enter it or reject the document."
    )
    assert decide(ref, **answered).status_code == 422
    Review.change(ref.key, [Review.lacking_allowed.set(True)], Review.PK.exists())
    assert check(ref, **answered)["total"]["error"] == ""
    assert decide(ref, **answered).status_code == 302


def test_a_required_value_that_was_not_found_is_no_error_before_somebody_comes_to_it() -> None:
    _, ref = claimed(required(invoice(total=""), "total"))
    assert check(ref)["total"]["error"] == ""
    reached = check(ref, **{"seen-total": "1"})
    assert reached["total"]["error"] == "Total is required. Enter it or reject the document."


def required(found, name):
    return {**found, "fields": [one | {"required": one["name"] == name} for one in found["fields"]]}


def test_a_rule_that_fails_offers_the_value_that_would_fit() -> None:
    _, ref = claimed(invoice(total="125.00"))
    page = one_line(signed_in(bob()).get(url("show-review", ref)).content)
    assert 'data-use="120.00" data-repair hidden>' in page


def test_the_check_reads_and_writes_nothing() -> None:
    _, ref = claimed(invoice())
    posted, browser = form(bob(), ref), signed_in(bob())
    with count_calls() as calls:
        browser.post(url("check-fields", ref), posted)
    assert calls.of_page() == []
    assert browser.post(url("check-fields", ref), {"ticket": "x"}).status_code == 422
    assert signed_in(charlie()).post(url("check-fields", ref), posted).status_code == 403


def test_a_warning_wants_a_reason_that_is_kept() -> None:
    run, ref = claimed(invoice())
    refused = decide(ref, **{"field-total": "125.00"})
    assert refused.status_code == 422
    text = one_line(refused.content)
    assert "Correct it, or enter why it is right." in text
    assert "Total 125.00 is not 100.00 + 20.00 = 120.00" in text
    assert queries.get_review(ref).decision is None
    why = {"field-total": "125.00", "field-#why-total": "  As printed,  tip by hand "}
    assert decide(ref, **why).status_code == 302
    (warning,) = decided(run, ref)["warnings"]
    assert warning == {
        "field": "total", "text": "Total 125.00 is not 100.00 + 20.00 = 120.00", "reason": "As printed, tip by hand",
    }  # fmt: skip
    row = ReviewDecision.load(decision_key(ref))
    assert {"what": "Warning accepted", "before": warning["text"], "after": warning["reason"]} in row.tell()


def test_what_was_read_so_is_warned_of_on_the_page_and_gated_too() -> None:
    _, ref = claimed(invoice(total="125.00"))
    page = one_line(signed_in(bob()).get(url("show-review", ref)).content)
    assert "Total 125.00 is not 100.00 + 20.00 = 120.00" in page
    assert decide(ref).status_code == 422
    assert decide(ref, **{"field-total": "120.00"}).status_code == 302


def test_an_error_blocks_with_or_without_a_reason() -> None:
    _, ref = claimed(invoice())
    refused = decide(ref, **{"field-total": "about ten", "field-#why-total": "It says so"})
    assert refused.status_code == 422
    assert "Enter the amount as 33.90 or 1,007.50, without words." in one_line(refused.content)


def test_a_reason_is_drafted() -> None:
    _, ref = claimed(invoice(total="125.00"))
    browser = signed_in(bob())
    posted = {"ticket": form(bob(), ref)["ticket"], "field-#why-total": "As printed"}
    assert browser.post(url("save-draft", ref), posted, headers={"hx-request": "true"}).status_code == 204
    assert 'value="As printed"' in one_line(browser.get(url("show-review", ref)).content)


def test_dates_are_read_as_the_document_writes_them() -> None:
    american = invoice() | {"day_first": False}
    run, ref = claimed(american)
    assert check(ref, **{"field-date": "03/04/2024"})["date"]["stored"] == "4 March 2024"
    assert decide(ref, **{"field-date": "03/04/2024"}).status_code == 302
    assert decided(run, ref)["corrections"] == {"date": "2024-03-04"}
    assert decided(run, ref)["changes"][0]["after"] == "2024-03-04"


def test_dates_in_a_table_are_read_so_too() -> None:
    spec = vars(FieldSpec("items", "Items", "table", False, 0.8, columns="What\nDay, date\nAmount, amount"))
    read = {"value": "Pens\t2024-03-31\t3.00", "raw": "", "confidence": 0.99, "page": 0, "box": None, "source": "rules"}
    found = invoice()
    items = spec | read | {"candidates": [], "rows": []}
    run, ref = claimed({**found, "day_first": False, "fields": [*found["fields"], items]})
    typed = {"field-items": "Pens\t03/04/2024\t3,5"}
    assert check(ref, **typed)["items"]["stored"] == "4 March 2024 (row 1), 3.50 (row 1)"
    assert decide(ref, **typed).status_code == 302
    assert decided(run, ref)["corrections"] == {"items": "Pens\t2024-03-04\t3.50"}


def test_a_field_without_a_value_is_in_no_sum() -> None:
    _, ref = claimed(invoice(total="125.00"))
    assert decide(ref, **{"answer-vat": "illegible"}).status_code == 302
