"""Drawing sheets of text as PDF and making pictures of them as a scanner or a phone would; for the demo's samples."""

import io
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pypdfium2
from pikepdf import Dictionary, Name, Pdf
from pikepdf.canvas import Canvas, Color, Font, Text
from PIL import Image, ImageFilter

from workflows.stages.pages import pdf

INK = (0.13, 0.15, 0.19)
# Widths in thousandths of the size (Adobe's metrics), for what is set flush right: amounts and their headings.
_LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ .,-%:"
_REGULAR = (
    "556 556 500 556 556 278 556 556 222 222 500 222 833 556 556 556 556 333 500 278 556 500 722 500 500 500 "
    "667 667 722 722 667 611 778 722 278 500 667 556 833 722 778 667 778 722 667 611 722 667 944 667 667 611 "
    "278 278 278 333 889 278"
)
_BOLD = (
    "556 611 556 611 556 333 611 611 278 278 556 278 889 611 611 611 611 389 556 333 611 556 778 556 556 500 "
    "722 722 722 722 667 611 778 722 278 556 722 611 833 722 778 667 778 722 667 611 722 667 944 667 667 611 "
    "278 278 278 333 889 333"
)
_WIDTHS = {
    face: dict(zip(_LETTERS, map(int, widths.split()), strict=True))
    for face, widths in (("Helvetica", _REGULAR), ("Helvetica-Bold", _BOLD))
}
_FACES = {"F1": "Helvetica", "F2": "Helvetica-Bold", "F3": "Courier", "F4": "Courier-Bold"}


class _Standard(Font):
    """One of the fonts that every PDF reader has, with the western encoding, so that £ and ü come out."""

    def __init__(self, face: str) -> None:
        self.face = face

    def text_width(self, text: str | bytes, fontsize: float = 1, **_: object) -> float:  # type: ignore[override]
        if self.face.startswith("Courier"):
            return 0.6 * fontsize * len(text)
        letters = text if isinstance(text, str) else text.decode("cp1252")
        return sum(_WIDTHS[self.face].get(char, 556) for char in letters) * fontsize / 1000

    def register(self, pdf: Pdf) -> Dictionary:
        return pdf.make_indirect(
            Dictionary(
                Type=Name.Font, Subtype=Name.Type1, BaseFont=Name("/" + self.face), Encoding=Name.WinAnsiEncoding
            )
        )


def text_width(text: str, size: float, font: str = "F1") -> float:
    """In points."""
    return _Standard(_FACES[font]).text_width(text, size)


@dataclass
class Sheet:
    """A page in points, origin top left."""

    width: float
    height: float
    canvas: Canvas = field(init=False)

    def __post_init__(self) -> None:
        self.canvas = Canvas(page_size=(self.width, self.height))
        for name, face in _FACES.items():
            self.canvas.add_font(Name("/" + name), _Standard(face))

    def text(self, x: float, y: float, text: str, *, font: str = "F1", size: float = 9.5, right: bool = False) -> None:
        """``y`` is the baseline; with ``right`` the text ends at ``x``."""
        left = x - text_width(text, size, font) if right else x
        self.canvas.do.fill_color(Color(*INK, 1))
        drawn: Text = Text()  # type: ignore[no-untyped-call]
        drawn.font(Name("/" + font), size).move_cursor(left, self.height - y).show(text.encode("cp1252"))
        self.canvas.do.draw_text(drawn)

    def rule(self, x0: float, x1: float, y: float, *, weight: float = 0.6) -> None:
        self.canvas.do.stroke_color(Color(*INK, 1)).line_width(weight).line(x0, self.height - y, x1, self.height - y)

    def bar(self, box: tuple[float, float, float, float], color: tuple[float, float, float]) -> None:
        """A filled rectangle; ``box`` is x, y, width, height."""
        x, y, width, height = box
        self.canvas.do.fill_color(Color(*color, 1)).rect(x, self.height - y - height, width, height, fill=True)


def save(sheets: list[Sheet], path: Path) -> Path:
    """One PDF of all sheets, the same bytes every time."""
    with Pdf.new() as document:
        for sheet in sheets:
            document.pages.extend(sheet.canvas.to_pdf().pages)
        document.save(path, deterministic_id=True)
    return path


def picture(sheet: Sheet, dpi: float) -> Image.Image:
    body = io.BytesIO()
    sheet.canvas.to_pdf().save(body, deterministic_id=True)
    document = pypdfium2.PdfDocument(body.getvalue())
    try:
        return pdf.render(document[0], dpi)
    finally:
        document.close()


def scanned(image: Image.Image, *, seed: int, angle: float) -> Image.Image:
    """As an office scanner gives it: grey, a little askew, a little noise."""
    paper = image.convert("L").rotate(angle, Image.Resampling.BICUBIC, fillcolor=250)
    return _speckled(paper.filter(ImageFilter.GaussianBlur(0.6)), seed=seed, strength=4)


def photographed(image: Image.Image, *, seed: int, angle: float, blur: float) -> Image.Image:
    """As a phone gives a crumpled till receipt: on a dark table, in bad light, out of focus, faded."""
    grey = image.convert("L").point(lambda value: 96 + value * 0.52)  # thermal paper that lay in a wallet
    table = Image.new("L", (int(grey.width * 1.18), int(grey.height * 1.1)), 62)
    table.paste(grey, ((table.width - grey.width) // 2, (table.height - grey.height) // 2))
    turned = table.rotate(angle, Image.Resampling.BICUBIC, fillcolor=62).filter(ImageFilter.GaussianBlur(blur))
    pixels = np.asarray(turned, dtype=np.float64)
    across = np.linspace(0, 1, pixels.shape[1])[None, :]
    down = np.linspace(0, 1, pixels.shape[0])[:, None]
    light = 1.06 - 0.3 * across * down + 0.05 * np.sin(9 * down + 4 * across)
    return _speckled(Image.fromarray(np.clip(pixels * light, 0, 255).astype(np.uint8)), seed=seed, strength=9)


def smudged(image: Image.Image, box: tuple[int, int, int, int]) -> Image.Image:
    """A thumb over the thermal print: softer and paler inside ``box`` (pixels)."""
    patch = image.crop(box).filter(ImageFilter.GaussianBlur(3.4)).point(lambda value: 80 + value * 0.69)
    mask = Image.new("L", patch.size, 0)
    mask.paste(235, (8, 4, patch.width - 8, patch.height - 4))
    image.paste(patch, box[:2], mask.filter(ImageFilter.GaussianBlur(6)))
    return image


def _speckled(image: Image.Image, *, seed: int, strength: float) -> Image.Image:
    noise = np.random.default_rng(seed).normal(0, strength, (image.height, image.width))
    return Image.fromarray(np.clip(np.asarray(image, dtype=np.float64) + noise, 0, 255).astype(np.uint8))
