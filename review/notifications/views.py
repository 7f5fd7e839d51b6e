"""A person's own list of what they were told, what reaches them and how, and an admin's of what a chat tool is told."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from config.item import Item
from config.table import Key
from projects.audit.events import actor_of
from projects.queues import admission
from projects.sites import access
from projects.web.addresses import address_of
from projects.web.http import DeskRequest, redirect_after_post, render_answer
from review.identity import ReviewRef
from review.items.reviews import LISTED, Review
from review.notifications import actions, mails, queries
from review.notifications.forms import ChatForm, NotificationForm
from review.notifications.items import CHAT_KINDS, WEB_KINDS, InboxRow
from review.notifications.queries import MOST_UNREAD


@dataclass(frozen=True)
class Told:
    """One line of the list. ``url``: where it leads; empty if that is gone."""

    row: InboxRow
    words: str
    url: str


@require_safe
def list_notifications(request: DeskRequest) -> HttpResponse:
    access.check_can_view(request)
    cursor = request.GET.get("after")
    inbox = queries.list_inbox(request.site, str(request.user.pk), cursor=cursor)
    rows = list_told(request, inbox.rows)
    context = {
        "rows": rows,
        "unread": sum(one.row.read_at is None for one in rows),
        "next_cursor": inbox.next,
        "is_first": not cursor,
        "first_url": reverse("review:list-notifications"),
    }
    return render_answer(request, "review/notifications/list.html", None, context)


def list_told(request: HttpRequest, rows: Sequence[InboxRow]) -> list[Told]:
    """Without those of documents that the person is not let into; names in one batch read."""
    shown = admission.filter_rows(request, rows, lambda row: row.document_id)
    site = str(request.site)
    refs = {row.key: ReviewRef(site, str(row.document_id), str(row.review_id)) for row in shown if row.review_id}
    found = Item.together(list({ref.key for ref in refs.values()}), only=LISTED) if refs else {}
    names = {key: str(Review.from_raw_data(found[ref.key]).name) for key, ref in refs.items() if ref.key in found}
    return [_describe(row, names) for row in shown]


def _describe(row: InboxRow, names: Mapping[Key, str]) -> Told:
    if row.project_id:
        return Told(row, "Your export is ready", reverse("workflows:list-exports", args=[row.project_id]))
    name = names.get(row.key, "")
    url = reverse("review:show-review", args=[row.document_id, row.review_id]) if name else ""
    return Told(row, mails.describe(row, name or "a document that was deleted"), url)


@require_POST
def read_notifications(request: DeskRequest) -> HttpResponse:
    """One of them, or all of the page's."""
    access.check_can_view(request)
    actions.mark_read(request.site, str(request.user.pk), request.POST.getlist("id")[:MOST_UNREAD])
    return redirect_after_post(request, reverse("review:list-notifications"))


@require_http_methods(["GET", "POST"])
def choose_notifications(request: DeskRequest) -> HttpResponse:
    """Of this site. Empty ticks are a choice too: no mail."""
    access.check_can_view(request)
    user_id = str(request.user.pk)
    form = NotificationForm(request.POST if request.method == "POST" else None)
    if form.is_valid():
        typed = form.cleaned_data
        off = {str(one) for one in WEB_KINDS} - set(typed["web"])
        actions.save_choice(request.site, typed["kinds"], by=actor_of(request.user), web_off=off)
        messages.success(request, "Notification settings saved.")
        return redirect_after_post(request, reverse("review:choose-notifications"))
    if not form.is_bound:
        form.initial["kinds"] = sorted(queries.list_chosen_kinds(request.site, user_id))
        form.initial["web"] = sorted(queries.list_web_kinds(request.site, user_id))
    context = {"form": form, "address": address_of(user_id)}
    status = 422 if form.is_bound else 200
    return render_answer(request, "review/notifications/choose.html", None, context, status=status)


@require_http_methods(["GET", "POST"])
def edit_chat(request: DeskRequest) -> HttpResponse:
    access.check_can_configure(request)
    form = ChatForm(request.POST if request.method == "POST" else None)
    if form.is_valid():
        typed = form.cleaned_data
        actions.save_chat_webhook(request.site, typed["url"], typed["kinds"], by=actor_of(request.user))
        messages.success(request, "Chat messages saved.")
        return redirect_after_post(request, reverse("review:edit-chat"))
    if not form.is_bound:
        stored = queries.find_chat_webhook(request.site)
        form.initial["url"] = stored.url if stored else ""
        form.initial["kinds"] = sorted(stored.kinds or ()) if stored else [str(one) for one in CHAT_KINDS]
    status = 422 if form.is_bound else 200
    return render_answer(request, "review/notifications/chat.html", None, {"form": form}, status=status)
