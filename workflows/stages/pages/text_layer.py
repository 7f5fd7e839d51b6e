"""The text layer of a PDF page as words with boxes, and whether to trust it."""

import ctypes
import unicodedata
from collections.abc import Callable
from dataclasses import dataclass

import pypdfium2
from pypdfium2 import raw

from config.phrase import Sentence
from workflows.stages.pages import pdf, right_to_left
from workflows.stages.pages.layout import TURNING, Box, Line, Page, Word, union

# pdfium returns integer device positions: fine enough for fractions with five digits.
_UNITS = 100_000
_MARKS = {":", ".", ","}
_TOUCHING = 0.2  # line heights between parts of one word
_NEAR = 0.9  # line heights between words of one line
_SCAN = 0.8  # images on more of the page than this: a scan
_LEFT_OUT = dict.fromkeys(map(ord, {*TURNING, "\x00"}))  # people must see what the machine reads
SOURCE = "text_layer"
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
        glyphs = _glyphs(page, textpage)
    finally:
        textpage.close()
    size = page.get_size()
    turned = right_to_left.has_turned(text)
    groups = _turned_groups(glyphs) if turned else _groups(_words(glyphs))
    lines = tuple(Line(index, tuple(_in_fractions(word, size) for word in group)) for group in groups)
    if turned and lines:  # pdfium's own text has letters and words in both orders
        text = "\n".join(row.text for row in Page(index, round(size[0]), round(size[1]), SOURCE, lines).rows)
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


def _turned_groups(glyphs: list[Glyph]) -> list[list[Glyph]]:
    """Words and lines of a page with text that is read from the right."""
    from_right = right_to_left.is_mostly_turned(glyph.char for glyph in glyphs)
    words = _words(glyphs, _all_in_order if from_right else _turned_in_order)
    groups: list[list[Glyph]] = []
    for word in words:
        last = groups[-1] if groups else []
        if last and _is_beside(union(one.box for one in last), word.box):
            last.append(word)
        else:
            groups.append([word])
    return [_in_order(group, from_right=from_right or _is_turned(group)) for group in groups]


def _in_order(group: list[Glyph], *, from_right: bool) -> list[Glyph]:
    """Order the words of a line, and join what a jump of the file parted: INV and -4411."""
    if not any(right_to_left.has_turned(one.char) for one in group):
        return _joined(sorted(group, key=_left))
    return _joined(right_to_left.order_words(group, _char, _left, from_right=from_right))


def _joined(words: list[Glyph]) -> list[Glyph]:
    joined: list[Glyph] = []
    for word in words:
        last = joined[-1] if joined else None
        if last and _is_part(last, word):
            joined[-1] = Glyph(last.char + word.char, union((last.box, word.box)))
        else:
            joined.append(word)
    return joined


def _is_part(last: Glyph, word: Glyph) -> bool:
    """Whether a number goes on, or a colon follows a word."""
    height = word.box[3] - word.box[1]
    if right_to_left.has_turned(last.char):
        return word.char in _MARKS and abs(last.box[0] - word.box[2]) < 0.6 * height
    return not right_to_left.has_turned(word.char) and abs(word.box[0] - last.box[2]) < _TOUCHING * height


def _is_turned(group: list[Glyph]) -> bool:
    return right_to_left.is_mostly_turned(one.char for one in group)


def _is_beside(line: Box, word: Box) -> bool:
    height = max(line[3] - line[1], 1.0)
    return _same_row(line, word) and any(-0.5 < gap / height < _NEAR for gap in (word[0] - line[2], line[0] - word[2]))


def _all_in_order(glyphs: list[Glyph]) -> list[Glyph]:
    return right_to_left.order_letters(glyphs, _char, _middle)


def _turned_in_order(glyphs: list[Glyph]) -> list[Glyph]:
    return _all_in_order(glyphs) if any(right_to_left.has_turned(one.char) for one in glyphs) else glyphs


def _char(glyph: Glyph) -> str:
    return glyph.char


def _left(glyph: Glyph) -> float:
    return glyph.box[0]


def _middle(glyph: Glyph) -> float:
    return (glyph.box[0] + glyph.box[2]) / 2


def _words(glyphs: list[Glyph], order: Callable[[list[Glyph]], list[Glyph]] = list) -> list[Glyph]:
    words: list[Glyph] = []
    current: list[Glyph] = []
    for glyph in [*glyphs, Glyph(" ", (0, 0, 0, 0))]:
        blank = glyph.char.isspace() or glyph.char == "\x00"
        if current and (blank or _breaks(current, glyph)):
            # pdfium marks hyphens at line ends with one of these two.
            text = "".join(part.char for part in order(current)).replace("\ufffe", "-").replace("\x02", "-")
            words.append(Glyph(right_to_left.plain_letters(text), union(part.box for part in current)))
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
        if last and _same_row(last, word.box) and -0.5 < (word.box[0] - last[2]) / max(last[3] - last[1], 1.0) < _NEAR:
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
