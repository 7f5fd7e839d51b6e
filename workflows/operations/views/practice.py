"""The view that loads practice documents."""

from django.contrib import messages
from django.http import HttpResponse
from django.urls import reverse
from django.utils.translation import gettext, ngettext
from django.views.decorators.http import require_POST

from projects.audit.events import actor_of
from projects.sites import access
from projects.web.http import DeskRequest, redirect_after_post
from workflows.operations.practice import load_practice


@require_POST
def load(request: DeskRequest) -> HttpResponse:
    access.check_can_configure(request)
    project, loaded = load_practice(request.site, by=actor_of(request.user))
    if loaded:
        words = ngettext(
            "%(loaded)s practice document loaded. It waits under Review once it is read.",
            "%(loaded)s practice documents loaded. They wait under Review once they are read.",
            loaded,
        )
        messages.success(request, words % {"loaded": loaded})
    else:
        messages.info(request, gettext("Today’s practice documents are already loaded. You can load more tomorrow."))
    return redirect_after_post(request, reverse("projects:show-project", args=[project.id]))
