"""Whether enough blind reviewers agree: field by field, and whether a further one could still bring it about."""

import pytest

from review.quality.agreement import find_agreement, merge_votes
from review.status import Decision
from tests.review.reviews import result

A, R = Decision.APPROVE.value, Decision.REJECT.value


def vote(user="1", decision=A, **corrections):
    changes = [
        {"field": name, "label": name, "before": "33.90", "after": value, "by": {"id": user, "name": user}}
        for name, value in corrections.items()
    ]
    return {
        "decision": decision, "corrections": corrections, "changes": changes, "judges": [user], "parts": [],
        "answers": dict.fromkeys(corrections, "corrected"), "confirmed": {}, "unseen": [], "warnings": [],
        "reviewer": {"id": user, "name": user},
    }  # fmt: skip


@pytest.mark.parametrize(
    ("needed", "of", "votes", "wanted"),
    [
        (2, 2, [vote()], "open"),
        (2, 2, [vote(), vote()], A),
        (2, 2, [vote(total="38.90"), vote(total="38.9")], A),  # the same amount
        (2, 2, [vote(total="38.90"), vote()], "disputed"),
        (2, 3, [vote(total="38.90"), vote()], "open"),
        (2, 3, [vote(total="38.90"), vote(), vote()], A),
        (2, 3, [vote(total="38.90"), vote(), vote(total="1.00")], "disputed"),
        (2, 3, [vote(total="38.90"), vote(company="X"), vote(total="38.90", company="X")], A),  # each field for itself
        (2, 3, [vote(), vote(decision=R)], "open"),
        (2, 3, [vote(), vote(decision=R), vote(decision=R)], R),
        (2, 2, [vote(), vote(decision=R)], "disputed"),
        (3, 3, [vote(), vote()], "open"),
        (3, 3, [vote(total="38.90"), vote()], "disputed"),  # a third would not help
        (3, 3, [vote(), vote(decision=R)], "disputed"),
        (3, 3, [vote(), vote(), vote()], A),
        (2, 2, [vote(decision=R), vote(decision=R) | {"parts": [{"first": 1, "last": 1}]}], "disputed"),
    ],
)
def test_enough_agree_or_may_still_or_cannot(needed, of, votes, wanted):
    found = find_agreement(result(), votes, needed=needed, of=of)
    state = found.decision if found.is_reached else "open" if found.is_open else "disputed"
    assert state == wanted


def test_each_field_is_as_the_first_left_it_who_gave_what_enough_gave():
    votes = [vote("1", total="38.90"), vote("2", company="X"), vote("3", total="38.90", company="X")]
    found = find_agreement(result(), votes, needed=2, of=3)
    merged = merge_votes(votes, found)
    assert merged["corrections"] == {"company": "X", "total": "38.90"}
    assert [(one["field"], one["by"]["id"]) for one in merged["changes"]] == [("company", "2"), ("total", "1")]
    assert merged["answers"] == {"company": "corrected", "total": "corrected"}
    assert merged["judges"] == ["1", "2", "3"]
    assert "disputed" not in merged


def test_what_they_differ_on_is_named_with_every_value_and_in_no_ones_order():
    votes = [vote("1", total="39.90", company="X"), vote("2", total="38.90", company="X")]
    found = find_agreement(result(), votes, needed=2, of=2)
    assert [(one.name, one.values) for one in found.disputes] == [("total", ("38.90", "39.90"))]
    merged = merge_votes(votes, found)
    assert merged["corrections"] == {"company": "X"}
    assert merged["disputed"] == {"total": ["38.90", "39.90"]}


def test_a_value_of_the_only_approval_is_shown_to_who_decides_between_approving_and_rejecting():
    found = find_agreement(result(), [vote(total="38.90"), vote(decision=R)], needed=2, of=2)
    assert found.decision is None
    assert [(one.name, one.values) for one in found.disputes] == [("total", ("38.90",))]
