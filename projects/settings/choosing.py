"""Choosing the project for an action started outside of one."""

from urllib.parse import urlencode

from django.http import HttpResponse, HttpResponseRedirect
from django.urls import reverse

from projects.settings import queries
from projects.web.http import DeskRequest, render_answer


def choose_project(request: DeskRequest, template: str, *, onward: str) -> HttpResponse:
    """List the site's projects, each linked to ``onward`` (a URL name with a project id); a single one redirects.

    ``?folder=``, the path of a folder, is passed on.

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
