"""Files made to harm whoever reads them: each a function of the path that it writes, by the way that it is read.

``SECRET`` stands in a file of this machine, ``http://127.0.0.1:<port>/`` is a server of the test: neither is ever read.
"""

import io
import struct
import wave
import zipfile
import zlib
from collections.abc import Callable, Mapping
from email.message import EmailMessage
from functools import partial
from pathlib import Path

import pikepdf
from PIL import Image

from tests.workflows.stages.formats import office
from tests.workflows.stages.formats.einvoices import UBL

# The part of each package that holds the text.
PARTS = {
    ".docx": "word/document.xml",
    ".pptx": "ppt/slides/slide1.xml",
    ".xlsx": "xl/sharedStrings.xml",
    ".epub": "one.xhtml",
}
SECRET = "Passphrase-of-this-machine-8815"
MILLION = 1_000_000
Write = Callable[[Path], None]


def text(body: str) -> Write:
    return lambda path: path.write_text(body) and None


def raw(body: bytes) -> Write:
    return lambda path: path.write_bytes(body) and None


# --- XML: entities that lead elsewhere, and entities that grow -----------------------------------------------------


def entities(secret: Path, port: int) -> Mapping[str, tuple[str, str]]:
    """By name: what stands before the root element, and what stands in it."""
    lol = '<!ENTITY a "lol">' + "".join(
        f'<!ENTITY {b} "{f"&{a};" * 10}">' for a, b in zip("abcdefghi", "bcdefghij", strict=True)
    )
    return {
        "file": (f'<!DOCTYPE x [<!ENTITY e SYSTEM "file://{secret}">]>', "&e;"),
        "network": (f'<!DOCTYPE x [<!ENTITY e SYSTEM "http://127.0.0.1:{port}/e">]>', "&e;"),
        "dtd": (f'<!DOCTYPE x SYSTEM "http://127.0.0.1:{port}/x.dtd">', "&e;"),
        "parameter": (f'<!DOCTYPE x [<!ENTITY % p SYSTEM "file://{secret}"> %p;]>', "x"),
        "laughs": (f"<!DOCTYPE x [{lol}]>", "&j;"),
        "quadratic": (f'<!DOCTYPE x [<!ENTITY e "{"x" * 50_000}">]>', "&e;" * 20_000),
    }


def in_attribute(body: str) -> str:
    """Entities of files may not stand in attributes; those that grow may."""
    return f'Total <b title="{body}">12.34</b>'


def xml_files(secret: Path, port: int) -> dict[str, Write]:
    """The same entities in every kind of file that holds XML."""
    found: dict[str, Write] = {}
    for name, (head, body) in entities(secret, port).items():
        inside = f"Total {body} 12.34"
        found[f"{name}.xml"] = text(f"<?xml version='1.0'?>{head}<x><y>{inside}</y></x>")
        start = "<?xml version='1.0'?>"
        found[f"{name} invoice.xml"] = text(start + head + UBL.replace("Lieferant GmbH", inside))
        found[f"{name}.svg"] = text(f"{start}{head}<svg xmlns='http://www.w3.org/2000/svg'><text>{inside}</text></svg>")
        found[f"{name}.html"] = text(f"{head}<html><body><p>{inside}</p></body></html>")
        for ending, part in PARTS.items():
            found[f"{name}{ending}"] = partial(_office, part=part, head=head, inside=inside)
        found[f"{name} xmp.pdf"] = partial(_pdf_with_xmp, head=head, inside=inside)
        found[f"{name} xmp.png"] = partial(_png_with_xmp, head=head, inside=inside)
        found[f"{name} mail.eml"] = partial(_mail, body=f"{head}<html><p>{inside}</p></html>")
        if name in {"laughs", "quadratic"}:
            found[f"{name} attribute.xml"] = text(f"{start}{head}<x><y>{in_attribute(body)}</y></x>")
            found[f"{name} attribute.html"] = text(f"{head}<html><p>{in_attribute(body)}</p></html>")
    return found


def _package(path: Path) -> dict[str, str]:
    """The parts of a small file of the path's kind, by name."""
    {".docx": _word, ".pptx": _slides, ".xlsx": _sheet, ".epub": _book}[path.suffix](path)
    with zipfile.ZipFile(path) as archive:
        return {name: archive.read(name).decode() for name in archive.namelist()}


