"""Plain text, Markdown and CSV, streamed in the detected encoding."""

import codecs
import csv
import io
from collections.abc import Iterator
from pathlib import Path
from typing import TextIO

from config.errors import Refused
from config.phrase import Sentence
from workflows.stages.formats.blocks import LONGEST, Block, format_table_row, table_blocks

_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_SAMPLE = 64 * 1024
_DELIMITERS = ",;\t|"
_LONGEST_CELL = 1_000_000
NOT_TEXT = Sentence("This file is damaged: only its beginning is text. Export it again and upload that.")


def detect_encoding(head: bytes) -> str | None:
    """Detect the encoding of a text file by its first bytes; None if it is not text."""
    for mark, name in _MARKS:
        if head.startswith(mark):
            return name
    if b"\x00" in head or _controls(head) > len(head) // 200:
        return None
    try:
        codecs.getincrementaldecoder("utf-8")().decode(head)  # incremental: the sample may end inside a character
    except UnicodeDecodeError:
        return "cp1252"
    return "utf-8"


def _controls(head: bytes) -> int:
    return sum(byte < 32 and byte not in b"\t\n\r\f\x1b\x1a" for byte in head)


def open_text(path: Path) -> TextIO:
    """Undecodable bytes become replacement characters. Raises: Refused."""
    with path.open("rb") as file:
        name = detect_encoding(file.read(_SAMPLE))
    if name is None:
        raise Refused(NOT_TEXT)
    if name == "utf-8":
        name = "utf-8" if _is_utf8(path) else "cp1252"
    return path.open(encoding=name, errors="replace", newline="")


def _is_utf8(path: Path) -> bool:
    """Check to the end: many exports are plain ASCII until the first name with an umlaut."""
    decoder = codecs.getincrementaldecoder("utf-8")()
    try:
        with path.open("rb") as file:
            while body := file.read(1 << 20):
                decoder.decode(body)
            decoder.decode(b"", final=True)
    except UnicodeDecodeError:
        return False
    return True


def read_text(path: Path) -> Iterator[Block]:
    """Yield text and Markdown, a block a line. Raises: Refused."""
    with open_text(path) as file:
        while line := file.readline(LONGEST):
            if "\x00" in line:
                raise Refused(NOT_TEXT)
            yield Block(line.rstrip("\r\n"))


def read_csv(path: Path) -> Iterator[Block]:
    """Yield one table. Raises: Refused."""
    csv.field_size_limit(_LONGEST_CELL)
    with open_text(path) as file:
        sample = file.read(_SAMPLE)
        file.seek(0)
        try:
            yield from table_blocks(
                format_table_row(cells) for cells in csv.reader(file, delimiter=detect_delimiter(sample) or ",")
            )
        except csv.Error as error:
            raise Refused("A cell of this table is not closed or cannot be read. Save it again as CSV.") from error


def detect_delimiter(sample: str) -> str | None:
    """Return the column separator; None if the lines have different numbers of columns, like other text."""
    lines = [line for line in sample.splitlines()[:50] if line.strip()]
    best, found = 1, None
    for mark in _DELIMITERS:
        try:
            counts = [len(cells) for cells in csv.reader(io.StringIO("\n".join(lines)), delimiter=mark) if cells]
        except csv.Error:
            continue
        if counts and len(counts) > 1 and min(counts) > best and max(counts) == min(counts):
            best, found = min(counts), mark
    return found
