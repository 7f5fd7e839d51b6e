"""URLs of every package in one namespace. ``workflows/actions/`` of follow-ups precedes URLs with run ids."""

from django.urls import include, path

app_name = "workflows"
urlpatterns = [
    path("", include("workflows.search.urls")),
    path("", include("workflows.publish.urls")),
    path("", include("workflows.intake.urls")),
    path("", include("workflows.insight.urls")),
    path("", include("workflows.learning.urls")),
    path("", include("workflows.learning.extractors.urls")),
    path("", include("workflows.testsets.urls")),
    path("", include("workflows.experiments.urls")),
    path("", include("workflows.exports.urls")),
    path("", include("workflows.batches.urls")),
    path("", include("workflows.executions.urls")),
    path("", include("workflows.runs.urls")),
    path("", include("workflows.engine.urls")),
    path("", include("workflows.documents.urls")),
    path("", include("workflows.links.document_urls")),
    path("", include("workflows.questions.urls")),
    path("", include("workflows.trials.urls")),
    path("", include("workflows.operations.urls")),
]
