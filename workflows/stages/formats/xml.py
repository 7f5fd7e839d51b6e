"""XML files: a readable form of electronic invoices, and other files element by element."""

from collections.abc import Iterator
from pathlib import Path

from lxml import etree

from workflows.stages.formats import einvoice, packages
from workflows.stages.formats.blocks import Block

WHAT = "XML file"


def read_xml(path: Path) -> Iterator[Block]:
    """Raises: Refused."""
    if invoice := invoice_in(path):
        yield from einvoice.invoice_blocks(invoice)
        return
    try:
        yield from _elements(path)
    except etree.XMLSyntaxError as error:
        raise packages.damaged_file(WHAT) from error


def invoice_in(path: Path) -> einvoice.EInvoice | None:
    return einvoice.parse_invoice(path.read_bytes()) if path.stat().st_size <= einvoice.MOST_BYTES else None


def _elements(path: Path) -> Iterator[Block]:
    """Yield a line for each element with text, labelled by its name."""
    with path.open("rb") as file:
        for element in packages.stream_elements(file):
            name = packages.local_name(element)
            if name and (text := " ".join((element.text or "").split())):
                yield Block(f"{name}: {text}")
            packages.drop_element(element)
