"""Each word has the belief of its own least sure letter."""

from collections.abc import Mapping, Sequence
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from tests.each import each
from workflows.stages.pages.ocr_confidence import BelievingDecoder

CHARACTERS = ("blank", *"ABabo0178.:", " ")
Column = Mapping[str, float]
_BLANK = {"blank": 1.0}


class PlainDecoder:
    """As RapidOCR's: a word's columns are where each of its characters begins, its scores those of the line's first."""

    character = CHARACTERS

    def decode(self, best: NDArray[Any], _belief: NDArray[Any], *_: Any, **__: Any) -> tuple[list[Any], list[Any]]:
        found: list[list[int]] = [[]]
        for at, one in enumerate(best[0]):
            if one == CHARACTERS.index(" "):
                found.append([])
            elif one and (not at or one != best[0][at - 1]):
                found[-1].append(at)
        words = [columns for columns in found if columns]
        kinds = [SimpleNamespace(name="EN_NUM") for _ in words]
        return [("line", 1.0)], [SimpleNamespace(word_cols=words, word_types=kinds, confs=[1.0])]


def score_words(*columns: Column) -> Sequence[float]:
    preds = np.zeros((1, len(columns), len(CHARACTERS)), np.float32)
    for at, column in enumerate(columns):
        for character, share in column.items():
            preds[0, at, CHARACTERS.index(character)] = share
    _, (words,) = BelievingDecoder(PlainDecoder())(preds, return_word_box=True, wh_ratio_list=(1.0,), max_wh_ratio=1.0)
    return [round(float(one), 3) for one in words.confs]


def test_each_word_has_its_own_least_sure_letter() -> None:
    first = ({"A": 1.0}, _BLANK, {"B": 0.98})
    second = ({"1": 0.7, "7": 0.3}, {"1": 0.9}, _BLANK, {"0": 1.0})  # its second column shows the 1 better
    assert score_words(*first, {" ": 1.0}, *second) == [0.98, 0.9]


@each(
    ("columns", "belief"),
    [
        (({"a": 0.6, "A": 0.4}, {"b": 0.5, "B": 0.5}), 1.0),  # the same letter
        (({"a": 1.0}, {".": 0.6, ":": 0.4}), 1.0),  # a sign after a name
        (({"1": 1.0}, {".": 0.6, ":": 0.4}, {"8": 1.0}), 0.6),  # and in an amount
        (({"a": 1.0}, {"blank": 0.7, "o": 0.3}, {"b": 1.0}), 0.7),  # a letter may be lost
        (({"a": 1.0}, {"blank": 0.7, "a": 0.2, "B": 0.1}, {"b": 1.0}), 1.0),  # between two letters both fade
        (({"blank": 0.8, "0": 0.2}, {"1": 1.0}), 0.8),
        (({"1": 1.0}, {"blank": 0.8, "0": 0.2}), 0.8),
    ],
)
def test_what_counts_beside_the_letter_that_was_read(columns: Sequence[Column], belief: float) -> None:
    assert score_words(*columns) == pytest.approx([belief], abs=1e-3)
