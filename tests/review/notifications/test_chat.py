"""A site's chat tool is told of the same things as people, once for all of them, by its webhook."""

import json

import pytest
from django.urls import reverse

from config import clock, internet, table
from config.errors import ActionFailed, Unavailable
from config.transaction import EXISTS
from projects.audit.items import AuditLine
from review import queries
from review.decide import claims, escalations, questions
from review.decide.questions import Question
from review.items.reviews import Review
from review.notifications import actions, mails, tasks
from review.notifications.items import CHAT, CHAT_KINDS, Notification, NotificationStatus
from review.notifications.queries import find_chat_webhook
from tests.html import one_line
from tests.people import alice, bob, charlie, signed_in
from tests.projects.make_queues import make_queue
from tests.review.notifications.test_notifications import rows, send_all
from tests.review.reviews import open_review, person, url
from tests.workflows.follow_ups import receiver

pytestmark = pytest.mark.usefixtures("desk")
SITE = "default"


@pytest.fixture(autouse=True)
def inside(settings, monkeypatch):
    settings.WEBHOOK_PRIVATE_ADDRESSES = True
    monkeypatch.setattr(internet, "resolve_host", lambda *_: ["127.0.0.1"])


def use(address, *kinds):
    actions.save_chat_webhook(SITE, address, kinds or CHAT_KINDS, by=person(alice()))


def ask(**kwargs):
    run, ref = open_review(**kwargs)
    claims.claim_review(ref, run, by=person(bob()))
    to = [str(charlie().pk), str(alice().pk)]
    question = Question(clock.new_ulid(), "Is this paid?", to, "Accounting", clock.in_seconds(600))
    questions.ask_question(ref, run, queries.get_review(ref), question, by=person(bob()))
    return ref


def tell():
    """All that waits, as the sweeper has it sent."""
    for user in (charlie(), alice(), bob()):
        send_all(user)
    for row in rows(CHAT):
        tasks.send_notification(site=SITE, user_id=CHAT, notification_id=row.notification_id)


def test_one_message_however_many_people_are_asked_and_nothing_of_the_document():
    with receiver() as outside:
        use(outside.url)
        ref = ask()
        for _ in range(2):
            tell()
    ((_, body),) = outside.got
    text = json.loads(body)["text"]
    assert text.startswith("Bob Ito asked Accounting about receipt.pdf (Receipts)\n")
    assert text.endswith(url("show-review", ref))
    assert "paid" not in text
    assert [one.status for one in rows(CHAT)] == [NotificationStatus.SENT]


def test_calls_are_listed_without_the_secret_address():
    with receiver() as outside:
        use(f"{outside.url}/T0/secret")
        ask()
        tell()
    browser = signed_in(alice())
    page = one_line(browser.get(reverse("workflows:list-deliveries")).content)
    assert "http://127.0.0.1/…" in page
    assert "secret" not in page.partition("<tbody>")[2]
    assert reverse("workflows:list-deliveries") in one_line(browser.get(reverse("review:edit-chat")).content)


def test_what_is_almost_due_and_nobodys_is_told():
    with receiver() as outside:
        use(outside.url)
        run, ref = open_review(timeout=3000)
        escalations.escalate_review(ref, run, queries.get_review(ref))
        tell()
    assert json.loads(outside.got[0][1])["text"].startswith("Almost due: receipt.pdf")


def test_nothing_is_told_without_an_address_or_of_what_is_not_chosen():
    ask()
    tell()
    assert rows(CHAT) == []
    with receiver() as outside:
        use(outside.url, "mentioned")
        ask()
        tell()
    assert outside.got == []
    assert [one.status for one in rows(CHAT)] == [NotificationStatus.DROPPED]


def test_a_queue_of_some_groups_and_a_deleted_document_are_left_out():
    with receiver() as outside:
        use(outside.url)
        ask(queue=make_queue("Secret", ["reviewers"]).id)
        ref = ask()
        Review.change(ref.key, [Review.hidden.set({"by": "x"})], EXISTS)
        tell()
    assert outside.got == []


