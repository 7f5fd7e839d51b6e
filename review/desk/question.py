"""What a review asks of one person: the result under review, their draft, and the fields to decide."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext

from config.errors import Conflict, Tampered
from projects.schemas.labels.reading import NO_LABELS, Labels
from review.changes import last_changes
from review.desk import ticket
from review.desk.comparison import Draft
from review.desk.field_form import FieldForm, sheet_of
from review.desk.page_tools.page_reading import list_readings
from review.desk.ticket import Ticket
from review.desk.viewer_state import ViewerState
from review.identity import ReviewRef
from review.items.reviews import Review
from workflows.stages import results
from workflows.stages.assessment.answers import WITHOUT_VALUE
from workflows.stages.base import FieldSpec
from workflows.stages.document_types import of_result
from workflows.storage import files
from workflows.storage.objects import DocumentFiles


@dataclass(frozen=True)
class Question:
    """The content of a review for the person viewing it, with their draft."""

    sheet: FieldForm
    ticket: Ticket
    result: Mapping[str, Any]
    fields: Sequence[FieldSpec]
    shown: Mapping[str, Any]
    decided: Mapping[str, Any]  # the decision's object, if any


def ask_question(
    ref: ReviewRef, review: Review, draft: Draft, standing: ViewerState, *, page: int | None = None,
    labels: Labels = NO_LABELS,
) -> Question:  # fmt: skip
    """``page``: 0-based, of the sheet. Only the sheet has the ``labels``; the stored result keeps the fields' own.

    Raises: Conflict, if the result is no longer the one that it is about.
    """
    approval = _before(ref, review)
    before = read_corrections(approval)
    found = results.apply_corrections(_result(ref, review), before)
    decided = _load_decision(ref, review) if standing.kind == "decided" and not standing.is_blind else {}
    typed = (
        draft.typed if standing.open_to_me else {name: text or "" for name, text in read_corrections(decided).items()}
    )
    answered = {name: one for name, one in (approval.get("answers") or {}).items() if one in WITHOUT_VALUE}
    answers = {**answered, **draft.answers} if standing.open_to_me else decided.get("answers") or answered
    result = of_result.apply_type_choice(found, typed.get(of_result.KEY))
    fields = results.fields_of(result)
    shown = {one["name"]: one.get("value") for one in result["fields"]}
    sheet = sheet_of(
        review, result, fields, page=page, typed=typed, errors=draft.errors,
        changes={} if ref.is_check else last_changes(decided or approval),
        confirmed=draft.confirmed or {}, answers=answers, answered=answered,
        day_first=result.get("day_first", True), again=list_readings(ref, review),
        disputed=approval.get("disputed"), agreed=approval.get("agreed", ()), labels=labels,
    )  # fmt: skip
    own = {one.name: one.label for one in fields}
    carried = ticket.ticket_for(
        review, fields, shown, typed, before=before, earlier=approval.get("changes", ()),
        judges=approval.get("judges", ()), answered=approval.get("answers") or {}, answers=answers,
        day_first=result.get("day_first", True),
        asked={name: own.get(name, label) for name, label in sheet.asked.items()}, confirmed=sheet.settled,
        **_types(found, result),
    )  # fmt: skip
    return Question(sheet, carried, result, fields, shown, decided)


def count_pages(ref: ReviewRef, review: Review) -> int:
    return len(_result(ref, review)["pages"])


def list_field_labels(ref: ReviewRef, review: Review) -> dict[str, str]:
    """Return field → label of the result under review."""
    return {one.name: one.label for one in results.fields_of(_result(ref, review))}


def read_corrections(decided: Mapping[str, Any]) -> dict[str, str | None]:
    return dict(decided.get("corrections") or {})


def _types(found: Mapping[str, Any], result: Mapping[str, Any]) -> dict[str, Any]:
    """Return the document type as found and as shown."""
    was, now = (of_result.type_entry(one) or {} for one in (found, result))
    names = {str(one["id"]): str(one["name"] or of_result.NONE) for one in (was, now) if one}
    return {"type_found": was.get("id"), "type_id": now.get("id"), "type_names": names}


def _load_decision(ref: ReviewRef, review: Review) -> dict[str, Any]:
    """Load the decision's object."""
    store = DocumentFiles(ref.site, review.project_id, ref.document_id)
    body = store.read_pinned(store.name_of(review.decision_uri or ""), review.decision_sha256 or "")
    found: dict[str, Any] = json.loads(body)
    return found


def _before(ref: ReviewRef, review: Review) -> dict[str, Any]:
    """Return the preceding approval's decision; empty if there was none."""
    if not review.before_uri:
        return {}
    store = DocumentFiles(ref.site, review.project_id, ref.document_id)
    body = store.read_pinned(store.name_of(review.before_uri), review.before_sha256 or "")
    found: dict[str, Any] = json.loads(body)
    return found


def _result(ref: ReviewRef, review: Review) -> dict[str, Any]:
    store = DocumentFiles(ref.site, review.project_id, ref.document_id)
    try:
        body = review.result and review.result.read(review.result_sha256)
        body = body or store.read_pinned(files.result(review.workflow_id), review.result_sha256)
    except Tampered as error:
        raise Conflict(
            gettext("The result changed after this review was opened. Nothing was submitted; reload the page.")
        ) from error
    found: dict[str, Any] = json.loads(body)
    return found
