"""Language names by code, for prompts; used by stages and providers."""

import re

from projects.settings.values import LANGUAGES

_REGIONAL = {
    "zh-cn": "Simplified Chinese",
    "zh-hans": "Simplified Chinese",
    "zh-tw": "Traditional Chinese",
    "zh-hk": "Traditional Chinese",
    "zh-hant": "Traditional Chinese",
}
_CODE = re.compile(r"[a-z]{2,3}(-[a-z0-9]{1,8})*")


def language_code(stored: str) -> str:
    """Normalize a code: other systems write ``de-DE``, ``zh_TW`` or ``EN``.

    >>> language_code(" zh_TW ")
    'zh-tw'
    """
    return stored.strip().lower().replace("_", "-")


def base_language(stored: str) -> str:
    """Strip region and script.

    >>> base_language("pt-BR")
    'pt'
    """
    return language_code(stored).partition("-")[0]


def language_name(stored: str) -> str:
    """Return the English name, for a prompt. Unknown codes are passed on; invalid ones mean English.

    >>> language_name("de"), language_name("zh-TW"), language_name("cs")
    ('German', 'Traditional Chinese', 'the language with the code cs')
    """
    code = language_code(stored)
    named = _REGIONAL.get(code) or LANGUAGES.get(base_language(code))
    if named:
        return named
    return f"the language with the code {code}" if _CODE.fullmatch(code) else LANGUAGES["en"]
