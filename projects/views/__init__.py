"""Pages, by noun."""

from projects.views import api_keys as api_keys
from projects.views import attribute_definitions as attribute_definitions
from projects.views import documents as documents
from projects.views import groups as groups
from projects.views import projects as projects
from projects.views import properties as properties
from projects.views import queues as queues
from projects.views import removals as removals
from projects.views import schemas as schemas
from projects.views import settings as settings
from projects.views import sites as sites
