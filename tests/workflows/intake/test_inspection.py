import contextlib
import io
import struct
import tracemalloc
import zipfile
import zlib
from pathlib import Path

import pikepdf
import pillow_heif
import pytest
from django.conf import settings
from PIL import Image

from config.errors import Refused
from projects.templatetags import desk
from tests.each import each
from tests.tools import samples
from tests.tools.paper import Sheet, save
from tests.workflows.boxes import mailed
from tests.workflows.stages.formats.einvoices import CII
from tests.workflows.stages.formats.office import book, paragraph, shape, slides, word, workbook
from tests.workflows.stages.recordings import tone
from workflows.intake import containers, content_types, inspection, inspection_pool
from workflows.stages import formats
from workflows.stages.pages import image_files

SAMPLES = Path(settings.BASE_DIR).parent / "shared/samples"


def made(folder: Path, name: str, body: bytes) -> Path:
    path = folder / name
    path.write_bytes(body)
    return path


def image_bytes(kind: str) -> bytes:
    body = io.BytesIO()
    image = Image.effect_noise((60, 60), 80)
    if kind == "HEIF":  # what the product has for them only reads
        pillow_heif.from_pillow(image).save(body)
    else:
        image.save(body, kind)
    return body.getvalue()


def pdf_bytes(tmp_path: Path, pages: int = 1) -> bytes:
    sheets = [Sheet(200, 200) for _ in range(pages)]
    for sheet in sheets:
        sheet.text(20, 40, "Hello")
    return save(sheets, tmp_path / "made.pdf").read_bytes()


def refusal(path: Path, name: str = "") -> str:
    with pytest.raises(Refused) as caught:
        inspection.inspect(path, name or path.name)
    return str(caught.value)


def archive(*names: str) -> bytes:
    body = io.BytesIO()
    with zipfile.ZipFile(body, "w") as packed:
        for name in names:
            packed.writestr(name, "x")
    return body.getvalue()


@each(
    ("kind", "file_type", "name"),
    [
        ("PNG", "image/png", "a.png"),
        ("JPEG", "image/jpeg", "a.JPEG"),
        ("TIFF", "image/tiff", "a.tiff"),
        ("WEBP", "image/webp", "a.webp"),
        ("BMP", "image/bmp", "a.bmp"),
        ("GIF", "image/gif", "a.gif"),
    ],
)
def test_images_are_known_by_their_content(tmp_path: Path, kind: str, file_type: str, name: str) -> None:
    found = inspection.inspect(made(tmp_path, "x", image_bytes(kind)), name)
    assert (found.file_type, found.page_count, found.notes) == (file_type, 1, ())


@each(
    ("body", "name", "file_type"),
    [
        (b"some words", "a.txt", formats.TEXT),
        (b"some words", "a", formats.TEXT),
        (b"some words", "a.xyz", formats.TEXT),
        (b"# Words", "a.md", formats.MARKDOWN),
        (b"a;b\n1;2\n", "a.csv", formats.CSV),
        (b"a;b\n1;2\n", "a", formats.CSV),
        (b"<html><p>words</p></html>", "a.txt", formats.HTML),
        (b"<body><h1>words</h1>", "a.html", formats.HTML),
        (b"<div>" * 5_000 + b"words", "a.htm", formats.HTML),
        ("<table><tr><td>words</td></tr></table>".encode("utf-16"), "a.html", formats.HTML),
        (b"<?xml version='1.0'?><a>words</a>", "a.xml", formats.XML),
        (CII.encode(), "a", formats.XML),
        (b"\xef\xbb\xbf" + b" \n" * 600 + b"<a>words</a>", "a", formats.XML),
        (b"From: a@example.org\nSubject: Hello\n\nwords\n", "a.eml", formats.MAIL),
        (b"From: a@example.org\nTo: b@example.org\nSubject: Hello\n\nwords\n", "a.txt", formats.TEXT),
        (b"From: a@example.org\nMIME-Version: 1.0\nSubject: Hello\n\nwords\n", "a.txt", formats.MAIL),
        (b"From: a@example.org\nSubject: Hello\n\nwords\n", "a", formats.MAIL),
        (b"To: b@example.org\nSubject: Hello\n\nwords\n", "a.eml", formats.MAIL),
        (b"X-Unsent: 1\r\nSubject: A long\r\n one\r\n\r\nwords\r\n", "a.eml", formats.MAIL),
        (b"Subject: " + b"Hello " * 2_000 + b"\n\nwords\n", "a.eml", formats.MAIL),
        (b"To: b@example.org\nSubject: Hello\n\nwords\n", "a.txt", formats.TEXT),
        (b"{\\rtf1 words}", "a.rtf", formats.RTF),
    ],
)
def test_texts_are_known_by_their_content_and_told_apart_by_their_name(
    tmp_path: Path, body: bytes, name: str, file_type: str
) -> None:
    found = inspection.inspect(made(tmp_path, "x", body), name)
    assert (found.file_type, found.page_count, found.is_container) == (file_type, None, False)


