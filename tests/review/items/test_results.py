import base64
import json
import random

import pytest

from config.table import Key
from review.items.results import LARGEST, ReviewResult
from tests.tools.filling import result
from workflows.storage import files

KEY = Key("DOC#d1", "REVIEW#r1#RESULT")


def test_a_copy_is_read_as_it_was_stored():
    stored = result()
    copy = ReviewResult.copy(KEY, stored, keep_until=1_800_000_000)
    assert copy is not None
    assert copy.read(files.sha256(stored)) == stored
    assert len(copy.body) < len(stored) / 2


def test_a_copy_of_something_else_is_not_read():
    copy = ReviewResult.copy(KEY, result(), keep_until=1_800_000_000)
    assert copy is not None
    assert copy.read(files.sha256(b"{}")) is None


@pytest.mark.parametrize("body", ["", "abc", "é", base64.b64encode(b"not compressed").decode()])
def test_a_damaged_copy_is_not_read(body: str):
    assert ReviewResult(*KEY, body=body).read(files.sha256(result())) is None


def test_a_large_result_is_not_copied():
    chance = random.Random(7)
    words = "".join(chance.choices("abcdefghijklmnopqrstuvwxyz ", k=2 * LARGEST))
    assert ReviewResult.copy(KEY, json.dumps({"text": words}).encode(), keep_until=1_800_000_000) is None
    assert ReviewResult.copy(KEY, b" " * (1 << 19), keep_until=1_800_000_000) is None  # not even tried
