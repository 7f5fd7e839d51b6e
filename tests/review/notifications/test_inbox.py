"""What a person was told is listed in the page, counted in the bar, read once, and as each of them chose."""

import pytest
from django.test import Client
from django.urls import reverse

from config.transaction import transact
from projects.audit.events import Actor, actor_of
from projects.sites.api_keys import create_api_key
from projects.sites.permissions import Permission
from review.notifications import actions, queries
from review.notifications.items import Kind
from tests.compat.pages import words
from tests.factories import SITE
from tests.people import alice, bob, charlie, signed_in
from tests.projects.projects import make_project
from tests.review.reviews import open_review
from workflows.exports.items import Export

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("table")]
LIST = "/review/notifications/list/"


def told(user, kind: Kind = Kind.ASSIGNED):
    _, ref = open_review()
    transact(actions.plan_notifications(ref, kind, [str(user.pk)]))
    actions.directory.forget_unread()
    return ref


def test_what_i_was_told_is_listed_with_a_link_and_counted_in_the_bar() -> None:
    me = charlie()
    ref = told(me)
    browser = signed_in(me)
    page = browser.get(LIST).content.decode()
    assert f'href="/review/{ref.document_id}/{ref.review_id}/"' in page
    assert 'aria-label="Notifications, 1 unread"' in page
    assert "assigned you" in words(page)
    assert "unread" not in signed_in(alice()).get(LIST).content.decode().partition("<main")[0]


def test_it_is_read_once_by_the_one_who_was_told() -> None:
    me, other = charlie(), alice()
    told(me)
    row = queries.list_inbox(SITE, str(me.pk)).rows[0]
    signed_in(other).post("/review/notifications/read/", {"id": row.notification_id})
    assert queries.list_inbox(SITE, str(me.pk)).rows[0].read_at is None
    browser = signed_in(me)
    assert browser.post("/review/notifications/read/", {"id": [row.notification_id, "none"]}).status_code == 302
    first = queries.list_inbox(SITE, str(me.pk)).rows[0].read_at
    actions.mark_read(SITE, str(me.pk), [str(row.notification_id)])
    assert queries.list_inbox(SITE, str(me.pk)).rows[0].read_at == first
    assert 'aria-label="Notifications"' in browser.get(LIST).content.decode()


def test_what_i_left_out_is_not_listed_and_mail_is_chosen_apart() -> None:
    me = charlie()
    told(me, Kind.DEADLINE)
    browser = signed_in(me)
    form = {"kinds": [Kind.ASSIGNED.value], "web": [Kind.ASSIGNED.value]}
    assert browser.post("/review/notifications/", form).status_code == 302
    assert "Almost due" not in words(browser.get(LIST).content.decode())
    assert queries.list_web_kinds(SITE, str(me.pk)) == {Kind.ASSIGNED}
    assert queries.list_chosen_kinds(SITE, str(me.pk)) == {Kind.ASSIGNED}


def test_the_digest_is_a_mail_only() -> None:
    me = charlie()
    actions.save_choice(SITE, [Kind.DIGEST], by=Actor(str(me.pk), "Charlie"))
    actions.begin_digest(
        SITE, actions.NotificationChoice.load(actions.table.NOTIFICATION_CHOICE.key(SITE, user_id=me.pk))
    )
    assert queries.list_inbox(SITE, str(me.pk)).rows == []


def test_whose_export_is_ready_is_told_and_a_program_is_not() -> None:
    me = charlie()
    for by_id in (str(me.pk), "key:abc"):
        if changes := actions.plan_export_notice(SITE, Export("p", "s", project_id="proj_test", by_id=by_id)):
            transact(changes)
    page = signed_in(me).get(LIST).content.decode()
    assert "Your export is ready" in words(page)
    assert queries.list_inbox(SITE, "key:abc").rows == []


def test_pages_count_once_and_remember_it() -> None:
    me = charlie()
    told(me)
    assert queries.count_unread(SITE, str(me.pk)) == 1
    row = queries.list_inbox(SITE, str(me.pk)).rows[0]
    actions.Notification(row.PK, row.SK).delete()
    assert queries.count_unread(SITE, str(me.pk)) == 1


def test_a_persons_own_token_reads_them_and_a_program_has_none() -> None:
    me = bob()
    told(me)
    made = signed_in(me).post("/settings/tokens/", {"name": "Script", "may": ["READ"], "days": "30"}).context["made"]
    program = Client(headers={"Authorization": f"Bearer {made['key']}"})
    (one,) = program.get("/api/v1/notifications").json()["items"]
    assert (one["kind"], one["read"]) == ("assigned", False)
    assert program.post(f"/api/v1/notifications/{one['id']}/read").status_code == 204
    assert program.get("/api/v1/notifications").json()["items"][0]["read"] is True
    _, key = create_api_key(SITE, "Scanner", (Permission.READ,), by=actor_of(alice()))
    refused = Client(headers={"Authorization": f"Bearer {key}"}).get("/api/v1/notifications")
    assert refused.status_code == 403


def test_a_paused_calibration_is_told_to_admins_by_the_name_of_its_project() -> None:
    admin, reviewer = alice(), bob()
    project = make_project()
    transact(actions.plan_pause_notices(SITE, project.id))
    transact(actions.plan_pause_notices(SITE, "proj_gone"))
    actions.directory.forget_unread()
    page = signed_in(admin).get(LIST).content.decode()
    assert f"Calibration paused: {project.settings.name}" in words(page)
    assert f'href="{reverse("workflows:show-calibration", args=[project.id])}"' in page
    assert "Calibration paused: a project that was deleted" in words(page)
    assert queries.list_inbox(SITE, str(reviewer.pk)).rows == []
