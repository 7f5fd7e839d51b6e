"""What a value's script says about its language."""

from config.scripts import language_of_value
from tests.each import each


@each(
    ("text", "told", "language"),
    [
        ("شركة النور للتجارة", "en", "ar"),
        ("شركة ABC للتجارة", "en", "ar"),
        ("گزارش هزینه", "en", "und-Arab"),  # Persian
        ("گزارش هزینه", "fa", "fa"),
        ("Nūr Trading", "en", "en"),
        ("ABC Ltd (شركة)", "en", "en"),
        ("株式会社サクラ", "de-DE", "ja"),
        ("株式会社", "ja", "ja"),
        ("株式会社", "en", "und-Hani"),
        ("Счёт", "en", "und-Cyrl"),
        ("Счёт", "ru", "ru"),
        ("Рачун", "sr", "sr"),
        ("1.250,00 €", "de", "de"),
        ("١٢٣", "en", "en"),  # digits have no language
        ("חשבונית", "", "he"),
        ("Invoice", "", ""),
    ],
)
def test_a_values_own_script_wins_over_its_documents_language(text: str, told: str, language: str) -> None:
    assert language_of_value(text, told) == language
