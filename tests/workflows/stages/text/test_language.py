"""The language of a document's text."""

import pytest

from workflows.stages.text.language import find_language

GERMAN = (
    "Wir bitten um Zahlung der Rechnung für die Lieferung mit der Post. Das Geld ist auf das Konto der Firma zu "
    "überweisen, und nicht von den Kunden mit dem Auto zu bringen."
)
ENGLISH = (
    "Please pay the sum of this invoice to the account of the firm with the number that is on the back of the page."
)
SWEDISH = "Det är inte för att det är dyrt, och av det som är på bordet är ett glas med vatten och ett för av det."


@pytest.mark.parametrize(
    ("text", "told", "found"),
    [
        (GERMAN, "de", "de"),
        (GERMAN, "en", "de"),  # a project's default that nobody changed
        (ENGLISH, "en", "en"),
        (ENGLISH, "de", "en"),
        (SWEDISH, "da", "da"),  # alike: the project knows better
        ("TOTAL 12.50 EUR", "de", "de"),
        ("12.50", "fr", "fr"),
        ("", "en", "en"),
        (ENGLISH, "en_GB", "en-GB"),
        ("請求書 金額 合計 お支払い ください", "en", "ja"),
        ("請求書 金額 合計 お支払い ください", "zh", "ja"),
        ("發票 號碼 金額 合計 付款 日期", "zh_Hant_TW", "zh-Hant-TW"),
        ("세금계산서 합계 금액 공급자", "en", "ko"),
        ("Счёт на оплату товара", "en", ""),  # not only Russian is written so
        ("Счёт на оплату товара", "ru", "ru"),
        ("فاتورة رقم سبعة عشر", "ar", "ar"),
        (ENGLISH, "ar", ""),
        (ENGLISH, '"><script>', ""),
    ],
)
def test_the_language_of_a_text_is_the_told_one_unless_the_text_is_in_another(text: str, told: str, found: str) -> None:
    assert find_language(text, told) == found
