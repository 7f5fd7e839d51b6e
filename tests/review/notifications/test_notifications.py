"""Mails by each person's choice: planned with what they tell of, sent once, kept while the mail server is down."""

import datetime as dt
import re

import pytest
from django.core import mail
from django.test import Client
from django.urls import reverse

from config import clock, table
from config.errors import ActionFailed, Conflict, Unavailable
from config.transaction import EXISTS
from projects.accounts.preferences import save_preferences
from projects.web.time_zone import find_zone
from review import queries
from review.decide import assignments, claims, escalations, questions
from review.decide.questions import MOST_ASKED, Question
from review.identity import Person, ReviewRef
from review.items.reviews import Review
from review.messages import actions as message_actions
from review.notifications import actions, due, mails, tasks
from review.notifications.items import DEFAULTS, WEB_KINDS, Kind, Notification, NotificationChoice, NotificationStatus
from review.notifications.queries import list_chosen_kinds
from tests.aws_faults import count_calls
from tests.html import one_line
from tests.people import alice, bob, charlie, dora, signed_in
from tests.projects.make_queues import make_queue
from tests.review.reviews import open_review, person, url

pytestmark = pytest.mark.usefixtures("desk")
SITE = "default"


def with_address(user):
    user.email = f"{user.username}@example.com"
    user.save()
    return user


def rows(user_id):
    pk = table.NOTIFICATION.partition_key(SITE, user_id=str(user_id))
    prefix = table.NOTIFICATION.sort_prefix()
    return list(Notification.page(pk, sk=Notification.SK.startswith(prefix)).rows)


def send_all(user):
    for row in rows(user.pk):
        tasks.send_notification(site=SITE, user_id=str(user.pk), notification_id=row.notification_id)


def held(by=None, **kwargs):
    run, ref = open_review(**kwargs)
    claims.claim_review(ref, run, by=person(by or bob()))
    return run, ref


def ask(run, ref, to):
    question = Question(clock.new_ulid(), "Is this paid?", [one.id for one in to], "Them", clock.in_seconds(600))
    questions.ask_question(ref, run, queries.get_review(ref), question, by=person(bob()))


def choose(user, *kinds):
    actions.save_choice(SITE, kinds, by=person(user))


def test_each_thing_that_a_person_does_is_told_to_whom_it_concerns():
    mara, bo = person(with_address(charlie())), person(with_address(bob()))
    run, ref = held()
    ask(run, ref, [mara])
    questions.answer_question(ref, run, queries.get_review(ref), "Yes, on Monday.", by=mara)
    assignments.assign_review(ref, run, queries.get_review(ref), mara, by=bo)
    message_actions.add_comment(ref, run, "Odd.", message_id=clock.new_ulid(), mentioned=[mara], by=bo)
    send_all(charlie())
    send_all(bob())
    assert sorted((one.to[0], one.subject) for one in mail.outbox) == [
        ("bob@example.com", "Charlie Mbeki answered your question about receipt.pdf"),
        ("charlie@example.com", "Bob Ito asked you about receipt.pdf"),
        ("charlie@example.com", "Bob Ito assigned you receipt.pdf"),
        ("charlie@example.com", "Bob Ito mentioned you on receipt.pdf"),
    ]
    for one in mail.outbox:  # nothing of the document, nor of what people said about it
        assert not {word for word in ("Grossmarkt", "33.90", "paid", "Monday", "Odd") if word in one.body}
        assert "Project: Receipts" in one.body
        assert url("show-review", ref) in one.body


def test_a_mail_is_in_the_language_that_its_reader_chose():
    mara, bo = person(with_address(charlie())), person(with_address(bob()))
    save_preferences(mara.id, "de", "")
    run, ref = held()
    ask(run, ref, [mara])
    questions.answer_question(ref, run, queries.get_review(ref), "Yes, on Monday.", by=mara)
    send_all(charlie())
    send_all(bob())
    asked, answered = mail.outbox
    assert (asked.subject, answered.subject) == (
        "Bob Ito hat Sie zu receipt.pdf etwas gefragt",
        f"{mara.name} answered your question about receipt.pdf",
    )
    assert "Projekt: Receipts" in asked.body
    due = clock.parse(queries.get_review(ref).deadline)
    assert f"Fällig: {due.day}. " in asked.body
    assert f" {due.year}, {due:%H:%M} UTC" in asked.body
    assert "Melden Sie sich an, um es anzusehen." in asked.body
    assert "Project: Receipts" in answered.body
    assert bo.name in asked.subject


@pytest.mark.parametrize(
    ("zone", "shown"),
    [("Asia/Tokyo", "JST"), ("Europe/Istanbul", "UTC+03"), ("", "UTC"), ("No/Where", "UTC")],
)
def test_a_due_date_is_in_the_zone_that_its_reader_chose(zone, shown):
    mara = person(with_address(charlie()))
    save_preferences(mara.id, "", zone)
    run, ref = held()
    ask(run, ref, [mara])
    send_all(charlie())
    due = clock.parse(queries.get_review(ref).deadline).astimezone(find_zone(zone) or dt.UTC)
    assert f"Due: {due.day} " in mail.outbox[0].body
    assert f" {due.year}, {due:%H:%M} {shown}\n" in mail.outbox[0].body


