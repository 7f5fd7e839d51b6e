"""Word confidence of the OCR engine, from its output columns: of the least certain letter, and of omissions.

RapidOCR 3.10 pairs a line's words with the scores of the line's first characters, so that words get wrong scores. This
replaces the decoder of its recognition model.
"""

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

BLANK = 0  # the class of a blank column
_SURE = 0.995  # columns with this blank probability are not examined

Beliefs = NDArray[np.floating[Any]]  # columns × classes, each row sums to 1
Classes = NDArray[np.integer[Any]]


class BelievingDecoder:
    """Decodes like ``decoder``, RapidOCR's ``CTCLabelDecode``; only word scores differ."""

    def __init__(self, decoder: Any) -> None:
        self._decoder = decoder
        characters: Sequence[str] = decoder.character
        self._other_case = pair_cases(characters)
        self._counts = np.array([place != BLANK and one.isalnum() for place, one in enumerate(characters)])
        self._digits = np.array([one.isdigit() for one in characters])

    def __call__(self, preds: Beliefs, return_word_box: bool = False, **widths: Any) -> tuple[Any, Any]:
        best = preds.argmax(axis=2)
        belief = np.take_along_axis(preds, best[:, :, None], axis=2)[:, :, 0]
        lines, words = self._decoder.decode(
            best, belief, return_word_box, widths["wh_ratio_list"], widths["max_wh_ratio"], remove_duplicate=True
        )
        for place, known in enumerate(words):
            scores = [self.score_word(preds[place], best[place], columns) for columns in known.word_cols]
            by_character = any(kind.name != "EN_NUM" for kind in known.word_types)  # as the engine tells Chinese
            lengths = [len(columns) if by_character else 1 for columns in known.word_cols]
            known.confs = [score for score, times in zip(scores, lengths, strict=True) for _ in range(times)]
        return lines, words

    def score_word(self, beliefs: Beliefs, best: Classes, columns: Sequence[int]) -> float:
        """Return 0–1. ``columns``: the start of each character.

        Case is ignored. Punctuation counts between digits only: a point in an amount does, one after a name does not.
        """
        counts = self._counts
        if self._digits[best[list(columns)]].any():
            counts = np.arange(len(counts)) != BLANK
        least = 1.0
        for start, end in list_runs(best, columns):
            shown = int(best[start])
            if shown == BLANK:
                least = min(least, 1 - self._find_left_out(beliefs, best, (start, end), counts))
            elif counts[shown]:
                row = beliefs[start + int(beliefs[start:end, shown].argmax())]
                other = self._other_case[shown]
                least = min(least, float(row[shown] + (row[other] if other != shown else 0.0)))
        return least

    def _find_left_out(
        self, beliefs: Beliefs, best: Classes, blank: tuple[int, int], counts: NDArray[np.bool_]
    ) -> float:
        """Return the probability of the likeliest character in blank columns that differs from both neighbours."""
        start, end = blank
        unsure = [at for at in range(start, end) if beliefs[at, BLANK] < _SURE]
        if not unsure:
            return 0.0
        rows = np.where(counts, beliefs[unsure], 0.0)
        for beside in (best[max(0, start - 1)], best[min(len(best) - 1, end)]):
            rows[:, [beside, self._other_case[beside]]] = 0.0
        return float(rows.max())


def list_runs(best: Classes, columns: Sequence[int]) -> Iterator[tuple[int, int]]:
    """Yield start and end of runs of equal columns, from the blanks before a word to those after it."""
    first, last = columns[0], columns[-1]
    while first and best[first - 1] == BLANK:
        first -= 1
    while last + 1 < len(best) and best[last + 1] == best[columns[-1]]:
        last += 1
    while last + 1 < len(best) and best[last + 1] == BLANK:
        last += 1
    edges = [at for at in range(first + 1, last + 1) if best[at] != best[at - 1]]
    yield from pairwise([first, *edges, last + 1])


def pair_cases(characters: Sequence[str]) -> list[int]:
    """Return for each character the index of its other case; its own index if there is none."""
    places = {one: place for place, one in enumerate(characters)}
    return [places.get(one.swapcase(), place) if len(one) == 1 else place for place, one in enumerate(characters)]
