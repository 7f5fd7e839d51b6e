"""Pages of differing reviews: a queue's list, and the form to resolve one."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from django.contrib import messages
from django.http import HttpResponse
from django.urls import reverse
from django.utils.translation import gettext
from django.views.decorators.http import require_http_methods, require_safe

from config.errors import Conflict, NotFound
from config.phrase import Phrase
from config.table import InvalidKey
from projects.documents.view_log import record_view
from projects.policies.gate import find_denied_documents
from projects.schemas.labels.reading import get_labels
from projects.sites import access
from projects.web.http import DeskRequest, page_links, redirect_after_post, render_answer
from review.desk.field_form import FieldForm, sheet_of
from review.desk.page import check_waits_for, person_of
from review.desk.queue import queue_url
from review.identity import ReviewRef, queue_id
from review.quality import actions, adjudication, queries
from review.quality.comparison import Comparison, compare_decisions
from review.quality.forms import NOT_POSTED, DisputedField, Posted, is_swapped, list_disputed, read_outcome
from review.quality.queries import Pair
from review.status import CheckStatus, Decision, Worklist
from workflows.stages import results
from workflows.stages.base import FieldSpec
from workflows.stages.document_types import of_result

_MISSING = Phrase("Differences not found.")
_SHOWN = (CheckStatus.DISPUTED, CheckStatus.ADJUDICATED)
_MARGIN = 0.06  # of the page's height, shown above and below a value
_DECIDED = {Decision.APPROVE.value: Phrase("Approved"), Decision.REJECT.value: Phrase("Rejected")}


@dataclass(frozen=True)
class Excerpt:
    """The part of a page around a value. ``view``: an SVG viewBox; ``box``: x, y, width and height in it."""

    image: str
    width: int
    height: int
    view: str
    box: tuple[str, str, str, str]
    number: int


@dataclass(frozen=True)
class _Loaded:
    ref: ReviewRef
    pair: Pair
    result: Mapping[str, Any]
    decided: tuple[Mapping[str, Any], Mapping[str, Any]]
    found: Comparison

    @property
    def fields(self) -> list[FieldSpec]:
        """Return the fields of each document type that one of the two chose."""
        typed = [of_result.apply_type_choice(self.result, _type_chosen(one)) for one in self.decided]
        by_name = {one.name: one for result in reversed(typed) for one in results.fields_of(result)}
        return list(by_name.values())


def _type_chosen(decided: Mapping[str, Any]) -> str | None:
    chosen: str | None = (decided.get("corrections") or {}).get(of_result.KEY)
    return chosen


@require_safe
def list_disputes(request: DeskRequest) -> HttpResponse:
    """Show the differing reviews of ``?queue=``, oldest first."""
    access.check_can_view(request)
    queue = request.GET.get("queue", "")
    access.check_admitted(request, queue)
    cursor = request.GET.get("after")
    page = queries.list_disputes(request.site, queue, cursor=cursor)
    found = [(row, queries.dispute_ref(request.site, row)) for row in page.rows]
    denied = find_denied_documents(request, [ref.document_id for _, ref in found])
    rows = [(row, ref) for row, ref in found if ref.document_id not in denied]
    context = {
        "view": Worklist.DISPUTES,
        "queue_id": queue,
        "rows": rows,
        **page_links(request, page.next, f"{request.path}?queue={queue}" if queue else request.path),
        "joiner": "&" if queue else "?",
        "queue_url": queue_url(queue),
    }
    return render_answer(request, "review/quality/disputes.html", None, context)


@require_http_methods(["GET", "HEAD", "POST"])
def show_dispute(request: DeskRequest, document_id: str, review_id: str) -> HttpResponse:
    """Show one difference, by the first review's id. A POST resolves it; names are shown from then on."""
    (access.check_can_review if request.method == "POST" else access.check_can_view)(request)
    loaded = _load(request, ReviewRef(request.site, document_id, review_id))
    if request.method == "POST":
        return _resolve(request, loaded)
    return record_view(request, _page(request, loaded), document_id)


def _load(request: DeskRequest, ref: ReviewRef) -> _Loaded:
    """Raises: NotFound, also until both have decided, so that the first answers stay hidden."""
    try:
        pair = queries.get_pair(ref)
    except (NotFound, InvalidKey) as error:
        raise NotFound(_MISSING) from error
    row = pair.check
    check_waits_for(request, queue_id(row.of_queue))
    if row.status not in _SHOWN:
        raise NotFound(_MISSING)
    result = actions.read_result(ref, pair.second)
    first = actions.read_object(ref, row.project_id, str(row.first_uri), str(row.first_sha256))
    second = actions.read_object(ref, row.project_id, str(row.second_uri), str(row.second_sha256))
    return _Loaded(ref, pair, result, (first, second), compare_decisions(result, first, second))


