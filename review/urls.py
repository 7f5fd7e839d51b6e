"""URLs of reviews, under ``/review/``."""

from django.urls import path

from review.desk import (
    ahead,
    checking,
    decisions,
    drafts,
    page,
    position,
    queue,
    saved_views,
    selection,
    undo_window,
    undoing,
    watching,
    ways_out,
    worklists,
)
from review.desk.page_tools import recordings, regions, words
from review.handovers import pages
from review.messages import views as messages
from review.notifications import views as notifications
from review.quality.views import disputes, figures

app_name = "review"
urlpatterns = [
    path("", queue.show_queue, name="queue"),
    path("queues/", queue.list_queues, name="list-queues"),
    path("queues/<str:queue_id>/", queue.show_queue, name="show-queue"),
    path("selected/", selection.prepare_selected, name="prepare-selected"),
    path("selected/assign/", selection.assign_selected, name="assign-selected"),
    path("selected/postpone/", selection.postpone_selected, name="postpone-selected"),
    path("selected/approve/", selection.approve_selected, name="approve-selected"),
    path("reasons/", queue.list_reasons, name="list-reasons"),
    path("views/", worklists.list_views, name="list-views"),
    path("views/save/", saved_views.save_view, name="save-view"),
    path("views/<str:view_id>/delete/", saved_views.delete_view, name="delete-view"),
    path("mine/", worklists.list_mine, name="list-mine"),
    path("asked/", worklists.list_asked, name="list-asked"),
    path("postponed/", worklists.list_postponed, name="list-postponed"),
    path("decided/", worklists.list_decided, name="list-decided"),
    path("differences/", disputes.list_disputes, name="list-disputes"),
    path("differences/<str:document_id>/<str:review_id>/", disputes.show_dispute, name="show-dispute"),
    path("quality/", figures.show_quality, name="show-quality"),
    path("quality/figures.csv", figures.export_quality, name="export-quality"),
    path("notifications/", notifications.choose_notifications, name="choose-notifications"),
    path("chat/", notifications.edit_chat, name="edit-chat"),
    path("undo/window/", undo_window.change_window, name="change-undo-window"),
    path("undo/", undoing.list_undoable, name="list-undoable"),
    path("next/", decisions.claim_next, name="claim-next"),
    path("ahead/", ahead.peek_next, name="peek-next"),
    path("<str:document_id>/<str:review_id>/", page.show_review, name="show-review"),
    path("<str:document_id>/<str:review_id>/pages/<int:index>/", pages.show_page, name="show-page"),
    path("<str:document_id>/<str:review_id>/pages/<int:index>/words/", words.list_words, name="list-words"),
    path("<str:document_id>/<str:review_id>/pages/<int:index>/region/", regions.read_region, name="read-region"),
    path("<str:document_id>/<str:review_id>/recording/", recordings.play_recording, name="play-recording"),
    path("<str:document_id>/<str:review_id>/claim/", decisions.claim, name="claim"),
    path("<str:document_id>/<str:review_id>/renew/", decisions.renew, name="renew"),
    path("<str:document_id>/<str:review_id>/release/", decisions.release, name="release"),
    path("<str:document_id>/<str:review_id>/leave/", decisions.leave, name="leave"),
    path("<str:document_id>/<str:review_id>/skip/", ways_out.skip, name="skip"),
    path("<str:document_id>/<str:review_id>/postpone/", ways_out.postpone, name="postpone"),
    path("<str:document_id>/<str:review_id>/assign/", ways_out.assign, name="assign"),
    path("<str:document_id>/<str:review_id>/ask/", messages.ask, name="ask"),
    path("<str:document_id>/<str:review_id>/escalate/", messages.escalate, name="escalate"),
    path("<str:document_id>/<str:review_id>/answer/", messages.answer, name="answer"),
    path("<str:document_id>/<str:review_id>/take/", messages.take, name="take-asked"),
    path("<str:document_id>/<str:review_id>/comment/", messages.comment, name="comment"),
    path("<str:document_id>/<str:review_id>/resume/", ways_out.resume, name="resume"),
    path("<str:document_id>/<str:review_id>/position/", position.show_position, name="show-position"),
    path("<str:document_id>/<str:review_id>/watch/", watching.watch_claim, name="watch-claim"),
    path("<str:document_id>/<str:review_id>/draft/", drafts.save_draft, name="save-draft"),
    path("<str:document_id>/<str:review_id>/check/", checking.check_fields, name="check-fields"),
    path("<str:document_id>/<str:review_id>/decide/", decisions.decide, name="decide"),
    path("<str:document_id>/<str:review_id>/undo/", decisions.undo, name="undo"),
]
