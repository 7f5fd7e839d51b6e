"""Pages out of other systems' buckets: only what a deployer allowed, and only as pictures."""

import pytest
from django.core.exceptions import ImproperlyConfigured
from PIL import Image

from config.environment import source_variable
from config.errors import Refused, Unavailable
from review.handovers import page_sources
from tests.aws_faults import count_calls, fail
from tests.each import each
from tests.factories import sample_files
from tests.foreign import BUCKET, make_bucket, picture, put


@pytest.fixture
def scans(aws_stack, settings):
    settings.INTAKE_SOURCES = {"default": ((BUCKET, "out/"),), "acme": ((BUCKET, "acme/"),)}
    make_bucket()


def shown(*uris: str, site: str = "default") -> list[tuple[int, int]]:
    return [one.size for one in page_sources.pictures_of(site, uris)]


def test_pdfs_and_pictures_are_pages_in_their_order(scans) -> None:
    pdf, frames = put("out/a.pdf", sample_files()[0].read_bytes()), [Image.new("RGB", (30, 20), "white")] * 2
    many = put("out/b.tif", picture(30, "TIFF", save_all=True, append_images=frames))
    sizes = shown(put("out/c.png", picture()), pdf, many)
    assert sizes[0] == (60, 40)
    assert len(sizes) == 1 + 1 + 3


@each(
    "uri",
    [
        f"s3://{BUCKET}/else/a.png",
        f"s3://{BUCKET}/outside.png",
        f"s3://{BUCKET}/acme/a.png",
        "s3://other/out/a.png",
        "https://169.254.169.254/latest/meta-data",
        "file:///etc/passwd",
        f"s3://{BUCKET}",
        "s3:///out/a.png",
        "",
    ],
)
def test_what_is_not_allowed_is_refused_before_anything_is_read(scans, uri: str) -> None:
    fine = put("out/a.png", picture())
    with count_calls() as seen, pytest.raises(Refused):
        shown(fine, uri)
    assert seen.names() == []


def test_our_own_bucket_is_nobodys_source(scans, settings) -> None:
    settings.INTAKE_SOURCES = {"default": ((settings.BUCKET_NAME, ""),)}
    with pytest.raises(Refused, match="are not allowed"):
        shown(f"s3://{settings.BUCKET_NAME}/acme/projects/p/documents/d/d.pdf")


def test_a_site_without_an_entry_takes_text_only(scans) -> None:
    with pytest.raises(Refused, match="send text"):
        shown(put("out/a.png", picture()), site="third")


@pytest.mark.parametrize(
    ("body", "words"),
    [
        (b"<script>", "not a PDF or image"),
        (b"", "not a PDF or image"),
        (picture()[:60], "damaged"),
        (b"%PDF-1.4", "damaged"),
    ],
)
def test_what_is_no_page_is_refused(scans, body: bytes, words: str) -> None:
    with pytest.raises(Refused, match=words):
        shown(put("out/x", body))


def test_a_missing_file_one_that_is_closed_to_us_and_one_too_large(scans, settings) -> None:
    with pytest.raises(Refused, match="was not found"):
        shown(f"s3://{BUCKET}/out/none.png")
    uri = put("out/a.png", picture())
    with fail("s3", "GetObject", error_code="AccessDenied"), pytest.raises(Refused, match="s3:GetObject"):
        shown(uri)
    with fail("s3", "GetObject", error_code="SlowDown", times=9), pytest.raises(Unavailable):
        shown(uri)
    settings.INTAKE_MAX_BYTES = 20
    with pytest.raises(Refused, match="larger than"):
        shown(uri)


def test_too_many_pages_are_refused(scans, settings) -> None:
    settings.INTAKE_MAX_PAGES = 1
    uri = put("out/a.png", picture())
    assert len(shown(uri)) == 1
    with pytest.raises(Refused, match="more than 1 pages"):
        shown(uri, uri)


def test_the_setting_is_read_site_by_site(monkeypatch) -> None:
    monkeypatch.setenv("X", "default=s3://b/ default=s3://c/out/ acme=s3://d/e/f/")
    assert source_variable("X") == {"default": (("b", ""), ("c", "out/")), "acme": (("d", "e/f/"),)}
    for bad in ("default", "default=b/", "default=s3://b/out", "Default=s3://b/", "=s3://b/"):
        monkeypatch.setenv("X", bad)
        with pytest.raises(ImproperlyConfigured, match="site=s3://bucket/prefix/"):
            source_variable("X")
