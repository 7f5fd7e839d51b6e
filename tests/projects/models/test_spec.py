"""A model as a value: it survives its way through JSON, and its digest is of what changes an answer."""

from dataclasses import replace
from decimal import Decimal

import pytest

from projects.models.spec import ModelSpec, cost_of, spec_from
from tests.projects.models.catalogue import SPEC

OTHER = {
    "provider": "bedrock", "model": "other", "endpoint": "azure", "images": True, "tools": True, "json_schema": False,
    "context": 4096, "temperature": 0.5, "most_tokens": 10,
}  # fmt: skip
SAME = {
    "id": "x", "name": "X", "seconds": 5, "retries": 0, "at_a_time": 9, "price_in": Decimal(1), "price_out": Decimal(2),
    "takeover": "y", "takeover_below": 0.1,
}  # fmt: skip


def test_a_model_is_read_back_as_it_was_stored():
    spec = replace(SPEC, price_in=Decimal("0.06"), temperature=0.2, takeover="other")
    assert spec_from({**spec.to_json(), "of_a_newer_version": 1}) == spec


@pytest.mark.parametrize(("name", "value"), OTHER.items())
def test_the_digest_changes_with_what_changes_an_answer(name, value):
    assert replace(SPEC, **{name: value}).sha256 != SPEC.sha256


def test_the_digest_keeps_what_changes_no_answer():
    assert {replace(SPEC, **{name: value}).sha256 for name, value in SAME.items()} == {SPEC.sha256}
    assert set(OTHER) | set(SAME) == set(vars(SPEC))


def test_tokens_cost_what_the_model_asks_for_a_million():
    spec = ModelSpec("a", "A", "openai", "m", price_in=Decimal("0.06"), price_out=Decimal("0.24"))
    assert cost_of(spec, 2_000_000, 500_000) == Decimal("0.24")
