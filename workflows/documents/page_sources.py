"""Page files that other systems name: only where a site's setting allows it, and only as pictures of their pages."""

import tempfile
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path
from typing import BinaryIO

import pypdfium2
from django.conf import settings
from PIL import Image

from config import aws
from config.errors import CountersignError, NotFound, Refused, Unavailable
from workflows.intake.content_types import content_type
from workflows.stages.pages import pdf, pictures

_HEAD = "s3://"
_CHUNK = 1 << 20
_DAMAGED = "{} is damaged. Upload it again and send a new request."


def locate_object(site: str, uri: str) -> tuple[str, str]:
    """The bucket and key behind an address that the site may show; text is compared, nothing is asked of AWS.

    Raises:
        Refused: it is no S3 address, or lies outside what COUNTERSIGN_INTAKE_SOURCES allows the site.

    """
    bucket, _, key = uri.removeprefix(_HEAD).partition("/")
    if not uri.startswith(_HEAD) or not bucket or not key:
        raise Refused(f"“{uri[:200]}” is not a page file. Use s3://bucket/key.")
    # Our own bucket holds every tenant's documents: no prefix in it is a caller's.
    allowed = settings.INTAKE_SOURCES.get(site, ())
    if bucket == settings.BUCKET_NAME or not any(bucket == one and key.startswith(head) for one, head in allowed):
        raise Refused(
            f"Page files from s3://{bucket}/ are not allowed. Allow a prefix with COUNTERSIGN_INTAKE_SOURCES, or "
            "send text instead."
        )
    return bucket, key


def pictures_of(site: str, uris: Sequence[str]) -> Iterator[Image.Image]:
    """The pages of PDF and image files, one upright RGB picture after the other.

    Raises:
        Refused: a file is not allowed, missing, too large, damaged or of another kind, or the pages are too many.
        Unavailable: S3 does not answer.

    """
    where = [locate_object(site, uri) for uri in uris]  # all before any: nothing is read for a request that is refused
    shown = 0
    for uri, (bucket, key) in zip(uris, where, strict=True):
        with tempfile.TemporaryDirectory() as folder:
            for picture in _pictures(_fetch_file(uri, bucket, key, Path(folder)), uri):
                shown += 1
                if shown > settings.INTAKE_MAX_PAGES:
                    raise Refused(f"The files have more than {settings.INTAKE_MAX_PAGES} pages in total. Send fewer.")
                yield picture


def _fetch_file(uri: str, bucket: str, key: str, folder: Path) -> Path:
    target = folder / "page"
    try:
        with aws.translate_aws_errors(), target.open("wb") as file:
            whole = _copy_object(bucket, key, file)
    except Unavailable:
        raise
    except NotFound as error:
        raise Refused(f"{uri} was not found. Upload the file before sending the request.") from error
    except CountersignError as error:
        raise Refused(
            f"{uri} cannot be read. Check the bucket, and grant Countersign's roles s3:GetObject on that prefix."
        ) from error
    if not whole:
        raise Refused(f"{uri} is larger than {settings.INTAKE_MAX_BYTES // 2**20} MiB. Send a smaller image.")
    return target


def _copy_object(bucket: str, key: str, file: BinaryIO) -> bool:
    """False if the object is longer than the limit, whatever length S3 was told; the rest is not read."""
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
            yield from (pictures.frame(path, index) for index in range(pictures.frame_count(path, kind)))
        else:
            raise Refused(f"{uri} is not a PDF or image. Send an image or text.")
    except (OSError, SyntaxError, ValueError, pypdfium2.PdfiumError, *pictures.TOO_LARGE) as error:
        raise Refused(_DAMAGED.format(uri)) from error


def _pdf_pages(path: Path) -> Iterator[Image.Image]:
    with pdf.open_pdf(path) as document:
        for index in range(document.page_count):
            page = document.document[index]
            try:
                yield pdf.render(page)
            finally:
                page.close()
