"""URLs of a site's models, under ``/settings/models/``."""

from django.urls import path

from projects.models import views as model_views

app_name = "models"
urlpatterns = [
    path("", model_views.list_models, name="list-models"),
    path("new/", model_views.create_model, name="create-model"),
    path("<str:model_id>/", model_views.edit_model, name="edit-model"),
    path("<str:model_id>/remove/", model_views.remove_model, name="remove-model"),
    path("<str:model_id>/test/", model_views.test_model, name="test-model"),
]
