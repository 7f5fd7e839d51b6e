"""Pages, by noun."""

from projects.views import projects as projects
