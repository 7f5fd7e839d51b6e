"""Page images for outsiders, and the PDF made of them; never the file, which may contain more than it shows."""

import io
import math
from collections.abc import Iterable, Sequence

import pikepdf
from django.utils.translation import gettext
from PIL import Image, ImageDraw, ImageFont

from config.errors import NotFound, Refused
from workflows.links.queries import Publication, PublicDocument
from workflows.runs import queries, run_files
from workflows.runs.redaction.pictures import paint_page
from workflows.storage import files
from workflows.storage.objects import DocumentFiles

_ANGLE = 30  # of the watermark, in degrees
_FILL = 0.95  # of the largest size that fits
_INK, _SHADE = (96, 96, 96), 96  # visible on white and on black, and thin enough to keep the text below legible
MOST_PAGES = 60  # pages of a download: each is rendered again
_QUALITY = 80  # of the JPEGs in it
_DPI = 150.0  # the resolution of rendered pages, for images without one


def load_picture(site: str, public: PublicDocument, index: int) -> bytes:
    """Return the image of a page, 0-based, with personal values redacted.

    Raises:
        NotFound: there is no such page.
        NotAllowed: what to redact is unknown.

    """
    if index not in public.pages:
        raise NotFound(gettext("Page not found."))
    store = DocumentFiles(site, public.document.project_id, public.document.document_id)
    body = store.read(files.page_image(index))
    if public.hidden:
        counts = public.row.counts
        link = queries.document_workflow(site, public.document.document_id, counts)
        body = paint_page(run_files.open_run_files(store, link.layers), body, public.hidden, counts, index)
    return body


def write_pdf(site: str, public: PublicDocument) -> bytes:
    """Return the images of all pages as one file. Raises: Refused if there are too many; as ``load_picture``."""
    if not public.pages:
        raise NotFound(gettext("This document has no pages to download."))
    if len(public.pages) > MOST_PAGES:
        raise Refused(
            gettext("A download has up to %(most_pages)s pages. Open the pages one by one.")
            % {"most_pages": MOST_PAGES}
        )
    return bind_pages(stamp_picture(load_picture(site, public, index), public.watermarks) for index in public.pages)


def load_published_picture(site: str, publication: Publication, index: int) -> bytes:
    """Return the image of a page, 0-based, as it was published. Raises: NotFound."""
    if index not in publication.pages:
        raise NotFound(gettext("Page not found."))
    row = publication.row
    store = DocumentFiles(site, row.project_id, row.documentId)
    return stamp_picture(store.read(files.published_page(row.publication_id, index)), publication.watermarks)


def stamp_picture(body: bytes, texts: Sequence[str]) -> bytes:
    """Return the image with the texts across it three times, so that crops contain them too."""
    if not texts:
        return body
    with Image.open(io.BytesIO(body)) as image:
        page = image.convert("RGB")
    mark = _draw_mark("   ".join(texts), page.width, page.height // 3)
    for part in (1, 3, 5):
        page.paste(_INK, ((page.width - mark.width) // 2, page.height * part // 6 - mark.height // 2), mark)
    made = io.BytesIO()
    page.save(made, "PNG", compress_level=1)  # read once, by the compressor
    return made.getvalue()


def _draw_mark(text: str, width: int, height: int) -> Image.Image:
    """Return the opacity mask of the text, slanted, as large as fits."""
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
    """Bind page by page, so that only one is decoded at a time."""
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
