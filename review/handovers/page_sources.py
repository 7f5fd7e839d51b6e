"""Page files of review requests: read only from allowed locations and shown only as page images."""

import tempfile
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path
from typing import BinaryIO

import pypdfium2
from django.conf import settings
from django.utils.translation import gettext
from PIL import Image

from config import aws
from config.errors import CountersignError, NotFound, Refused, Unavailable
from workflows.intake.content_types import content_type
from workflows.stages.pages import image_files, pdf

_HEAD = "s3://"
_CHUNK = 1 << 20
_DAMAGED = "{} is damaged. Upload it again and send a new request."


def locate_object(site: str, uri: str) -> tuple[str, str]:
    """Return bucket and key of an address that the site may show; checked as text, without calling AWS.

    Raises:
        Refused: it is not an S3 address, or outside the site's COUNTERSIGN_INTAKE_SOURCES.

    """
    bucket, _, key = uri.removeprefix(_HEAD).partition("/")
    if not uri.startswith(_HEAD) or not bucket or not key:
        raise Refused(gettext("“%(uri)s” is not a page file. Use s3://bucket/key.") % {"uri": uri[:200]})
    # The application's bucket holds every tenant's documents, so no prefix in it is a caller's.
    allowed = settings.INTAKE_SOURCES.get(site, ())
    if bucket == settings.BUCKET_NAME or not any(bucket == one and key.startswith(head) for one, head in allowed):
        raise Refused(
            gettext(
                "Page files from s3://%(bucket)s/ are not allowed. Allow a prefix with "
                "COUNTERSIGN_INTAKE_SOURCES, or send text instead."
            )
            % {"bucket": bucket}
        )
    return bucket, key


def pictures_of(site: str, uris: Sequence[str]) -> Iterator[Image.Image]:
    """Yield the pages of PDF and image files as upright RGB images.

    Raises:
        Refused: a file is not allowed, missing, too large, damaged or of another kind, or the pages are too many.
        Unavailable: S3 does not answer.

    """
    where = [locate_object(site, uri) for uri in uris]  # check all before reading any: a refused request reads nothing
    shown = 0
    for uri, (bucket, key) in zip(uris, where, strict=True):
        with tempfile.TemporaryDirectory() as folder:
            for picture in _pictures(_fetch_file(uri, bucket, key, Path(folder)), uri):
                shown += 1
                if shown > settings.INTAKE_MAX_PAGES:
                    raise Refused(
                        gettext("The files have more than %(intake_max_pages)s pages in total. Send fewer.")
                        % {"intake_max_pages": settings.INTAKE_MAX_PAGES}
                    )
                yield picture


def _fetch_file(uri: str, bucket: str, key: str, folder: Path) -> Path:
    target = folder / "page"
    try:
        with aws.translate_aws_errors(), target.open("wb") as file:
            whole = _copy_object(bucket, key, file)
    except Unavailable:
        raise
    except NotFound as error:
        raise Refused(
            gettext("%(uri)s was not found. Upload the file before sending the request.") % {"uri": uri}
        ) from error
    except CountersignError as error:
        raise Refused(
            gettext(
                "%(uri)s cannot be read. Check the bucket, and grant Countersign's roles s3:GetObject on that prefix."
            )
            % {"uri": uri}
        ) from error
    if not whole:
        raise Refused(
            gettext("%(uri)s is larger than %(value)s MiB. Send a smaller image.")
            % {"uri": uri, "value": settings.INTAKE_MAX_BYTES // 2**20}
        )
    return target


def _copy_object(bucket: str, key: str, file: BinaryIO) -> bool:
    """Copy the object; False once it exceeds the limit, whatever length S3 reports."""
    size = 0
    with closing(aws.aws_client("s3").get_object(Bucket=bucket, Key=key)["Body"]) as body:
        while chunk := body.read(_CHUNK):
            size += len(chunk)
            if size > settings.INTAKE_MAX_BYTES:
                return False
            file.write(chunk)
    return True


def _pictures(path: Path, uri: str) -> Iterator[Image.Image]:
    kind = content_type(path) or ""
    try:
        if kind == "application/pdf":
            yield from _pdf_pages(path)
        elif kind.startswith("image/"):
            yield from (image_files.frame(path, index) for index in range(image_files.frame_count(path, kind)))
        else:
            raise Refused(gettext("%(uri)s is not a PDF or image. Send an image or text.") % {"uri": uri})
    except (OSError, SyntaxError, ValueError, pypdfium2.PdfiumError, *image_files.TOO_LARGE) as error:
        raise Refused(_DAMAGED.format(uri)) from error


def _pdf_pages(path: Path) -> Iterator[Image.Image]:
    with pdf.open_pdf(path) as document:
        for index in range(document.page_count):
            page = document.document[index]
            try:
                yield pdf.render(page)
            finally:
                page.close()
