"""Rich text: plain text without formatting."""

import codecs
import re
from collections.abc import Iterator
from pathlib import Path

from config.errors import Refused
from workflows.stages.formats.blocks import Block

MOST_BYTES = 64 * 1024**2  # read whole
_TOKEN = re.compile(rb"\\([a-z]{1,32})(-?\d{1,10})? ?|\\'([0-9a-f]{2})|\\([^a-z])|([{}])|[\r\n]+|([^\\{}\r\n]+)", re.I)
_HIDDEN = {
    b"fonttbl", b"colortbl", b"stylesheet", b"info", b"pict", b"object", b"themedata", b"colorschememapping",
    b"datastore", b"generator", b"listtable", b"listoverridetable", b"rsidtbl", b"xmlnstbl", b"latentstyles",
    b"fldinst",
}  # fmt: skip
_SIGNS = {
    b"par": "\n", b"line": "\n", b"row": "\n", b"sect": "\n", b"page": "\n", b"tab": "\t", b"cell": "\t",
    b"emdash": "—", b"endash": "–", b"bullet": "•", b"lquote": "‘", b"rquote": "’",
    b"ldblquote": "“", b"rdblquote": "”",
}  # fmt: skip


def read_rtf(path: Path) -> Iterator[Block]:
    """Raises: Refused."""
    if path.stat().st_size > MOST_BYTES:
        raise Refused("This rich text is too large. Save it as .docx or PDF and upload that.")
    for line in rtf_text(path.read_bytes()).split("\n"):
        if line.strip():
            yield Block(line.strip())


def rtf_text(body: bytes) -> str:
    """Return the text of the document's own groups; characters by code page or Unicode number."""
    codepage = _codepage(body)
    parts: list[str] = []
    groups: list[tuple[bool, int]] = []
    hidden, after, skip = False, 1, 0  # ``after``: fallback characters after a Unicode one, for readers without Unicode
    for word, number, code, sign, brace, plain in (one.groups(b"") for one in _TOKEN.finditer(body)):
        if brace == b"{":
            groups.append((hidden, after))
        elif brace == b"}":
            hidden, after = groups.pop() if groups else (False, 1)
        elif sign == b"*" or word in _HIDDEN:
            hidden = True
        elif word == b"uc":
            after = int(number or 1)
        elif not hidden:
            found = _sign(word, number, sign) if word or sign else _letters(code, plain, codepage)
            if skip and (code or plain):
                found, skip = (found[skip:], max(0, skip - len(found)))
            skip = after if word == b"u" else skip
            parts.append(found)
    return "".join(parts)


def _sign(word: bytes, number: bytes, sign: bytes) -> str:
    if word == b"u":
        letter = int(number or 0) % 65536
        return chr(letter) if not 0xD800 <= letter < 0xE000 else "\ufffd"
    return _SIGNS.get(word, "") if word else {b"~": " ", b"_": "-", b"-": ""}.get(sign, sign.decode("latin-1"))


def _letters(code: bytes, plain: bytes, codepage: str) -> str:
    return (bytes([int(code, 16)]) if code else plain).decode(codepage, "replace")


def _codepage(body: bytes) -> str:
    found = re.search(rb"\\ansicpg(\d{3,5})", body[:2000])
    name = f"cp{int(found[1])}" if found else "cp1252"
    try:
        return codecs.lookup(name).name
    except LookupError:
        return "cp1252"
