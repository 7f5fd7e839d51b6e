"""URLs of cases, under ``/cases/``."""

from django.urls import path

from review.cases import views

app_name = "cases"
urlpatterns = [
    path("", views.list_cases, name="list-cases"),
    path("new/", views.create_case, name="create-case"),
    path("tasks/", views.list_tasks, name="list-tasks"),
    path("of/<slug:document_id>/", views.choose_case, name="choose-case"),
    path("<slug:case_id>/", views.show_case, name="show-case"),
    path("<slug:case_id>/edit/", views.edit_case, name="edit-case"),
    path("<slug:case_id>/settle/", views.settle_case, name="settle-case"),
    path("<slug:case_id>/documents/", views.attach_document, name="attach-document"),
    path("<slug:case_id>/<slug:kind>/", views.add_item, name="add-item"),
    path("<slug:case_id>/<slug:kind>/<slug:item_id>/", views.settle_item, name="settle-item"),
]
