"""Office packages made by hand: as little of each as a reader needs."""

import zipfile
from collections.abc import Mapping
from pathlib import Path

_W = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
_MC = 'xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006"'
_A = 'xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main"'
_P = 'xmlns:p="http://schemas.openxmlformats.org/presentationml/2006/main"'
_R = 'xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"'
_S = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"'
_RELS = 'xmlns="http://schemas.openxmlformats.org/package/2006/relationships"'


def packed(path: Path, parts: Mapping[str, str]) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("[Content_Types].xml", "<Types/>")
        for name, body in parts.items():
            archive.writestr(name, body)
    return path


def rels(targets: Mapping[str, str]) -> str:
    inside = "".join(f'<Relationship Id="{key}" Target="{target}"/>' for key, target in targets.items())
    return f"<Relationships {_RELS}>{inside}</Relationships>"


def paragraph(text: str, style: str = "") -> str:
    dress = f'<w:pPr><w:pStyle w:val="{style}"/></w:pPr>' if style else ""
    return f"<w:p>{dress}<w:r><w:t>{text}</w:t></w:r></w:p>"


def word(path: Path, body: str, **others: str) -> Path:
    """``others``: further parts by name, such as ``footnotes``."""
    parts = {"word/document.xml": f"<w:document {_W} {_MC}><w:body>{body}</w:body></w:document>"}
    return packed(path, parts | {f"word/{name}.xml": f"<w:x {_W}>{inside}</w:x>" for name, inside in others.items()})


def shape(*texts: str, kind: str = "") -> str:
    place = f'<p:nvSpPr><p:nvPr><p:ph type="{kind}"/></p:nvPr></p:nvSpPr>' if kind else ""
    lines = "".join(f"<a:p><a:r><a:t>{text}</a:t></a:r></a:p>" for text in texts)
    return f"<p:sp>{place}<p:txBody>{lines}</p:txBody></p:sp>"


def slides(path: Path, *bodies: str, notes: str = "") -> Path:
    """``notes`` are the first slide's."""
    ids = "".join(f'<p:sldId id="{256 + number}" r:id="r{number}"/>' for number in range(len(bodies)))
    parts = {
        "ppt/presentation.xml": f"<p:presentation {_P} {_R}><p:sldIdLst>{ids}</p:sldIdLst></p:presentation>",
        "ppt/_rels/presentation.xml.rels": rels({f"r{n}": f"slides/slide{n + 1}.xml" for n in range(len(bodies))}),
    }
    for number, body in enumerate(bodies, start=1):
        parts[f"ppt/slides/slide{number}.xml"] = f"<p:sld {_P} {_A}>{body}</p:sld>"
    if notes:
        parts["ppt/slides/_rels/slide1.xml.rels"] = rels({"n": "../notesSlides/notesSlide1.xml"})
        parts["ppt/notesSlides/notesSlide1.xml"] = f"<p:notes {_P} {_A}>{shape(notes, kind='body')}</p:notes>"
    return packed(path, parts)


def workbook(path: Path, sheets: Mapping[str, str], *, strings: str = "", styles: str = "", state: str = "") -> Path:
    """``sheets``: rows as XML by the sheet's name."""
    listed = "".join(
        f'<sheet name="{name}" sheetId="{number}" r:id="r{number}"{state}/>' for number, name in enumerate(sheets)
    )
    parts = {
        "xl/workbook.xml": f"<workbook {_S} {_R}><sheets>{listed}</sheets></workbook>",
        "xl/_rels/workbook.xml.rels": rels({f"r{n}": f"worksheets/sheet{n}.xml" for n in range(len(sheets))}),
    }
    for number, rows in enumerate(sheets.values()):
        parts[f"xl/worksheets/sheet{number}.xml"] = f"<worksheet {_S}><sheetData>{rows}</sheetData></worksheet>"
    if strings:
        parts["xl/sharedStrings.xml"] = f"<sst {_S}>{strings}</sst>"
    if styles:
        parts["xl/styles.xml"] = f"<styleSheet {_S}>{styles}</styleSheet>"
    return packed(path, parts)


def book(path: Path, chapters: Mapping[str, str]) -> Path:
    """An e-book; ``chapters``: the page of each by its file's name."""
    items = "".join(
        f'<item id="{n}" href="{name}" media-type="application/xhtml+xml"/>' for n, name in enumerate(chapters)
    )
    spine = "".join(f'<itemref idref="{number}"/>' for number in range(len(chapters)))
    parts = {
        "mimetype": "application/epub+zip",
        "META-INF/container.xml": '<container xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles>'
        '<rootfile full-path="OPS/a.opf"/></rootfiles></container>',
        "OPS/a.opf": f'<package xmlns="http://www.idpf.org/2007/opf"><manifest>{items}</manifest><spine>{spine}</spine></package>',
    }
    return packed(path, parts | {f"OPS/{name}": body for name, body in chapters.items()})
