"""What does not fit together on a paper."""

from tests.each import each
from tests.workflows.stages.memory import document
from workflows.stages.fields import checks

LABELS = {"total": "Total", "date": "Date"}


def failed(*rows: str, **found: str | None) -> list[str]:
    return [one.text for one in checks.run_checks(document(*rows), found, LABELS)]


@each(
    ("rows", "total"),
    [
        (("Sub Total | 10.00", "GST 6% | 0.60", "Total | 10.60"), "10.60"),
        (("Sub Total | 10.00", "Discount | 1.00", "GST 6% | 0.54", "Total | 9.54"), "9.54"),
        (("Sub Total | 10.00", "Total | 12.00"), "12.00"),  # nothing printed leads from one to the other
        (("Sub Total | 10.00", "Subtotal | 20.00", "GST | 0.60", "Total | 31.00"), "31.00"),  # which one it was?
        (("Sub Total | 10.00", "GST 6% | 0.60", "Total | 12.00", "CASH | 20.00", "CHANGE | 8.00"), "12.00"),
        (("GST 6% | 0.60", "Total | 12.00"), "12.00"),
    ],
)
def test_sums_that_may_be_right_are_no_reason(rows: tuple[str, ...], total: str) -> None:
    assert failed(*rows, total=total) == []


def test_a_total_that_does_not_follow_is_a_reason() -> None:
    assert failed("Sub Total | 10.00", "GST 6% | 0.60", "Total | 11.60", total="11.60") == [
        "Total 11.60 does not follow from 10.00 and what is added to it"
    ]


def test_payment_due_before_the_date_is_a_reason() -> None:
    assert failed("Date 12/03/2024", "Due 11/02/2024", date="2024-03-12") == [
        "Date 2024-03-12 is later than the day that payment is due, 2024-02-11"
    ]
    assert failed("Date 12/03/2024", "Due 11/04/2024", date="2024-03-12") == []


@each(
    "row",
    [
        "Due Date 04/02/2024",  # the second of April, in California
        "Previous balance due 02/01/2024",
        "Past due since 02/01/2024",
        "Due on receipt | Order date 02/01/2024",
        "Due in 30 days, invoice of 02/01/2024",
    ],
)
def test_a_day_that_is_no_due_date_or_is_written_month_first_is_no_reason(row: str) -> None:
    assert failed("San Francisco, CA 94103", "Date 03/20/2024", row, date="2024-03-20") == []


def test_the_day_nearest_to_due_is_the_due_date() -> None:
    row = "Due 11 April 2024, printed 01/02/2024"
    assert failed("Date 12/03/2024", row, date="2024-03-12") == []
    assert failed("Date 12/03/2024 | Due 11/02/2024", date="2024-03-12") != []


def test_what_was_not_found_is_not_checked() -> None:
    assert failed("Sub Total | 10.00", "GST 6% | 0.60", "Total | 11.60", total=None) == []
    assert failed("Total | 11.60", total="eleven") == []
