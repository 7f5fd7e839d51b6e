"""Adjudication: a third person resolves the differences of two reviews."""

import json
import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from pynamodb.expressions.condition import Condition
from pynamodb.expressions.update import Action

from config import clock
from config.transaction import EXISTS, Change, Check, Update, transact
from review.identity import Person, ReviewRef
from review.items.reviews import Review
from review.quality import figures
from review.quality.actions import check_key, count_figures
from review.quality.comparison import Comparison, FieldPair
from review.quality.items import ReviewCheck
from review.status import CheckStatus, Decision
from workflows.runs import events
from workflows.runs.actions.advance import execution_key
from workflows.runs.items import Execution, Run
from workflows.stages.assessment.answers import Answer
from workflows.stages.document_types import of_result
from workflows.storage import files
from workflows.storage.objects import DocumentFiles

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Choice:
    """The true value of one field in stored form; None: the document does not have it."""

    pair: FieldPair
    value: str | None
    answer: str = ""  # why there is no value, if one of the two said so


@dataclass(frozen=True)
class Outcome:
    """``decision``: the correct one. ``choices``: for each differing field, if both approved."""

    decision: Decision
    choices: Sequence[Choice] = field(default_factory=tuple)

    def list_wrong(self, found: Comparison) -> list[str]:
        """Return labels of fields that the run continued with although they are wrong."""
        if self.decision != found.first:
            return ["Decision"]
        return [one.pair.label for one in self.choices if not one.pair.equals(one.value, one.pair.first)]


def adjudicate(
    ref: ReviewRef,
    row: ReviewCheck,
    found: Comparison,
    decided: tuple[Mapping[str, Any], Mapping[str, Any]],
    outcome: Outcome,
    *,
    by: Person,
) -> None:
    """Store the truth and whose answers it confirms; learning uses it instead of the run's decision.

    Published results stay unchanged. ``ref``: the first review; ``decided``: both decisions' objects.

    Raises:
        Conflict: someone else was first, this person is one of the two or uploaded the document, or the document
            was deleted. Nothing is kept but the object, which no record refers to.

    """
    run, now = Run(ref.site, row.project_id, row.document_id, row.workflow_id), clock.iso(clock.now())
    content = {
        "version": 1,
        "review_id": ref.review_id,
        **_true_values(decided, outcome),
        "judge": {"id": by.id, "name": by.name},
        "at": now,
    }
    body = json.dumps(content, ensure_ascii=False, sort_keys=True).encode()
    store, sha256 = DocumentFiles(ref.site, run.project_id, ref.document_id), files.sha256(body)
    uri = store.write(files.adjudication(run.workflow_id, sha256), body, "application/json")
    wrong = outcome.list_wrong(found)
    actions: list[Action] = [
        ReviewCheck.status.set(CheckStatus.ADJUDICATED),
        ReviewCheck.outcome.set(outcome.decision.value),
        ReviewCheck.outcome_uri.set(uri),
        ReviewCheck.outcome_sha256.set(sha256),
        ReviewCheck.judge_id.set(by.id),
        ReviewCheck.judge_name.set(by.name),
        ReviewCheck.judged_at.set(now),
        ReviewCheck.updated_at.set(now),
        ReviewCheck.wrong.set(wrong),
        ReviewCheck.GSI1PK.remove(),
        ReviewCheck.GSI1SK.remove(),
    ]
    free: Condition = (ReviewCheck.status == CheckStatus.DISPUTED) & ReviewCheck.barred[by.id].does_not_exist()
    changes: list[Change] = [
        Check(ref.check.key, Review.hidden.does_not_exist() & EXISTS),
        Update(check_key(ref), actions, free, name="check"),
        Update(execution_key(run), [Execution.truth_sha256.set(sha256)], EXISTS),
        *count_figures(run, zip(_people(row), _count(found, outcome), strict=True)),
    ]
    facts = {"review": ref.check.review_id, "differences": len(row.reasons or ()), "wrong": len(wrong)}
    transact(changes, events.lineage(run, "CHECK_ADJUDICATED", by=by, facts=facts))
    log.info("differences resolved", extra={"review": ref.review_id, "run": run.workflow_id})


def _people(row: ReviewCheck) -> tuple[Person, Person]:
    return Person(str(row.first_id), str(row.first_name)), Person(str(row.second_id), str(row.second_name))


def _count(found: Comparison, outcome: Outcome) -> Any:
    if not found.is_decided_alike:
        return figures.count_decisions(found, outcome.decision)
    return figures.count_outcome((one.pair, one.value) for one in outcome.choices)


def _true_values(decided: Sequence[Mapping[str, Any]], outcome: Outcome) -> dict[str, Any]:
    """Return the truth in the form of a decision's object, for its existing readers."""
    approvals = [one for one in decided if one["decision"] == Decision.APPROVE]
    base: Mapping[str, Any] = approvals[0] if approvals else {}
    chosen = {one.pair.name: one for one in outcome.choices}
    answers = {**(base.get("answers") or {}), **{name: _answer(one) for name, one in chosen.items()}}
    answers.pop(of_result.KEY, None)
    unseen = set.intersection(*(set(one.get("unseen") or ()) for one in approvals)) if approvals else set()
    return {
        "decision": outcome.decision.value,
        "corrections": {**(base.get("corrections") or {}), **{name: one.value for name, one in chosen.items()}},
        "answers": answers,
        "unseen": sorted(unseen - chosen.keys()),
        "chosen": {name: one.value for name, one in chosen.items()},
    }


def _answer(choice: Choice) -> str:
    if choice.value is None:
        return choice.answer or Answer.ABSENT.value
    same = choice.pair.equals(choice.pair.found, choice.value)
    return (Answer.CONFIRMED if same else Answer.CORRECTED).value
