"""Small documents that cost a worker next to nothing, each of a kind whose way through the machine is known before."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random

from tests.tools import paper

CLEAR, UNSURE, BROKEN = "clear", "unsure", "broken"
# Most ask for a person: decisions are what must not be lost.
_KINDS = (CLEAR, CLEAR, CLEAR, UNSURE, UNSURE, UNSURE, UNSURE, UNSURE, UNSURE, BROKEN)
_HEAD = 70_000  # bytes: an upload looks at fewer of them


@dataclass(frozen=True)
class SmallPaper:
    """``kind``: clear ones are published, unsure ones ask a person, broken ones fail in the middle of their run."""

    kind: str
    path: Path

    @property
    def name(self) -> str:
        return self.path.name


def mixed(count: int, random: Random) -> list[str]:
    """``count`` kinds, at least one of each where there are three or more."""
    kinds = [CLEAR, UNSURE, BROKEN, *(random.choice(_KINDS) for _ in range(count - 3))][:count]
    random.shuffle(kinds)
    return kinds


def papers(folder: Path, kinds: Sequence[str], random: Random) -> list[SmallPaper]:
    folder.mkdir(parents=True, exist_ok=True)
    return [_paper(kind, folder, number, random) for number, kind in enumerate(kinds)]


def _paper(kind: str, folder: Path, number: int, random: Random) -> SmallPaper:
    if kind == BROKEN:
        path = folder / f"paper-{number:04d}.txt"
        path.write_bytes(f"Minutes of meeting {number}\n".encode() * (_HEAD // 20) + b"\0\0\0")
        return SmallPaper(kind, path)
    path = folder / f"paper-{number:04d}.pdf"
    return SmallPaper(kind, paper.save([_invoice(kind, number, random)], path))


def _invoice(kind: str, number: int, random: Random) -> paper.Sheet:
    sheet, amount = paper.Sheet(298, 421), random.randint(1_000, 99_999) / 100
    for y, text in ((40, "Alder & Quill Stationers Ltd"), (54, "14 Lantern Street"), (67, "Northbridge NB2 4QT")):
        sheet.text(24, y, text, font="F2" if y == 40 else "F1")
    sheet.text(24, 100, f"Invoice no. AQ-2024-{number:04d}")
    sheet.text(24, 114, f"Invoice date {random.randint(1, 28)} March 2024")
    sheet.text(24, 150, "Drawing paper A2, pad of 40 sheets")
    if kind == CLEAR:  # without a total somebody has to say it
        sheet.text(270, 150, f"{amount:.2f}", right=True)
        sheet.text(24, 180, "Total due", font="F2")
        sheet.text(270, 180, f"£{amount:.2f}", font="F2", right=True)
    return sheet
