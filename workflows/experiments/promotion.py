"""Promotion of a winning prompt to production or candidate, compared with the one in production."""

from dataclasses import replace
from decimal import Decimal

from django.conf import settings
from django.utils.translation import gettext

from config.errors import Refused
from config.phrase import Figure, Sentence
from projects.audit.events import Actor
from projects.prompts import actions as prompt_actions
from projects.prompts import queries as prompt_queries
from projects.prompts.actions import ProductionMove
from workflows.experiments import queries
from workflows.experiments.queries import ExperimentRef
from workflows.experiments.results import HalfResult, Plan, Promotion, Results, compare_with_production
from workflows.testsets.cases import HELD_BACK


def judge_promotion(ref: ExperimentRef, plan: Plan, results: Results, number: int, *, production: int) -> Promotion:
    """Compare a variant with the production prompt.

    ``number``: of the variant; ``production``: the prompt version that runs use now, 0 for the general prompt. Only
    safe once all cells are answered: before, the two may have been measured on different documents, or on one each.
    """
    variant = plan.variant(number)
    there = queries.get_prompt_ref(ref, plan)
    is_same = bool(production) or prompt_queries.find_in_use(there) == (there.general, plan.general)
    other = next(
        (
            one.number
            for one in plan.variants
            if is_same and (one.prompt_version, one.settings) == (production, variant.settings)
        ),
        0,
    )
    judged = compare_with_production(
        results.halves[number][HELD_BACK],
        _half_of(results, other),
        version=production,
        allowed=Decimal(settings.PROMOTION_LOSS_PERCENT),
    )
    if judged.is_safe and results.cells < plan.cells:
        words = Sentence("%(judged)s Only %(cells)s of %(planned)s answers are in.").fill(
            judged=judged.sentence, cells=Figure(f"{results.cells:,}"), planned=Figure(f"{plan.cells:,}")
        )
        return replace(judged, sentence=words, is_safe=False)
    return judged


def _half_of(results: Results, number: int) -> HalfResult | None:
    return results.halves[number][HELD_BACK] if number in results.halves else None


def promote_variant(
    ref: ExperimentRef, number: int, *, expected: int, reason: str, despite: str = "", by: Actor
) -> ProductionMove:
    """Put a variant's prompt into production, or propose it if the site requires a second person.

    ``expected``: the production version that the page showed. ``despite``: why to use it although it is worse on the
    held-back half, or was not measured beside the one in production.

    Raises:
        Refused: it is worse and no reason was given, or nothing is measured so far.
        Conflict: someone moved the label since.
        NotFound: there is no such variant.

    """
    head = queries.get_experiment(ref)
    plan = queries.load_plan(ref, str(head.plan_sha256))
    variant = plan.variant(number)
    if not head.results_sha256:
        raise Refused(gettext("Nothing is measured yet. Wait for the first results."))
    results = queries.load_results(ref, str(head.results_sha256))
    judged = judge_promotion(ref, plan, results, number, production=expected)
    if not judged.is_safe and not despite.strip():
        raise Refused(gettext("%(sentence)s Enter a reason for using it anyway.") % {"sentence": judged.sentence})
    words = f"{reason.strip()} ({judged.sentence})" if reason.strip() else ""
    if words and not judged.is_safe:
        words += f" {despite.strip()}"
    return prompt_actions.move_production(
        queries.get_prompt_ref(ref, plan), variant.prompt_version, expected=expected, reason=words, by=by
    )


def nominate_variant(
    ref: ExperimentRef, number: int, *, expected: int, percent: int, reason: str, by: Actor, may_promote: bool = True
) -> int:
    """Make a variant's prompt the candidate for a share of runs; return its version.

    ``expected``: the candidate that was shown.

    Raises:
        Refused, Conflict, NotFound: as ``set_candidate``; there is no such variant.

    """
    head = queries.get_experiment(ref)
    plan = queries.load_plan(ref, str(head.plan_sha256))
    variant = plan.variant(number)
    if not variant.prompt_version:
        raise Refused(gettext("The general prompt is no candidate of a document type. Put it into production instead."))
    prompt_actions.set_candidate(
        queries.get_prompt_ref(ref, plan),
        variant.prompt_version,
        expected=expected,
        percent=percent,
        reason=reason,
        by=by,
        may_promote=may_promote,
    )
    return variant.prompt_version
