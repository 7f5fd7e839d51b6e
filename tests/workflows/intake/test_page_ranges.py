"""A document is cut by pages: what is in each part, and which cuts are none."""

from pathlib import Path

import pikepdf
import pytest
from PIL import Image

from config.errors import Refused
from tests.factories import sample_files
from workflows.intake.containers.page_ranges import PageRange, can_be_cut, check_ranges, members
from workflows.stages.pages.image_files import frame_count

CUTS = [PageRange(1, 2), PageRange(3, 3)]


def draw(folder: Path, file_type: str) -> Path:
    """Three pages, each of its own size."""
    sizes = [(40, 30), (50, 30), (60, 30)]
    if file_type == "image/tiff":
        path = folder / "fax.tif"
        first, *others = [Image.new("L", size, 200) for size in sizes]
        first.save(path, format="TIFF", save_all=True, append_images=others)
        return path
    path = folder / "scan.pdf"
    with pikepdf.new() as pdf:
        for size in sizes:
            pdf.add_blank_page(page_size=size)
        pdf.save(path)
    return path


def widths(path: Path, file_type: str) -> list[int]:
    if file_type == "image/tiff":
        with Image.open(path) as image:
            found = []
            for index in range(frame_count(path, file_type)):
                image.seek(index)
                found.append(image.width)
            return found
    with pikepdf.open(path) as pdf:
        return [int(page.mediabox[2]) for page in pdf.pages]


@pytest.mark.parametrize("file_type", ["application/pdf", "image/tiff"])
def test_each_part_has_its_own_pages_in_order(tmp_path: Path, file_type: str) -> None:
    whole = draw(tmp_path, file_type)
    found = list(members(whole, whole.name, file_type, CUTS))
    assert [one.name for one in found] == [
        f"{whole.stem} (pages 1–2){whole.suffix}",
        f"{whole.stem} (page 3){whole.suffix}",
    ]
    for one, expected in zip(found, [[40, 50], [60]], strict=True):
        one.write(tmp_path / one.name)
        assert widths(tmp_path / one.name, file_type) == expected


@pytest.mark.parametrize("file_type", ["application/pdf", "image/tiff"])
def test_what_cannot_be_cut_says_what_to_do(tmp_path: Path, file_type: str) -> None:
    broken = tmp_path / "broken"
    broken.write_bytes(sample_files()[0].read_bytes()[:40])
    with pytest.raises(Refused, match="Upload them as a separate file"):
        next(members(broken, "scan.pdf", file_type, CUTS)).write(tmp_path / "part")


@pytest.mark.parametrize(
    ("cuts", "why"),
    [
        ([], "at least one page"),
        ([(1, 3)], "at least one page"),
        ([(1, 1), (3, 3)], "every page once"),
        ([(1, 2), (2, 3)], "every page once"),
        ([(1, 1), (2, 4)], "every page once"),
        ([(2, 2), (3, 3)], "every page once"),
        ([(1, 2), (3, 2)], "every page once"),
    ],
)
def test_cuts_hold_every_page_once_and_in_order(cuts: list[tuple[int, int]], why: str) -> None:
    with pytest.raises(Refused, match=why):
        check_ranges([PageRange(*one) for one in cuts], 3)


def test_only_files_of_pages_can_be_cut() -> None:
    assert can_be_cut("application/pdf", 2)
    assert can_be_cut("image/tiff", 2)
    assert not can_be_cut("application/pdf", 1)
    assert not can_be_cut("message/rfc822", 2)
