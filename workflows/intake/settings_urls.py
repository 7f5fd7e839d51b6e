"""URLs of what other systems put into the bucket, under ``/settings/``."""

from django.urls import path

from workflows.intake.views import bucket

app_name = "incoming"
urlpatterns = [
    path("incoming/", bucket.list_incoming, name="list-incoming"),
    path("incoming/folders/new/", bucket.create_tenant, name="create-tenant"),
    path("incoming/folders/remove/", bucket.remove_tenant, name="remove-tenant"),
    path("incoming/<str:digest>/", bucket.settle_incoming, name="settle-incoming"),
]