def test_a_text_named_as_an_email_is_none(tmp_path: Path) -> None:
    for body in (b"Note: words\n\nmore\n", b"Subject: words\nand a line that is no header\n\nmore\n"):
        assert "does not match the extension .eml" in refusal(made(tmp_path, "a.eml", body))


def test_office_files_and_books_are_known_by_their_parts(tmp_path: Path) -> None:
    row = '<row><c t="inlineStr"><is><t>x</t></is></c></row>'
    for path, file_type in (
        (word(tmp_path / "a", paragraph("words")), formats.DOCX),
        (slides(tmp_path / "b", shape("words")), formats.PPTX),
        (workbook(tmp_path / "c", {"S": row}), formats.XLSX),
        (book(tmp_path / "d", {"1.xhtml": "<html><body><p>words</p></body></html>"}), formats.EPUB),
    ):
        assert inspection.inspect(path, path.name).file_type == file_type


def test_tables_inside_tables_beyond_what_is_read_are_refused_for_that(tmp_path: Path) -> None:
    body = paragraph("words")
    for _ in range(150):
        body = f"<w:tbl><w:tr><w:tc>{body}</w:tc></w:tr></w:tbl>"
    assert "nested too deeply to be read" in refusal(word(tmp_path / "a.docx", body))


def test_a_word_document_of_pictures_alone_is_refused_with_what_to_do(tmp_path: Path) -> None:
    assert "export it as PDF" in refusal(word(tmp_path / "a.docx", "<w:p/>"))


@pytest.mark.parametrize(("kind", "file_type"), [("HEIF", "image/heic"), ("AVIF", "image/avif")])
def test_pictures_as_phones_take_them_are_taken(tmp_path: Path, kind: str, file_type: str) -> None:
    found = inspection.inspect(made(tmp_path, "x", image_bytes(kind)), "a.heic")
    assert (found.file_type, found.page_count) == (file_type, 1)


def test_recordings_and_requests_for_web_pages_are_taken(tmp_path: Path) -> None:
    assert inspection.inspect(tone(tmp_path / "x", 1), "a").file_type == "audio/wav"
    body = b'{"url": "https://example.org/", "instruction": "Find the price"}'
    assert inspection.inspect(made(tmp_path, "y", body), "a.webreq").file_type == formats.WEB_REQUEST
    assert inspection.inspect(made(tmp_path, "z", body), "a.json").file_type == formats.TEXT


def test_a_mail_is_a_container_only_where_they_are_asked_for(tmp_path: Path) -> None:
    path = made(tmp_path, "a.eml", mailed({}, text="words"))
    assert not inspection.inspect(path, path.name).is_container
    assert inspection.inspect(path, path.name, containers=inspection_pool.limits()).is_container


def test_a_pdf_is_counted(tmp_path: Path) -> None:
    found = inspection.inspect(made(tmp_path, "a.pdf", pdf_bytes(tmp_path, 3)), "a.pdf")
    assert found == inspection.Inspection("application/pdf", ".pdf", 3, ())


def test_a_picture_named_pdf_is_taken_as_the_picture_it_is(tmp_path: Path) -> None:
    found = inspection.inspect(made(tmp_path, "a.pdf", image_bytes("PNG")), "a.pdf")
    assert (found.file_type, found.extension) == ("image/png", ".png")
    assert found.notes == ("The extension is .pdf but the content is PNG; processed as such.",)


def test_an_empty_file_is_refused(tmp_path: Path) -> None:
    assert "empty" in refusal(made(tmp_path, "a.pdf", b""))


