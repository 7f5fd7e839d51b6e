"""Root URLconf; each app has its own."""

from django.contrib import admin
from django.urls import include, path

handler500 = "projects.web.middleware.server_error"
urlpatterns = [
    # First what is asked for most: Django tries one after the other.
    path("review/", include("review.urls")),
    path("", include("projects.sites.sign_in_urls")),
    path("", include("projects.accounts.urls")),
    path("admin/", admin.site.urls),
    path("api/v1/", include("review.api")),  # the rightmost app sees what all of them offer
    path("developers/", include("review.console")),
    path("projects/<str:project_id>/prompts/", include("projects.prompts.urls")),
    path("projects/", include("projects.settings.urls")),
    path("documents/folders/", include("projects.folders.urls")),
    path("documents/shares/", include("projects.shares.urls")),
    path("documents/", include("projects.documents.urls")),
    path("entities/", include("projects.entities.urls")),
    path("settings/models/", include("projects.models.urls")),
    path("settings/queues/", include("projects.queues.urls")),
    path("settings/policies/", include("projects.policies.urls")),
    path("settings/audit/", include("review.audit.urls")),
    path("settings/", include("workflows.routing.urls")),
    path("settings/", include("workflows.providers.urls")),
    path("settings/", include("workflows.definitions.urls")),
    path("settings/", include("workflows.intake.settings_urls")),
    path("settings/", include("workflows.operations.settings_urls")),
    path("settings/", include("projects.web.settings_urls")),
    path("schemas/", include("projects.schemas.urls")),
    path("cases/", include("review.cases.urls")),
    path("shared/", include("workflows.links.urls")),
    path("published/", include("workflows.links.published_urls")),
    path("", include("workflows.urls")),  # the overview, /workflows/ and the health endpoints
]