def _office(path: Path, part: str, head: str, inside: str) -> None:
    whole = _package(path)
    whole[part] = head + whole[part].replace("Total", inside, 1)
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, body in whole.items():
            archive.writestr(name, body)


def _word(path: Path) -> None:
    office.word(path, office.paragraph("Total") + office.paragraph("12.34") * 3_000)


def _slides(path: Path) -> None:
    office.slides(path, office.shape("Total"))


def _sheet(path: Path) -> None:
    main = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"'
    relations = 'xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"'
    sheet, cell = '<sheet name="A" sheetId="1" r:id="s"/>', '<c r="A1" t="s"><v>0</v></c>'
    parts = {
        "xl/workbook.xml": f"<workbook {main} {relations}><sheets>{sheet}</sheets></workbook>",
        "xl/_rels/workbook.xml.rels": office.rels({"s": "worksheets/sheet1.xml", "t": "sharedStrings.xml"}),
        "xl/sharedStrings.xml": f"<sst {main}><si><t>Total</t></si></sst>",
        "xl/worksheets/sheet1.xml": f'<worksheet {main}><sheetData><row r="1">{cell}</row></sheetData></worksheet>',
    }
    office.packed(path, parts)


def _book(path: Path) -> None:
    container = 'xmlns="urn:oasis:names:tc:opendocument:xmlns:container"'
    root, item = '<rootfile full-path="a.opf"/>', '<item id="i" href="one.xhtml" media-type="application/xhtml+xml"/>'
    inside = f'<manifest>{item}</manifest><spine><itemref idref="i"/></spine>'
    parts = {
        "mimetype": "application/epub+zip",
        "META-INF/container.xml": f"<container {container}><rootfiles>{root}</rootfiles></container>",
        "a.opf": f'<package xmlns="http://www.idpf.org/2007/opf">{inside}</package>',
        "one.xhtml": '<html xmlns="http://www.w3.org/1999/xhtml"><body><p>Total</p></body></html>',
    }
    office.packed(path, parts)


def _pdf_with_xmp(path: Path, head: str, inside: str) -> None:
    with pikepdf.new() as made:
        made.add_blank_page(page_size=(200, 200))
        xmp = f'{head}<x:xmpmeta xmlns:x="adobe:ns:meta/"><y>{inside}</y></x:xmpmeta>'
        stream = made.make_stream(xmp.encode())
        stream.Type, stream.Subtype = pikepdf.Name.Metadata, pikepdf.Name.XML
        made.Root.Metadata = stream
        made.save(path)


def _png_with_xmp(path: Path, head: str, inside: str) -> None:
    xmp = f"{head}<x:xmpmeta xmlns:x='adobe:ns:meta/'>{inside}</x:xmpmeta>".encode()
    body = io.BytesIO()
    Image.new("RGB", (60, 40), "white").save(body, "PNG")
    whole = body.getvalue()
    path.write_bytes(whole[:33] + chunk(b"iTXt", b"XML:com.adobe.xmp\0\0\0\0\0" + xmp) + whole[33:])


def _mail(path: Path, body: str) -> None:
    made = EmailMessage()
    made["From"], made["To"], made["Subject"] = "a@example.org", "b@example.org", "Total"
    made.set_content(body, subtype="html")
    path.write_bytes(made.as_bytes())


# --- pictures ------------------------------------------------------------------------------------------------------


def chunk(kind: bytes, body: bytes) -> bytes:
    return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))


def png(width: int, height: int, body: bytes = b"", *more: bytes) -> bytes:
    """Grey; without ``body`` as many blank rows as it says, which pack to nearly nothing."""
    head = chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0))
    rows = body or zlib.compress(bytes(min((width + 1) * height, 200 * MILLION)), 9)
    return b"\x89PNG\r\n\x1a\n" + head + b"".join(more) + chunk(b"IDAT", rows) + chunk(b"IEND", b"")