@pytest.mark.parametrize("body", [b"MZ\x90\x00" + bytes(200), b"\x7fELF" + bytes(200), b"#!/bin/sh\n"])
def test_a_program_named_pdf_is_refused(tmp_path: Path, body: bytes) -> None:
    assert "program" in refusal(made(tmp_path, "a.pdf", body))


@each(
    ("body", "name", "words"),
    [
        (archive("[Content_Types].xml", "word/document.xml"), "a.docx", "Word document is damaged"),
        (
            archive("[Content_Types].xml", "visio/document.xml"),
            "a.vsdx",
            "Office files of this kind cannot be processed",
        ),
        (archive("mimetype", "content.xml"), "a.odt", "Save as .docx"),
        (b"\xd0\xcf\x11\xe0" + bytes(600), "a.doc", "before 2007"),
        (b"<!DOCTYPE html><html></html>", "a.html", "contains no text"),
        (b"RIFF\x00\x00\x00\x00AVI fmt ", "a.avi", "PCM WAV"),
        (b"\x00\x00\x00\x18ftypheic", "a.heic", "is truncated or damaged"),
        (b"  \n ", "a.txt", "only whitespace"),
        (b"PK\x03\x04 and then nothing", "a.docx", "damaged or incomplete"),
        (b"\xd0\xcf\x11\xe0" + bytes(600), "a.msg", "damaged or incomplete"),
        (b"\x00\x01\x02", "a.txt", "does not match the extension .txt"),
        (archive("a.pdf"), "a.zip", "Unpack it"),
        (b"PK\x03\x04 and then nothing", "a.zip", "Archives cannot be processed"),
        (b"\x1f\x8b\x08", "a.gz", "Unpack it"),
        (b"garbage", "a.pdf", "does not match the extension .pdf"),
        (b"\x00garbage", "a.xyz", "not supported"),
        (b"RIFF\x00\x00\x00\x00WAVEfmt ", "a.wav", "PCM WAV"),
        (b'{"url": "file:///etc/passwd"}', "a.webreq", "not the address of a web page"),
        (b"<a><b>never closed", "a.xml", "XML file is damaged"),
    ],
)
def test_what_is_not_taken_is_refused_with_what_to_do(tmp_path: Path, body: bytes, name: str, words: str) -> None:
    assert words in refusal(made(tmp_path, name, body))


def test_a_pdf_with_a_password_is_refused(tmp_path: Path) -> None:
    with pikepdf.open(io.BytesIO(pdf_bytes(tmp_path))) as document:
        document.save(tmp_path / "b.pdf", encryption=pikepdf.Encryption(owner="o", user="u"))
    assert "password" in refusal(tmp_path / "b.pdf")


def test_a_pdf_that_only_forbids_printing_is_taken(tmp_path: Path) -> None:
    with pikepdf.open(io.BytesIO(pdf_bytes(tmp_path))) as document:
        document.save(tmp_path / "b.pdf", encryption=pikepdf.Encryption(owner="o", user=""))
    assert inspection.inspect(tmp_path / "b.pdf", "b.pdf").page_count == 1


def test_a_cut_pdf_that_can_be_repaired_is_taken_with_a_note(tmp_path: Path) -> None:
    whole = pdf_bytes(tmp_path, 2)
    found = inspection.inspect(made(tmp_path, "b.pdf", whole[: whole.index(b"xref")]), "b.pdf")
    assert found.page_count == 2
    assert "repaired" in found.notes[0]


def test_a_pdf_cut_beyond_repair_is_refused(tmp_path: Path) -> None:
    assert "could not be repaired" in refusal(made(tmp_path, "b.pdf", pdf_bytes(tmp_path)[:60]))


def test_a_pdf_without_pages_is_refused(tmp_path: Path) -> None:
    with pikepdf.new() as document:
        document.save(tmp_path / "b.pdf")
    assert refusal(tmp_path / "b.pdf")


def test_too_many_pages_are_refused(tmp_path: Path) -> None:
    path = made(tmp_path, "a.pdf", pdf_bytes(tmp_path, 3))
    with pytest.raises(Refused, match="3 pages; the limit is 2"):
        inspection.inspect(path, "a.pdf", max_pages=2)


