"""A person's own page of what reaches them by mail."""

from django.contrib import messages
from django.http import HttpResponse
from django.urls import reverse
from django.views.decorators.http import require_http_methods

from projects.audit.events import actor_of
from projects.sites import access
from projects.web.addresses import address_of
from projects.web.http import DeskRequest, redirect_after_post, render_answer
from review.notifications import actions, queries
from review.notifications.forms import NotificationForm


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
