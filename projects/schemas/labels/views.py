"""Pages of a site's languages and labels."""

from typing import Any

from django.contrib import messages
from django.http import HttpResponse, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.urls import reverse
from django.utils.translation import gettext, ngettext
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from config.errors import Conflict, CountersignError, Refused
from config.phrase import Phrase
from config.table import InvalidKey
from projects.audit.events import actor_of
from projects.schemas.labels import actions, queries
from projects.schemas.labels.actions import LONGEST, LabelChange, check_has_text, tidy_label
from projects.schemas.labels.csv_file import ImportReport, import_labels, write_lines
from projects.schemas.labels.items import Locale
from projects.schemas.labels.keys import ItemType, LabelKey
from projects.schemas.labels.languages import Language, known_languages
from projects.schemas.labels.originals import LONGEST_KEY, check_is_known
from projects.schemas.labels.sheet import Posted, changes_of, read_posted, read_sheet
from projects.sites import access
from projects.web.http import DeskRequest, read_number, redirect_after_post, render_answer
from projects.web.spreadsheets import MOST_BYTES


@require_http_methods(["GET", "POST"])
def list_languages(request: DeskRequest) -> HttpResponse:
    """List languages; a POST adds the language ``locale``."""
    access.check_can_govern(request)
    if request.method == "GET":
        return _list_page(request)
    try:
        made = actions.add_language(request.site, request.POST.get("locale", ""), by=actor_of(request.user))
    except (Refused, Conflict) as error:
        return _list_page(request, error=error)
    messages.success(
        request, gettext("%(name)s added. Enter its labels below.") % {"name": _language(made.tag).name.translated()}
    )
    return redirect_after_post(request, reverse("schemas:edit-labels", args=[made.tag]))


def _language(tag: str) -> Language:
    """Also one that another system wrote, which Django does not know."""
    return known_languages().get(tag) or Language(tag, Phrase(tag))


def _list_page(request: DeskRequest, *, error: CountersignError | None = None) -> HttpResponse:
    rows = queries.list_locales(request.site)
    taken = {one.tag for one in rows if one.is_active}
    context = {
        "rows": [(one, _language(one.tag)) for one in rows],
        "offered": sorted(
            (one for one in known_languages().values() if one.tag not in taken), key=lambda one: one.name.translated()
        ),
        "error": str(error or ""),
        "typed": request.POST.get("locale", ""),
    }
    return render_answer(request, "projects/schemas/labels/languages.html", None, context, status=_status_of(error))


def _status_of(error: CountersignError | None) -> int:
    return 200 if error is None else 409 if isinstance(error, Conflict) else 422


@require_http_methods(["GET", "POST"])
def edit_labels(request: DeskRequest, locale: str) -> HttpResponse:
    """``?missing=1``: without those that have a label. By POST the table is saved, or with ``op`` one key is added."""
    access.check_can_govern(request)
    row = queries.get_locale(request.site, locale)
    if request.method == "GET":
        return _labels_page(request, row)
    if request.POST.get("op") == "add":
        return _add_key(request, row)
    posted = read_posted(request.POST.dict())
    if any(one.error for one in posted):
        return _labels_page(request, row, posted=posted, error=Refused(gettext("Shorten the labels marked below.")))
    try:
        saved = actions.save_labels(request.site, row.tag, changes_of(posted), by=actor_of(request.user))
    except (Conflict, Refused, InvalidKey) as error:
        return _labels_page(request, row, posted=posted, error=error)
    messages.success(request, ngettext("%(count)s label saved.", "%(count)s labels saved.", saved) % {"count": saved})
    return redirect_after_post(request, request.get_full_path())


def _add_key(request: DeskRequest, row: Locale) -> HttpResponse:
    key = LabelKey(ItemType.INTERFACE, interface_key=request.POST.get("key", "").strip())
    try:
        check_is_known(request.site, key)
        text = check_has_text(tidy_label(request.POST.get("text", "")))
        actions.save_labels(request.site, row.tag, [LabelChange(key, text)], by=actor_of(request.user))
    except (Conflict, Refused, InvalidKey) as error:
        return _labels_page(request, row, error=error)
    messages.success(request, gettext("1 label saved."))
    return redirect_after_post(request, reverse("schemas:edit-labels", args=[row.tag]))


def _labels_page(
    request: DeskRequest, row: Locale, *, posted: list[Posted] | None = None, error: CountersignError | None = None
) -> HttpResponse:
    only_missing = bool(request.GET.get("missing"))
    page = read_number(request.GET.get("page"), otherwise=1)
    context = {
        "language": _language(row.tag),
        "sheet": read_sheet(request.site, row.tag, page=page, only_missing=only_missing, posted=posted or ()),
        "error": str(error or ""),
        "typed_key": request.POST.get("key", ""),
        "typed_text": request.POST.get("text", ""),
        "longest": LONGEST,
        "longest_key": LONGEST_KEY,
    }
    return render_answer(request, "projects/schemas/labels/edit.html", None, context, status=_status_of(error))


@require_POST
def remove_language(request: DeskRequest, locale: str) -> HttpResponse:
    access.check_can_govern(request)
    actions.remove_language(request.site, locale, by=actor_of(request.user))
    messages.success(
        request, gettext("%(name)s and its labels were removed.") % {"name": _language(locale).name.translated()}
    )
    return redirect_after_post(request, reverse("schemas:list-languages"))


@require_safe
def export_labels(request: DeskRequest, locale: str) -> HttpResponseBase:
    access.check_can_govern(request)
    row = queries.get_locale(request.site, locale)
    response = StreamingHttpResponse(write_lines(request.site, row.tag), content_type="text/csv; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="labels-{row.tag}.csv"'
    return response


@require_http_methods(["GET", "POST"])
def import_file(request: DeskRequest, locale: str) -> HttpResponse:
    access.check_can_govern(request)
    row = queries.get_locale(request.site, locale)
    if request.method == "GET":
        return _import_page(request, row)
    sent = request.FILES.get("file")
    if sent is None:
        return _import_page(request, row, error=Refused(gettext("Select a CSV file.")))
    if (sent.size or 0) > MOST_BYTES:
        return _import_page(request, row, error=Refused(gettext("The file exceeds 1 MB. Split it.")))
    try:
        report = import_labels(request.site, row.tag, sent.read(), by=actor_of(request.user))
    except (Conflict, Refused, InvalidKey) as error:
        return _import_page(request, row, error=error)
    return _import_page(request, row, report=report)


def _import_page(
    request: DeskRequest, row: Locale, *, report: ImportReport | None = None, error: CountersignError | None = None
) -> HttpResponse:
    context: dict[str, Any] = {"language": _language(row.tag), "report": report, "error": str(error or "")}
    return render_answer(request, "projects/schemas/labels/import.html", None, context, status=_status_of(error))
