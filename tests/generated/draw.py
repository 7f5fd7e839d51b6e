"""Receipts drawn of one of the lists of words: ``python -m tests.generated.draw fresh FOLDER COUNT SEED``.

It fills ``FOLDER/unlike`` and ``FOLDER/abroad``; ``fresh``, ``unheard``, ``untried``, ``unread``, ``unmet``,
``unsung``, ``untold`` and ``unspoken`` are such lists.
"""

import importlib
import sys
from pathlib import Path

from tests.generated import abroad, unlike


def fill(words: str, folder: Path, count: int, seed: int) -> None:
    """``words``: the name of the list's module."""
    lists = importlib.import_module(f"tests.generated.{words}")
    unlike.fill(folder / "unlike", count, seed, words=lists.UNLIKE)
    abroad.fill(folder / "abroad", count, seed, words=lists.ABROAD)


if __name__ == "__main__":
    fill(sys.argv[1], Path(sys.argv[2]), int(sys.argv[3]), int(sys.argv[4]))