def _tiff(pages: int) -> bytes:
    """Pages of one pixel, each a directory that names the next; the last names the first again."""
    body, size = bytearray(b"II*\0" + struct.pack("<I", 8)), 2 + 8 * 12 + 4
    for page in range(pages):
        at = 8 + page * size
        entries = ((256, 1), (257, 1), (258, 8), (259, 1), (262, 1), (273, 0), (278, 1), (279, 1))
        body += struct.pack("<H", len(entries))
        for tag, value in entries:
            body += struct.pack("<HHII", tag, 4, 1, value)
        body += struct.pack("<I", at + size if page + 1 < pages else 8)
    return bytes(body)


def _bmp(width: int, height: int) -> bytes:
    head = struct.pack("<IiiHHIIiiII", 40, width, height, 1, 24, 0, 0, 0, 0, 0, 0)
    return b"BM" + struct.pack("<IHHI", 54 + 64, 0, 0, 54) + head + bytes(64)


def _gif(width: int, height: int, frames: int = 1) -> bytes:
    picture = b"\x2c" + struct.pack("<HHHHB", 0, 0, width, height, 0) + b"\x02\x02\x4c\x01\x00"
    return b"GIF89a" + struct.pack("<HHBBB", width, height, 0x80, 0, 0) + bytes(6) + picture * frames + b"\x3b"


def _jpeg(width: int, height: int) -> bytes:
    body = io.BytesIO()
    Image.new("L", (16, 16), 255).save(body, "JPEG")
    whole = bytearray(body.getvalue())
    at = whole.index(b"\xff\xc0") + 5
    whole[at : at + 4] = struct.pack(">HH", height, width)
    return bytes(whole)


def _saved(kind: str, size: tuple[int, int]) -> Write:
    return lambda path: Image.new("L", size, 255).save(path, kind)


def pictures() -> dict[str, Write]:
    return {
        "narrow.png": raw(png(1, MILLION)),
        "flat.png": raw(png(MILLION, 1)),
        "wide.png": raw(png(2**31 - 1, 1, zlib.compress(b"\0" * 64))),
        "square.png": raw(png(65_535, 65_535, zlib.compress(b"\0" * 64))),
        "nothing.png": raw(png(0, 0, zlib.compress(b""))),
        "comment.png": raw(png(8, 8, b"", chunk(b"zTXt", b"Comment\0\0" + zlib.compress(bytes(300 * MILLION), 9)))),
        "profile.png": raw(png(8, 8, b"", chunk(b"iCCP", b"p\0\0" + zlib.compress(bytes(300 * MILLION), 9)))),
        "loop.tif": raw(_tiff(3)),
        "many.tif": raw(_tiff(500)),
        "narrow.tif": _saved("TIFF", (1, MILLION)),
        "huge.bmp": raw(_bmp(2**30, 2**30)),
        "turned.bmp": raw(_bmp(100_000, -100_000)),
        "huge.gif": raw(_gif(65_535, 65_535)),
        "frames.gif": raw(_gif(2_000, 2_000, 20_000)),
        "huge.jpg": raw(_jpeg(65_500, 65_500)),
        "narrow.webp": _saved("WEBP", (1, 16_383)),
        "cut.heic": raw(b"\0\0\0\x18ftypheic" + bytes(12) + struct.pack(">I", 2**31 - 1) + b"meta" + bytes(64)),
        "nested.heic": raw(b"\0\0\0\x18ftypheic" + bytes(12) + b"\0\0\0\x08meta" * 100_000),
        "cut.avif": raw(b"\0\0\0\x18ftypavif" + bytes(12) + struct.pack(">I", 2**31 - 1) + b"meta" + bytes(64)),
    }


# --- PDF -----------------------------------------------------------------------------------------------------------


def _pdf(*objects: str, root: int = 1) -> bytes:
    body, places = bytearray(b"%PDF-1.7\n"), []
    for number, one in enumerate(objects, start=1):
        places.append(len(body))
        body += f"{number} 0 obj\n{one}\nendobj\n".encode("latin-1")
    at = len(body)
    body += f"xref\n0 {len(objects) + 1}\n0000000000 65535 f \n".encode()
    body += b"".join(f"{place:010} 00000 n \n".encode() for place in places)
    return bytes(body + f"trailer\n<</Size {len(objects) + 1}/Root {root} 0 R>>\nstartxref\n{at}\n%%EOF\n".encode())


