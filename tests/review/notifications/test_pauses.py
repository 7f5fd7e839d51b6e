"""A calibration that the audit sample paused is told once to those who can activate another."""

import pytest
from django.core import mail
from django.urls import reverse

from projects.accounts.preferences import save_preferences
from projects.audit.events import Actor
from projects.settings.queries import get_project
from review.notifications import actions, tasks
from review.notifications.items import DEFAULTS, Kind, NotificationStatus
from tests.people import alice, bob
from tests.review.notifications.test_notifications import choose, rows, with_address
from tests.workflows.decided import reviewed_project
from tests.workflows.learning.test_drift import audit
from workflows.learning import actions as learning

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("table")]
SITE, ANNA = "default", Actor("1", "Anna Berg")


@pytest.fixture
def paused(settings) -> str:  # type: ignore[no-untyped-def]
    settings.MOST_WRONG_PERCENT = 1
    for user in (alice(), bob()):
        with_address(user)
    project_id = reviewed_project()
    learning.propose_calibration(SITE, project_id, by=ANNA)
    learning.activate_calibration(SITE, project_id, 1, seen=0, by=ANNA)
    for wrong in (True, False, True):
        audit(project_id, wrong=wrong)
    assert learning.pause_if_drifting(SITE, project_id)
    return project_id


def send(user) -> list[NotificationStatus]:  # type: ignore[no-untyped-def]
    for row in rows(user.pk):
        tasks.send_notification(site=SITE, user_id=str(user.pk), notification_id=row.notification_id)
    return [NotificationStatus(row.status) for row in rows(user.pk)]


def test_admins_get_one_mail_a_pause_with_a_link_and_reviewers_none(paused: str) -> None:
    assert not learning.pause_if_drifting(SITE, paused)
    assert (send(alice()), send(bob())) == ([NotificationStatus.SENT], [])
    (sent,) = mail.outbox
    name = get_project(SITE, paused).settings.name
    assert (sent.to, sent.subject) == (["alice@example.com"], f"Calibration paused: {name}")
    assert reverse("workflows:show-calibration", args=[paused]) in sent.body
    assert "Propose a calibration from the newer reviews and activate it." in sent.body
    learning.activate_calibration(SITE, paused, 1, seen=1, by=ANNA)
    assert learning.pause_if_drifting(SITE, paused)  # the same errors, on the word of a person
    assert len(rows(alice().pk)) == 2


@pytest.mark.parametrize(
    ("language", "subject"), [("de", "Kalibrierung angehalten: "), ("ja", "キャリブレーションを一時停止: ")]
)
def test_it_is_in_the_language_of_its_reader(paused: str, language: str, subject: str) -> None:
    save_preferences(str(alice().pk), language, "")
    send(alice())
    assert mail.outbox[0].subject.startswith(subject)
    assert "Propose" not in mail.outbox[0].body


def test_who_did_not_choose_it_gets_no_mail(paused: str) -> None:
    choose(alice(), *(DEFAULTS - {Kind.PAUSED}))
    assert (send(alice()), mail.outbox) == ([NotificationStatus.DROPPED], [])


def test_no_mail_once_the_pause_has_ended_or_its_reader_is_no_admin(paused: str) -> None:
    (told, *_) = actions.plan_pause_notices(SITE, paused)
    told.item.user_id = str(bob().pk)  # was an admin when it was planned
    told.item.PK = told.item.PK.replace(f"PERSON#{alice().pk}", f"PERSON#{bob().pk}")
    told.item.save()
    learning.activate_calibration(SITE, paused, 0, seen=1, by=ANNA)
    assert (send(alice()), send(bob()), mail.outbox) == ([NotificationStatus.DROPPED], [NotificationStatus.DROPPED], [])