def _resolve(request: DeskRequest, loaded: _Loaded) -> HttpResponse:
    posted, swapped = request.POST.dict(), is_swapped(loaded.ref.review_id)
    answered = read_outcome(posted, loaded.found, loaded.fields, swapped=swapped)
    typed = Posted(posted, answered.errors)
    if loaded.pair.check.status != CheckStatus.DISPUTED:
        return _page(request, loaded, posted=typed, lost=True, status=409)
    if answered.outcome is None:
        return _page(request, loaded, posted=typed, status=422)
    try:
        adjudication.adjudicate(
            loaded.ref, loaded.pair.check, loaded.found, loaded.decided, answered.outcome, by=person_of(request)
        )
    except Conflict:
        return _page(request, _load(request, loaded.ref), posted=typed, lost=True, status=409)
    messages.success(request, gettext("Resolved. The names of both reviewers are shown now."))
    return redirect_after_post(
        request, reverse("review:show-dispute", args=[loaded.ref.document_id, loaded.ref.review_id])
    )


def _page(
    request: DeskRequest,
    loaded: _Loaded,
    *,
    posted: Posted = NOT_POSTED,
    lost: bool = False,
    status: int = 200,
) -> HttpResponse:
    row, second, swapped = loaded.pair.check, loaded.pair.second, is_swapped(loaded.ref.review_id)
    types = {str(one["id"]): str(one["name"]) for one in of_result.list_type_choices(loaded.result)}
    labels = get_labels(request.site)
    disputed = [
        replace(one, label=labels.name_field(one.name, one.label))
        for one in list_disputed(loaded.found, swapped=swapped, types=types, posted=posted)
    ]
    is_open = row.status == CheckStatus.DISPUTED
    barred = (row.barred.as_dict() if row.barred else {}).get(person_of(request).id, "")
    truth = {}
    if not is_open and row.outcome_uri:
        truth = actions.read_object(loaded.ref, row.project_id, row.outcome_uri, str(row.outcome_sha256))
    sheet = sheet_of(second, loaded.result, results.fields_of(loaded.result))
    names = [str(row.first_name), str(row.second_name)]
    context = {
        "ref": loaded.ref,
        "check": row,
        "is_open": is_open,
        "lost": lost,
        "has_errors": bool(posted.errors),
        "barred": barred,
        "may_resolve": is_open and not barred and access.can_review(request),
        "lines": [(one, _excerpt(sheet, one.name), _outcome(one, loaded.found, row, truth, types)) for one in disputed],
        "pages": sheet.pages,
        "written_in": loaded.result.get("language", ""),
        "names": list(reversed(names) if swapped else names),
        "decided": _DECIDED.get(row.first_decision or "", ""),
        "queue_id": queue_id(row.of_queue),
        "list_url": _list_url(queue_id(row.of_queue)),
        "rerun_url": reverse("workflows:show-reruns", args=[loaded.ref.document_id, row.workflow_id])
        if access.abilities(request).upload
        else "",
    }
    return render_answer(request, "review/quality/dispute.html", None, context, status=status)


def _list_url(queue: str) -> str:
    return f"{reverse('review:list-disputes')}{f'?queue={queue}' if queue else ''}"


def _outcome(
    one: DisputedField, found: Comparison, row: Any, truth: Mapping[str, Any], types: Mapping[str, str]
) -> str:
    """Return the resolution in words; empty before."""
    if not truth:
        return ""
    if not found.is_decided_alike:
        return Phrase("Approve") if row.outcome == Decision.APPROVE else Phrase("Reject")
    value = (truth.get("chosen") or {}).get(one.name)
    if one.name == of_result.KEY:
        return types.get(value or "", value or of_result.NONE)
    return str(value) if value else Phrase("Not on the document")


def _excerpt(sheet: FieldForm, name: str) -> Excerpt | None:
    """Return the excerpt around the extracted field; None if it was not located or there are no images."""
    line = next((one for one in sheet.lines if one.spec.name == name), None)
    page = next((one for one in sheet.pages if line and line.box and one.index == line.page), None)
    if line is None or line.box is None or page is None or not page.image:
        return None
    box, margin = line.box, page.height * _MARGIN
    top = max(float(box.y) - margin, 0.0)
    height = min(float(box.height) + 2 * margin, page.height - top)
    return Excerpt(
        page.picture, page.width, page.height, f"0 {top:.1f} {page.width} {height:.1f}",
        (box.x, box.y, box.width, box.height), page.index + 1,
    )  # fmt: skip
