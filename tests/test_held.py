"""The scan of this process's memory finds what a cache keeps, wherever it is."""

import functools
from collections import OrderedDict

import pytest

from tests.held import holding
from workflows.stages.fields import totals

WORD = "Zyzzyvaquix"


@functools.lru_cache(maxsize=8)
def by_argument(_text: str) -> int:
    return 1


@functools.cache
def by_answer(_number: int) -> str:
    return f"{WORD} 1"


@pytest.mark.wide
def test_it_finds_arguments_answers_and_attributes(monkeypatch: pytest.MonkeyPatch) -> None:
    assert holding(WORD) == set()
    by_argument(f"{WORD} 2")
    by_answer(1)
    ordered = OrderedDict({("site", "a"): (1.0, [{"name": WORD.encode()}])})
    for kept in (by_argument, by_answer, ordered, lambda: ordered):
        monkeypatch.setattr(totals, "kept", kept, raising=False)
        assert holding(WORD) == {"workflows.stages.fields.totals.kept"}
