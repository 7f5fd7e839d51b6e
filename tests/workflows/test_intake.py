import contextlib
import io
import struct
import tracemalloc
import zipfile
import zlib
from pathlib import Path

import pikepdf
import pytest
from django.conf import settings
from PIL import Image

from config.errors import Refused
from workflows import intake, samples
from workflows.paper import Sheet, save
from workflows.stages import pictures

SAMPLES = Path(settings.BASE_DIR).parent / "shared/samples"


def made(folder: Path, name: str, body: bytes) -> Path:
    path = folder / name
    path.write_bytes(body)
    return path


def image_bytes(kind: str) -> bytes:
    body = io.BytesIO()
    Image.effect_noise((60, 60), 80).save(body, kind)
    return body.getvalue()


def pdf_bytes(tmp_path: Path, pages: int = 1) -> bytes:
    sheets = [Sheet(200, 200) for _ in range(pages)]
    for sheet in sheets:
        sheet.text(20, 40, "Hello")
    return save(sheets, tmp_path / "made.pdf").read_bytes()


def refusal(path: Path, name: str = "") -> str:
    with pytest.raises(Refused) as caught:
        intake.inspect(path, name or path.name)
    return str(caught.value)


def archive(*names: str) -> bytes:
    body = io.BytesIO()
    with zipfile.ZipFile(body, "w") as packed:
        for name in names:
            packed.writestr(name, "x")
    return body.getvalue()


@pytest.mark.parametrize(
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
    found = intake.inspect(made(tmp_path, "x", image_bytes(kind)), name)
    assert (found.file_type, found.page_count, found.notes) == (file_type, 1, ())


def test_a_pdf_is_counted(tmp_path: Path) -> None:
    found = intake.inspect(made(tmp_path, "a.pdf", pdf_bytes(tmp_path, 3)), "a.pdf")
    assert found == intake.Inspection("application/pdf", ".pdf", 3, ())


def test_a_picture_named_pdf_is_taken_as_the_picture_it_is(tmp_path: Path) -> None:
    found = intake.inspect(made(tmp_path, "a.pdf", image_bytes("PNG")), "a.pdf")
    assert (found.file_type, found.extension) == ("image/png", ".png")
    assert found.notes == ("The name ends in .pdf, the content is PNG; it is processed as that.",)


def test_an_empty_file_is_refused(tmp_path: Path) -> None:
    assert "empty" in refusal(made(tmp_path, "a.pdf", b""))


@pytest.mark.parametrize("body", [b"MZ\x90\x00" + bytes(200), b"\x7fELF" + bytes(200), b"#!/bin/sh\n"])
def test_a_program_named_pdf_is_refused(tmp_path: Path, body: bytes) -> None:
    assert "program" in refusal(made(tmp_path, "a.pdf", body))


@pytest.mark.parametrize(
    ("body", "name", "words"),
    [
        (archive("[Content_Types].xml", "word/document.xml"), "a.docx", "Office documents cannot be processed yet"),
        (archive("mimetype", "content.xml"), "a.odt", "Office documents cannot be processed yet"),
        (b"\xd0\xcf\x11\xe0" + bytes(600), "a.msg", "later version"),
        (b"<!DOCTYPE html><html></html>", "a.html", "Web pages cannot be processed yet"),
        (b"Received: from x\nFrom: y\n", "a.eml", "Mail and text files cannot be processed yet"),
        (b"RIFF\x00\x00\x00\x00WAVEfmt ", "a.wav", "Sound and video cannot be processed yet"),
        (b"\x00\x00\x00\x18ftypheic", "a.heic", "later version"),
        (b"some words", "a.txt", "Mail and text files cannot be processed yet"),
        (archive("a.pdf"), "a.zip", "Unpack it"),
        (b"PK\x03\x04 and then nothing", "a.zip", "Archives cannot be processed"),
        (b"\x1f\x8b\x08", "a.gz", "Unpack it"),
        (b"garbage", "a.pdf", "named .pdf but is not one"),
        (b"garbage", "a.xyz", "not supported"),
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
    assert intake.inspect(tmp_path / "b.pdf", "b.pdf").page_count == 1


def test_a_cut_pdf_that_can_be_repaired_is_taken_with_a_note(tmp_path: Path) -> None:
    whole = pdf_bytes(tmp_path, 2)
    found = intake.inspect(made(tmp_path, "b.pdf", whole[: whole.index(b"xref")]), "b.pdf")
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
    with pytest.raises(Refused, match="3 pages; 2 are taken at once"):
        intake.inspect(path, "a.pdf", max_pages=2)


@pytest.mark.parametrize("kind", ["PNG", "JPEG", "GIF"])
def test_a_cut_image_is_refused(tmp_path: Path, kind: str) -> None:
    body = image_bytes(kind)
    assert "ends too early" in refusal(made(tmp_path, "a", body[: len(body) // 2]), "a.png")


def test_a_scan_of_several_pages_cut_anywhere_is_taken_or_refused_with_a_sentence(tmp_path: Path) -> None:
    stream = io.BytesIO()
    pages = [Image.effect_noise((60, 80), 40) for _ in range(3)]
    pages[0].save(stream, "TIFF", save_all=True, append_images=pages[1:])
    whole = stream.getvalue()
    for length in range(1, len(whole), len(whole) // 60):
        path = made(tmp_path, "cut.tif", whole[:length])
        with contextlib.suppress(Refused):
            intake.inspect(path, path.name)


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
    side = pictures.MAX_SOURCE_PIXELS // 1000
    with pikepdf.new() as document:
        document.add_blank_page(page_size=(200, 200))
        stream = pikepdf.Stream(document, b"")
        stream.Type, stream.Subtype = pikepdf.Name.XObject, pikepdf.Name.Image
        stream.Width, stream.Height, stream.BitsPerComponent = side, 2000, 8
        stream.ColorSpace = pikepdf.Name.DeviceGray
        document.pages[0].Resources = pikepdf.Dictionary(XObject=pikepdf.Dictionary(I=stream))
        document.pages[0].Contents = document.make_stream(b"200 0 0 200 0 0 cm /I Do")
        document.save(tmp_path / "b.pdf")
    assert "picture on page 1" in refusal(tmp_path / "b.pdf")


def test_an_animation_is_taken_with_a_note(tmp_path: Path) -> None:
    frames = [Image.effect_noise((20, 20), 50 + number) for number in range(3)]
    frames[0].save(tmp_path / "a.gif", save_all=True, append_images=frames[1:])
    found = intake.inspect(tmp_path / "a.gif", "a.gif")
    assert (found.page_count, found.notes) == (1, ("Only the first picture of this animation is processed.",))


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
    found = [intake.inspect(path, path.name) for path in samples.write_samples(tmp_path)]
    assert [(one.file_type, one.page_count, one.notes) for one in found] == [
        ("application/pdf", 1, ()),
        ("image/jpeg", 1, ()),
        ("image/tiff", 2, ()),
    ]


@pytest.mark.skipif(not SAMPLES.exists(), reason="the sample documents are not on this machine")
@pytest.mark.parametrize("folder", ["adbuy", "contracts", "einvoices", "fara", "invoices", "scans", "odd"])
def test_sample_documents_are_taken_or_refused_with_a_sentence(folder: str) -> None:
    refusals = []
    for path in sorted((SAMPLES / folder).iterdir()):
        try:
            assert intake.inspect(path, path.name).page_count
        except Refused as refused:
            refusals.append((folder, str(refused)))
    assert all(where == "odd" and sentence.endswith(".") for where, sentence in refusals)
