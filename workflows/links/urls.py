"""URLs of shared links, under ``/shared/``, without sign-in."""

from django.urls import path

from workflows.links import views

_DOCUMENT = "<slug:link_id>/documents/<slug:shared_id>/"

app_name = "links"
urlpatterns = [
    path("<slug:link_id>/", views.show_shared, name="show-shared"),
    path("<slug:link_id>/open/<str:secret>/", views.open_link, name="open-link"),
    path(_DOCUMENT, views.show_shared_document, name="show-shared-document"),
    path(f"{_DOCUMENT}pages/<int:index>.png", views.shared_image, name="shared-image"),
    path(f"{_DOCUMENT}download/", views.download_shared, name="download-shared"),
]
