"""What is in doubt has to be checked before it is approved, whoever sends the form and however."""

import json
import re

import pytest

from config.errors import Conflict
from review import queries
from review.decide import claims, decisions, drafts, escalations
from review.decide.decisions import Verdict
from review.decide.drafts import TypedValues
from review.items.reviews import ReviewDecision
from review.status import Decision
from tests.each import each
from tests.html import one_line
from tests.people import alice, bob, signed_in
from tests.review.desk.pages import form
from tests.review.handovers.asking import hand_over
from tests.review.reviews import decisions_of, lapse, open_review, person, result, url
from workflows.runs import queries as workflow_queries
from workflows.storage.objects import DocumentFiles

pytestmark = pytest.mark.usefixtures("desk")
DOUBTFUL = {"company": ("Grossmarkt Ruhr", 0.97), "date": ("2024-03-31", 0.5), "total": ("33.90", 0.55)}


def held(*, unseen_allowed=False):
    run, ref = open_review(values=DOUBTFUL, unseen_allowed=unseen_allowed)
    claims.claim_review(ref, run, by=person(bob()))
    return run, ref


def stored(run, ref):
    review = queries.get_review(ref)
    store = DocumentFiles(run.site, run.project_id, run.document_id)
    return json.loads(store.read_pinned(store.name_of(review.decision_uri), review.decision_sha256))


def row_of(ref):
    pk, sk = queries.get_review(ref).key
    return ReviewDecision.page(pk, sk=ReviewDecision.SK.startswith(f"{sk}#DECISION")).rows[0]


def post(ref, *, htmx=False, user=None, **form_changes):
    user = user or bob()
    return signed_in(user, htmx=htmx).post(url("decide", ref), form(user, ref, **form_changes))


def draft_of(ref):
    kept = queries.review_and_draft(ref, str(bob().pk))[1]
    return kept.confirmed.as_dict() if kept else {}


@pytest.mark.wide
@each("decision", ["approve", "approve-and-next", "approve-anyway", "approve-anyway-and-next"])
@each("htmx", [True, False])
def test_fields_in_doubt_that_nobody_checked_stop_the_approval(htmx, decision):
    _, ref = held()
    response = post(ref, htmx=htmx, tick=False, decision=decision, **{"unseen-date": "1", "unseen-total": "1"})
    text = one_line(response.content)
    assert response.status_code == 422
    assert "2 fields not checked: " in text
    assert re.search(r'<article class="exception" id="f-date"[^>]* autofocus ', text)
    assert len(re.findall(r"<(?!button)[^>]* autofocus", text)) == 1  # a dialog's button has its own
    assert "Approve anyway" not in text
    assert decisions_of(ref) == 0


def test_one_that_is_left_is_named_and_the_other_stays_ticked():
    _, ref = held()
    response = post(ref, tick=False, **{"seen-date": "1"})
    text = one_line(response.content)
    assert response.status_code == 422
    assert '1 field not checked: <a href="#f-total" data-to-field="total">Total</a>.' in text
    assert 'name="seen-date" value="1" checked' in text
    assert 'name="seen-total" value="1" data-seen' in text


def test_what_was_checked_is_in_the_decision_and_its_row():
    run, ref = held()
    assert post(ref, **{"field-total": "38,90"}).status_code == 302
    decided, row = stored(run, ref), row_of(ref)
    assert (decided["confirmed"], decided["unseen"]) == ({"date": "2024-03-31"}, [])
    assert (row.confirmed, row.unseen) == (["Date"], None)


def test_a_correction_needs_no_tick():
    run, ref = held()
    assert post(ref, tick=False, **{"seen-date": "1", "field-total": "38.90"}).status_code == 302
    assert stored(run, ref)["confirmed"] == {"date": "2024-03-31"}


def test_the_same_value_in_another_form_is_no_correction():
    _, ref = held()
    assert post(ref, tick=False, **{"seen-date": "1", "field-total": "33,90"}).status_code == 422


def test_confident_fields_need_no_look_and_what_is_not_in_doubt_cannot_be_ticked():
    run, ref = held()
    assert 'name="seen-company"' not in one_line(signed_in(bob()).get(url("show-review", ref)).content)
    assert post(ref, **{"seen-company": "1"}).status_code == 302
    assert set(stored(run, ref)["confirmed"]) == {"date", "total"}


def test_a_rejection_needs_no_look():
    _, ref = held()
    assert post(ref, tick=False, decision="reject", reason="Not ours").status_code == 302


def test_where_the_project_allows_it_a_person_is_asked_once():
    run, ref = held(unseen_allowed=True)
    asked = post(ref, tick=False, decision="approve-and-next")
    text = one_line(asked.content)
    assert asked.status_code == 422
    assert "2 fields not checked:" in text
    assert "Approve anyway?" in text
    assert decisions_of(ref) == 0
    again = dict(re.findall(r'<input type="hidden" name="(unseen-[^"]+)" value="(1)">', text))
    (word,) = re.findall(r'name="decision" value="([^"]+)" data-anyway', text)
    assert (again, word) == ({"unseen-date": "1", "unseen-total": "1"}, "approve-anyway-and-next")
    assert post(ref, tick=False, decision=word, **again).status_code == 302
    assert (stored(run, ref)["unseen"], row_of(ref).unseen) == (["date", "total"], ["Date", "Total"])
    (told,) = [one for one in events_of(ref) if one.type == "HUMAN_REVIEW_APPROVED"]
    assert told.facts["unseen"] == "Date, Total"


def events_of(ref):
    return workflow_queries.lineage(ref.site, ref.document_id).rows