def test_a_chat_tool_that_does_not_answer_is_told_later_and_one_that_refuses_is_not(monkeypatch):
    use("https://chat.example.org/hook")
    ask()
    for error, status in (
        (Unavailable("No."), NotificationStatus.OPEN),
        (ActionFailed("No."), NotificationStatus.DROPPED),
    ):

        def fail(*_, error=error):
            raise error

        monkeypatch.setattr(mails, "deliver_webhook", fail)
        tell()
        (row,) = rows(CHAT)
        assert row.status == status
        Notification.change(row.key, [Notification.due_at.set(clock.iso(clock.in_seconds(-1)))], EXISTS)


def test_an_address_of_ones_own_network_is_not_called(settings):
    settings.WEBHOOK_PRIVATE_ADDRESSES = False
    use("https://127.0.0.1/hook")
    ask()
    tell()
    assert [one.status for one in rows(CHAT)] == [NotificationStatus.DROPPED]


def test_an_admin_sets_it_and_the_audit_names_its_host_alone():
    browser, address = signed_in(alice()), reverse("review:edit-chat")
    assert one_line(browser.get(address).content).count(" checked") == len(CHAT_KINDS)
    assert address in one_line(browser.get(reverse("settings:show-settings")).content)
    hook = "https://chat.example.org/hooks/s3cret"
    assert browser.post(address, {"url": hook, "kinds": ["asked"]})["Location"] == address
    found = find_chat_webhook(SITE)
    assert (found.url, found.kinds) == (hook, {"asked"})
    assert hook in one_line(browser.get(address).content)
    line = AuditLine.page(table.AUDIT_LINE.partition_key(SITE)).rows[0].payload.as_dict()
    assert line == {"host": "chat.example.org", "kinds": "asked"}
    browser.post(address, {"url": ""})
    assert find_chat_webhook(SITE) is None
    assert signed_in(bob()).get(address).status_code == 403


@pytest.mark.parametrize(
    "typed", ["ftp://a.example", "https://", "https://a b.example", "https://u:p@a.example", "http://[", "x"]
)
def test_what_is_no_address_of_the_web_is_refused(typed):
    answer = signed_in(alice()).post(reverse("review:edit-chat"), {"url": typed})
    assert (answer.status_code, "Enter a URL that starts with https://" in one_line(answer.content)) == (422, True)
    assert find_chat_webhook(SITE) is None


def test_a_test_message_is_sent_and_the_page_tells_how_the_last_one_went():
    browser, address = signed_in(alice()), reverse("review:edit-chat")
    assert "Last message" not in one_line(browser.get(address).content)
    with receiver(200, 403) as outside:
        typed = {"url": f"{outside.url}/T0/secret", "kinds": ["asked"], "send_test": "1"}
        page = one_line(browser.post(address, typed, follow=True).content)
        assert "Test message sent: the chat returned 200." in page
        assert "The receiver returned 200." in page.partition("data-last-message")[2]
        page = one_line(browser.post(address, typed, follow=True).content)
        assert "The test message failed. The receiver returned 403" in page
        assert "The receiver returned 403" in page.partition("data-last-message")[2]
    assert json.loads(outside.got[0][1]) == {"text": "Test message from Countersign, sent by Alice Novak."}
    listed = one_line(browser.get(reverse("workflows:list-deliveries")).content)
    assert listed.count("chat.test") == 2
    assert "secret" not in listed.partition("<tbody>")[2]
    use("https://chat.example.org/other")
    assert "Last message" not in one_line(browser.get(address).content)


def test_a_test_without_an_address_is_not_sent():
    browser, address = signed_in(alice()), reverse("review:edit-chat")
    page = one_line(browser.post(address, {"url": "", "send_test": "1"}, follow=True).content)
    assert "Enter a webhook URL to send a test message." in page
