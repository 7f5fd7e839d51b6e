"""The same seed draws the same papers, and says what is true of them."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from PIL import Image

from tests.generated import abroad, folder, unlike

KINDS = pytest.mark.parametrize("fill", [abroad.fill, folder.fill, unlike.fill])
Fill = Callable[[Path, int, int], Path]


def drawn(fill: Fill, path: Path, seed: int) -> tuple[list[dict[str, object]], list[bytes]]:
    truth = fill(path, 4, seed)
    entries = [json.loads(line) for line in truth.read_text().splitlines()]
    return entries, [(path / str(entry["file"])).read_bytes() for entry in entries]


@KINDS
def test_a_seed_gives_the_same_papers_and_another_one_others(fill: Fill, tmp_path: Path) -> None:
    first, again, other = (drawn(fill, tmp_path / name, seed) for name, seed in (("a", 1), ("b", 1), ("c", 2)))
    assert first == again
    assert first[1] != other[1]


@KINDS
def test_every_paper_can_be_opened_and_has_its_truth(fill: Fill, tmp_path: Path) -> None:
    entries, _ = drawn(fill, tmp_path, 3)
    for entry in entries:
        assert set(entry["fields"]) == {"company", "address", "date", "total"}  # type: ignore[call-overload]
        with Image.open(tmp_path / str(entry["file"])) as image:
            assert min(image.size) > 100