def test_nobody_is_told_what_they_did_themselves():
    run, ref = held()
    assignments.assign_review(ref, run, queries.get_review(ref), person(bob()), by=person(bob()))
    assert rows(bob().pk) == []


def test_a_change_that_loses_its_race_tells_nobody():
    run, ref = held()
    stale = queries.get_review(ref)
    assignments.assign_review(ref, run, stale, person(alice()), by=person(bob()))
    with pytest.raises(Conflict):
        assignments.assign_review(ref, run, stale, person(charlie()), by=person(bob()))
    assert (len(rows(alice().pk)), rows(charlie().pk)) == (1, [])


def test_the_largest_group_and_its_mails_fit_into_one_transaction():
    run, ref = held()
    with count_calls() as calls:
        ask(run, ref, [Person(str(one + 1000), "x") for one in range(MOST_ASKED)])
    assert calls.names().count("dynamodb.TransactWriteItems") == 1
    assert len(rows(1000)) == 1


def test_a_mail_is_sent_once_whoever_delivers_its_message_twice():
    with_address(charlie())
    run, ref = held()
    ask(run, ref, [person(charlie())])
    for _ in range(2):
        send_all(charlie())
    assert len(mail.outbox) == 1
    (row,) = rows(charlie().pk)
    assert (row.status, row.is_scheduled, bool(row.TimeToLive)) == (NotificationStatus.SENT, False, True)


def test_of_two_workers_one_sends_it():
    with_address(charlie())
    run, ref = held()
    ask(run, ref, [person(charlie())])
    (row,) = rows(charlie().pk)
    mine = actions.claim_notification(SITE, row.user_id, row.notification_id)
    send_all(charlie())
    assert mail.outbox == []
    Notification.change(row.key, [Notification.tries.set(2)], EXISTS)  # another took it when the lease was over
    with pytest.raises(Conflict):
        actions.settle_notification(mine, NotificationStatus.SENT)


def test_a_dead_mail_server_loses_nothing_and_is_asked_again(monkeypatch):
    with_address(charlie())
    run, ref = held()
    ask(run, ref, [person(charlie())])

    def fail(*_):
        raise Unavailable("The mail server is unavailable.")

    with monkeypatch.context() as patched:
        patched.setattr(mails, "send_mail", fail)
        send_all(charlie())
    (row,) = rows(charlie().pk)
    assert (row.status, row.is_scheduled, row.due_at > clock.iso(clock.now())) == (NotificationStatus.OPEN, True, True)
    send_all(charlie())
    assert mail.outbox == []  # not before its time
    Notification.change(row.key, [Notification.due_at.set(clock.iso(clock.in_seconds(-1)))], EXISTS)
    send_all(charlie())
    assert len(mail.outbox) == 1


def test_a_refused_address_is_given_up(monkeypatch):
    with_address(charlie())
    run, ref = held()
    ask(run, ref, [person(charlie())])

    def refuse(*_):
        raise ActionFailed("No.")

    monkeypatch.setattr(mails, "send_mail", refuse)
    send_all(charlie())
    assert [one.status for one in rows(charlie().pk)] == [NotificationStatus.DROPPED]


def test_the_due_row_sends_it():
    with_address(charlie())
    run, ref = held()
    ask(run, ref, [person(charlie())])
    (row,) = rows(charlie().pk)
    due.resume_notification(SITE, row)
    (later,) = rows(charlie().pk)
    assert later.GSI2SK > row.GSI2SK
    with pytest.raises(Conflict):  # the sweep that was slower
        due.resume_notification(SITE, row)


def test_what_is_not_chosen_is_not_sent_and_nothing_is_sent_without_an_address():
    with_address(charlie())
    run, ref = held()
    choose(charlie(), Kind.MENTIONED)
    ask(run, ref, [person(charlie()), person(alice())])
    send_all(charlie())
    send_all(alice())
    assert mail.outbox == []
    assert [one.status for one in [*rows(charlie().pk), *rows(alice().pk)]] == [NotificationStatus.DROPPED] * 2


def test_who_may_not_see_it_any_more_is_not_told_its_name():
    queue = make_queue("Payables", ["reviewers"])
    with_address(charlie())
    run, ref = held(queue=queue.id)
    message_actions.add_comment(
        ref, run, "Odd.", message_id=clock.new_ulid(), mentioned=[person(charlie())], by=person(bob())
    )
    send_all(charlie())
    assert mail.outbox == []


@pytest.mark.parametrize("gone", ["hidden", "decided", "queue"])
def test_what_is_gone_or_decided_is_not_told(gone):
    with_address(charlie())
    run, ref = held()
    ask(run, ref, [person(charlie())])
    change = {
        "hidden": Review.hidden.set({"by": "x"}),
        "decided": Review.status.set("APPLIED"),
        "queue": Review.queue.set("q-gone"),
    }
    Review.change(ref.key, [change[gone]], EXISTS)
    send_all(charlie())
    assert mail.outbox == []


