"""URLs of questions about a page, in the namespace ``workflows``."""

from django.urls import path

from workflows.questions import views

urlpatterns = [
    path(
        "workflows/<slug:document_id>/<slug:workflow_id>/segments/<int:index>/questions/",
        views.show_questions,
        name="show-questions",
    ),
    path(
        "workflows/<slug:document_id>/<slug:workflow_id>/segments/<int:index>/questions/ask/",
        views.ask_question,
        name="ask-question",
    ),
    path(
        "workflows/<slug:document_id>/<slug:workflow_id>/segments/<int:index>/questions/<int:number>/again/",
        views.ask_question_again,
        name="ask-question-again",
    ),
    path(
        "workflows/<slug:document_id>/<slug:workflow_id>/segments/<int:index>/questions/<int:number>/delete/",
        views.delete_question,
        name="delete-question",
    ),
]