def _page(box: str = "0 0 200 200", content: str = "", more: str = "") -> bytes:
    return _pdf(
        "<</Type/Catalog/Pages 2 0 R>>",
        "<</Type/Pages/Kids[3 0 R]/Count 1>>",
        f"<</Type/Page/Parent 2 0 R/MediaBox[{box}]/Contents 4 0 R/Resources<</XObject<</X 5 0 R>>/Font<<>>>>{more}>>",
        f"<</Length {len(content)}>>stream\n{content}\nendstream",
        "<</Type/XObject/Subtype/Form/BBox[0 0 9 9]/Resources<</XObject<</X 5 0 R>>>>/Length 5>>"
        "stream\n/X Do\nendstream",
    )


def _flate_bomb(path: Path) -> None:
    """A page whose drawing unpacks from a few hundred kilobytes to 1 GB, packed twice."""
    packer = zlib.compressobj(1)
    packed = b"".join(packer.compress(b"0 0 m 9 9 l S\n" * 70_000) for _ in range(1_000)) + packer.flush()
    with pikepdf.new() as made:
        made.add_blank_page(page_size=(200, 200))
        stream = pikepdf.Stream(made, zlib.compress(packed, 9))
        stream.Filter = pikepdf.Array([pikepdf.Name.FlateDecode, pikepdf.Name.FlateDecode])
        made.pages[0].Contents = made.make_indirect(stream)
        made.save(path, compress_streams=False, stream_decode_level=pikepdf.StreamDecodeLevel.none)


def _invoice_bomb(path: Path) -> None:
    """An e-invoice in a PDF that unpacks to 1 GB."""
    packer = zlib.compressobj(1)
    packed = b"".join(packer.compress(bytes(MILLION)) for _ in range(1_000)) + packer.flush()
    with pikepdf.new() as made:
        made.add_blank_page(page_size=(200, 200))
        file = pikepdf.Stream(made, packed)
        file.Filter, file.Type = pikepdf.Name.FlateDecode, pikepdf.Name.EmbeddedFile
        spec = pikepdf.Dictionary(
            Type=pikepdf.Name.Filespec, F="factur-x.xml", UF="factur-x.xml",
            EF=pikepdf.Dictionary(F=made.make_indirect(file)), AFRelationship=pikepdf.Name.Alternative,
        )  # fmt: skip
        spec = made.make_indirect(spec)
        made.Root.Names = pikepdf.Dictionary(EmbeddedFiles=pikepdf.Dictionary(Names=["factur-x.xml", spec]))
        made.Root.AF = pikepdf.Array([spec])
        made.save(path, compress_streams=False, stream_decode_level=pikepdf.StreamDecodeLevel.none)


def pdfs() -> dict[str, Write]:
    return {
        "huge.pdf": raw(_page("0 0 1000000000 1000000000")),
        "endless.pdf": raw(_page("0 0 1e38 1e38")),
        "negative.pdf": raw(_page("0 0 -5 -5")),
        "strip.pdf": raw(_page("0 0 1 1000000")),
        "unit.pdf": raw(_page("0 0 14400 14400", more="/UserUnit 1000000")),
        "itself.pdf": raw(_page(content="/X Do")),
        "states.pdf": raw(_page(content="q " * MILLION)),
        "kids.pdf": raw(_pdf("<</Type/Catalog/Pages 2 0 R>>", "<</Type/Pages/Kids[2 0 R]/Count 1>>")),
        "count.pdf": raw(_pdf("<</Type/Catalog/Pages 2 0 R>>", "<</Type/Pages/Kids[]/Count 2000000000>>")),
        "deep.pdf": raw(_pdf("<</Type/Catalog/Pages 2 0 R>>", "[" * 500_000 + "]" * 500_000)),
        "picture.pdf": raw(_picture_pdf(60_000)),
        "flate.pdf": _flate_bomb,
        "invoice.pdf": _invoice_bomb,
        "launch.pdf": raw(_page(more="/AA<</O<</S/Launch/F(/bin/sh)>>>>")),
    }


