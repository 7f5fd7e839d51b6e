"""The text layer of a PDF page as words with boxes, and whether to trust it."""

import ctypes
import unicodedata
from dataclasses import dataclass

import pypdfium2
from pypdfium2 import raw

from config.phrase import Sentence
from workflows.stages.pages import pdf
from workflows.stages.pages.layout import TURNING, Box, Line, Word, union

# pdfium returns integer device positions: fine enough for fractions with five digits.
_UNITS = 100_000
_SCAN = 0.8  # images on more of the page than this: a scan
_LEFT_OUT = dict.fromkeys(map(ord, {*TURNING, "\x00"}))  # people must see what the machine reads
_FEW = 4  # fewer letters and digits than this are inconclusive


@dataclass(frozen=True)
class Glyph:
    """``box`` in points of the displayed page (rotated, cropped), origin top left."""

    char: str
    box: Box


@dataclass(frozen=True)
class TextLayer:
    """``doubt``: why the layer is not trusted, or None."""

    text: str
    lines: tuple[Line, ...]
    doubt: str | None


def read_text_layer(page: pypdfium2.PdfPage, index: int) -> TextLayer:
    textpage = page.get_textpage()
    try:
        text = textpage.get_text_range().replace("\r\n", "\n").translate(_LEFT_OUT)
        groups = _groups(_words(_glyphs(page, textpage)))
    finally:
        textpage.close()
    size = page.get_size()
    lines = tuple(Line(index, tuple(_in_fractions(word, size) for word in group)) for group in groups)
    return TextLayer(text, lines, doubt(text, pdf.picture_cover(page)))


def doubt(text: str, picture_cover: float) -> str | None:
    """Most scans have a text layer from an OCR of unknown quality, which is not trusted."""
    if sum(char.isalnum() for char in text) < _FEW:
        return Sentence("The page has no text layer.")
    if picture_cover > _SCAN:
        return Sentence("The page is an image with an existing OCR text layer.")
    # Fonts without a character map yield private-use or replacement characters.
    if sum(_strange(char) for char in text) > 0.05 * len(text):
        return Sentence("The text layer contains unreadable characters.")
    return None


def _strange(char: str) -> bool:
    return char == "\ufffd" or (char not in "\n\t\ufffe\x02" and unicodedata.category(char) in {"Co", "Cn", "Cc"})


def _glyphs(page: pypdfium2.PdfPage, textpage: pypdfium2.PdfTextPage) -> list[Glyph]:
    """Return all characters in file order, including spaces; lone surrogates are omitted."""
    width, height = page.get_size()
    glyphs, high = [], ""
    for number in range(textpage.count_chars()):
        char = chr(raw.FPDFText_GetUnicode(textpage, number))
        # pdfium counts in UTF-16: characters beyond U+FFFF come as two, neither of which can be stored.
        if "\ud800" <= char <= "\udbff":
            high = char
            continue
        if "\udc00" <= char <= "\udfff":
            char = (high + char).encode("utf-16-le", "surrogatepass").decode("utf-16-le", "ignore")
        high = ""
        if not char:
            continue
        left, bottom, right, top = _bounds(textpage, number)
        x0, y0 = _place(page, left, top)
        x1, y1 = _place(page, right, bottom)
        box = (min(x0, x1) * width, min(y0, y1) * height, max(x0, x1) * width, max(y0, y1) * height)
        glyphs.append(Glyph(char, box))
    return glyphs


def _bounds(textpage: pypdfium2.PdfTextPage, number: int) -> tuple[float, float, float, float]:
    """Return left, bottom, right, top in PDF space, at font height, so that a full stop is on its word's row."""
    left, bottom, right, top = (ctypes.c_double() for _ in range(4))
    raw.FPDFText_GetCharBox(textpage, number, left, right, bottom, top)
    loose = raw.FS_RECTF()
    raw.FPDFText_GetLooseCharBox(textpage, number, loose)
    tall = loose.top - loose.bottom
    # Some fonts declare bounds of several lines; then the ink bounds are better.
    if 0 < tall <= 1.6 * raw.FPDFText_GetFontSize(textpage, number):
        return left.value, min(bottom.value, loose.bottom), right.value, max(top.value, loose.top)
    return left.value, bottom.value, right.value, top.value


def _place(page: pypdfium2.PdfPage, x: float, y: float) -> tuple[float, float]:
    device_x, device_y = ctypes.c_int(), ctypes.c_int()
    raw.FPDF_PageToDevice(page, 0, 0, _UNITS, _UNITS, 0, x, y, device_x, device_y)
    return device_x.value / _UNITS, device_y.value / _UNITS


def _words(glyphs: list[Glyph]) -> list[Glyph]:
    words: list[Glyph] = []
    current: list[Glyph] = []
    for glyph in [*glyphs, Glyph(" ", (0, 0, 0, 0))]:
        blank = glyph.char.isspace() or glyph.char == "\x00"
        if current and (blank or _breaks(current, glyph)):
            # pdfium marks hyphens at line ends with one of these two.
            text = "".join(part.char for part in current).replace("\ufffe", "-").replace("\x02", "-")
            words.append(Glyph(text, union(part.box for part in current)))
            current = []
        if not blank and glyph.char not in TURNING:
            current.append(glyph)
    return words


def _breaks(current: list[Glyph], glyph: Glyph) -> bool:
    """Return True for a jump to another line, or a gap without a space character."""
    last = current[-1].box
    height = max(last[3] - last[1], glyph.box[3] - glyph.box[1], 1.0)
    if _same_row(last, glyph.box):
        return not -2 * height < glyph.box[0] - last[2] < 0.6 * height
    # Rotated text continues above or below.
    sideways = _same_row(_turn_box(last), _turn_box(glyph.box))
    return not sideways or max(glyph.box[1] - last[3], last[1] - glyph.box[3]) > 0.6 * height


def _turn_box(box: Box) -> Box:
    return box[1], box[0], box[3], box[2]


def _same_row(first: Box, second: Box) -> bool:
    middle = (second[1] + second[3]) / 2
    return first[1] <= middle <= first[3] or second[1] <= (first[1] + first[3]) / 2 <= second[3]


def _groups(words: list[Glyph]) -> list[list[Glyph]]:
    """A line ends if the next word is not close to its right; columns are further apart."""
    groups: list[list[Glyph]] = []
    for word in words:
        last = groups[-1][-1].box if groups else None
        if last and _same_row(last, word.box) and -0.5 < (word.box[0] - last[2]) / max(last[3] - last[1], 1.0) < 0.9:
            groups[-1].append(word)
        else:
            groups.append([word])
    return groups


def _in_fractions(word: Glyph, size: tuple[float, float]) -> Word:
    width, height = size
    x0, y0, x1, y1 = word.box
    return Word(word.char, (_clip(x0 / width), _clip(y0 / height), _clip(x1 / width), _clip(y1 / height)))


def _clip(value: float) -> float:
    return min(1.0, max(0.0, value))
