"""Weights between the prior and what reviews say."""

import itertools
from math import exp
from random import Random

import pytest

from workflows.learning import fitting
from workflows.learning.fitting import FEWEST, Observation
from workflows.stages.fields import confidence


def observations(count: int, wrong_without_label: bool = True, seed: int = 1) -> list[Observation]:
    """Deposits that are right with a label and, mostly, wrong without."""
    random, found = Random(seed), []
    for number in range(count):
        label = float(random.random() < 0.5)
        right = random.random() < (0.95 if label or not wrong_without_label else 0.2)
        found.append(Observation(f"d{number}", "deposit", {"label": label, "margin": 0.5, "read": 0.9}, right))
    return found


def test_few_reviews_leave_the_prior_alone() -> None:
    assert fitting.fit_weights(observations(FEWEST - 1)) == {}


def test_many_reviews_move_the_weights_to_what_they_say() -> None:
    weights = fitting.fit_weights(observations(800))["deposit"]
    with_label, without = (
        confidence.share(weights, {"label": label, "margin": 0.5, "read": 0.9}) for label in (1.0, 0.0)
    )
    assert with_label == pytest.approx(0.95, abs=0.04)
    assert without == pytest.approx(0.2, abs=0.06)


def test_more_reviews_move_them_further() -> None:
    prior = confidence.prior_weights("deposit")["label"]
    few, many = (fitting.fit_weights(observations(count))["deposit"]["label"] for count in (FEWEST, 400))
    assert abs(few - prior) < abs(many - prior)


def test_what_no_review_tells_stays_as_the_prior_has_it() -> None:
    assert fitting.fit_weights(observations(200))["deposit"]["listed"] == confidence.prior_weights("deposit")["listed"]


def test_a_field_that_was_always_right_stays_finite() -> None:
    found = [Observation(f"d{n}", "deposit", {"label": 1.0}, right=True) for n in range(500)]
    weights = fitting.fit_weights(found)["deposit"]
    assert 0.97 < confidence.share(weights, {"label": 1.0}) < 1


def test_the_order_of_reviews_does_not_count() -> None:
    found = observations(100)
    mixed = list(found)
    Random(3).shuffle(mixed)
    assert fitting.fit_weights(mixed) == fitting.fit_weights(found)


def test_evidence_that_the_prior_does_not_know_is_learned_too() -> None:
    random = Random(5)
    found = [
        Observation(f"d{n}", "colour", {"shade": shade}, right=random.random() < (0.9 if shade else 0.3))
        for n, shade in enumerate([0.0, 1.0] * 200)
    ]
    assert fitting.fit_weights(found)["colour"]["shade"] > 1


def test_a_few_sellers_cannot_make_the_weights_run_away() -> None:
    """Where the evidence parts right from wrong wholly, Newton's steps grew to 357."""
    found = [
        Observation(f"d{n}", "tenant", {"legal": float(n % 4 > 0), "margin": 1.0}, right=n % 4 > 0, seller=f"s{n % 4}")
        for n in range(80)
    ]
    prior, weights = confidence.prior_weights("tenant"), fitting.fit_weights(found)["tenant"]
    assert max(abs(weight - prior.get(name, 0.0)) for name, weight in weights.items()) <= fitting.FARTHEST
    assert confidence.share(weights, {"legal": 1.0, "margin": 1.0}) < 0.999


def test_what_one_seller_teaches_alone_is_held_closer_to_the_prior() -> None:
    """The same reviews, of one seller that differs or of many sellers."""
    rows = [(n, float(n % 2)) for n in range(120)]
    many, one = (
        fitting.fit_weights(
            [
                Observation(f"d{n}", "deposit", {"label": label}, right=bool(label), seller=seller(n))
                for n, label in rows
            ]
        )["deposit"]["label"]
        for seller in (lambda n: f"s{n}", lambda _n: "s")
    )
    prior = confidence.prior_weights("deposit")["label"]
    assert abs(one - prior) < abs(many - prior)


def test_what_ranks_other_sellers_worse_than_the_prior_moves_the_bias_alone() -> None:
    """Of each seller the evidence says another thing: what one teaches is false of the next."""
    found = [
        Observation(
            f"d{n}", "deposit", {"label": float(n % 2), "margin": 0.5}, right=n % 2 == n // 30 % 2, seller=f"s{n // 30}"
        )
        for n in range(240)
    ]
    prior, weights = confidence.prior_weights("deposit"), fitting.fit_weights(found)["deposit"]
    assert weights["label"] == pytest.approx(prior["label"], abs=0.05)
    assert weights["bias"] != pytest.approx(prior["bias"], abs=0.05)


def test_what_speaks_for_a_value_never_comes_to_speak_against_it() -> None:
    """Badly read values of one seller happened to be right."""
    found = [
        Observation(
            f"d{n}", "deposit", {"label": 1.0, "read": -1.0 if n % 2 else 1.0}, right=bool(n % 2), seller=f"s{n}"
        )
        for n in range(200)
    ]
    assert fitting.fit_weights(found)["deposit"]["read"] >= 0


