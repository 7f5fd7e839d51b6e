"""Pages, by noun."""

from projects.views import projects as projects
from projects.views import queues as queues
