"""URLs whose views raise each domain error, and one that tells which site it is on."""

from django.contrib.auth.decorators import login_not_required
from django.http import HttpResponse
from django.urls import include, path, reverse

from config import errors

RAISED = {
    "missing": errors.NotFound("Document not found."),
    "forbidden": errors.NotAllowed("You may look, not decide."),
    "late": errors.Conflict("Bob Ito decided this at 14:31:52."),
    "refused": errors.Refused("The file is empty. Send one with pages."),
    "away": errors.Unavailable("The database is not responding."),
    "broken": errors.StageFailed("nobody turned this into an answer"),
}


def fail(request, name):
    raise RAISED[name]


def where(request):
    return HttpResponse(f"{request.site} {reverse('where')}")


@login_not_required
def open_to_all(request):
    return HttpResponse("ok")


TOLD = [path("", where, name="choose-notifications"), path("list/", where, name="list-notifications")]
handler500 = "projects.web.middleware.server_error"
urlpatterns = [
    path("fail/<str:name>/", fail),
    path("where/", where, name="where"),
    path("search/", include(([path("", where, name="search")], "workflows"))),  # the bar's box leads there
    path("mail/", include((TOLD, "review"))),  # and a person's menu there
    path("tokens/", include(([path("", where, name="edit-tokens")], "settings"))),
    path("open/", open_to_all),
    path("", include("projects.sites.sign_in_urls")),
    path("", include("projects.accounts.urls")),
]
