"""The page that leads to everything an admin sets on a site."""

from django.http import HttpResponse
from django.views.decorators.http import require_safe

from config.table import DEFAULT_SITE
from projects.sites import access
from projects.web.http import DeskRequest, render_answer


@require_safe
def show_settings(request: DeskRequest) -> HttpResponse:
    access.check_can_set_up(request)
    return render_answer(request, "projects/web/settings.html", None, {"on_main_site": request.site == DEFAULT_SITE})
