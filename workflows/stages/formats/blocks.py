"""The output of readers: blocks of text in reading order, packed into segments (CONTRACTS 2.4)."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from workflows.stages.pages.layout import TURNING

_STRAIGHT = dict.fromkeys(map(ord, TURNING))  # people must see what the machine reads
LONGEST, OVERLAP = 15_000, 500  # characters of a segment, and overlap with the next one


@dataclass(frozen=True)
class Block:
    """A paragraph or a row. ``starts``: a slide, sheet or chapter begins, with a new segment named ``title``.

    ``head`` is repeated in every further segment of the section: a table's first row.
    """

    text: str
    title: str = ""
    starts: bool = False
    head: str = ""


@dataclass(frozen=True)
class Chunk:
    """The text of one segment. ``title``: of its section, or empty."""

    text: str
    title: str = ""


def cut_chunks(blocks: Iterable[Block]) -> Iterator[Chunk]:
    """Yield segments of at most ``LONGEST`` characters, cut between blocks if possible; one in memory at a time."""
    held: list[str] = []
    size, title = 0, ""
    for block in blocks:
        if block.starts:
            if held:
                yield Chunk("\n".join(held), title)
            held, size, title = [], 0, block.title.translate(_STRAIGHT)
        for piece in _split_long_block(block.text.translate(_STRAIGHT)):
            if held and size + len(piece) + 1 > LONGEST:
                text = "\n".join(held)
                yield Chunk(text, title)
                held = _carry_over(text, block.head, LONGEST - len(piece) - 1)
                size = sum(len(one) + 1 for one in held)
            held.append(piece)
            size += len(piece) + 1
    if held:
        yield Chunk("\n".join(held), title)


def _split_long_block(text: str) -> Iterator[str]:
    """Split a block that is longer than a segment, at a space if possible."""
    while len(text) > LONGEST:
        at = text.rfind(" ", LONGEST // 2, LONGEST)
        at = at if at > 0 else LONGEST
        yield text[:at]
        text = text[max(0, at - OVERLAP) :]
    yield text


def _carry_over(text: str, head: str, room: int) -> list[str]:
    """Return the start of the next segment: the table's head, or the end of this one from a word's start."""
    if head:
        return [head] if len(head) <= room else []
    tail = text[-OVERLAP:] if room >= OVERLAP else ""
    cut = tail.find("\n") if "\n" in tail else tail.find(" ")
    tail = tail[cut + 1 :].strip() if cut >= 0 else tail
    return [tail] if tail else []


def format_table_row(cells: Iterable[str]) -> str:
    r"""Return a row of a markdown table; empty if every cell is.

    >>> format_table_row(["a", "b|c", ""])
    '| a | b\\|c |'
    """
    texts = [" ".join(cell.split()).replace("|", "\\|") for cell in cells]
    while texts and not texts[-1]:
        texts.pop()
    return f"| {' | '.join(texts)} |" if texts else ""


def table_blocks(rows: Iterable[str], *, title: str = "") -> Iterator[Block]:
    """Yield a sheet's rows as a section; its first row is repeated in every segment."""
    head = ""
    for one in rows:
        if not one:
            continue
        if head:
            yield Block(one, head=head)
        else:
            head = f"{one}\n|{' --- |' * max(1, one.count(' | ') + 1)}"
            yield Block(head, title=title, starts=True)
