"""Skipping and postponing by their forms, with and without a script, and the next document after them."""

import datetime as dt
import re
import zoneinfo
from unittest import mock

import pytest
from django.urls import reverse

from config import clock
from config.errors import Conflict
from projects.sites.permissions import REVIEWERS
from review import queries
from review.decide import assignments, claims, drafts, postponements
from review.decide.drafts import TypedValues
from review.desk.ways_out_forms import PostponeForm
from review.items.reviews import Review
from review.status import ReviewStatus
from tests.aws_faults import count_calls
from tests.html import one_line
from tests.people import alice, bob, charlie, signed_in
from tests.people import person as make_person
from tests.projects.make_queues import make_queue
from tests.review.reviews import lapse, open_review, person, url

pytestmark = pytest.mark.usefixtures("desk")


def claimed(user=None, **kwargs):
    run, ref = open_review(**kwargs)
    claims.claim_review(ref, run, by=person(user or bob()))
    return run, ref


def test_skipping_asks_why_and_opens_the_next_document():
    _, ref = claimed(timeout=70_000)
    _, other = open_review(timeout=80_000)
    browser = signed_in(bob())
    assert "Reason" in one_line(browser.get(url("skip", ref)).content)
    refused = browser.post(url("skip", ref), {"reason": " "})
    assert (refused.status_code, "Enter a reason" in one_line(refused.content)) == (422, True)
    answer = browser.post(url("skip", ref), {"reason": "Not my language"})
    assert answer["Location"] == url("show-review", other)
    assert queries.get_review(ref).status == ReviewStatus.PENDING
    assert browser.post(url("release", other))["Location"] == reverse("review:queue")
    told = "No unclaimed reviews for you right now. To claim one that you skipped or released, open it."
    assert told in one_line(browser.post(reverse("review:claim-next"), follow=True).content)


def test_the_next_person_reads_why_it_was_skipped_and_one_of_a_blind_quorum_does_not():
    _, ref = claimed()
    signed_in(bob()).post(url("skip", ref), {"reason": "Not my <language>"})
    said = "Bob Ito skipped it: Not my &lt;language&gt;"
    page = one_line(signed_in(alice()).get(url("show-review", ref)).content)
    assert (said in page, "<b>Bob Ito</b> skipped it" in page) == (True, True)
    assert "data-skipped" not in one_line(signed_in(bob()).get(url("show-review", ref)).content)
    signed_in(alice()).post(url("claim", ref))
    assert said in one_line(signed_in(alice()).get(url("show-review", ref)).content)
    _, blind = claimed(quorum="2/2")
    signed_in(bob()).post(url("skip", blind), {"reason": "The total looks wrong"})
    assert "looks wrong" not in one_line(signed_in(alice()).get(url("show-review", blind)).content)


def test_a_skip_that_lost_the_review_leaves_no_reason():
    run, ref = claimed()
    claims.release_claim(ref, run, by=person(bob()))
    with pytest.raises(Conflict):
        claims.release_claim(ref, run, by=person(bob()), reason="Not my language")
    assert not queries.get_review(ref).messages
    assert "skipped it" not in one_line(signed_in(alice()).get(url("show-review", ref)).content)


def test_postponing_offers_what_fits_before_the_due_date():
    _, ref = claimed(timeout=5 * 3600)
    text = one_line(signed_in(bob()).get(url("postpone", ref)).content)
    assert ("In 4 hours" in text, "In 1 day" in text) == (True, False)


@pytest.mark.parametrize(
    ("act", "posted", "said"),
    [
        ("skip", {}, "Enter a reason for the next reviewer."),
        ("assign", {}, "Select a person."),
        ("postpone", {}, "Select when it comes back."),
        ("postpone", {"back": "at"}, "Enter a date and a time."),
    ],
)
def test_what_is_missing_is_told_beside_its_field(act, posted, said):
    _, ref = claimed()
    answer = signed_in(bob()).post(url(act, ref), posted)
    assert answer.status_code == 422
    assert said in one_line(answer.content)


def test_a_postponed_review_stands_in_its_list_and_says_so_on_its_page():
    _, ref = claimed()
    browser = signed_in(bob())
    answer = browser.post(url("postpone", ref), {"back": "4h"})
    assert answer["Location"] == reverse("review:queue")
    with count_calls() as calls:
        page = browser.get(reverse("review:list-postponed"))
    assert calls.names() == ["dynamodb.Query"]
    assert [(row.name, row.holder) for row in page.context["rows"]] == [("receipt.pdf", "Bob Ito")]
    assert "postponed it" in one_line(page.content)
    assert re.search(r"Returns <time[^>]*>(today|tomorrow), ", one_line(page.content))
    assert "Bob Ito postponed this until" in one_line(signed_in(alice()).get(url("show-review", ref)).content)
    assert "in queue" not in browser.get(url("show-position", ref)).content.decode()
    views = browser.get(reverse("review:list-views")).context["views"]
    assert {str(one.worklist): one.number for one in views} == {
        "team": "0", "mine": "0", "asked": "0", "postponed": "1", "decided": "0",
    }  # fmt: skip


