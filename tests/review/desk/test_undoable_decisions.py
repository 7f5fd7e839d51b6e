"""Every decision inside its undo window can be undone, and what was claimed ahead with it goes back to the queue."""

import re
from concurrent.futures import ThreadPoolExecutor
from unittest import mock

import pytest
from django.test import Client
from django.urls import reverse

from config import clock
from projects.accounts.preferences import find_preferences, find_undo_window
from projects.audit.events import actor_of
from projects.queues import actions as queue_actions
from review import queries
from review.decide import claims, decisions
from review.decide.claims import DecidedReview
from review.desk import decisions as desk_decisions
from review.items.reviews import Review
from tests.aws_faults import count_calls, crash_after, fail
from tests.factories import verdict
from tests.html import one_line
from tests.people import PASSWORD, alice, bob, charlie, signed_in
from tests.review.desk.pages import form
from tests.review.reviews import SITE, lapse, open_review, person, url

pytestmark = pytest.mark.usefixtures("desk")
PAGE = "/review/undo/"


@pytest.fixture
def three(settings):
    """Three reviews that wait, the first the most urgent; decisions can be undone for a minute."""
    settings.REVIEW_UNDO_SECONDS = 60
    return [open_review(f"receipt-{i}.pdf", timeout=86_400 + i * 100) for i in range(3)]


def approve(client, user, ref, decision="approve-and-next"):
    return client.post(url("decide", ref), form(user, ref, decision=decision))


def undo(client, ref, decision_id=""):
    return client.post(url("undo", ref), {"decision_id": decision_id or queries.get_review(ref).decision_id})


def shown(text):
    return re.findall(r"(?:Approved|Rejected):? <b>([^<]+)</b>", one_line(text))


def states(three):
    return [queries.get_review(ref).status for _, ref in three]


def test_all_decisions_of_the_window_are_listed_each_with_its_undo(three):
    client = signed_in(bob())
    claims.claim_review(three[0][1], three[0][0], by=person(bob()))
    for _, ref in three:
        approve(client, bob(), ref)
    text = one_line(client.get(PAGE).content)
    assert shown(text) == ["receipt-2.pdf", "receipt-1.pdf", "receipt-0.pdf"]
    for _, ref in three:
        assert f'action="{url("undo", ref)}"' in text
        assert queries.get_review(ref).decision_id in text
    assert text.count('data-key="z"') == 1
    assert text.index('data-key="z"') < text.index("receipt-1.pdf")


def test_each_of_them_is_undone_in_any_order(three):
    client = signed_in(bob())
    claims.claim_review(three[0][1], three[0][0], by=person(bob()))
    for _, ref in three:
        approve(client, bob(), ref)
    for place in (1, 0, 2):
        assert undo(client, three[place][1])["Location"] == url("show-review", three[place][1])
        assert queries.get_review(three[place][1]).holder == str(bob().pk)
    assert shown(client.get(PAGE).content.decode()) == []


def test_what_is_outside_its_window_and_what_was_undone_are_not_listed(three, settings):
    client = signed_in(bob())
    claims.claim_review(three[0][1], three[0][0], by=person(bob()))
    approve(client, bob(), three[0][1])
    approve(client, bob(), three[1][1])
    undo(client, three[0][1])
    assert shown(client.get(PAGE).content.decode()) == ["receipt-1.pdf"]
    settings.REVIEW_UNDO_SECONDS = 0
    undo(client, three[1][1])
    approve(client, bob(), three[1][1])
    text = one_line(client.get(PAGE).content)
    assert "Nothing to undo" in text
    assert url("undo", three[1][1]) not in text


def test_nobody_sees_or_undoes_the_decisions_of_others(three):
    client = signed_in(bob())
    claims.claim_review(three[0][1], three[0][0], by=person(bob()))
    approve(client, bob(), three[0][1])
    assert "Nothing to undo" in one_line(signed_in(alice()).get(PAGE).content)
    assert undo(signed_in(alice()), three[0][1]).status_code == 409
    assert signed_in(charlie()).get(PAGE).status_code == 403
    assert queries.get_review(three[0][1]).status == "DECIDED"


