import pytest

from tests.each import each
from tests.workflows.stages.memory import FIELDS, document
from workflows.stages import fields
from workflows.stages.fields import spelling
from workflows.stages.fields.candidates import SPELLED

SPECS = {spec.name: spec for spec in FIELDS}


@each(
    ("read", "meant"),
    [
        ("5 Jaian Dua", "5 Jalan Dua"),
        ("0ATU 4 JALAN KAPAR", "BATU 4 JALAN KAPAR"),
        ("Kusla Lumpur, Mslaysia", "Kuala Lumpur, Malaysia"),
        ("8 JALAN DUA", "8 JALAN DUA"),
        ("SUNRISE JAPAN", "SUNRISE JAPAN"),  # one letter from jalan, and no reading of it
        ("PERAI", "PERAI"),
        ("U5/13", "U5/13"),
    ],
)
def test_words_of_addresses_are_mended(read: str, meant: str) -> None:
    assert spelling.mend_words(read, spelling.ADDRESS)[0] == meant


def test_what_was_mended_is_counted() -> None:
    assert spelling.mend_words("Jaian Satu, Tanan Dua, Jalan Tiga", spelling.ADDRESS)[1] == 2


@pytest.mark.parametrize(
    ("read", "meant", "count"),
    [
        ("Meranti Cary Sdn. Bhd.", "Meranti Carry Sdn. Bhd.", 1),
        ("MERANTI SDN. BHD.", "MERANTI SDN. BHD.", 0),
    ],
)
def test_words_of_names_are_mended(read: str, meant: str, count: int) -> None:
    assert spelling.mend_company(read) == (meant, count)


@each(
    ("read", "meant"),
    [
        ("MERANTI SDN 3HD", "MERANTI SDN BHD"),
        ("SON. BHD.", "SDN. BHD."),
        ("J&K (M) Sdn. Bnd", "J&K (M) Sdn. Bhd"),
        ("MERANTI Sdn Bhd", "MERANTI Sdn Bhd"),
        ("SUNDAY BHDX", "SUNDAY BHDX"),
        ("FATHER AND SON", "FATHER AND SON"),
    ],
)
def test_a_legal_form_is_one_whatever_was_made_of_its_letters(read: str, meant: str) -> None:
    assert spelling.mend_legal_form(read) == meant


def test_a_name_whose_legal_form_was_misread_is_less_sure() -> None:
    sure, unsure = (
        fields.find_candidates(document(f"MERANTI {form}", "4 JALAN DUA", "Total | 12.00"), SPECS["company"])[0]
        for form in ("SDN BHD", "SON 3HD")
    )
    assert (unsure.value, unsure.raw) == (sure.value, "MERANTI SON 3HD")
    assert unsure.confidence < sure.confidence


@pytest.mark.parametrize(
    ("name", "lines", "read", "usual"),
    [
        (
            "address",
            ("MERANTI LTD", "4 JALAN BARU, 43300 SELANGIR", "Total | 12.00"),
            "4 JALAN BARU, 43300 SELANGIR",
            1,
        ),
        ("company", ("TWO RESTAURANTS SDN BHD", "4 JALAN DUA", "Total | 12.00"), "TWO RESTAURANTS SDN BHD", 1),
        ("company", ("MERANTI TRADING SDN BHD", "4 JALAN DUA", "Total | 12.00"), "MERANTI TRADING SDN BHD", 0),
    ],
)
def test_what_was_read_is_the_value_and_its_usual_spelling_is_offered(
    name: str, lines: tuple[str, ...], read: str, usual: int
) -> None:
    found = fields.find_candidates(document(*lines), SPECS[name])
    assert found[0].value == read
    assert [SPELLED in one.evidence for one in found[1:]] == [True] * usual
    sure = fields.find_candidates(document("MERANTI SDN BHD", *lines[1:]), SPECS[name])[0]
    assert (found[0].evidence["misread"] > 0) == bool(usual)
    assert not usual or found[0].evidence["margin"] == sure.evidence["margin"]
