"""What reviewed documents teach, and that none of them teaches about itself."""

import pytest

from workflows.learning import lessons, reliability
from workflows.learning.lessons import MOST_ADDRESSES, MOST_VENDORS, ReviewedDocument, ReviewedField
from workflows.stages.calibration import Vendor
from workflows.stages.fields import confidence


def company(value: str | None, truth: str | None, **evidence: float) -> ReviewedField:
    return ReviewedField("company", "text", value, truth, evidence)


def reviewed(name: str, *fields: ReviewedField) -> ReviewedDocument:
    return ReviewedDocument(name, fields)


def address(truth: str) -> ReviewedField:
    return ReviewedField("address", "text", truth, truth, {})


def test_sellers_are_confirmed_with_their_addresses_the_last_first() -> None:
    found = lessons.confirm_vendors(
        [
            reviewed("d3", company("MERANTI", "MERANTI"), address("LOT 9")),
            reviewed("d2", company("MER", "SERI MELATI"), address("NO 3")),
            reviewed("d1", company("MERANTI", "MERANTI"), address("LOT 4")),
            reviewed("d0", company("MERANTI", None)),
        ]
    )
    assert found == (Vendor("MERANTI", ("LOT 9", "LOT 4")), Vendor("SERI MELATI", ("NO 3",)))


def test_the_memory_is_bounded() -> None:
    many = [reviewed(f"d{n}", company("A", f"FIRM {n}"), address(f"LOT {n}")) for n in range(MOST_VENDORS + 10)]
    branches = [reviewed(f"d{n}", company("A", "FIRM"), address(f"LOT {n}")) for n in range(MOST_ADDRESSES + 5)]
    assert len(lessons.confirm_vendors(many)) == MOST_VENDORS
    assert len(lessons.confirm_vendors(branches)[0].addresses) == MOST_ADDRESSES


def test_a_document_is_not_judged_by_its_own_confirmation() -> None:
    one = reviewed("d1", company("MERANTl TRADING", "MERANTI TRADING"))
    other = reviewed("d2", company("MERANTI TRADING", "MERANTI TRADING"))
    alone, both = lessons.collect_observations([one]), lessons.collect_observations([one, other])
    assert [(found.right, found.evidence.get("vendor")) for found in alone] == [(False, None)]
    # With the other document the reading is known, and what would then be the value is right.
    assert [(found.right, found.evidence.get("vendor")) for found in both] == [(True, 1.0), (True, 1.0)]


def test_values_compare_as_the_policy_compares_them() -> None:
    field = ReviewedField("total", "amount", "33.90", "33.9", {})
    assert field.is_right("RM 33.90")
    assert not field.is_right("33.91")
    assert not field.is_right(None)


def test_what_was_not_found_is_no_observation() -> None:
    assert lessons.collect_observations([reviewed("d1", company(None, "MERANTI"))]) == []


def test_elsewhere_no_seller_is_known_by_his_own_papers() -> None:
    sellers = ("MERANTI", "SURIA", "KELANA", "TERATAI", "BINTANG")
    documents = [
        reviewed(f"d{n}", company(f"{name} TRADING", f"{name} TRADING", legal=1.0))
        for n, name in enumerate(sellers * 8)
    ]
    inside, elsewhere = lessons.cross_judged(documents), lessons.judge_elsewhere(documents)
    assert sorted(one.document for one in elsewhere) == sorted(one.id for one in documents)
    assert max(one.confidence for one in elsewhere) < min(one.confidence for one in inside)


@pytest.mark.wide
def test_a_limit_holds_for_known_sellers_and_for_others() -> None:
    """Papers of a seller's own are alike; what one seller's tell of the next one's is wrong once in ten."""
    documents = [
        reviewed(
            f"d{n}",
            ReviewedField("company", "text", f"FIRM {n // 8}", f"FIRM {n // 8}", {}),
            ReviewedField("total", "amount", "1.00", "2.00" if n // 8 % 10 == 0 else "1.00", {f"s{n // 8}": 1.0}),
        )
        for n in range(320)
    ]
    lesson = lessons.learn_calibration(documents)
    inside = reliability.find_limits(lesson.judged)
    outside = reliability.find_limits(lesson.elsewhere, sure=False)
    assert set(lesson.calibration.limits) == set(inside) & set(outside)
    assert all(limit >= outside[share] for share, limit in lesson.calibration.limits.items())


def test_cross_judging_covers_every_value_once() -> None:
    documents = [
        reviewed(f"d{n}", ReviewedField("total", "amount", "1.00", "1.00" if n % 3 else "2.00", {"label": n % 3 / 2}))
        for n in range(90)
    ]
    judged = lessons.cross_judged(documents)
    assert sorted(one.document for one in judged) == sorted(one.id for one in documents)
    after, before = reliability.area_under_curve(judged), reliability.area_under_curve(lessons.prior_judged(documents))
    assert after is not None
    assert before is not None
    assert after >= 0.9


def test_the_same_reviews_teach_the_same() -> None:
    documents = [reviewed(f"d{n}", company("MERANTI", "MERANTI", legal=1.0)) for n in range(40)]
    assert lessons.learn_calibration(documents) == lessons.learn_calibration(documents)


def test_a_name_that_memory_mended_is_not_taught_as_read_right() -> None:
    """Badly read names of a known seller are right only because people confirmed him."""
    documents = [
        reviewed(f"d{n:02d}", company("MERANTl TRADING", "MERANTI TRADING", legal=1.0, page=-1.0)) for n in range(30)
    ] + [reviewed(f"e{n:02d}", company(f"FIRM {n} LTD", f"FIRM {n} LTD", legal=1.0, page=1.0)) for n in range(30)]
    assert {one.right for one in lessons.collect_observations(documents)} == {True}
    weights = lessons.learn_weights(documents).weights["company"]
    prior = confidence.prior_weights("company")
    assert weights["page"] >= prior["page"]
    assert weights["vendor"] > prior["vendor"]


def test_values_that_were_read_with_memory_teach_only_what_memory_is_worth() -> None:
    known = [reviewed(f"d{n}", company("MERANTI", "MERANTI", legal=1.0, vendor=1.0)) for n in range(40)]
    assert lessons.list_unaided(known) == []
    assert lessons.learn_weights(known).weights == {}
