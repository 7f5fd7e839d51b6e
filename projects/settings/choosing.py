"""Which project an action is for, where the page that leads to it has none."""

from urllib.parse import urlencode

from django.http import HttpResponse, HttpResponseRedirect
from django.urls import reverse

from projects.settings import queries
from projects.web.http import DeskRequest, render_answer


def choose_project(request: DeskRequest, template: str, *, onward: str) -> HttpResponse:
    """The site's projects, each leading ``onward`` (a URL name that takes a project id); there at once if it has one.

    ``?folder=``, the path of a folder, goes along.

    Raises:
        NotFound: ``?after=`` belongs to another list.

    """
    cursor = request.GET.get("after")
    rows, following = queries.list_projects(request.site, cursor)
    query = f"?{urlencode({'folder': folder})}" if (folder := request.GET.get("folder", "")) else ""
    if len(rows) == 1 and not cursor and not following:
        return HttpResponseRedirect(f"{reverse(onward, args=[rows[0].project_id])}{query}")
    context = {"projects": rows, "onward": onward, "query": query, "next_cursor": following, "is_first": not cursor}
    more = {"first_url": f"{request.path}{query}", "joiner": "&" if query else "?"}
    return render_answer(request, template, None, context | more)