def test_a_time_is_read_in_the_zone_that_the_page_names():
    _, ref = claimed(timeout=3 * 86_400)
    browser = signed_in(bob())
    browser.cookies["time-zone"] = "Asia/Tokyo"
    assert "Date and time (Asia/Tokyo)" in one_line(browser.get(url("postpone", ref)).content)
    at = clock.now().replace(second=0, microsecond=0) + dt.timedelta(hours=2)
    typed = {"back": "at", "at": f"{at.astimezone(zoneinfo.ZoneInfo('Asia/Tokyo')):%Y-%m-%dT%H:%M}"}
    browser.cookies["time-zone"] = "Europe/Berlin"  # another tab's, in another place
    assert browser.post(url("postpone", ref), typed | {"zone": "Asia/Tokyo"}).status_code == 302
    assert queries.get_review(ref).postponed_until == clock.iso(at)


@pytest.mark.parametrize(
    ("typed", "read"),
    [
        ("2026-10-25T02:30", "2026-10-25T00:30"),  # there twice, in summer and in winter time: the first one
        ("2027-03-28T02:30", "2027-03-28T01:30"),  # left out: as far after the last minute before
    ],
)
def test_a_time_when_clocks_change_is_read_all_the_same(typed, read):
    at = dt.datetime.fromisoformat(f"{read}:00+00:00")
    with mock.patch.object(clock, "now", return_value=at - dt.timedelta(hours=5)):
        form = PostponeForm(clock.iso(at + dt.timedelta(hours=9)), {"back": "at", "at": typed, "zone": "Europe/Berlin"})
        assert form.is_valid(), form.errors
    assert form.cleaned_data["back_at"] == at


@pytest.mark.parametrize(
    "typed",
    [
        {"back": "at"},
        {"back": "at", "at": "soon"},
        {"back": "at", "at": "2020-01-01T09:00"},
        {"back": "at", "at": "2999-01-01T09:00", "zone": "Nowhere/Land"},
        {"back": "1d"},
        {"back": "never"},
        {},
    ],
)
def test_a_time_that_cannot_be_is_refused_with_what_to_do(typed):
    _, ref = claimed(timeout=8 * 3600)
    answer = signed_in(bob()).post(url("postpone", ref), typed)
    assert answer.status_code == 422
    assert queries.get_review(ref).status == ReviewStatus.CLAIMED


def test_without_a_zone_the_time_is_the_persons():
    at = (clock.now() + dt.timedelta(hours=2)).strftime("%Y-%m-%dT%H:%M")
    form = PostponeForm(clock.iso(clock.in_seconds(80_000)), {"back": "at", "at": at})
    assert form.is_valid()
    assert clock.iso(form.cleaned_data["back_at"]).startswith(at)


def test_claiming_before_its_time_brings_it_back_and_the_second_is_told_who_has_it():
    run, ref = claimed()
    postponements.postpone_review(ref, run, queries.get_review(ref), clock.in_seconds(600), by=person(bob()))
    assert signed_in(alice()).post(url("resume", ref))["Location"] == url("show-review", ref)
    assert queries.get_review(ref).holder == str(alice().pk)
    late = signed_in(bob()).post(url("resume", ref))
    assert (late.status_code, "Claimed by Alice Novak" in one_line(late.content)) == (409, True)


@pytest.mark.parametrize("act", ["skip", "postpone"])
def test_only_its_holder_skips_or_postpones(act):
    run, ref = claimed()
    typed = {"reason": "x", "back": "1h"}
    assert signed_in(alice()).post(url(act, ref), typed).status_code == 409
    assert signed_in(charlie()).post(url(act, ref), typed).status_code == 403
    lapse(ref)
    claims.claim_review(ref, run, by=person(alice()))
    assert signed_in(bob()).post(url(act, ref), typed).status_code == 409
    assert queries.get_review(ref).holder == str(alice().pk)


def test_the_postponed_of_another_groups_queue_are_not_there():
    queue = make_queue("Secret", ["finance"])
    answer = signed_in(bob()).get(reverse("review:list-postponed"), {"queue": queue.id})
    assert answer.status_code == 404


