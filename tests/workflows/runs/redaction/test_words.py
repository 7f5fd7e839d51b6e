"""Which places of a text are masked: the values however they are written, and nothing that tells their length."""

from tests.each import each
from workflows.runs.redaction.words import read_secrets

SECRETS = read_secrets(
    [
        {"type": "text", "value": "DE89 3704 0044 0532 0130 00"},
        {"type": "date", "value": "1980-03-31", "raw": "31 March 1980"},
        {"type": "text", "value": "张伟"},
        {"type": "text", "value": "Zoë Müller-Lüdenscheid", "extracted": "Zoe Muller"},
        {"type": "table", "value": "Ada\t5", "rows": [[{"value": "Ada"}, {"value": "5"}]]},
        {"type": "text", "value": None, "changes": [{"before": "Quagmire", "after": None}]},
    ]
)


@each(
    ("text", "masked"),
    [
        ("IBAN: DE89370400440532013000!", "IBAN: •••!"),  # without the blanks
        ("DE89 3704\n0044 0532 0130 00 x", "••• x"),  # over two lines
        ("born 31/03/1980.", "born •••"),  # a date written otherwise
        ("客户张伟您好", "客户•••您好"),  # no blanks between words
        ("Frau LUDENSCHEID wrote", "Frau ••• wrote"),  # one word of it, without accents
        ("Zoë Müller-Lüdenscheid", "•••"),  # three words are one mark
        ("paid by Ada", "paid by •••"),  # a cell of a table
        ("was Quagmire", "was •••"),  # what a person corrected
        ("5 pens", "••• pens"),
        ("nothing here 12", "nothing here 12"),
        ("Adam", "Adam"),  # a short one only alone
    ],
)
def test_what_is_masked(text: str, masked: str) -> None:
    assert SECRETS.mask(text) == masked


def test_words_of_a_page_are_found_one_by_one() -> None:
    assert SECRETS.find_words(["Dear", "Zoë", "31.03.1980,", "pens"]) == [False, True, True, False]
