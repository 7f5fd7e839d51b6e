"""The script that a text is written in, and what it says about the text's language."""

from collections import Counter
from collections.abc import Mapping

# First and last letter of each script.
_SPANS: Mapping[str, tuple[tuple[str, str], ...]] = {
    "cyrillic": (("\u0400", "\u052f"),),
    "arabic": (("\u0600", "\u06ff"), ("\u0750", "\u077f"), ("\ufb50", "\ufeff")),
    "hebrew": (("\u0590", "\u05ff"),),
    "greek": (("\u0370", "\u03ff"),),
    "devanagari": (("\u0900", "\u097f"),),
    "thai": (("\u0e00", "\u0e7f"),),
    "kana": (("\u3040", "\u30ff"),),
    "hangul": (("\u1100", "\u11ff"), ("\uac00", "\ud7af")),
    "han": (("\u3400", "\u9fff"),),
}
# Language → its scripts; Latin if it is not here.
WRITTEN_IN: Mapping[str, frozenset[str]] = {
    "ru": frozenset({"cyrillic"}),
    "uk": frozenset({"cyrillic"}),
    "bg": frozenset({"cyrillic"}),
    "ar": frozenset({"arabic"}),
    "fa": frozenset({"arabic"}),
    "ur": frozenset({"arabic"}),
    "he": frozenset({"hebrew"}),
    "el": frozenset({"greek"}),
    "hi": frozenset({"devanagari"}),
    "th": frozenset({"thai"}),
    "ja": frozenset({"kana", "han"}),
    "ko": frozenset({"hangul", "han"}),
    "zh": frozenset({"han"}),
}
# Where the language is not certain, BCP 47 has a code for the script alone.
_CODES: Mapping[str, str] = {
    "cyrillic": "und-Cyrl",
    "arabic": "ar",
    "hebrew": "he",
    "greek": "el",
    "devanagari": "hi",
    "thai": "th",
    "kana": "ja",
    "hangul": "ko",
    "han": "und-Hani",
}
_BEYOND_ARABIC = ("\u0671", "\u06d5")  # letters of Persian, Urdu and others, which Arabic does not have
_CAN_MIX = frozenset({"sr", "az", "uz", "kk", "mn", "ks", "sd", "ku"})  # languages with more than one script


def script_of(letter: str) -> str:
    if letter < "\u0370":
        return "latin"
    return next(
        (name for name, spans in _SPANS.items() if any(first <= letter <= last for first, last in spans)), "latin"
    )


def language_of_value(text: str, told: str) -> str:
    """Return the BCP 47 code of a value within a document whose language is ``told``, by the script of most letters.

    >>> language_of_value("فاتورة", "en"), language_of_value("Invoice", "en"), language_of_value("17", "en")
    ('ar', 'en', 'en')
    """
    if text.isascii():
        return told
    scripts = Counter(script_of(letter) for letter in text if letter.isalpha())
    script = scripts.most_common(1)[0][0] if scripts else "latin"
    if script == "han" and scripts["kana"]:
        script = "kana"
    base = told.split("-", maxsplit=1)[0]
    if script == "latin" or base in _CAN_MIX or script in WRITTEN_IN.get(base, ()):
        return told
    first, last = _BEYOND_ARABIC
    if script == "arabic" and any(first <= letter <= last for letter in text):
        return "und-Arab"
    return _CODES[script]
