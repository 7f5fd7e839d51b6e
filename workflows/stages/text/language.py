"""The language of a document's text: the one its project says, unless the text clearly is in another.

Screen readers and hyphenation follow it, so a wrong language is worse than none.
"""

import re
from collections import Counter
from collections.abc import Mapping

from config.scripts import WRITTEN_IN, script_of
from workflows.stages.models.languages import base_language, language_code

_CODE = re.compile(r"[a-z]{2,3}(-[a-z0-9]{1,8}){0,3}")
_WORD = re.compile(r"[^\W\d_]+")
_READ = 40_000  # characters
_LEAST = 8  # function words that say which language it is, and letters that say which script
_CLEAR = 3  # times as many as of the other

_ONLY_IN = {"kana": "ja", "hangul": "ko", "thai": "th"}  # of other scripts, several languages may be meant
_FUNCTION_WORDS: Mapping[str, frozenset[str]] = {
    "en": frozenset("the of and to for with is this that are by your from".split()),  # noqa: SIM905
    "de": frozenset("der die das und für mit von den dem ist auf nicht ein eine wir bitte".split()),  # noqa: SIM905
    "fr": frozenset("le les des et pour avec du est une dans sur vous votre nous".split()),  # noqa: SIM905
    "es": frozenset("el los las y para con por una del que su está".split()),  # noqa: SIM905
    "it": frozenset("il di e per con della che una gli del alla sono".split()),  # noqa: SIM905
    "pt": frozenset("os e para com por uma do da não em ao você".split()),  # noqa: SIM905
    "nl": frozenset("het een van voor met op te niet wij aan uw bij".split()),  # noqa: SIM905
    "pl": frozenset("w na z do nie się jest oraz dla przez".split()),  # noqa: SIM905
    "sv": frozenset("och att det för av är med på som ett".split()),  # noqa: SIM905
    "fi": frozenset("ja on ei että tai sekä ovat".split()),  # noqa: SIM905
    "tr": frozenset("ve bir bu için ile olarak".split()),  # noqa: SIM905
}


def find_language(text: str, told: str) -> str:
    """Return a BCP 47 code, or nothing if the text contradicts ``told`` and does not say which language it is.

    >>> find_language("Gesamt 12,50", "de_DE")
    'de-DE'
    >>> find_language("فاتورة رقم 17 بتاريخ اليوم", "en")
    ''
    """
    known = _read_code(told)
    letters = "".join(_WORD.findall(text[:_READ]))
    scripts = Counter(script_of(letter) for letter in letters)
    if len(letters) < _LEAST:
        return known
    script = scripts.most_common(1)[0][0]
    expected = WRITTEN_IN.get(base_language(known), frozenset({"latin"}))
    if script == "han" and scripts["kana"]:
        script = "kana"
    if script not in expected:
        return _ONLY_IN.get(script, "")
    return known if script != "latin" else _find_latin(text[:_READ], known)


def _find_latin(text: str, known: str) -> str:
    words = Counter(word.casefold() for word in _WORD.findall(text))
    counts = Counter({code: sum(words[word] for word in common) for code, common in _FUNCTION_WORDS.items()})
    (best, most), (_, second) = counts.most_common(2)
    own = counts[base_language(known)]
    if best == base_language(known) or most < _LEAST or most < _CLEAR * own:
        return known
    if base_language(known) not in _FUNCTION_WORDS:
        return known  # Danish has the words of Swedish
    return best if most >= 2 * second else ""


def _read_code(told: str) -> str:
    """``de_DE`` → ``de-DE``; nothing if it is no code."""
    code = language_code(told)
    if not _CODE.fullmatch(code):
        return ""
    base, *rest = code.split("-")
    return "-".join([base, *(one.upper() if len(one) == 2 else one.title() if len(one) == 4 else one for one in rest)])
