"""The fresh words are none that an earlier draw printed."""

from collections.abc import Callable, Iterator
from dataclasses import fields
from functools import partial
from pathlib import Path

import pytest
from PIL import Image

from tests.generated import (
    abroad,
    coined,
    draw,
    fresh,
    unheard,
    unlike,
    unmet,
    unread,
    unspoken,
    unsung,
    untold,
    untried,
)
from tests.generated.abroad import Country

_PRINTED = ("words", "names", "roads", "places", "totals")  # taxes have the same name on every paper


def texts(held: object) -> Iterator[str]:
    if isinstance(held, str):
        yield held.lower()
    elif isinstance(held, Country):
        for name in _PRINTED:
            yield from texts(getattr(held, name))
    elif isinstance(held, tuple | list):
        for one in held:
            yield from texts(one)
    elif isinstance(held, unlike.Words | abroad.Words):
        for one in fields(held):
            yield from texts(getattr(held, one.name))


def test_of_the_earlier_draws_only_the_plain_word_total_is_left() -> None:
    earlier = {*texts(unlike.USUAL), *texts(abroad.USUAL)}
    assert {*texts(fresh.UNLIKE), *texts(fresh.ABROAD)} & earlier == {"", "total"}
    earlier |= {*texts(fresh.UNLIKE), *texts(fresh.ABROAD)}
    assert {*texts(coined.coin_words(1))} & earlier == {"", "total"}
    earlier |= {*texts(coined.coin_words(915277))}
    assert {*texts(unheard.UNLIKE), *texts(unheard.ABROAD)} & earlier == {"", "total"}
    earlier |= {*texts(unheard.UNLIKE), *texts(unheard.ABROAD)}
    assert {*texts(untried.UNLIKE), *texts(untried.ABROAD)} & earlier == {"", "total"}
    earlier |= {*texts(untried.UNLIKE), *texts(untried.ABROAD)}
    assert {*texts(unread.UNLIKE), *texts(unread.ABROAD)} & earlier == {"", "total"}
    earlier |= {*texts(unread.UNLIKE), *texts(unread.ABROAD)}
    assert {*texts(unmet.UNLIKE), *texts(unmet.ABROAD)} & earlier == {"", "total"}
    earlier |= {*texts(unmet.UNLIKE), *texts(unmet.ABROAD)}
    assert {*texts(unsung.UNLIKE), *texts(unsung.ABROAD)} & earlier == {"", "total"}
    earlier |= {*texts(unsung.UNLIKE), *texts(unsung.ABROAD)}
    assert {*texts(untold.UNLIKE), *texts(untold.ABROAD)} & earlier == {"", "total"}
    earlier |= {*texts(untold.UNLIKE), *texts(untold.ABROAD)}
    assert {*texts(unspoken.UNLIKE), *texts(unspoken.ABROAD)} & earlier == {"", "total"}


def test_no_two_seeds_have_a_street_or_a_town_in_common() -> None:
    one, other = (coined.coin_words(seed)[0] for seed in (1, 2))
    assert not {*texts(one.roads), *texts(one.places)} & {*texts(other.roads), *texts(other.places)}


_FILLS = [
    coined.fill,
    *(
        partial(draw.fill, words)
        for words in ("fresh", "unheard", "untried", "unread", "unmet", "unsung", "untold", "unspoken")
    ),
]


@pytest.mark.parametrize("fill", _FILLS)
def test_both_drawings_are_filled(fill: Callable[[Path, int, int], None], tmp_path: Path) -> None:
    fill(tmp_path, 2, 1)
    for kind in ("unlike", "abroad"):
        papers = sorted((tmp_path / kind).glob("*.jpg"))
        assert len(papers) == 2
        with Image.open(papers[0]) as image:
            assert min(image.size) > 100