def test_a_review_that_was_purged_is_not_told():
    with_address(charlie())
    plan = actions.plan_notifications(ReviewRef(SITE, "gone", "gone"), Kind.MENTIONED, [str(charlie().pk)])
    plan[0].item.save()
    send_all(charlie())
    assert mail.outbox == []


def test_whose_review_is_almost_due_is_told_if_they_chose_it():
    with_address(bob())
    choose(bob(), *DEFAULTS, Kind.DEADLINE)
    run, ref = held(timeout=3000)
    escalations.escalate_review(ref, run, queries.get_review(ref))
    send_all(bob())
    assert [one.subject for one in mail.outbox] == ["Almost due: receipt.pdf"]
    run, free = open_review(timeout=3000)
    escalations.escalate_review(free, run, queries.get_review(free))
    assert len(rows(bob().pk)) == 1


def choice_of(user):
    """As it is once its hour has come."""
    key, past = table.NOTIFICATION_CHOICE.key(SITE, user_id=str(user.pk)), clock.iso(clock.in_seconds(-1))
    keys = NotificationChoice.due_keys(past, user_id=str(user.pk))
    return NotificationChoice.change(key, [NotificationChoice.GSI2SK.set(keys["GSI2SK"])], EXISTS)


def test_the_digest_counts_what_waits_and_comes_once_a_day():
    with_address(bob())
    choose(bob(), Kind.DIGEST)
    open_review()
    held()
    choice = choice_of(bob())
    due.resume_digest(SITE, choice)
    with pytest.raises(Conflict):  # the sweep that was slower
        due.resume_digest(SITE, choice)
    choose(bob(), Kind.DIGEST)  # chosen anew on the same day
    due.resume_digest(SITE, choice_of(bob()))
    send_all(bob())
    (sent,) = mail.outbox
    assert sent.subject == "Reviews waiting today"
    assert ("Your work: 1" in sent.body, "Asked of you: 0" in sent.body) == (True, True)
    assert "receipt.pdf" not in sent.body
    assert re.search(r"shared queue: \d", sent.body)
    later = NotificationChoice.load(table.NOTIFICATION_CHOICE.key(SITE, user_id=str(bob().pk)))
    assert clock.iso(clock.now()) < later.GSI2SK < clock.iso(clock.now() + dt.timedelta(hours=24, seconds=1))


def test_no_digest_where_nothing_waits_or_the_person_has_no_role():
    for user in (with_address(charlie()), with_address(dora())):
        choose(user, Kind.DIGEST)
        due.resume_digest(SITE, choice_of(user))
        send_all(user)
    assert mail.outbox == []


def test_who_wants_no_digest_is_not_due():
    choose(bob(), Kind.DIGEST)
    choose(bob(), Kind.ASKED)
    assert not choice_of(bob()).is_scheduled


def test_each_person_chooses_on_their_own_page():
    with_address(charlie())
    browser, address = signed_in(charlie()), reverse("review:choose-notifications")
    page = one_line(browser.get(address).content)
    assert "charlie@example.com" in page
    assert page.count(" checked") == len(DEFAULTS) + len(WEB_KINDS)
    assert browser.post(address, {"kinds": ["asked", "digest"]})["Location"] == address
    assert list_chosen_kinds(SITE, str(charlie().pk)) == {"asked", "digest"}
    assert list_chosen_kinds(SITE, str(bob().pk)) == DEFAULTS
    assert browser.post(address, {}).status_code == 302
    assert list_chosen_kinds(SITE, str(charlie().pk)) == frozenset()
    assert browser.post(address, {"kinds": ["everything"]}).status_code == 422
    assert address in one_line(browser.get(reverse("review:queue")).content)


def test_an_account_without_an_address_is_told_so():
    page = one_line(signed_in(alice()).get(reverse("review:choose-notifications")).content)
    assert "Your account has no email address." in page


def test_links_in_mails_open_pages_that_ask_to_sign_in_and_act_on_nothing():
    """As mail scanners do: GET, HEAD and POST, with a session and without."""
    with_address(charlie())
    run, ref = held()
    ask(run, ref, [person(charlie())])
    send_all(charlie())
    links = [link.replace("http://testserver", "") for link in re.findall(r"https?://\S+", mail.outbox[0].body)]
    paths = ["/" + link.split("/", 3)[3] if link.startswith("http") else link for link in links]
    assert len(paths) == 2
    before = Review.load(ref.key).to_simple_dict(force=True)
    acting = [url(act, ref) for act in ("answer", "take-asked", "comment", "ask", "claim", "decide")]
    scanner, scripted = Client(), Client(enforce_csrf_checks=True)
    scripted.force_login(charlie())
    for path in [*paths, *acting]:
        for method in (scanner.get, scanner.head, scanner.post):
            answer = method(path)
            assert answer.status_code == 302
            assert "/login" in answer["Location"]
        scripted.head(path)
        scripted.get(path)
        assert scripted.post(path, {"answer": "Yes."}).status_code in (403, 405)
    assert Review.load(ref.key).to_simple_dict(force=True) == before
    assert list_chosen_kinds(SITE, str(charlie().pk)) == DEFAULTS