def test_a_draft_survives_being_put_off():
    _, ref = claimed()
    drafts.keep_draft(ref, TypedValues({"total": "40.00"}), by=person(bob()))
    browser = signed_in(bob())
    browser.post(url("postpone", ref), {"back": "1h"})
    browser.post(url("resume", ref))
    assert 'value="40.00"' in one_line(browser.get(url("show-review", ref)).content)


def test_assigning_offers_who_may_review_there_and_opens_my_next_document():
    queue = make_queue("Payables", ["reviewers"])
    _, ref = claimed(queue=queue.id, timeout=70_000)
    _, other = open_review(queue=queue.id, timeout=80_000)
    alice(), charlie()
    mara = make_person("mara", "Lind", REVIEWERS)
    browser = signed_in(bob())
    text = one_line(browser.get(url("assign", ref)).content)
    offered = [name for name in ("Mara Lind", "Bob Ito (you)", "Alice Novak", "Charlie Mbeki") if name in text]
    assert offered == ["Mara Lind", "Bob Ito (you)"]  # neither who is not let in nor who only looks
    assert browser.post(url("assign", ref), {"person": str(charlie().pk)}).status_code == 422
    assert browser.post(url("assign", ref), {}).status_code == 422
    answer = browser.post(url("assign", ref), {"person": str(mara.pk)})
    assert answer["Location"] == url("show-review", other)
    page = one_line(browser.get(url("show-review", ref)).content)
    assert "Assigned to Mara Lind." in page
    assert browser.post(url("claim", ref)).status_code == 409
    mine = signed_in(mara).get(reverse("review:list-mine"))
    assert [(row.name, row.mine) for row in mine.context["rows"]] == [("receipt.pdf", True)]
    row = one_line(browser.get(reverse("review:show-queue", args=[queue.id])).content)
    assert "Mara Lind <small>assigned</small>" in row
    assert signed_in(mara).post(url("claim", ref))["Location"] == url("show-review", ref)


def test_what_is_assigned_to_another_i_may_assign_to_me():
    run, ref = open_review()
    assignments.assign_review(ref, run, queries.get_review(ref), person(alice()), by=person(alice()))
    browser = signed_in(bob())
    assert url("assign", ref) in one_line(browser.get(url("show-review", ref)).content)
    answer = browser.post(url("assign", ref), {"person": str(bob().pk)})
    assert answer["Location"] == url("show-review", ref)
    assert queries.get_review(ref).holder == str(bob().pk)


def test_nothing_is_assigned_away_from_who_holds_it():
    _, ref = claimed(alice())
    assert signed_in(bob()).get(url("assign", ref)).status_code == 409
    assert signed_in(bob()).post(url("assign", ref), {"person": str(bob().pk)}).status_code == 409
    assert queries.get_review(ref).holder == str(alice().pk)


def test_an_admin_assigns_what_another_person_holds_and_who_loses_it_is_named():
    _, ref = claimed()
    drafts.save_draft(ref, TypedValues({"total": "12.34"}), by=person(bob()), version=2, begun=False)
    browser = signed_in(alice())
    assert url("assign", ref) in one_line(browser.get(url("show-review", ref)).content)
    assert "Bob Ito is working on this and loses the claim." in one_line(browser.get(url("assign", ref)).content)
    answer = browser.post(url("assign", ref), {"person": str(alice().pk)})
    assert answer["Location"] == url("show-review", ref)
    page = one_line(signed_in(bob()).get(url("show-review", ref)).content)
    assert "Assigned to Alice Novak." in page
    assert url("assign", ref) in page
    assert browser.post(url("claim", ref)).status_code == 302
    assert queries.review_and_draft(ref, str(bob().pk))[1].values.as_dict() == {"total": "12.34"}
    assert url("assign", ref) not in one_line(signed_in(bob()).get(url("show-review", ref)).content)


def test_who_uploaded_it_is_not_offered():
    _, ref = claimed()
    Review.change(ref.key, [Review.barred.set({str(alice().pk): "uploaded"})], Review.PK.exists())
    assert "Alice Novak" not in one_line(signed_in(bob()).get(url("assign", ref)).content)


def test_the_form_to_assign_takes_one_statement_for_all_people(django_assert_num_queries):
    _, ref = claimed()
    for number in range(5):
        make_person(f"p{number}", "Lind", REVIEWERS)
    browser = signed_in(bob())
    with django_assert_num_queries(3):  # session, user, people
        browser.get(url("assign", ref))