def _picture_pdf(side: int) -> bytes:
    content = "200 0 0 200 0 0 cm /X Do"
    size = f"/Width {side}/Height {side}/ColorSpace/DeviceGray/BitsPerComponent 8"
    return _pdf(
        "<</Type/Catalog/Pages 2 0 R>>",
        "<</Type/Pages/Kids[3 0 R]/Count 1>>",
        "<</Type/Page/Parent 2 0 R/MediaBox[0 0 200 200]/Contents 4 0 R/Resources<</XObject<</X 5 0 R>>>>>>",
        f"<</Length {len(content)}>>stream\n{content}\nendstream",
        f"<</Type/XObject/Subtype/Image{size}/Length 1>>stream\n0\nendstream",
    )


# --- packages and archives -----------------------------------------------------------------------------------------


def bomb(size: int) -> bytes:
    """A ZIP of one file of zeros."""
    body = io.BytesIO()
    with (
        zipfile.ZipFile(body, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive,
        archive.open("a.txt", "w") as file,
    ):
        for _ in range(size // MILLION):
            file.write(bytes(MILLION))
    return body.getvalue()


def _package_bomb(part: str) -> Write:
    def write(path: Path) -> None:
        whole = _package(path)
        whole.pop(part)
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
            for name, body in whole.items():
                archive.writestr(name, body)
            with archive.open(part, "w") as file:
                file.write(b"<x>")
                for _ in range(300):
                    file.write(b"<y>" + b"Total " * 160_000 + b"</y>")

    return write


def _late(junk: str, around: str = "") -> Write:
    """What a reader finds first is a document; millions of elements that mean nothing follow, a few bytes each."""
    parts = {".docx": ("word/document.xml", "</w:body>"), ".xlsx": ("xl/worksheets/sheet1.xml", "</sheetData>")}

    def write(path: Path) -> None:
        whole = _package(path)
        part, end = parts[path.suffix]
        before, _, after = whole.pop(part).partition(end)
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
            for name, body in whole.items():
                archive.writestr(name, body)
            with archive.open(part, "w") as file:
                file.write((before + around).encode())
                for _ in range(120):
                    file.write(junk.encode() * 100_000)
                file.write((around.replace("<", "</") + end + after).encode())

    return write


def _nested(depth: int) -> Write:
    def write(path: Path) -> None:
        body = bomb(100 * MILLION)
        for _ in range(depth):
            made = io.BytesIO()
            with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
                for number in range(10):
                    archive.writestr(f"{number}.zip", body)
            body = made.getvalue()
        path.write_bytes(body)

    return write


def packages() -> dict[str, Write]:
    deep = "<w:tbl><w:tr><w:tc>" * 20_000 + "x" + "</w:tc></w:tr></w:tbl>" * 20_000
    return {
        "bomb.docx": _package_bomb("word/document.xml"),
        "bomb.pptx": _package_bomb("ppt/slides/slide1.xml"),
        "bomb.xlsx": _package_bomb("xl/worksheets/sheet1.xml"),
        "strings.xlsx": _package_bomb("xl/sharedStrings.xml"),
        "bomb.epub": _package_bomb("one.xhtml"),
        "deep.docx": lambda path: office.word(path, deep) and None,
        "late.docx": _late("<y/>"),
        "inside.docx": _late("<y/>", "<w:p>"),
        "comments.docx": _late("<!---->"),
        "late.xlsx": _late("<y a='' b=''/>"),
        "bomb.zip": raw(bomb(600 * MILLION)),
        "nested.zip": _nested(2),
        "deep.xml": text("<x>" * MILLION),
        "attributes.xml": text("<x " + " ".join(f'a{n}="1"' for n in range(500_000)) + ">Total</x>"),
        "deep.html": text("<html><body>" + "<div>" * MILLION + "Total"),
        "attributes.html": text("<html><p " + " ".join(f"a{n}=1" for n in range(200_000)) + ">Total"),
        "tables.html": text("<html>" + "<table><tr><td>" * 20_000 + "Total"),
        "aside.html": text("<html><body>" + "<div class=share>" * 200 + "Total " * 500_000),
    }


# --- texts, mails, sound, video --------------------------------------------------------------------------------------


def _wav(path: Path) -> None:
    """Says that it is hours long, and is not."""
    with wave.open(str(path), "wb") as sound:
        sound.setparams((1, 2, 8000, 0, "NONE", ""))
        sound.writeframes(bytes(1_000))
    whole = bytearray(path.read_bytes())
    whole[4:8] = whole[40:44] = struct.pack("<I", 2**32 - 1)
    path.write_bytes(whole)


def _parts(path: Path) -> None:
    head = "From: a@example.org\nSubject: Total\nMIME-Version: 1.0\n"
    levels = "".join(f"Content-Type: multipart/mixed; boundary=b{n}\n\n--b{n}\n" for n in range(20_000))
    path.write_text(head + levels + "Content-Type: text/plain\n\nTotal\n")


def others() -> dict[str, Write]:
    box = struct.pack(">I", 24) + b"ftypisom" + bytes(12)
    return {
        "line.txt": text("Total " * MILLION),
        "blank.txt": text("Total\n" + " " * 5 * MILLION),
        "lines.txt": text("\n" * 30 * MILLION + "Total"),
        "cell.csv": text('a,b\n"' + "x," * 10 * MILLION),
        "columns.csv": text("," * 10 * MILLION + "\nTotal"),
        "columns.md": text("|" * 3 * MILLION + "\n" + "|-" * MILLION),
        "deep.webreq": text('{"url": ' + "[" * 50_000),
        "deep.rtf": text("{\\rtf1 " + "{" * 3 * MILLION + "Total"),
        "words.rtf": text("{\\rtf1 " + "\\b" * 10 * MILLION),
        "binary.rtf": text("{\\rtf1 \\bin2147483647 Total}"),
        "parts.eml": _parts,
        "headers.eml": text(
            "Subject: Total\n" + "".join(f"X-{n}: y\n" for n in range(300_000)) + "From: a@b.c\n\nTotal"
        ),
        "header.eml": text("From: a@example.org\nSubject: " + "=?utf-8?q?=20?= " * 300_000 + "\n\nTotal"),
        "types.eml": text("From: a@b.c\nMIME-Version: 1.0\nContent-Type: text/plain" + "; a=b" * 500_000 + "\n\nTotal"),
        "hours.wav": _wav,
        "tag.mp3": raw(b"ID3\x04\0\0" + b"\x7f" * 4 + bytes(1_000)),
        "zeros.mp3": raw(b"\xff\xfb\x90\0" * 100_000),
        "cut.flac": raw(b"fLaC" + b"\x7f\xff\xff\xff" * 1_000),
        "cut.ogg": raw(b"OggS" + bytes(24) + b"\x01\x1e\x01vorbis" + b"\xff" * 1_000),
        "nothing.mp4": raw(box + bytes(8) * 500_000),
        "itself.mp4": raw(box + (struct.pack(">I", 1) + b"moov" + struct.pack(">Q", 0)) * 100_000),
        "deep.mp4": raw(box + b"".join(struct.pack(">I", 2**31 - 8 * n) + b"moov" for n in range(100_000))),
        "endless.mp4": raw(box + struct.pack(">I", 1) + b"moov" + struct.pack(">Q", 2**63) + bytes(64)),
        "message.msg": raw(_compound()),
    }


def _compound() -> bytes:
    """A compound file whose chain of sectors leads back to its beginning."""
    head = (
        b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
        + bytes(16)
        + struct.pack("<HHHHH6xIIIIIIIIII", 0x3E, 3, 0xFFFE, 9, 6, 0, 1, 1, 0, 4096, 1, 0, 0xFFFFFFFE, 0, 0)
    )
    table = struct.pack("<I", 0) + b"\xff" * 432
    fat = struct.pack("<128I", *([0xFFFFFFFD, 1] + [1] * 126))
    name = "Root Entry".encode("utf-16-le")
    root = name.ljust(64, b"\0") + struct.pack("<HBBIII", len(name) + 2, 5, 1, 0xFFFFFFFF, 0xFFFFFFFF, 1)
    return head.ljust(76, b"\0")[:76] + table[:436] + fat + (root.ljust(128, b"\0")) + bytes(384) + b"\0" * 512