def test_the_list_comes_with_the_place_in_the_queue_and_is_one_query_and_no_part_of_the_desks_own_page(three):
    client = signed_in(bob())
    claims.claim_review(three[0][1], three[0][0], by=person(bob()))
    where = approve(client, bob(), three[0][1])["Location"]
    with count_calls() as calls:
        text = one_line(client.get(where).content)
    assert "dynamodb.Query" not in calls.of_page()
    beside = re.search(r'hx-get="([^"]+/position/\?done=[^"]+)"', text)[1].replace("&amp;", "&")
    with count_calls() as calls:
        without = one_line(signed_in(bob(), htmx=True).get(beside.partition("?")[0]).content)
    alone = calls.of_page()
    with count_calls() as calls:
        fragment = one_line(signed_in(bob(), htmx=True).get(beside).content)
    assert calls.of_page() == [*alone, "dynamodb.Query"]
    assert "undo-strip" not in without
    assert 'id="undo-strip" hx-swap-oob="innerHTML"' in fragment
    assert shown(fragment) == ["receipt-0.pdf"]
    assert "<html" not in fragment


def test_a_decision_that_the_index_does_not_know_yet_is_listed_by_its_receipt(three):
    client = signed_in(bob())
    claims.claim_review(three[0][1], three[0][0], by=person(bob()))
    where = approve(client, bob(), three[0][1])["Location"]
    done = where.partition("?done=")[2]
    key = queries.get_review(three[0][1]).key
    row = Review.page(key.pk, sk=Review.SK.startswith(f"{key.sk}#DECISION")).rows[0]
    Review.change(row.key, [Review.GSI1PK.remove(), Review.GSI1SK.remove()], Review.PK.exists())
    assert shown(client.get(f"{PAGE}?done={done}").content.decode()) == ["receipt-0.pdf"]
    assert shown(signed_in(alice()).get(f"{PAGE}?done={done}").content.decode()) == []


def test_more_than_the_strip_shows_are_counted(settings):
    settings.REVIEW_UNDO_SECONDS = 60
    five = [open_review(f"receipt-{i}.pdf", timeout=86_400 + i * 100) for i in range(5)]
    for run, ref in five:
        claims.claim_review(ref, run, by=person(bob()))
        decisions.decide_review(ref, run, verdict(ref), by=person(bob()))
    fragment = one_line(signed_in(bob(), htmx=True).get(f"{PAGE}?as=toasts").content)
    assert fragment.count("data-receipt") == 3
    assert "View all 5 decisions you can undo" in fragment


def test_undoing_gives_back_what_was_claimed_ahead(three):
    client = signed_in(bob())
    claims.claim_review(three[0][1], three[0][0], by=person(bob()))
    approve(client, bob(), three[0][1])
    assert states(three) == ["DECIDED", "CLAIMED", "PENDING"]
    undo(client, three[0][1])
    assert states(three) == ["CLAIMED", "PENDING", "PENDING"]
    assert queries.get_review(three[1][1]).holder is None


def test_undoing_an_earlier_one_gives_back_what_the_last_one_claimed(three):
    client = signed_in(bob())
    claims.claim_review(three[0][1], three[0][0], by=person(bob()))
    approve(client, bob(), three[0][1])
    approve(client, bob(), three[1][1])
    assert states(three) == ["DECIDED", "DECIDED", "CLAIMED"]
    undo(client, three[0][1])
    assert states(three) == ["CLAIMED", "DECIDED", "PENDING"]


def test_what_a_person_claimed_stays_claimed(three):
    client = signed_in(bob())
    for run, ref in three[:2]:
        claims.claim_review(ref, run, by=person(bob()))
    approve(client, bob(), three[0][1])  # opens the second, which was claimed before
    undo(client, three[0][1])
    assert states(three) == ["CLAIMED", "CLAIMED", "PENDING"]


