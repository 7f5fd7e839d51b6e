import pytest

from tests.each import each
from workflows.stages.fields import spelling


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
        ("MERANTI SDN 3HD", "MERANTI SDN BHD", 1),
        ("Meranti Cary Sdn. Bhd.", "Meranti Carry SDN. BHD", 1),
        ("MERANTI SDN. BHD.", "MERANTI SDN. BHD.", 0),
        ("SUNDAY BHDX", "SUNDAY BHDX", 0),
    ],
)
def test_words_of_names_are_mended(read: str, meant: str, count: int) -> None:
    found, mended = spelling.mend_company(read)
    assert (found.rstrip("."), mended) == (meant.rstrip("."), count)