@pytest.mark.parametrize(
    ("decision", "named"),
    [("approve", ["date", "total"]), ("approve-anyway", ["date"]), ("approve-anyway", [])],
    ids=["the usual button", "another field", "none named"],
)
def test_a_yes_counts_for_what_was_asked_alone(decision, named):
    _, ref = held(unseen_allowed=True)
    response = post(ref, tick=False, decision=decision, **{f"unseen-{name}": "1" for name in named})
    assert response.status_code == 422
    assert decisions_of(ref) == 0


def test_what_cannot_be_stored_is_mended_before_anything_is_asked():
    _, ref = held(unseen_allowed=True)
    text = one_line(post(ref, tick=False, **{"field-total": "about thirty"}).content)
    assert "Enter the amount as" in text
    assert "Approve anyway" not in text


def test_the_table_holds_the_gate_where_a_page_says_otherwise():
    run, ref = held()
    review = queries.get_review(ref)
    said = Verdict(
        "d1",
        Decision.APPROVE,
        int(review.version),
        review.result_sha256,
        {},
        unseen=["total"],
        asked={"total": "Total"},
    )
    with pytest.raises(Conflict):
        decisions.decide_review(ref, run, said, by=person(bob()))
    assert queries.get_review(ref).status == "CLAIMED"


def test_a_script_saves_a_tick_and_takes_it_back():
    _, ref = held()
    client, ticket = signed_in(bob(), htmx=True), form(bob(), ref)["ticket"]
    client.post(url("save-draft", ref), {"ticket": ticket, "seen-total": "1", "field-total": "33.90"})
    assert draft_of(ref) == {"total": "33.90"}
    text = one_line(signed_in(bob()).get(url("show-review", ref)).content)
    assert 'name="seen-total" value="1" checked' in text
    assert ">1 left<" in text
    client.post(url("save-draft", ref), {"ticket": ticket, "seen-total": ""})
    assert draft_of(ref) == {}


def test_a_tick_counts_for_the_text_it_was_set_beside():
    _, ref = held()
    client, ticket = signed_in(bob(), htmx=True), form(bob(), ref)["ticket"]
    client.post(url("save-draft", ref), {"ticket": ticket, "seen-total": "1", "field-total": "38.90"})
    client.post(url("save-draft", ref), {"ticket": ticket, "field-total": "33.90"})  # in another tab
    assert 'name="seen-total" value="1" data-seen' in one_line(signed_in(bob()).get(url("show-review", ref)).content)


def test_the_button_saves_ticks_too():
    _, ref = held()
    client = signed_in(bob())
    client.post(url("save-draft", ref), form(bob(), ref))
    assert draft_of(ref) == {"date": "2024-03-31", "total": "33.90"}
    posted = form(bob(), ref)
    del posted["seen-date"]
    client.post(url("save-draft", ref), posted)
    assert draft_of(ref) == {"total": "33.90"}


def test_whoever_takes_over_checks_for_themselves():
    run, ref = held()
    drafts.save_draft(
        ref, TypedValues(confirmed={"date": "2024-03-31", "total": "33.90"}), by=person(bob()), version=2, begun=False
    )
    lapse(ref)
    claims.claim_review(ref, run, by=person(alice()))
    assert 'value="1" checked' not in one_line(signed_in(alice()).get(url("show-review", ref)).content)
    assert post(ref, user=alice(), tick=False).status_code == 422


def test_ticks_survive_the_undo_of_their_decision():
    _, ref = held()
    post(ref, **{"field-total": "38.90"})
    signed_in(bob()).post(url("undo", ref), {"decision_id": queries.get_review(ref).decision_id})
    text = one_line(signed_in(bob()).get(url("show-review", ref)).content)
    assert "Ready to approve" in text
    assert post(ref, tick=False).status_code == 302


def test_a_lost_page_keeps_its_ticks_for_the_next_claim():
    run, ref = held()
    posted = form(bob(), ref)
    lapse(ref)
    claims.claim_review(ref, run, by=person(alice()))
    assert signed_in(bob()).post(url("decide", ref), posted).status_code == 409
    assert draft_of(ref) == {"date": "2024-03-31", "total": "33.90"}


def test_an_escalation_leaves_ticks_and_gate_as_they_were():
    run, ref = held()
    save = TypedValues(confirmed={"date": "2024-03-31"})
    drafts.save_draft(ref, save, by=person(bob()), version=2, begun=False)
    escalations.escalate_review(ref, run, queries.get_review(ref))
    assert draft_of(ref) == {"date": "2024-03-31"}
    response = post(ref, tick=False)
    assert response.status_code == 422
    assert "1 field not checked" in one_line(response.content)


def test_a_question_of_another_system_has_the_same_gate():
    ref = hand_over().ref
    signed_in(bob()).post(url("claim", ref))
    refused = post(ref, tick=False)
    assert refused.status_code == 422
    assert "2 fields not checked" in one_line(refused.content)
    assert post(ref).status_code == 302


def test_a_type_in_doubt_is_checked_like_a_field():
    found = result(DOUBTFUL)
    kind = {
        "id": "receipt", "name": "Receipt", "version": 1, "confidence": 0.55, "threshold": 0.8, "required": False,
        "source": "rules", "candidates": [],
    }  # fmt: skip
    run, ref = open_review(found={**found, "type": kind})
    claims.claim_review(ref, run, by=person(bob()))
    response = post(ref, tick=False, **{"seen-date": "1", "seen-total": "1", "field-#type": "receipt"})
    assert "1 field not checked:" in one_line(response.content)
    assert response.status_code == 422
    ticks = {"seen-date": "1", "seen-total": "1", "seen-#type": "1"}
    assert post(ref, tick=False, **ticks, **{"field-#type": "receipt"}).status_code == 302
    assert stored(run, ref)["confirmed"]["#type"] == "receipt"