@pytest.mark.parametrize("kind", ["PNG", "JPEG", "GIF"])
def test_a_cut_image_is_refused(tmp_path: Path, kind: str) -> None:
    body = image_bytes(kind)
    assert "is truncated" in refusal(made(tmp_path, "a", body[: len(body) // 2]), "a.png")


def test_a_scan_of_several_pages_cut_anywhere_is_taken_or_refused_with_a_sentence(tmp_path: Path) -> None:
    stream = io.BytesIO()
    pages = [Image.effect_noise((60, 80), 40) for _ in range(3)]
    pages[0].save(stream, "TIFF", save_all=True, append_images=pages[1:])
    whole = stream.getvalue()
    for length in range(1, len(whole), len(whole) // 60):
        path = made(tmp_path, "cut.tif", whole[:length])
        with contextlib.suppress(Refused):
            inspection.inspect(path, path.name)


def png_of(width: int, height: int) -> bytes:
    """A PNG that claims a size and holds next to nothing."""

    def chunk(kind: bytes, body: bytes) -> bytes:
        return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))

    header = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(b"")) + chunk(b"IEND", b"")


@pytest.mark.parametrize("side", [12_000, 60_000])
def test_a_decompression_bomb_is_refused_before_it_is_decoded(tmp_path: Path, side: int) -> None:
    tracemalloc.start()
    words = refusal(made(tmp_path, "a.png", png_of(side, side)))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert "120 million pixels" in words
    assert peak < 20_000_000


def test_a_bomb_inside_a_pdf_is_refused(tmp_path: Path) -> None:
    side = image_files.MAX_SOURCE_PIXELS // 1000
    with pikepdf.new() as document:
        document.add_blank_page(page_size=(200, 200))
        stream = pikepdf.Stream(document, b"")
        stream.Type, stream.Subtype = pikepdf.Name.XObject, pikepdf.Name.Image
        stream.Width, stream.Height, stream.BitsPerComponent = side, 2000, 8
        stream.ColorSpace = pikepdf.Name.DeviceGray
        document.pages[0].Resources = pikepdf.Dictionary(XObject=pikepdf.Dictionary(I=stream))
        document.pages[0].Contents = document.make_stream(b"200 0 0 200 0 0 cm /I Do")
        document.save(tmp_path / "b.pdf")
    assert "image on page 1" in refusal(tmp_path / "b.pdf")


def test_an_animation_is_taken_with_a_note(tmp_path: Path) -> None:
    frames = [Image.effect_noise((20, 20), 50 + number) for number in range(3)]
    frames[0].save(tmp_path / "a.gif", save_all=True, append_images=frames[1:])
    found = inspection.inspect(tmp_path / "a.gif", "a.gif")
    assert (found.page_count, found.notes) == (1, ("Only the first frame of this animation is processed.",))


def test_a_large_file_is_not_read_into_memory(tmp_path: Path) -> None:
    path = tmp_path / "a.bin"
    with path.open("wb") as file:
        file.write(b"plain words")
        file.truncate(800_000_000)  # sparse: costs no disk
    tracemalloc.start()
    refusal(path)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 2_000_000


def test_the_demo_documents_are_taken(tmp_path: Path) -> None:
    found = [inspection.inspect(path, path.name) for path in samples.write_samples(tmp_path)]
    assert [(one.file_type, one.page_count, one.notes) for one in found] == [
        ("application/pdf", 1, ()),
        ("image/jpeg", 1, ()),
        ("image/tiff", 2, ()),
    ]


@pytest.mark.skipif(not SAMPLES.exists(), reason="the sample documents are not on this machine")
@each("folder", ["adbuy", "contracts", "einvoices", "fara", "invoices", "scans", "odd"])
def test_sample_documents_are_taken_or_refused_with_a_sentence(folder: str) -> None:
    refusals = []
    for path in sorted((SAMPLES / folder).iterdir()):
        try:
            assert inspection.inspect(path, path.name).page_count
        except Refused as refused:
            refusals.append((folder, str(refused)))
    assert all(where == "odd" and sentence.endswith(".") for where, sentence in refusals)


@each("kind", sorted({*content_types.EXTENSIONS, *containers.EXTENSIONS}))
def test_every_kind_that_is_taken_has_a_name_for_people(kind: str) -> None:
    assert "/" not in desk.file_type(kind)
