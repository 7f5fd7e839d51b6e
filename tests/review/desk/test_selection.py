"""Several reviews at once: what is said before, what each becomes, and what is left out because someone was faster."""

import html
import re

import pytest
from django.urls import reverse

from config import clock
from review import queries
from review.decide import claims, decisions
from review.desk import selection
from review.status import ReviewStatus
from tests.html import one_line
from tests.people import alice, bob, charlie, signed_in
from tests.review.reviews import VALUES, decisions_of, open_review, person, url

pytestmark = pytest.mark.usefixtures("desk")
SURE = {**VALUES, "total": ("33.90", 0.99)}


def post(user, name, refs, **more):
    return signed_in(user).post(reverse(f"review:{name}"), {"chosen": [ref.path for ref in refs], **more}, follow=True)


def prepare(user, act, refs):
    return post(user, "prepare-selected", refs, act=act)


def unseen_of(answer):
    return [html.unescape(one) for one in re.findall(r'name="unseen" value="([^"]+)"', answer.content.decode())]


def test_what_is_approved_is_spelled_out_and_is_a_decision_each_that_can_be_undone():
    (_, first), (run, second) = (open_review(f"{one}.pdf", unseen_allowed=True) for one in ("first", "second"))
    claims.claim_review(second, run, by=person(bob()))
    asked = prepare(bob(), "approve", [first, second])
    text = one_line(asked.content)
    assert "Approve 2 documents" in text
    assert "1 unclaimed. 2 unchecked fields. Total: 67.80 EUR" in text
    assert decisions_of(first) == 0
    done = post(bob(), "approve-selected", [first, second], unseen=unseen_of(asked))
    text = one_line(done.content)
    assert "2 documents approved." in text
    assert done.request["PATH_INFO"] == reverse("review:list-undoable")
    for ref in (first, second):
        review = queries.get_review(ref)
        assert (review.status, review.reviewer, decisions_of(ref)) == (ReviewStatus.DECIDED, str(bob().pk), 1)
        assert review.redeem_after > clock.iso(clock.in_seconds(50))
        assert f'action="{url("undo", ref)}"' in text
    signed_in(bob()).post(url("undo", first), {"decision_id": queries.get_review(first).decision_id})
    assert queries.get_review(first).status == ReviewStatus.CLAIMED


def test_the_gate_is_the_one_of_a_single_decision():
    _, closed = open_review("closed.pdf")
    _, asking = open_review("asking.pdf", unseen_allowed=True)
    _, plain = open_review("plain.pdf", values=SURE)
    asked = prepare(bob(), "approve", [closed, asking, plain])
    assert "1 field must be checked before approval" in one_line(asked.content)
    done = post(bob(), "approve-selected", [closed, asking, plain])  # without a word about the unchecked field
    assert "1 document approved." in one_line(done.content)
    states = [queries.get_review(ref).status for ref in (closed, asking, plain)]
    assert states == [ReviewStatus.PENDING, ReviewStatus.PENDING, ReviewStatus.DECIDED]
    assert not queries.get_review(asking).passed_by  # it was given back, and may be the next one


def test_a_selection_of_which_nothing_can_be_done_has_a_way_back():
    _, closed = open_review("closed.pdf")
    text = one_line(prepare(bob(), "approve", [closed]).content)
    assert "<h1>Not possible for this selection</h1>" in text
    assert "0 documents" not in text
    assert '<a class="button" href="/review/">Go to queue</a>' in text


def test_a_draft_counts_as_it_does_on_its_own_page():
    run, ref = open_review()
    claims.claim_review(ref, run, by=person(bob()))
    typed = {"version": queries.get_review(ref).version}
    form = one_line(signed_in(bob()).get(url("show-review", ref)).content)
    typed["ticket"] = re.search(r'name="ticket" value="([^"]+)"', form)[1]
    signed_in(bob()).post(url("save-draft", ref), {**typed, "field-total": "38.90"})
    assert unseen_of(prepare(bob(), "approve", [ref])) == []
    post(bob(), "approve-selected", [ref])
    review = queries.get_review(ref)
    assert (review.status, review.reviewer) == (ReviewStatus.DECIDED, str(bob().pk))


