"""URLs of executions without a document, in the namespace ``workflows``."""

from django.urls import path

from workflows.executions import views

urlpatterns = [
    path("executions/", views.list_executions, name="list-executions"),
    path("executions/new/", views.start_execution, name="start-execution"),
    path("executions/<slug:execution_id>/", views.show_execution, name="show-execution"),
    path("executions/<slug:execution_id>/cancel/", views.cancel_execution, name="cancel-execution"),
    path("executions/<slug:execution_id>/purge/", views.purge_execution, name="purge-execution"),
]
