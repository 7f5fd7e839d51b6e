"""Web pages: the main content, without navigation and advertisements."""

import codecs
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lxml import etree, html

from config.errors import Refused
from workflows.stages.formats import nesting, packages, texts
from workflows.stages.formats.blocks import Block, format_table_row

MOST_BYTES = 16 * 1024**2  # read whole, as a tree
_CHARSET = re.compile(rb"""charset\s*=\s*["']?\s*([\w.:-]+)""", re.IGNORECASE)
_NOISE = {
    "script", "style", "noscript", "template", "svg", "canvas", "iframe", "object", "head", "nav", "footer", "aside",
    "form", "button", "select", "input", "textarea", "dialog", "menu",
}  # fmt: skip
_IN_MAILS = _NOISE - {"form", "footer", "aside", "nav"}
_ASIDE = re.compile(
    r"\b(nav(bar|igation)?|menu|breadcrumbs?|cookie|sidebar|advert\w*|share|social|related|comments?)\b", re.I
)
_BLOCKS = {
    "p", "div", "section", "article", "main", "header", "footer", "aside", "blockquote", "pre", "ul", "ol", "dl", "dt",
    "dd", "li", "table", "figure", "figcaption", "address", "hr", "h1", "h2", "h3", "h4", "h5", "h6", "body", "tr",
    "fieldset", "form", "details", "summary", "center",
}  # fmt: skip
_ENOUGH = 200  # characters of an article


@dataclass(frozen=True)
class WebPage:
    title: str
    lines: tuple[str, ...]
    links: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        return "\n".join(self.lines)


def read_web_page(path: Path) -> Iterator[Block]:
    """Raises: Refused."""
    if path.stat().st_size > MOST_BYTES:
        raise Refused("This web page is too large. Save it as PDF and upload that.")
    page = parse_web_page(path.read_bytes())
    for number, line in enumerate(page.lines):
        yield Block(line, title=page.title, starts=number == 0)


def parse_web_page(body: bytes, *, charset: str = "", whole: bool = False) -> WebPage:
    """``whole``: everything visible, as for emails, not only the main content."""
    text = body.decode(_known_codec(charset) or _declared_encoding(body), "replace").replace("\x00", "")
    try:
        tree = html.document_fromstring(
            nesting.flatten(re.sub(r"^\s*<\?xml[^>]*\?>", "", text)) or "<p></p>",
            html.HTMLParser(remove_comments=True, no_network=True, huge_tree=False),
        )
    except (etree.ParserError, ValueError):  # only comments or white space
        return WebPage("", ())
    title = " ".join((tree.findtext(".//title") or "").split())
    links = tuple(str(one) for one in tree.xpath("//a/@href"))
    if whole:
        return WebPage(title, tuple(_lines(tree, _IN_MAILS, aside=False)), links)
    shown = tuple(_lines(_main(tree), _NOISE, aside=True))
    return WebPage(title, shown or tuple(_lines(tree, _IN_MAILS, aside=False)), links)


def _declared_encoding(body: bytes) -> str:
    head = body[:4096]
    found = _CHARSET.search(head)
    marked = texts.detect_encoding(head) or "utf-8"
    if marked.startswith("utf-") and marked != "utf-8":
        return marked
    return (found and _known_codec(found[1].decode("ascii", "replace"))) or (
        marked if _fits(body, "utf-8") else "cp1252"
    )


def _known_codec(name: str) -> str:
    try:
        return codecs.lookup(name).name if name else ""
    except LookupError:
        return ""


def _fits(body: bytes, name: str) -> bool:
    try:
        body.decode(name)
    except UnicodeDecodeError:
        return False
    return True


def _main(tree: Any) -> Any:
    """Return the single main element, if it has enough text."""
    for path in ("//main", "//*[@role='main']", "//article"):
        found = tree.xpath(path)
        if len(found) == 1 and len("".join(found[0].itertext())) > _ENOUGH:
            return found[0]
    body = tree.find("body")
    return tree if body is None else body


def _lines(tree: Any, noise: set[str], *, aside: bool) -> Iterator[str]:
    collected: list[str] = []
    for text in _texts(tree, noise, aside=aside):
        if text != "\n":
            collected.append(text)
            continue
        line = re.sub(r"[ \t\r\n\f\xa0]+", " ", "".join(collected)).strip()
        collected.clear()
        if line.strip("#- "):
            yield line


def _texts(element: Any, noise: set[str], *, aside: bool) -> Iterator[str]:
    """Yield texts in reading order, with newlines around blocks; the depth is limited by libxml2, 256."""
    name = packages.local_name(element)
    if name and name not in noise and not (aside and _is_aside(element)):
        if name == "table" and not element.xpath(".//table"):
            for one in element.iter("tr"):
                yield from ("\n", format_table_row("".join(cell.itertext()) for cell in one.iter("td", "th")), "\n")
        else:
            yield from _text_before_element(name)
            yield element.text or ""
            for child in element:
                yield from _texts(child, noise, aside=aside)
            yield from ("\n",) if name in _BLOCKS or name == "html" else ()
    yield element.tail or ""


def _text_before_element(name: str) -> tuple[str, ...]:
    if name == "br":
        return ("\n",)
    if re.fullmatch("h[1-6]", name):
        return "\n", "#" * int(name[1]) + " "
    if name in _BLOCKS:
        return ("\n", "- ") if name == "li" else ("\n",)
    return ()


def _is_aside(element: Any) -> bool:
    if packages.local_name(element) in {"body", "main", "article"}:
        return False
    if element.get("aria-hidden") == "true" or element.get("hidden") is not None or element.get("role") == "navigation":
        return True
    said = f"{element.get('class', '')} {element.get('id', '')}"
    # The whole page may have a class like "with-sidebar": an element with most of the text is not a sidebar.
    return bool(_ASIDE.search(said)) and len("".join(element.itertext())) < 2_000
