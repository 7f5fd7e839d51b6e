"""PDFs by pdfium: opening, repairing, rendering, and reading words and full-page images of a page."""

import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from math import sqrt
from pathlib import Path

import pikepdf
import pypdfium2
from PIL import Image
from pypdfium2 import raw

from config.errors import Refused, StageFailed
from config.phrase import Sentence

DPI = 150
# An A0 poster at 150 dpi has 35 million pixels; more than this helps neither people nor OCR.
MAX_PIXELS = 25_000_000
# pdfium has global state: two threads inside it crash the process. Held while a document is open.
_PDFIUM = threading.RLock()

PASSWORD = Sentence("This PDF is password-protected. Save a copy without the password and upload that.")
UNREADABLE = Sentence("The page cannot be read. Export or scan it again and upload the new file.")
BROKEN = Sentence("This PDF is damaged and could not be repaired. Export or scan it again and upload the new file.")


@dataclass(frozen=True)
class OpenPdf:
    document: pypdfium2.PdfDocument
    repaired: bool

    @property
    def page_count(self) -> int:
        return len(self.document)

    def render(self, index: int, dpi: float = 0) -> Image.Image:
        """Raises: StageFailed if this page is damaged. ``dpi``: 0 for that of page images."""
        try:
            page = self.document[index]
            try:
                return render(page, dpi or DPI)
            finally:
                page.close()
        except pypdfium2.PdfiumError as error:
            raise StageFailed(UNREADABLE) from error


@contextmanager
def open_pdf(path: Path) -> Iterator[OpenPdf]:
    """Raises: Refused if the file needs a password or cannot be repaired."""
    with _PDFIUM, tempfile.TemporaryDirectory() as folder:
        pdf = _open(path, Path(folder) / "repaired.pdf")
        try:
            yield pdf
        finally:
            pdf.document.close()


def _open(path: Path, repaired: Path) -> OpenPdf:
    try:
        return OpenPdf(pypdfium2.PdfDocument(path), repaired=False)
    except pypdfium2.PdfiumError as error:
        if error.err_code == raw.FPDF_ERR_PASSWORD:
            raise Refused(PASSWORD) from error
    repair(path, repaired)
    try:
        return OpenPdf(pypdfium2.PdfDocument(repaired), repaired=True)
    except pypdfium2.PdfiumError as error:
        raise Refused(BROKEN) from error


def repair(source: Path, target: Path) -> None:
    """Rebuild the cross-reference table with qpdf; what lies after a truncation is lost.

    Raises:
        Refused: it needs a password, or nothing in it can be read.

    """
    try:
        with pikepdf.open(source) as pdf:
            if not len(pdf.pages):
                raise Refused(BROKEN)
            pdf.save(target)
    except pikepdf.PasswordError as error:
        raise Refused(PASSWORD) from error
    except (pikepdf.PdfError, ValueError, RecursionError) as error:
        raise Refused(BROKEN) from error


def render(page: pypdfium2.PdfPage, dpi: float = DPI) -> Image.Image:
    width, height = page.get_size()
    scale = dpi / 72
    pixels = width * height * scale * scale
    if pixels > MAX_PIXELS:
        scale *= sqrt(MAX_PIXELS / pixels)
    image: Image.Image = page.render(scale=scale, may_draw_forms=True).to_pil()
    return image.convert("RGB")


def picture_cover(page: pypdfium2.PdfPage) -> float:
    """Return how much of the page images cover, 0–1. Near 1 it is a scan, whatever text is over it."""
    left, bottom, right, top = page.get_bbox()
    area = (right - left) * (top - bottom)
    covered = 0.0
    for picture in page.get_objects(filter=[raw.FPDF_PAGEOBJ_IMAGE], max_depth=4):
        # Bounds are in the container's space: an image inside a form is placed by the form's matrix.
        x0, y0, x1, y1 = picture.get_bounds()
        if picture.container is not None:
            x0, y0, x1, y1 = picture.container.get_matrix().on_rect(x0, y0, x1, y1)
        covered += max(0.0, min(x1, right) - max(x0, left)) * max(0.0, min(y1, top) - max(y0, bottom))
    # The sum, not the union: scanners that split a page into bands draw them side by side.
    return min(1.0, covered / area) if area > 0 else 0.0


def largest_picture(page: pypdfium2.PdfPage) -> int:
    """Return the number of pixels of the largest image on the page."""
    sizes = [picture.get_px_size() for picture in page.get_objects(filter=[raw.FPDF_PAGEOBJ_IMAGE], max_depth=4)]
    return max((width * height for width, height in sizes), default=0)
