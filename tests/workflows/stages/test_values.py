from tests.each import each
from workflows.stages import values


@each(
    ("text", "iso"),
    [
        ("12-01-19", "2019-01-12"),
        ("18/03/18", "2018-03-18"),
        ("25032018", "2018-03-25"),
        ("20180325", "2018-03-25"),
        ("25 MAY 2017", "2017-05-25"),
        ("(06/12/2016)", "2016-12-06"),
        ("2015-06-13", "2015-06-13"),
        ("13.06.2015", "2015-06-13"),
        ("31. März 2021", "2021-03-31"),
        ("October 28, 2024", "2024-10-28"),
        ("Jan 1, 2022", "2022-01-01"),
        ("3rd of March 1999", "1999-03-03"),
        ("3rd day of March, 1999", "1999-03-03"),
        ("30/05/18 11:01", "2018-05-30"),
        ("2018/02/2213:34:14", "2018-02-22"),
        ("30.03.1919:21", "2019-03-30"),  # a time of day follows two digits of a year
        ("04 0ctober 2014", "2014-10-04"),
        ("28-0ct-2023 18:00", "2023-10-28"),
        ("2018/02/2013:34:14", "2018-02-20"),
        ("22/02/201813:34", "2018-02-22"),
        ("22/02/1813:34:14", "2018-02-22"),
        ("14:4631-Jul-2015", "2015-07-31"),  # and goes before a date
        ("13:34:14 14-May-2012", "2012-05-14"),
        ("9:301/02/2015", "2015-02-01"),
        ("22FEB201813:34", "2018-02-22"),
        ("22.02.2018.13:34", "2018-02-22"),
        ("22/02/201813", None),
        ("2018年3月5日", "2018-03-05"),
        ("10/28/2024", "2024-10-28"),  # no month 28: only the other order can be meant
        ("31/02/2024", None),
        ("019-7521215", None),
        ("12.50", None),
        ("1/2", None),
        ("12/03/2024 or 13/03/2024", None),
        ("", None),
    ],
)
def test_dates_as_printed_become_iso(text: str, iso: str | None) -> None:
    assert values.date(text) == iso


def test_an_open_date_follows_the_country() -> None:
    assert values.date("03/04/2024") == "2024-04-03"
    assert values.date("03/04/2024", day_first=False) == "2024-03-04"


@each(
    ("text", "found"),
    [
        (":-51.88", "51.88"),
        ("Total :-51.88", "51.88"),
        ("Total: -51.88", "-51.88"),
        ("Rounding:-0.02", "-0.02"),
        (":-0.02", "-0.02"),
        ("Discount 5 % :-0.50", "-0.50"),
    ],
)
def test_a_dash_after_a_colon_leads_to_the_amount_unless_the_label_takes_off(text: str, found: str) -> None:
    assert [hit.value for hit in values.amounts_in(text)][-1] == found


def test_a_date_inside_a_line_is_found_with_its_place() -> None:
    (hit,) = values.dates_in("INV NO/DATE:K074-001096(06/12/2016)")
    assert (hit.value, hit.raw, hit.start) == ("2016-12-06", "06/12/2016", 24)


@each(
    ("text", "plain"),
    [
        ("RM33.90", "33.90"),
        ("1,007.50", "1007.50"),
        ("1.007,50 €", "1007.50"),
        ("1 007,50", "1007.50"),
        ("1'234.50", "1234.50"),
        ("-RM 0.02", "-0.02"),
        ("RM -0.02", "-0.02"),
        ("(5.00)", "-5.00"),
        ("5.00-", "-5.00"),
        ("Rs 1939", "1939.00"),
        ("$27,215.00", "27215.00"),
        ("1.007", "1007.00"),
        ("33.9", "33.90"),
        ("1.000,0000", "1000.00"),
        ("1 X 19.00", None),
        ("12.3O", None),
        ("about 12", None),
        ("USD 12", "12.00"),
        ("free", None),
        ("", None),
    ],
)
def test_amounts_as_printed_become_plain_decimals(text: str, plain: str | None) -> None:
    assert values.amount(text) == plain


@each(
    ("text", "code"),
    [("€", "EUR"), ("RM", "MYR"), ("rs.", "INR"), ("gbp", "GBP"), ("US$", "USD"), ("QTY", None), ("", None)],
)
def test_currencies_become_iso_codes(text: str, code: str | None) -> None:
    assert values.currency(text) == code


@each(
    ("text", "number"),
    [("12", "12"), ("1,5", "1.5"), ("-3", "-3"), ("1,000", "1000"), ("19 %", "19"), ("a dozen", None)],
)
def test_numbers_keep_their_digits(text: str, number: str | None) -> None:
    assert values.number(text) == number


def test_amounts_inside_a_line_are_found_with_tax_letters_and_counts() -> None:
    assert [hit.value for hit in values.amounts_in("2 X 11.50 | 23.00SR")] == ["2.00", "11.50", "23.00"]
