import json

import pytest
from django.core.management import CommandError, call_command

from tests.tools.measure import Ratio, turns

pytestmark = pytest.mark.slow

NAMES = (
    "review queue page", "overview", "documents", "audit", "opening a review", "deciding a review",
    "run page, requests", "run page, calls", "document page, requests", "document page, calls",
    *(
        f"{page}, {what}"
        for page in (
            "Insight, 30 days", "Insight, 90 days", "Insight, 90 days of a project",
            "wall screen", "quality", "costs", "overview", "operations",
        )
        for what in ("CPU", "calls of AWS", "calls of AWS after its caches ended")
    ),
    "writing 30 segment rows", "OCR stage", "analysis of a page",
)  # fmt: skip


@pytest.mark.django_db(transaction=True)
def test_every_row_says_what_was_measured_its_bound_and_whether_it_held(
    table: str, capsys: pytest.CaptureFixture[str]
) -> None:
    failed, said = False, ""
    try:
        call_command("benchmark", here=True, json=True, rounds=3, segments=30)
    except CommandError as error:
        failed = True
        said = str(error)
    rows = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert len(rows) == len(NAMES), said
    assert [row["name"].startswith(name) for row, name in zip(rows, NAMES, strict=True)] == [True] * len(NAMES)
    for row in rows:
        assert row["measured"] > 0
        assert row["bound"] > 0
        assert row["held"] == (
            row["measured"] <= row["bound"] if row["sense"] == "at most" else row["measured"] >= row["bound"]
        )
    assert failed != all(row["held"] for row in rows)


def test_the_first_turn_warms_up_and_the_median_counts() -> None:
    calls: list[str] = []
    own, other = turns([lambda: calls.append("ours")] * 4, lambda: calls.append("theirs"))
    assert calls == ["ours", "theirs"] * 4
    assert own >= 0
    assert other >= 0


@pytest.mark.parametrize(
    ("measured", "sense", "held"),
    [(2.0, "at most", True), (2.1, "at most", False), (0.9, "at least", False), (0.95, "at least", True)],
)
def test_a_bound_is_held_up_to_itself(measured: float, sense: str, held: bool) -> None:
    bound = 2.0 if sense == "at most" else 0.95
    assert Ratio("x", measured, bound, sense, 1, 1, "page", "y").held is held  # type: ignore[arg-type]
