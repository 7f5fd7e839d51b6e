"""Page images for outsiders, and the PDF that is made of them: never the file, which may hold more than it shows."""

import io
from collections.abc import Iterable

import pikepdf
from PIL import Image

from config.errors import NotFound, Refused
from workflows.links.queries import Publication, PublicDocument
from workflows.runs import queries, run_files
from workflows.runs.redaction.pictures import paint_page
from workflows.storage import files
from workflows.storage.objects import DocumentFiles

MOST_PAGES = 60  # of a download: each is drawn anew
_QUALITY = 80  # of the JPEGs in it
_DPI = 150.0  # as pages are drawn; pictures without a size of their own


def load_picture(site: str, public: PublicDocument, index: int) -> bytes:
    """The image of a page, 0-based, with personal values painted over.

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
    return bind_pages(load_picture(site, public, index) for index in public.pages)


def load_published_picture(site: str, publication: Publication, index: int) -> bytes:
    """The image of a page, 0-based, as it was published. Raises: NotFound."""
    if index not in publication.pages:
        raise NotFound("Page not found.")
    row = publication.row
    store = DocumentFiles(site, row.project_id, row.documentId)
    return store.read(files.published_page(row.publication_id, index))


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
