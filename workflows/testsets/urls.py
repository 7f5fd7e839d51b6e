"""URLs of a project's test sets, in the namespace ``workflows``."""

from django.urls import path

from workflows.testsets import views

_HERE = "workflows/projects/<str:project_id>/test-sets/"
urlpatterns = [
    path(_HERE, views.list_test_sets, name="list-test-sets"),
    path(f"{_HERE}new/", views.create_test_set, name="create-test-set"),
    path(f"{_HERE}<str:testset_id>/", views.show_test_set, name="show-test-set"),
    path(f"{_HERE}<str:testset_id>/add/", views.add_documents, name="add-to-test-set"),
    path(f"{_HERE}<str:testset_id>/seeding/", views.change_seeding, name="change-seeding"),
    path(f"{_HERE}<str:testset_id>/remove/", views.remove_document, name="remove-from-test-set"),
]
