"""Stage assess: applies the project's review policy to the result. The comparison is in assessment/needs_review.py."""

import hashlib
import json
from collections.abc import Sequence
from typing import Any

from config import clock
from config.phrase import Sentence
from workflows.stages import (
    artifacts,
    results,
)
from workflows.stages.assessment import needs_review
from workflows.stages.assessment.needs_review import Reason
from workflows.stages.assessment.triage import triage_result, write_triage
from workflows.stages.base import RunSettings, StageContext, StageResult
from workflows.stages.document_types import of_result
from workflows.stages.field_spec import FieldSpec
from workflows.storage import files

SHOWN = 10  # reasons on a review's row, and fields in the policy's description


LEAST_AUDITED = 0.15  # of what passes by confidence, so that a broken promise is noticed within 50 documents


def run(context: StageContext) -> StageResult:
    body = context.artifacts.read(files.result(context.workflow_id))
    result = json.loads(body)
    fields = results.fields_of(result) if of_result.type_entry(result) else context.settings.fields
    assessment = needs_review.build_assessment(
        result,
        fields,
        result_sha256=hashlib.sha256(body).hexdigest(),
        today=clock.now().date().isoformat(),
        copies=(copies := context.find_copies(result)),
        entities=context.find_entity_doubts(result),
        sampled=needs_review.is_sampled(context.workflow_id, _audit_share(context.settings)),
    ) | {"calibration": context.settings.calibration_version}
    reasons = [Reason(**one) for one in assessment["reasons"]]
    assessment["triage"] = write_triage(triage_result(result, fields, reasons))
    artifacts.write_json(context.artifacts, files.assessment(context.workflow_id), assessment)
    sent = (
        Sentence("Goes to review: %(policy)s.")
        if assessment["review_required"]
        else Sentence("Needs no review: %(policy)s.")
    )
    return StageResult(
        "completed",
        reason=sent.fill(policy=describe_policy(context.settings, fields)),
        # Counts and ids only: reasons quote values, which must not be in an execution's history.
        facts={
            "review_required": assessment["review_required"],
            "result_sha256": assessment["result_sha256"],
            "fields": len(result["fields"]),
            "pages": len(result["pages"]),
            "unsure": len({reason.field for reason in reasons if reason.field}),
        }
        | ({"queue": context.settings.queue} if context.settings.queue else {})
        | ({"unseen_allowed": True} if context.settings.unseen_allowed else {})
        | ({"lacking_allowed": True} if context.settings.lacking_allowed else {})
        | (
            {"reject_reasons": reasons_listed}
            if (reasons_listed := context.settings.reject_reasons.splitlines())
            else {}
        )
        | _list_second_looks(context.settings)
        | ({"copies": [f"{one.kind}#{one.document_id}" for one in copies]} if copies else {}),
    )


def _list_second_looks(settings: RunSettings) -> dict[str, Any]:
    """Documents with a quorum are not sampled for a second review."""
    if settings.quorum:
        return {"quorum": settings.quorum}
    return {"check_share": settings.check_share} if settings.check_share else {}


def describe_policy(settings: RunSettings, fields: Sequence[FieldSpec]) -> str:
    """Describe the frozen policy that decided whether a review is needed."""
    own = [one for one in fields if one.threshold != settings.default_threshold]
    words: list[str] = [Sentence("threshold %(share)s").fill(share=_show(settings.default_threshold))]
    words += [f"{one.label[:40]} {_show(one.threshold)}" for one in own[:SHOWN]]
    if len(own) > SHOWN:
        words.append(Sentence("%(number)s more fields with their own").fill(number=len(own) - SHOWN))
    if settings.most_wrong:
        words.append(Sentence("error limit %(share)s").fill(share=_show(settings.most_wrong)))
    if settings.calibration_version:
        said = (
            Sentence("calibration %(version)s, paused")
            if settings.calibration_paused
            else Sentence("calibration %(version)s")
        )
        words.append(said.fill(version=settings.calibration_version))
    if settings.extractor_version:
        words.append(Sentence("extractor %(version)s").fill(version=settings.extractor_version))
    if share := _audit_share(settings):
        words.append(Sentence("audit sample %(share)s").fill(share=_show(share)))
    return ", ".join(words)


def _show(share: float) -> str:
    return f"{share * 100:.4g} %"


def _audit_share(settings: RunSettings) -> float:
    """If a calibration lets values pass, some are audited whatever the project says."""
    audited = settings.calibration_version and settings.most_wrong
    return max(settings.audit_share, LEAST_AUDITED) if audited else settings.audit_share