def test_what_was_undone_is_held_on_purpose(three):
    client = signed_in(bob())
    claims.claim_review(three[0][1], three[0][0], by=person(bob()))
    approve(client, bob(), three[0][1])
    approve(client, bob(), three[1][1])
    undo(client, three[1][1])
    undo(client, three[0][1])
    assert states(three) == ["CLAIMED", "CLAIMED", "PENDING"]


def test_what_somebody_took_over_stays_theirs(three):
    client = signed_in(bob())
    claims.claim_review(three[0][1], three[0][0], by=person(bob()))
    approve(client, bob(), three[0][1])
    lapse(three[1][1])
    claims.claim_review(three[1][1], three[1][0], by=person(alice()))
    undo(client, three[0][1])
    assert queries.get_review(three[1][1]).holder == str(alice().pk)


def test_a_draft_in_what_is_given_back_is_kept(three):
    client = signed_in(bob())
    claims.claim_review(three[0][1], three[0][0], by=person(bob()))
    approve(client, bob(), three[0][1])
    client.post(url("save-draft", three[1][1]), form(bob(), three[1][1], **{"field-total": "38.90"}))
    undo(client, three[0][1])
    kept = queries.review_and_draft(three[1][1], str(bob().pk))[1]
    assert (states(three)[1], kept.values.as_dict()) == ("PENDING", {"total": "38.90"})


def test_a_decision_that_was_undone_meanwhile_claims_nothing(three):
    run, ref = three[0]
    claims.claim_review(ref, run, by=person(bob()))
    chosen = verdict(ref)
    decisions.decide_review(ref, run, chosen, by=person(bob()))
    decisions.undo_decision(ref, run, decision_id=chosen.decision_id, by=person(bob()))
    after = DecidedReview(ref, chosen.decision_id)
    assert claims.claim_next(SITE, by=person(bob()), but=ref, after=after) is None
    assert states(three) == ["CLAIMED", "PENDING", "PENDING"]


def test_an_undo_stands_where_the_claim_cannot_be_given_back(three):
    (run, ref), client = three[0], signed_in(bob())
    claims.claim_review(ref, run, by=person(bob()))
    approve(client, bob(), ref)
    decision_id = queries.get_review(ref).decision_id
    with fail("dynamodb", "GetItem", first=2):  # the first is the undo's own
        decisions.undo_decision(ref, run, decision_id=decision_id, by=person(bob()))
    assert states(three) == ["CLAIMED", "CLAIMED", "PENDING"]


def test_an_undo_whose_process_dies_leaves_the_other_claim_to_its_lease(three):
    (run, ref), client = three[0], signed_in(bob())
    claims.claim_review(ref, run, by=person(bob()))
    approve(client, bob(), ref)
    decision_id = queries.get_review(ref).decision_id
    with crash_after("dynamodb", "TransactWriteItems"):
        decisions.undo_decision(ref, run, decision_id=decision_id, by=person(bob()))
    assert states(three) == ["CLAIMED", "CLAIMED", "PENDING"]
    lapse(three[1][1])
    assert claims.claim_next(SITE, by=person(alice())) == three[1][1]


@pytest.mark.parametrize("_turn", range(4))
def test_an_undo_and_a_claim_ahead_at_once_leave_nothing_claimed_ahead(three, _turn):
    run, ref = three[0]
    claims.claim_review(ref, run, by=person(bob()))
    chosen = verdict(ref)
    decisions.decide_review(ref, run, chosen, by=person(bob()))
    with ThreadPoolExecutor(2) as lanes:
        after = DecidedReview(ref, chosen.decision_id)
        ahead = lanes.submit(claims.claim_next, SITE, by=person(bob()), but=ref, after=after)
        lanes.submit(decisions.undo_decision, ref, run, decision_id=chosen.decision_id, by=person(bob())).result()
        ahead.result()
    assert states(three) == ["CLAIMED", "PENDING", "PENDING"]


