from tests.each import each
from workflows.stages.pages import accents, ocr
from workflows.stages.pages.layout import Word


@each(
    "page",
    [
        ("PHARMACIE CLÉMENT", "12, RUE DES CARMES", "69002 LYON", "TOTAL TTC 12,00 €"),
        ("PHARMACIE CLEMENT", "12, rue des Carmes"),  # marks that were lost tell as well
        ("Bäckerei Möller", "Bahnhofstr. 3", "SUMME EUR 4,20", "MwSt 7 %"),
        ("Panadería Núñez", "Calle Mayor 3", "IVA 10 %"),
        ("Pekara Babić", "UKUPNO 12,00", "PDV 25%"),
        ("KAVARNA MLIN", "SKUPAJ 4,20", "DDV 22 %"),
        ("Kepykla Rūta", "Suma 4,20", "PVM 21 %"),
        ("BRUTĂRIA MOARA", "NUMERAR 20 LEI"),
    ],
)
def test_a_page_that_speaks_a_language_with_accents_keeps_them(page: tuple[str, ...]) -> None:
    assert accents.have_accents(score_words(page, 0.5))


def score_words(page: tuple[str, ...], score: float) -> list[tuple[str, float]]:
    return [(word, score) for line in page for word in line.split()]


@each(
    ("page", "kept"),
    [
        (("Slastičarnica Babić", "Ilica 3"), True),
        (("Babić", "BABIĆ"), False),  # one word
        (("Café", "Crème brûlée"), False),  # words that English borrowed
    ],
)
def test_two_sure_words_with_marks_tell_that_the_language_has_them(page: tuple[str, ...], *, kept: bool) -> None:
    assert accents.have_accents(score_words(page, 0.9)) is kept
    assert not accents.have_accents(score_words(page, 0.7))


@each(
    "page",
    [
        ("SETIA ÁLAM TRADING SDN BHD", "NO 3, JALAN SETIA", "TOTAL RM 12.00", "TERIMA KASIH"),
        ("MERCI PÂTISSERIE", "12 King Street", "Total $4.00"),  # a name alone
        (),
    ],
)
def test_a_page_in_english_or_malay_does_not(page: tuple[str, ...]) -> None:
    assert not accents.have_accents(score_words(page, 0.9))


@each(
    ("read", "kept"),
    [
        ("SETIA ÁLAM 東京 ü€", "SETIA ALAM 東京 u€"),
        ("KOWHAI CAFÉ", "KOWHAI CAFÉ"),
        ("Café crème, Stréet", "Café crème, Street"),
    ],
)
def test_stray_marks_are_taken_off_latin_letters_alone(read: str, kept: str) -> None:
    assert accents.drop_stray(read) == kept


def test_a_word_that_the_engine_is_sure_of_keeps_its_marks_on_every_page() -> None:
    words = [Word(text, (0, 0, 1, 1), score) for text, score in (("NÜRNBERG", 0.87), ("ÁLAM", 0.52))]
    assert [ocr.drop_unsure_marks(one).text for one in words] == ["NÜRNBERG", "ALAM"]
