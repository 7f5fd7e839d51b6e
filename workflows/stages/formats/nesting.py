"""Pages that are nested deeper than libxml2 reads: it stops there, without a word, and loses all that follows."""

import re
from collections import Counter

_DEEPEST = 200  # of libxml2's 255
_TAG = re.compile(r"<(/?)([a-zA-Z][a-zA-Z0-9:-]{0,40})(?=[\s/>])[^<>]{0,10000}>")
_EMPTY = frozenset("area base br col embed hr img input link meta param source track wbr".split())  # noqa: SIM905 - as in web
_BREAKS = re.compile(r"<br>(?:\s{0,20}<br>)+")
# Their content is no text of the page, and nothing nests in them.
_RAW = frozenset("head script style template noscript textarea title".split())  # noqa: SIM905 - as above
_INLINE = frozenset("a abbr b big code em font i ins label mark s small span strong sub sup tt u".split())  # noqa: SIM905


def flatten(text: str) -> str:
    """Take out the tags of elements that lie too deep, and leave their text, a line each."""
    return _BREAKS.sub("<br>", _TAG.sub(_Flattener(), text)) if _may_be_deep(text) else text


def _may_be_deep(text: str) -> bool:
    depth = 0
    for match in _TAG.finditer(text):
        depth += -1 if match[1] else match[2].lower() not in _EMPTY
        if depth > _DEEPEST:
            return True
    return False


class _Flattener:
    def __init__(self) -> None:
        self._open: list[str] = []
        self._count: Counter[str] = Counter()

    def __call__(self, match: re.Match[str]) -> str:
        name = match[2].lower()
        if name in _EMPTY or name in _RAW:
            return match[0]
        if not match[1]:
            self._open.append(name)
            self._count[name] += 1
            return match[0] if len(self._open) <= _DEEPEST else _instead(name)
        if not self._count[name]:
            return ""
        depth = len(self._open)
        while self._open:
            last = self._open.pop()
            self._count[last] -= 1
            if last == name:
                break
            depth -= 1
        return match[0] if depth <= _DEEPEST else _instead(name)


def _instead(name: str) -> str:
    return "" if name in _INLINE else "<br>"
