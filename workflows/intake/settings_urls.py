"""URLs of bucket folders and quarantine, under ``/settings/``."""

from django.urls import path

from workflows.intake import views

app_name = "incoming"
urlpatterns = [
    path("incoming/", views.list_incoming, name="list-incoming"),
    path("incoming/folders/new/", views.create_tenant, name="create-tenant"),
    path("incoming/folders/remove/", views.remove_tenant, name="remove-tenant"),
    path("incoming/<str:digest>/", views.settle_incoming, name="settle-incoming"),
]