def test_whoever_is_slower_is_told_which_were_taken_and_changes_nothing_of_them(monkeypatch):
    (_, taken), (_, free) = (open_review(f"{one}.pdf", unseen_allowed=True) for one in ("taken", "free"))
    asked = prepare(bob(), "approve", [taken, free])
    real = selection.claims.claim_review

    def claim(ref, run_, *, by, **more):  # Alice is between the look and the claim
        if ref == taken and by.id == str(bob().pk):
            real(ref, run_, by=person(alice()))
        return real(ref, run_, by=by, **more)

    monkeypatch.setattr(selection.claims, "claim_review", claim)
    done = post(bob(), "approve-selected", [taken, free], unseen=unseen_of(asked))
    text = one_line(done.content)
    assert "1 document approved." in text
    assert "Not approved: taken.pdf (changed in the meantime)." in text
    assert queries.get_review(taken).holder == str(alice().pk)
    assert decisions_of(taken) == 0


def test_a_decision_that_was_overtaken_gives_back_nothing_of_the_winners(monkeypatch):
    _, ref = open_review(unseen_allowed=True)
    asked = prepare(bob(), "approve", [ref])
    real = decisions.decide_review

    def decide(ref_, run, verdict, *, by, undo_seconds):  # the claim is taken over before the decision
        claims.return_claim(ref_, run, by=by)
        claims.claim_review(ref_, run, by=person(alice()))
        return real(ref_, run, verdict, by=by, undo_seconds=undo_seconds)

    monkeypatch.setattr(selection.decisions, "decide_review", decide)
    post(bob(), "approve-selected", [ref], unseen=unseen_of(asked))
    review = queries.get_review(ref)
    assert (review.status, review.holder) == (ReviewStatus.CLAIMED, str(alice().pk))


def test_several_are_assigned_at_once_but_for_what_another_holds():
    (run, held), (_, free) = open_review("held.pdf"), open_review("free.pdf")
    text = one_line(prepare(bob(), "assign", [held, free]).content)
    assert "Assign 2 documents" in text
    claims.claim_review(held, run, by=person(alice()))
    done = one_line(post(bob(), "assign-selected", [held, free], person=str(bob().pk)).content)
    assert "1 review assigned to you." in done
    assert "held.pdf (claimed by Alice Novak)" in done
    assert queries.get_review(free).status == ReviewStatus.ASSIGNED
    assert queries.get_review(held).holder == str(alice().pk)
    assert post(bob(), "assign-selected", [free], person="none").status_code == 422


def test_reasons_are_told_in_the_readers_language():
    _, ref = open_review("frei.pdf")
    client = signed_in(bob())
    given = {"chosen": ref.path, "act": "postpone"}
    asked = client.post(reverse("review:prepare-selected"), given, headers={"accept-language": "de"})
    assert "nötig sind" in one_line(asked.content)


def test_what_became_of_a_selection_is_told_in_the_readers_language():
    (run, held), (_, free) = open_review("belegt.pdf"), open_review("frei.pdf", unseen_allowed=True)
    claims.claim_review(held, run, by=person(alice()))
    client, german = signed_in(bob()), {"accept-language": "de"}
    given = {"chosen": [held.path, free.path], "act": "approve"}
    asked = one_line(client.post(reverse("review:prepare-selected"), given, headers=german).content)
    assert "Betrag: 33,90 EUR" in asked  # of one document nothing is a total
    assert ">Von Alice Novak reserviert</span>" in asked
    given["unseen"] = re.findall(r'name="unseen" value="([^"]+)"', asked)
    done = client.post(reverse("review:approve-selected"), given, headers=german, follow=True)
    text = one_line(done.content)
    assert "1 Dokument genehmigt." in text
    assert "Nicht genehmigt: belegt.pdf (von Alice Novak reserviert)." in text


def test_several_are_postponed_at_once_and_what_cannot_be_stays_as_it_was():
    (_, free), (_, decided) = open_review("free.pdf"), open_review("done.pdf", unseen_allowed=True)
    asked = prepare(alice(), "approve", [decided])
    post(alice(), "approve-selected", [decided], unseen=unseen_of(asked))
    text = one_line(post(bob(), "postpone-selected", [free, decided], back="1h").content)
    assert "1 review postponed." in text
    assert "done.pdf (already decided)" in text
    assert queries.get_review(free).status == ReviewStatus.POSTPONED
    assert queries.get_review(decided).reviewer == str(alice().pk)


def test_nothing_too_much_and_what_is_not_there_are_told():
    _, ref = open_review()
    assert "Select 1 to 50 open reviews." in one_line(prepare(bob(), "approve", []).content)
    too_many = {"act": "approve", "chosen": [f"{one}/x" for one in range(51)]}
    told = signed_in(bob()).post(reverse("review:prepare-selected"), too_many, follow=True)
    assert "Select 1 to 50 open reviews." in one_line(told.content)
    assert prepare(charlie(), "approve", [ref]).status_code == 403