def test_memory_is_fitted_with_all_else_as_it_is() -> None:
    weights = {"company": dict(confidence.prior_weights("company"))}
    found = [Observation(f"d{n}", "company", {"legal": 1.0, "vendor": 1.0}, right=True) for n in range(50)]
    fitted = fitting.fit_memory(weights, found)["company"]
    assert fitted.pop("vendor") > weights["company"].pop("vendor")
    assert fitted == weights["company"]


def test_fields_that_share_a_shift_keep_the_priors_order_among_all_of_them() -> None:
    found = []
    for number in range(60):
        found.append(Observation(f"d{number}", "total", {"label": 1.0, "margin": number % 3 / 2}, right=True))
        low = {"streets": 1.0, "clear": number % 5 / 5}
        found.append(Observation(f"d{number}", "address", low, right=number % 12 != 7))
    weights = fitting.fit_weights(found, spreads={"total": fitting.SHARED, "address": fitting.SHARED})
    priors = [confidence.share(confidence.prior_weights(one.field), one.evidence) for one in found]
    learned = [confidence.share(weights[one.field], one.evidence) for one in found]
    order = sorted(range(len(found)), key=priors.__getitem__)
    assert all(learned[one] <= learned[other] + 1e-3 for one, other in itertools.pairwise(order))
    assert sum(learned) / len(learned) > sum(priors) / len(priors)


def test_no_field_that_the_prior_knows_rises_above_another_by_what_others_sellers_had_right() -> None:
    """Totals were always right, and addresses of all sellers but two: an unknown one may be the third."""
    found = []
    for number in range(240):
        label = {"label": float(number % 4 > 0), "margin": number % 5 / 5}
        found.append(Observation(f"d{number}", "total", label, right=True, seller=f"s{number % 40}"))
        street = {"streets": number % 3 / 2, "clear": number % 5 / 5}
        found.append(Observation(f"d{number}", "address", street, right=number % 40 > 1, seller=f"s{number % 40}"))
    weights = fitting.fit_weights(found)
    shifts = {name: of["bias"] - confidence.prior_weights(name)["bias"] for name, of in weights.items()}
    assert shifts["total"] == pytest.approx(shifts["address"])
    for name, of in weights.items():
        prior = confidence.prior_weights(name)
        assert {feature: of[feature] for feature in prior if feature != "bias"} == {
            feature: weight for feature, weight in prior.items() if feature != "bias"
        }


def test_a_field_of_the_projects_own_learns_beside_fields_that_the_prior_knows() -> None:
    totals = [Observation(f"d{n}", "total", {"label": 1.0}, right=True) for n in range(100)]
    both = fitting.fit_weights([*totals, *observations(800)])
    assert both["deposit"] == fitting.fit_weights(observations(800))["deposit"]
    assert both["total"] == fitting.fit_weights(totals)["total"]


SURE = {"label": 1.0, "plausible": 1.0, "margin": 1.0, "read": 1.0, "page": 1.0}


@pytest.mark.parametrize(("wrong", "keeps_its_place"), [(0, True), (1, True), (9, False)])
def test_a_guess_is_moved_with_the_priors_half_and_taken_down_only_if_reviews_surely_say_so(
    wrong: int, *, keeps_its_place: bool
) -> None:
    found = [Observation(f"d{number}", "total", {"label": 1.0}, right=True) for number in range(200)]
    dates = [Observation(f"d{n}", "date", {**SURE, "guessed": 1.0}, right=n >= wrong) for n in range(FEWEST)]
    shared = fitting.fit_weights([*found, *dates], spreads=dict.fromkeys(("total", "date"), fitting.SHARED))
    believed = confidence.share(shared["date"], dates[0].evidence)
    assert confidence.share(confidence.prior_weights("date"), dates[0].evidence) == 0.5
    moved = 1 / (1 + exp(-(shared["total"]["bias"] - confidence.prior_weights("total")["bias"])))
    assert (believed == pytest.approx(moved, abs=1e-3)) == keeps_its_place
    assert believed <= moved + 1e-3


def test_the_shared_shift_is_no_other_for_a_few_sellers_more_or_less() -> None:
    """So values that two folds judge compare as by the prior."""
    found = [Observation(f"d{n}", "total", {"label": n % 2}, n % 25 > 0, f"s{n % 30}") for n in range(300)]
    learned = [
        fitting.fit_weights((one for one in found if one.seller != f"s{number}"), spreads={"total": fitting.SHARED})
        for number in range(30)
    ]
    assert len({one["total"]["bias"] for one in learned}) == 1


def test_weights_have_to_rank_better_by_more_than_one_sellers_values_tell() -> None:
    found = [Observation(f"d{n}", "total", {}, right=n % 4 > 0, seller=f"s{n % 4 or n}") for n in range(120)]
    prior = [0.5] * len(found)
    better = [0.9 if one.right else 0.1 for one in found]
    worse = [1 - one for one in better]
    by_one = [0.1 if one.seller == "s4" else 0.5 for one in found]
    assert fitting.ranks_better(better, prior, found)
    assert not fitting.ranks_better(worse, prior, found)
    assert not fitting.ranks_better(by_one, prior, found)
    assert fitting.ranks_better(prior, prior, found)  # all as well as before: what they say of how many is learned
