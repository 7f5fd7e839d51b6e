"""Pages of a person's notifications and preferences, and of the site's chat webhook."""

from django.contrib import messages
from django.http import HttpResponse
from django.urls import reverse
from django.utils.translation import gettext
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from config.errors import ActionFailed, Unavailable
from projects.audit.events import actor_of
from projects.sites import access
from projects.web.addresses import address_of
from projects.web.http import DeskRequest, page_links, redirect_after_post, render_answer
from review.notifications import actions, queries
from review.notifications.chat import find_last_message, send_chat_test
from review.notifications.forms import ChatForm, NotificationForm
from review.notifications.inbox import list_told
from review.notifications.items import CHAT_KINDS, WEB_KINDS
from review.notifications.queries import MOST_UNREAD


@require_safe
def list_notifications(request: DeskRequest) -> HttpResponse:
    access.check_can_view(request)
    cursor = request.GET.get("after")
    inbox = queries.list_inbox(request.site, str(request.user.pk), cursor=cursor)
    rows = list_told(request, inbox.rows)
    context = {
        "rows": rows,
        "unread": sum(one.row.read_at is None for one in rows),
        **page_links(request, inbox.next, reverse("review:list-notifications")),
    }
    return render_answer(request, "review/notifications/list.html", None, context)


@require_POST
def read_notifications(request: DeskRequest) -> HttpResponse:
    """Mark one notification, or all on the page, as read."""
    access.check_can_view(request)
    actions.mark_read(request.site, str(request.user.pk), request.POST.getlist("id")[:MOST_UNREAD])
    return redirect_after_post(request, reverse("review:list-notifications"))


@require_http_methods(["GET", "POST"])
def choose_notifications(request: DeskRequest) -> HttpResponse:
    """Save the choice for this site; no ticks means no mail."""
    access.check_can_view(request)
    user_id = str(request.user.pk)
    form = NotificationForm(request.POST if request.method == "POST" else None)
    if form.is_valid():
        typed = form.cleaned_data
        off = {str(one) for one in WEB_KINDS} - set(typed["web"])
        actions.save_choice(request.site, typed["kinds"], by=actor_of(request.user), web_off=off)
        messages.success(request, gettext("Notification settings saved."))
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
        messages.success(request, gettext("Chat messages saved."))
        if "send_test" in request.POST:
            _send_chat_test(request)
        return redirect_after_post(request, reverse("review:edit-chat"))
    stored = queries.find_chat_webhook(request.site)
    if not form.is_bound:
        form.initial["url"] = stored.url if stored else ""
        form.initial["kinds"] = sorted(stored.kinds or ()) if stored else [str(one) for one in CHAT_KINDS]
    status = 422 if form.is_bound else 200
    context = {"form": form, "last": find_last_message(request.site, stored) if stored else None}
    return render_answer(request, "review/notifications/chat.html", None, context, status=status)


def _send_chat_test(request: DeskRequest) -> None:
    """Post a test message to the saved address, and show the response."""
    try:
        status = send_chat_test(request.site, by_name=actor_of(request.user).name)
    except (ActionFailed, Unavailable) as error:
        messages.error(request, gettext("The test message failed. %(error)s") % {"error": error})
        return
    if status is None:
        messages.warning(request, gettext("Enter a webhook URL to send a test message."))
    else:
        messages.success(request, gettext("Test message sent: the chat returned %(status)s.") % {"status": status})
