"""URLs of Insight, in the namespace ``workflows``."""

from django.urls import path

from workflows.insight.views import failures, insight

urlpatterns = [
    path("insight/", insight.show_insight, name="show-insight"),
    path("insight/wall/", insight.show_wall, name="show-wall"),
    path("insight/days.csv", insight.export_insight, name="export-insight"),
    path("insight/failures/", failures.list_failures, name="list-failures"),
]
