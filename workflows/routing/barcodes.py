"""Barcodes on page images, in every format of zxing-cpp, for rules that read them."""

import io
from dataclasses import dataclass

import zxingcpp
from PIL import Image

from workflows.stages.base import ArtifactStore
from workflows.storage import files

LONGEST = 1_000  # characters of one code


@dataclass(frozen=True)
class Barcode:
    """``page``: 0-based. ``box``: left, top, right, bottom as fractions of the page."""

    text: str
    format: str
    page: int
    box: tuple[float, float, float, float]


def on_page(store: ArtifactStore, index: int) -> list[Barcode]:
    """List the barcodes on a page, in any orientation; codes with a wrong checksum are omitted.

    Raises:
        NotFound: there is no image of this page.

    """
    with Image.open(io.BytesIO(store.read(files.page_image(index)))) as image:
        grey = image.convert("L")
    found = zxingcpp.read_barcodes(grey, text_mode=zxingcpp.TextMode.Plain)
    return [_barcode(one, index, grey.size) for one in found if one.text]


def _barcode(one: zxingcpp.Barcode, page: int, size: tuple[int, int]) -> Barcode:
    at = one.position
    corners = (at.top_left, at.top_right, at.bottom_left, at.bottom_right)
    xs, ys = [point.x / size[0] for point in corners], [point.y / size[1] for point in corners]
    box = tuple(round(value, 5) for value in (min(xs), min(ys), max(xs), max(ys)))
    return Barcode(one.text[:LONGEST], str(one.format), page, (box[0], box[1], box[2], box[3]))