def test_the_same_undo_twice_leads_to_the_desk_twice(three):
    client = signed_in(bob())
    claims.claim_review(three[0][1], three[0][0], by=person(bob()))
    approve(client, bob(), three[0][1], decision="approve")
    decision_id = queries.get_review(three[0][1]).decision_id
    for _ in range(2):
        assert undo(client, three[0][1], decision_id)["Location"] == url("show-review", three[0][1])
    assert states(three)[0] == "CLAIMED"


@pytest.mark.parametrize(("decision_id", "status"), [("", 404), ("another", 409), ("a#b", 404)])
def test_an_undo_of_no_decision_is_refused(three, decision_id, status):
    client = signed_in(bob())
    claims.claim_review(three[0][1], three[0][0], by=person(bob()))
    approve(client, bob(), three[0][1], decision="approve")
    response = client.post(url("undo", three[0][1]), {"decision_id": decision_id})
    assert response.status_code == status
    assert states(three)[0] == "DECIDED"


def test_too_late_is_said_and_the_decision_stands(three):
    client = signed_in(bob())
    claims.claim_review(three[0][1], three[0][0], by=person(bob()))
    approve(client, bob(), three[0][1], decision="approve")
    past = Review.redeem_after.set(clock.iso(clock.in_seconds(-1)))
    Review.change(three[0][1].key, [past], Review.PK.exists())
    response = undo(client, three[0][1])
    assert response.status_code == 409
    assert "Too late to undo" in one_line(response.content)
    assert states(three)[0] == "DECIDED"


def test_who_is_put_out_of_the_queue_undoes_nothing_there(settings):
    settings.REVIEW_UNDO_SECONDS = 60
    queue_actions.create_queue(SITE, "Secret", ["reviewers"], by=actor_of(alice()), queue_id="secret")
    run, ref = open_review(queue="secret")
    claims.claim_review(ref, run, by=person(bob()))
    approve(signed_in(bob()), bob(), ref, decision="approve")
    queue_actions.update_queue(SITE, "secret", name="Secret", groups=["audit"], version=1, by=actor_of(alice()))
    assert undo(signed_in(bob()), ref).status_code == 404
    assert reverse("review:list-undoable") == PAGE


def test_a_person_chooses_how_long_a_decision_can_be_undone():
    run, ref = open_review()
    claims.claim_review(ref, run, by=person(bob()))
    browser = signed_in(bob())
    assert browser.post("/review/undo/window/", {"seconds": "61"}).status_code == 302
    browser.post("/review/undo/window/", {"seconds": "30"})
    assert "Decisions can be undone for 30 s" in one_line(browser.get(url("show-review", ref)).content)
    with mock.patch.object(desk_decisions, "enqueue_redeem") as enqueued:
        browser.post(url("decide", ref), form(bob(), ref))
    assert enqueued.call_args.kwargs == {"delay": 30}
    review = queries.get_review(ref)
    window = clock.parse(review.redeem_after) - clock.parse(review.reviewedAt)
    assert window.total_seconds() == 30
    page = one_line(browser.get("/review/undo/").content)
    assert '<option value="30" selected>30 seconds</option>' in page
    assert f"/review/{ref.document_id}/{ref.review_id}/undo/" in page
    other = signed_in(alice())
    assert "can undo a decision for 30" not in one_line(other.get(PAGE).content)


def test_the_chosen_window_is_the_persons_at_each_computer_and_beside_their_language():
    me = bob()
    signed_in(me).post("/review/undo/window/", {"seconds": "60"})
    signed_in(me).post("/account/preferences/", {"language": "", "time_zone": "Asia/Tokyo"})
    elsewhere = Client()
    elsewhere.post("/login/", {"username": me.username, "password": PASSWORD})
    assert "You can undo a decision for 60 seconds." in one_line(elsewhere.get(PAGE).content)
    signed_in(me).post("/review/undo/window/", {"seconds": "15"})
    assert find_preferences(str(me.pk)) == ("", "Asia/Tokyo")
    assert find_undo_window(str(me.pk)) == 15
    assert find_undo_window(str(alice().pk)) is None
