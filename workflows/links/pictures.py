"""Page images for outsiders, and the PDF that is made of them: never the file, which may hold more than it shows."""

import io
import math
from collections.abc import Iterable, Sequence

import pikepdf
from PIL import Image, ImageDraw, ImageFont

from config.errors import NotFound, Refused
from workflows.links.queries import Publication, PublicDocument
from workflows.runs import queries, run_files
from workflows.runs.redaction.pictures import paint_page
from workflows.storage import files
from workflows.storage.objects import DocumentFiles

_ANGLE = 30  # of a watermark, in degrees
_FILL = 0.95  # of what fits
_INK, _SHADE = (96, 96, 96), 96  # seen on white and on black, and so thin that what is below it stays legible
MOST_PAGES = 60  # of a download: each is drawn anew
_QUALITY = 80  # of the JPEGs in it
_DPI = 150.0  # as pages are drawn; pictures without a size of their own


def load_picture(site: str, public: PublicDocument, index: int) -> bytes:
    """The image of a page, 0-based, with personal values painted over, as it is to be seen or copied.

    Raises:
        NotFound: there is no such page.
        NotAllowed: what has to be painted over is not known.

    """
    if index not in public.pages:
        raise NotFound("Page not found.")
    store = DocumentFiles(site, public.document.project_id, public.document.document_id)
    body = store.read(files.page_image(index))
    if public.hidden:
        counts = public.row.counts
        link = queries.document_workflow(site, public.document.document_id, counts)
        body = paint_page(run_files.open_run_files(store, link.layers), body, public.hidden, counts, index)
    return body


def write_pdf(site: str, public: PublicDocument) -> bytes:
    """The images of all pages as one file. Raises: Refused, if they are too many; as ``load_picture``."""
    if not public.pages:
        raise NotFound("This document has no pages to download.")
    if len(public.pages) > MOST_PAGES:
        raise Refused(f"A download has up to {MOST_PAGES} pages. Open the pages one by one.")
    return bind_pages(stamp_picture(load_picture(site, public, index), public.watermarks) for index in public.pages)


def load_published_picture(site: str, publication: Publication, index: int) -> bytes:
    """The image of a page, 0-based, as it was published. Raises: NotFound."""
    if index not in publication.pages:
        raise NotFound("Page not found.")
    row = publication.row
    store = DocumentFiles(site, row.project_id, row.documentId)
    return stamp_picture(store.read(files.published_page(row.publication_id, index)), publication.watermarks)


def stamp_picture(body: bytes, texts: Sequence[str]) -> bytes:
    """The picture with the texts across it three times, so that a part of it has them too; as it is without texts."""
    if not texts:
        return body
    with Image.open(io.BytesIO(body)) as image:
        page = image.convert("RGB")
    mark = _draw_mark("   ".join(texts), page.width, page.height // 3)
    for part in (1, 3, 5):
        page.paste(_INK, ((page.width - mark.width) // 2, page.height * part // 6 - mark.height // 2), mark)
    made = io.BytesIO()
    page.save(made, "PNG", compress_level=1)  # read once, by what makes it smaller
    return made.getvalue()


def _draw_mark(text: str, width: int, height: int) -> Image.Image:
    """How much of the ink there is where: the text, slanted, as large as fits."""
    size = 200
    length = ImageFont.load_default(size).getlength(text)
    slant = math.radians(_ANGLE)
    fits = min(width / (length * math.cos(slant)), height / (length * math.sin(slant) + size), 1.0)
    fitting = max(size * fits * _FILL, 8)
    font = ImageFont.load_default(fitting)
    straight = Image.new("L", (int(font.getlength(text)) + 2, int(fitting * 1.4)), 0)
    ImageDraw.Draw(straight).text((straight.width / 2, straight.height / 2), text, font=font, fill=_SHADE, anchor="mm")
    return straight.rotate(_ANGLE, resample=Image.Resampling.BICUBIC, expand=True)


def bind_pages(pictures: Iterable[bytes]) -> bytes:
    """Page by page, so that only one is held as pixels at a time."""
    made = io.BytesIO()
    with pikepdf.new() as whole:
        for body in pictures:
            sheet = io.BytesIO()
            with Image.open(io.BytesIO(body)) as image:
                image.convert("RGB").save(sheet, "PDF", resolution=_DPI, quality=_QUALITY)
            with pikepdf.open(sheet) as one:
                whole.pages.extend(one.pages)
        whole.save(made)
    return made.getvalue()
