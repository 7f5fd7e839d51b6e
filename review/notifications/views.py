"""A person's own page of what reaches them by mail, and an admin's of what a chat tool is told."""

from django.contrib import messages
from django.http import HttpResponse
from django.urls import reverse
from django.views.decorators.http import require_http_methods

from projects.audit.events import actor_of
from projects.sites import access
from projects.web.addresses import address_of
from projects.web.http import DeskRequest, redirect_after_post, render_answer
from review.notifications import actions, queries
from review.notifications.forms import ChatForm, NotificationForm
from review.notifications.items import CHAT_KINDS


@require_http_methods(["GET", "POST"])
def choose_notifications(request: DeskRequest) -> HttpResponse:
    """Of this site. Empty ticks are a choice too: no mail."""
    access.check_can_view(request)
    user_id = str(request.user.pk)
    form = NotificationForm(request.POST if request.method == "POST" else None)
    if form.is_valid():
        actions.save_choice(request.site, form.cleaned_data["kinds"], by=actor_of(request.user))
        messages.success(request, "Email settings saved.")
        return redirect_after_post(request, reverse("review:choose-notifications"))
    if not form.is_bound:
        form.initial["kinds"] = sorted(queries.list_chosen_kinds(request.site, user_id))
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
