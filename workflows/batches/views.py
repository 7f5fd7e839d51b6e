"""Pages of batches: the list, a new batch, and one batch with its progress, failures and actions."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice

from django.conf import settings
from django.contrib import messages
from django.http import HttpResponse, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.urls import reverse
from django.utils.translation import gettext
from django.views.decorators.csrf import csrf_exempt, csrf_protect
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from config import clock
from config.errors import Refused
from config.phrase import Phrase
from projects.audit.events import actor_of
from projects.queues import visibility
from projects.settings.items import Project
from projects.sites import access
from projects.web.http import DeskRequest, page_links, redirect_after_post, render_answer
from projects.web.spreadsheets import csv_line
from workflows.batches import actions, orders, queries, reading
from workflows.batches.forms import BatchForm, SlotsForm
from workflows.batches.items import RETRIABLE, UNDER_WAY, Batch, BatchLine, BatchStatus
from workflows.intake.upload import FORM_BYTES, size_words
from workflows.runs.views.state_labels import Mark
from workflows.storage import files

_MARKS: Mapping[str, Mark] = {
    BatchStatus.READING: Mark("info", "list", Phrase("Reading manifest")),
    BatchStatus.CHECKING: Mark("info", "search", Phrase("Checking files")),
    BatchStatus.RUNNING: Mark("info", "run", Phrase("Running")),
    BatchStatus.FINISHED: Mark("good", "check", Phrase("Finished")),
    BatchStatus.STOPPED: Mark("bad", "alert", Phrase("Stopped: too many failures")),
    BatchStatus.CANCELLED: Mark("", "x", Phrase("Cancelled")),
    BatchStatus.REFUSED: Mark("bad", "stop", Phrase("Refused")),
}
_NUMBERS = (
    ("published", "good", "check", Phrase("published")),
    ("waiting", "warn", "user", Phrase("need review")),
    ("rejected", "", "x", Phrase("rejected")),
    ("unpacked", "", "folder", Phrase("extracted")),
    ("failed", "bad", "alert", Phrase("failed")),
    ("bad", "bad", "stop", Phrase("invalid in the manifest")),
)


@dataclass(frozen=True)
class BatchRow:
    """A batch as pages show it."""

    batch: Batch

    @property
    def mark(self) -> Mark:
        return _MARKS[self.batch.status]

    @property
    def moving(self) -> bool:
        return self.batch.status in UNDER_WAY or bool(self.batch.at_work)

    @property
    def can_cancel(self) -> bool:
        return self.batch.status in UNDER_WAY

    @property
    def is_refused(self) -> bool:
        return self.batch.status == BatchStatus.REFUSED

    @property
    def can_retry(self) -> bool:
        return self.batch.status in RETRIABLE and int(self.batch.failed) > 0 and not self.batch.at_work

    @property
    def total(self) -> int:
        return int(self.batch.total)

    @property
    def skipped(self) -> int:
        return int(self.batch.skipped)

    @property
    def skipped_kinds(self) -> str:
        return ", ".join(sorted(self.batch.skipped_kinds or ()))

    @property
    def under_way(self) -> int:
        return len(self.batch.at_work)

    @property
    def left(self) -> int:
        return max(self.total - self.batch.done - self.under_way, 0)

    @property
    def numbers(self) -> list[tuple[str, str, int, str]]:
        """List tone, icon, count and label of each count that is not zero."""
        found = [(tone, icon, int(getattr(self.batch, name)), words) for name, tone, icon, words in _NUMBERS]
        return [one for one in found if one[2]]


_A_LOOK = 200  # lines of a report whose documents are read in one call
_COLUMNS = (
    Phrase("line"),
    Phrase("key"),
    Phrase("reason"),
    Phrase("can be tried again"),
    Phrase("document"),
    Phrase("project"),
)


@require_safe
def list_batches(request: DeskRequest) -> HttpResponse:
    access.check_can_view(request)
    cursor = request.GET.get("after")
    page = queries.list_batches(request.site, cursor=cursor)
    context = {
        "rows": [BatchRow(one) for one in page.rows],
        **page_links(request, page.next, reverse("workflows:list-batches")),
    }
    return render_answer(request, "workflows/batches/list.html", None, context)


# As with uploads, checking the token reads the body, so permission and length are checked first.
@csrf_exempt
@require_http_methods(["GET", "POST"])
def create_batch(request: DeskRequest, project_id: str) -> HttpResponse:
    project = access.project_to_upload(request, project_id)
    if request.method == "GET":
        return _form(request, project, BatchForm(initial={"batch_id": clock.new_ulid()}))
    if int(request.META.get("CONTENT_LENGTH") or 0) > settings.BATCH_MAX_BYTES + FORM_BYTES:
        form = BatchForm(initial={"batch_id": clock.new_ulid()})
        response = _form(request, project, form, _too_large(), status=413)
        response["Connection"] = "close"  # the rest of the body is not read
        return response
    made: HttpResponse = _create_posted_batch(request, project=project)
    return made


@csrf_protect
def _create_posted_batch(request: DeskRequest, *, project: Project) -> HttpResponse:
    form = BatchForm(request.POST, request.FILES)
    if not form.is_valid():
        return _form(request, project, form, status=422)
    sent = form.cleaned_data["manifest"]
    try:
        batch = reading.make_batch(
            request.site,
            project,
            form.wish(),
            sent.file if sent else None,
            file_name=sent.name if sent else "",
            by=actor_of(request.user),
        )
    except Refused as error:
        form.add_error("manifest" if sent else "key", str(error))
        return _form(request, project, form, status=422)
    messages.success(request, gettext("Batch created. Its manifest is being checked."))
    return redirect_after_post(request, reverse("workflows:show-batch", args=[batch.id]))


def _too_large() -> str:
    return f"The manifest is larger than {size_words(settings.BATCH_MAX_BYTES)}. Split it."


def _form(
    request: DeskRequest, project: Project, form: BatchForm, problem: str = "", *, status: int = 200
) -> HttpResponse:
    context = {
        "form": form,
        "project": project,
        "settings": project.settings,
        "problem": problem,
        "prefix": files.bulk(request.site),
        "most": settings.BATCH_MAX_LINES,
    }
    return render_answer(request, "workflows/batches/new.html", None, context, status=status)


@require_safe
def show_batch(request: DeskRequest, batch_id: str) -> HttpResponse:
    access.check_can_view(request)
    batch = queries.get_batch(request.site, batch_id, consistent=False)
    cursor = request.GET.get("after")
    page = queries.list_failed_lines(request.site, batch_id, cursor=cursor)
    url = reverse("workflows:show-batch", args=[batch_id])
    context = {
        "row": BatchRow(batch),
        "lines": visibility.filter_rows(request, page.rows, lambda line: line.document_id),
        "slots_form": SlotsForm(initial={"slots": int(batch.slots)}),
        **page_links(request, page.next, url),
        "poll_url": request.get_full_path(),
    }
    return render_answer(request, "workflows/batches/show.html", "workflows/batches/_batch.html", context)


@require_safe
def export_report(request: DeskRequest, batch_id: str) -> HttpResponseBase:
    access.check_can_view(request)
    queries.get_batch(request.site, batch_id, consistent=False)
    response = StreamingHttpResponse(_report(request, batch_id), content_type="text/csv")
    response["Content-Disposition"] = f'attachment; filename="batch-{batch_id}.csv"'
    response["Cache-Control"] = "no-store"
    return response


def _report(request: DeskRequest, batch_id: str) -> Iterator[str]:
    yield csv_line(*_COLUMNS)
    lines = queries.every_line(request.site, batch_id)
    while some := list(islice(lines, _A_LOOK)):
        yield from _lines(visibility.filter_rows(request, some, lambda line: line.document_id))


def _lines(some: Sequence[BatchLine]) -> Iterator[str]:
    for line in some:
        again = "yes" if line.again else "no"
        yield csv_line(
            str(int(line.number)), line.s3_key or "", line.message, again, line.document_id or "", line.project_id or ""
        )


@require_POST
def retry_batch(request: DeskRequest, batch_id: str) -> HttpResponse:
    access.check_can_upload(request)
    batch = queries.get_batch(request.site, batch_id)
    attempt = actions.retry_batch(request.site, batch, by=actor_of(request.user))
    orders.order_reading(request.site, batch.id, attempt)
    said = Phrase("Checking the manifest again.") if batch.can_be_read_again else Phrase("Retrying the failed lines.")
    messages.success(request, said)
    return redirect_after_post(request, reverse("workflows:show-batch", args=[batch_id]))


@require_POST
def continue_batch(request: DeskRequest, batch_id: str) -> HttpResponse:
    access.check_can_upload(request)
    batch = queries.get_batch(request.site, batch_id)
    actions.go_on(request.site, batch, by=actor_of(request.user))
    orders.order_drive(request.site, batch.id)
    messages.success(request, gettext("The batch continues with the lines that were not started."))
    return redirect_after_post(request, reverse("workflows:show-batch", args=[batch_id]))


@require_POST
def change_slots(request: DeskRequest, batch_id: str) -> HttpResponse:
    access.check_can_upload(request)
    batch = queries.get_batch(request.site, batch_id)
    form = SlotsForm(request.POST)
    if not form.is_valid():
        raise Refused(
            gettext("The concurrency limit must be from 1 to %(batch_most_slots)s.")
            % {"batch_most_slots": settings.BATCH_MOST_SLOTS}
        )
    actions.change_slots(request.site, batch, form.cleaned_data["slots"], by=actor_of(request.user))
    orders.order_drive(request.site, batch.id)
    messages.success(request, gettext("Concurrency limit set to %(slots)s.") % {"slots": form.cleaned_data["slots"]})
    return redirect_after_post(request, reverse("workflows:show-batch", args=[batch_id]))


@require_POST
def cancel_batch(request: DeskRequest, batch_id: str) -> HttpResponse:
    access.check_can_upload(request)
    batch = queries.get_batch(request.site, batch_id)
    if batch.status not in UNDER_WAY:
        raise Refused(gettext("This batch has ended and cannot be cancelled."))
    actions.cancel_batch(request.site, batch, by=actor_of(request.user))
    orders.order_drive(request.site, batch.id)
    messages.success(request, gettext("Batch cancelled. Documents that were started continue."))
    return redirect_after_post(request, reverse("workflows:show-batch", args=[batch_id]))
