"""What was handed in, by which way and of which kind, and how each of it ended: the smoke test's table."""

import time
from collections.abc import Iterable
from dataclasses import dataclass

# Every file ends as one of these. ``refused``: nothing was made of it, and who brought it was told why.
ENDED = ("published", "rejected", "in_review", "partial", "failed", "refused", "unpacked", "answered")
_NEEDS_WORDS = ("partial", "failed", "refused")
_SHORT = {"in_review": "review"}


@dataclass
class Entry:
    """``limit`` and ``seconds`` from its handing in; ``ended`` is empty while nothing says how it did.

    ``decided``: a person has approved it, and it is to end once more.
    """

    way: str
    kind: str
    name: str
    limit: float
    began: float
    ended: str = ""
    seconds: float = 0.0
    sentence: str = ""
    decided: bool = False

    @property
    def problem(self) -> str:
        if not self.ended:
            return f"was never seen to end ({self.sentence or 'nowhere to be found'})"
        if self.ended not in ENDED:
            return f"ended {self.ended}, which is no end"
        if self.seconds > self.limit:
            return f"took {self.seconds:.0f} s of {self.limit:.0f}"
        if self.ended in _NEEDS_WORDS and not is_sentence(self.sentence):
            return f"{self.ended} without a sentence: {self.sentence!r}"
        wanted = ("published",) if self.decided else wanted_ends(self.kind)
        return "" if self.ended in wanted else f"ended {self.ended} ({self.sentence}), not {' or '.join(wanted)}"


def is_sentence(text: str) -> bool:
    return len(text.split()) > 3 and text.rstrip()[-1:] in {".", "?", "!"}


def wanted_ends(kind: str) -> tuple[str, ...]:
    """A kind that we say we read is read; only a web page of this very machine is not, and what is no document."""
    if kind in {"zip", "eml", "msg", "itself"}:
        return ("unpacked",)
    if kind == "question":
        return ("answered",)
    return {"webreq": ("failed",), "none": ("refused",)}.get(kind, ("published", "in_review"))


class Ledger:
    def __init__(self) -> None:
        self.entries: dict[str, Entry] = {}
        self.absent: dict[str, str] = {}  # ways that this engine does not have, and why

    def hand_in(self, way: str, kind: str, name: str, *, limit: float, began: float | None = None) -> None:
        assert name not in self.entries, f"{name} is handed in twice"
        self.entries[name] = Entry(way, kind, name, limit, time.monotonic() if began is None else began)

    def settle(self, name: str, ended: str, sentence: str = "") -> None:
        """The first end that is seen is what it took; what a person decides after that takes a person's time."""
        entry = self.entries.get(name)
        if entry is None or entry.ended == ended or (entry.decided and ended == "in_review"):
            return
        entry.seconds = entry.seconds or time.monotonic() - entry.began
        entry.ended, entry.sentence = ended, sentence

    def decide(self, name: str) -> None:
        """It waited for a person, and one has approved it: open again until that is applied."""
        entry = self.entries[name]
        assert entry.ended == "in_review", entry
        entry.ended, entry.decided, entry.began = "", True, time.monotonic()

    def open(self) -> list[Entry]:
        return [entry for entry in self.entries.values() if not entry.ended]

    def is_late(self) -> bool:
        """Nothing that is open may still end within its time."""
        return all(time.monotonic() - entry.began > entry.limit for entry in self.open())

    def problems(self) -> list[str]:
        return [f"{one.way} / {one.name}: {one.problem}" for one in self.entries.values() if one.problem]

    def table(self, title: str) -> str:
        """Kinds down, ways across; the sentences beneath, each once with how many files it was said of."""
        ways = list(dict.fromkeys(entry.way for entry in self.entries.values()))
        kinds = sorted({entry.kind for entry in self.entries.values()})
        cells = {(entry.way, entry.kind): _cell(entry) for entry in self.entries.values()}
        head = ["kind", *ways]
        rows = [[kind, *(cells.get((way, kind), "") for way in ways)] for kind in kinds]
        widths = [max(len(row[at]) for row in (head, *rows)) for at in range(len(head))]
        lines = [f"{title}: {len(self.entries)} files, how each ended and after how many seconds"]
        lines += [
            "  ".join(text.ljust(width) for text, width in zip(row, widths, strict=True)) for row in (head, *rows)
        ]
        lines += [f"{way}: {why}" for way, why in self.absent.items()]
        return "\n".join([*lines, *_sentences(self.entries.values())])


def _cell(entry: Entry) -> str:
    word = _SHORT.get(entry.ended, entry.ended) or "MISSING"
    return f"{word} {entry.seconds:.0f}{' !' if entry.problem else ''}" if entry.ended else word


def _sentences(entries: Iterable[Entry]) -> list[str]:
    said: dict[tuple[str, str], int] = {}
    for entry in entries:
        if entry.sentence and entry.ended in _NEEDS_WORDS:
            said[entry.ended, entry.sentence] = said.get((entry.ended, entry.sentence), 0) + 1
    return [f"{ended} ({count}): {sentence}" for (ended, sentence), count in said.items()]
