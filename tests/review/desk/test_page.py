"""The desk of one review: what it shows, to whom, and what taking and giving back do."""

import base64
import datetime as dt
import json
import random
import re

import pytest
from django.template import engines

from config import clock, rendering, table
from config.transaction import EXISTS
from projects.audit.events import actor_of
from projects.documents.items import Document
from projects.queues.actions import create_queue
from projects.sites import directory
from review import queries
from review.decide import claims, drafts
from review.decide.drafts import TypedValues
from review.items.results import ReviewResult
from review.items.reviews import Review
from tests.aws_faults import count_calls
from tests.each import each
from tests.html import one_line
from tests.people import alice, bob, charlie, dora, signed_in
from tests.review.desk.pages import compared
from tests.review.reviews import SITE, VALUES, lapse, open_review, pass_deadline, person, result, url
from workflows.storage import files
from workflows.storage.objects import DocumentFiles

pytestmark = pytest.mark.usefixtures("desk")


def shown(user, ref, **kwargs):
    return signed_in(user, **kwargs).get(url("show-review", ref))


def test_a_free_review_is_read_only_with_a_way_to_claim_it():
    _, ref = open_review()
    text = one_line(shown(bob(), ref).content)
    assert "data-claim" in text
    assert "readonly" in text
    assert 'name="ticket"' not in text


def test_what_was_settled_earlier_lies_in_a_fold_of_its_own():
    run, ref = open_review()
    claims.claim_review(ref, run, by=person(bob()))
    assert "data-settled-fold" not in one_line(shown(bob(), ref).content)
    version = queries.get_review(ref).version
    drafts.save_draft(
        ref, TypedValues(confirmed={"total": "33.90"}), by=person(bob()), version=int(version), begun=False
    )
    text = one_line(shown(bob(), ref).content)
    assert text.index("data-settled-fold") < text.index('id="f-total"') < text.index("High confidence")


def test_both_readings_are_told_where_ocr_and_model_differ():
    found = result()
    total = next(one for one in found["fields"] if one["name"] == "total")
    places = {"page": 0, "box": None}
    total["candidates"] = [
        {"value": "33.90", "confidence": 0.74, "evidence": {"on_page": 1.0}, **places},
        {"value": "38.90", "confidence": 0.58, "evidence": {}, **places},
    ]
    run, ref = open_review(found=found)
    claims.claim_review(ref, run, by=person(bob()))
    text = one_line(shown(bob(), ref).content)
    assert 'OCR and model read different values: <b dir="auto">33.90</b> model, 74 %' in text
    assert "<small>OCR, 58 %</small>" in text
    total["candidates"][0]["evidence"]["agreed"] = 1.0
    _, alike = open_review(found=found)
    assert "data-readings" not in one_line(shown(bob(), alike).content)


def test_a_cut_out_shows_the_page_that_the_value_was_read_from():
    found = result()
    (page,) = found["pages"]
    found["pages"] = [page, {**page, "index": 1, "width": 800, "image": files.page_image(1)}]
    total = next(one for one in found["fields"] if one["name"] == "total")
    total["page"] = 1
    run, ref = open_review(found=found)
    text = one_line(shown(bob(), ref).content)
    assert re.findall(r'data-crop="(\d)" ?> ?<image href="([^"]+)" width="(\d+)"', text) == [
        (str(index), f"/workflows/{run.project_id}/{ref.document_id}/pages/{index}.png?size=page", width)
        for index, width in ((1, "800"), (0, "1240"), (0, "1240"))
    ]


def test_looking_writes_nothing_and_reads_once():
    _, ref = open_review()
    with count_calls() as calls:
        shown(bob(), ref)
    assert calls.of_page() == ["dynamodb.BatchGetItem"]


def test_without_a_copy_of_the_result_the_object_is_read():
    chance = random.Random(7)
    long = result() | {"text": "".join(chance.choices("abcdefghijklmnopqrstuvwxyz ", k=20_000))}
    for _, ref in (open_review(), open_review(found=long)):
        ReviewResult(*ref.result_key).delete()  # there is none of the long one
        with count_calls() as calls:
            assert "33.90" in shown(bob(), ref).content.decode()
        assert calls.of_page() == ["dynamodb.BatchGetItem", "s3.GetObject"]


def test_the_object_is_read_if_the_copy_of_the_result_is_damaged():
    _, ref = open_review()
    ReviewResult(*ref.result_key, body=base64.b64encode(b"not compressed").decode()).save()
    with count_calls() as calls:
        assert "33.90" in shown(bob(), ref).content.decode()
    assert calls.of_page() == ["dynamodb.BatchGetItem", "s3.GetObject"]


def test_a_copy_of_another_result_is_not_shown():
    _, ref = open_review()
    other = json.dumps(result(VALUES | {"total": ("99.99", 0.5)})).encode()
    copy = ReviewResult.copy(ref.result_key, other, keep_until=1_900_000_000)
    assert copy is not None
    copy.save()
    text = shown(bob(), ref).content.decode()
    assert "33.90" in text
    assert "99.99" not in text


def test_what_needs_a_look_comes_before_what_is_sure():
    _, ref = open_review()
    text = one_line(shown(bob(), ref).content)
    assert text.index('id="f-total"') < text.index('id="f-company"')
    assert "Total 55 %, needs 90 %" in text


def test_an_optional_field_without_a_value_is_not_among_what_is_sure():
    """Nobody has to look at it, and its fold stands open: the paper may say what was not found."""
    _, ref = open_review()
    text = one_line(shown(bob(), ref).content)
    fold = text[text.index("<h3>Not found</h3>") : text.index("<h3>High confidence</h3>")]
    assert 'id="f-currency"' in fold
    assert '<details class="disclosure" open>' in text[: text.index("<h3>Not found</h3>")]
    without = result({**VALUES, "currency": ("EUR", 0.99)})
    _, full = open_review(found=without)
    assert "<h3>Not found</h3>" not in one_line(shown(bob(), full).content)


def test_a_box_lies_where_the_field_stands_on_the_page():
    _, ref = open_review()
    text = one_line(shown(bob(), ref).content)
    assert 'x="124.0" y="526.2" width="372.0" height="52.6"' in text  # 0.1, 0.3, 0.3 and 0.03 of 1240 × 1754
    assert "style=" not in text


def test_what_has_no_picture_leads_to_the_file_itself():
    heard = result()
    heard["pages"][0]["image"] = ""
    _, ref = open_review(found=heard)
    assert f'href="/documents/{ref.document_id}/contents/"' in one_line(shown(bob(), ref).content)
    _, ref = open_review(name="b.pdf")
    assert f"/documents/{ref.document_id}/contents/" not in one_line(shown(bob(), ref).content)


def test_a_claim_makes_the_fields_editable():
    _, ref = open_review()
    response = signed_in(bob()).post(url("claim", ref))
    assert response.status_code == 302
    text = one_line(shown(bob(), ref).content)
    assert 'name="ticket"' in text
    assert "readonly" not in text


def test_the_loser_of_a_claim_race_is_told_who_holds_it():
    run, ref = open_review()
    claims.claim_review(ref, run, by=person(alice()))
    response = signed_in(bob()).post(url("claim", ref))
    assert response.status_code == 409
    assert "Claimed by Alice Novak" in one_line(response.content)


def test_a_lapsed_claim_can_be_taken_over():
    run, ref = open_review()
    claims.claim_review(ref, run, by=person(alice()))
    lapse(ref)
    assert "data-claim" in one_line(shown(bob(), ref).content)
    assert signed_in(bob()).post(url("claim", ref)).status_code == 302
    assert queries.get_review(ref).holder == str(bob().pk)


def test_keeping_it_moves_the_lease_and_leaves_the_page():
    run, ref = open_review()
    claims.claim_review(ref, run, by=person(bob()))
    lapse(ref)
    before = queries.get_review(ref)
    response = signed_in(bob(), htmx=True).post(url("renew", ref))
    after = queries.get_review(ref)
    assert (response.status_code, after.version) == (204, before.version)
    assert after.lease_until in response["HX-Trigger"]


def test_keeping_what_somebody_took_shows_them_and_keeps_the_answers():
    run, ref = open_review()
    claims.claim_review(ref, run, by=person(alice()))
    response = signed_in(bob(), htmx=True).post(url("renew", ref), {"field-total": "38.90"})
    assert response.status_code == 409
    assert response["HX-Retarget"] == "#desk"
    assert compared(response.content.decode()) == [("Total", "33.90", "38.90")]


def test_giving_back_frees_it():
    run, ref = open_review()
    claims.claim_review(ref, run, by=person(bob()))
    assert signed_in(bob()).post(url("release", ref)).status_code == 302
    assert queries.get_review(ref).status == "PENDING"


def test_past_the_deadline_nobody_can_claim():
    _, ref = open_review()
    pass_deadline(ref)
    text = one_line(shown(bob(), ref).content)
    assert "Due date passed" in text
    assert "data-claim" not in text


def test_a_viewer_looks_and_does_nothing():
    _, ref = open_review()
    response = shown(charlie(), ref)
    assert response.status_code == 200
    assert "data-claim" not in one_line(response.content)
    for name in ("claim", "renew", "release", "decide", "undo"):
        assert signed_in(charlie()).post(url(name, ref)).status_code == 403


def test_somebody_without_a_role_sees_nothing():
    _, ref = open_review()
    assert shown(dora(), ref).status_code == 403


@each("name", ["claim", "renew", "release", "decide", "undo"])
def test_nothing_is_done_by_following_a_link(name):
    _, ref = open_review()
    assert signed_in(bob()).get(url(name, ref)).status_code == 405


@pytest.mark.parametrize("path", ["/review/nothing/nothing/", "/review/a%23b/c/"])
def test_an_unknown_review_is_not_found(path):
    assert signed_in(bob()).get(path).status_code == 404


def test_a_page_of_the_document_comes_as_a_fragment():
    _, ref = open_review()
    response = signed_in(bob(), htmx=True).get(url("show-review", ref), headers={"hx-target": "page-viewer"})
    text = one_line(response.content)
    assert "page-image" in text
    assert "review-form" not in text


def test_a_file_name_is_text_and_never_markup():
    _, ref = open_review("<img src=x onerror=alert(1)>.pdf")
    assert "<img src=x" not in one_line(shown(bob(), ref).content)


def test_the_desk_is_never_stored_by_a_browser():
    _, ref = open_review()
    assert "no-store" in shown(bob(), ref)["Cache-Control"]


def test_a_text_is_shown_as_text_in_the_place_of_the_page():
    found = result()
    found["pages"] = [{"index": 0, "width": 1000, "height": 1414, "image": None, "title": "Sheet1", "source": "text"}]
    for field in found["fields"]:
        field["box"] = None
    run, ref = open_review(found=found)
    segment = {"text_content": "# Bill\n| Pens | <b>4</b> |\nthe end"}
    DocumentFiles(ref.site, run.project_id, ref.document_id).write(
        files.segment(0), json.dumps(segment).encode(), "application/json"
    )
    with count_calls() as calls:
        text = one_line(shown(bob(), ref).content)
    # The run's row says in whose folder the text lies; pages with images need neither.
    assert calls.of_page() == ["dynamodb.BatchGetItem", "dynamodb.GetItem", "s3.GetObject"]
    assert '<td dir="auto">&lt;b&gt;4&lt;/b&gt;</td>' in text
    assert "Sheet1" in text
    assert "page-image" not in text
    assert "data-zoom" not in text


def test_a_text_whose_segment_is_gone_leaves_the_fields_to_be_checked():
    found = result()
    found["pages"] = [{"index": 0, "width": 1000, "height": 1414, "image": None, "source": "text"}]
    _, ref = open_review(found=found)
    assert "Total 55 %, needs 90 %" in one_line(shown(bob(), ref).content)


def test_a_date_that_lay_ahead_is_still_the_reason_once_that_day_has_passed(monkeypatch):
    ahead = (clock.now() + dt.timedelta(days=9)).date().isoformat()
    values = {"company": ("Grossmarkt Ruhr", 0.97), "date": (ahead, 0.93), "total": ("33.90", 0.95)}
    _, ref = open_review(values=values, timeout=40 * 86_400)
    later = clock.now() + dt.timedelta(days=20)
    monkeypatch.setattr(clock, "now", lambda: later)
    assert f"Date {ahead} is in the future" in one_line(shown(bob(), ref).content)


def test_an_earlier_copy_is_named_only_to_who_may_see_it():
    first, _ = open_review("first.pdf")
    _, ref = open_review("second.pdf")
    stored = [f"file#{first.document_id}", "invoice#gone"]
    Review.change(ref.key, [Review.copies.set(stored)], Review.PK.exists())
    page = one_line(signed_in(bob()).get(url("show-review", ref)).content)
    assert f'The same file was received before: <a href="/documents/{first.document_id}/">first.pdf</a>' in page
    assert "same supplier, number and total: deleted since" in page
    limited = create_queue(SITE, "Board", ["board"], by=actor_of(alice()), queue_id=clock.new_ulid())
    directory.forget()
    Document.change(table.DOCUMENT.key(SITE, document_id=first.document_id), [Document.queue.set(limited.id)], EXISTS)
    page = one_line(signed_in(bob()).get(url("show-review", ref)).content)
    assert "The same file was received before: in a restricted queue" in page
    assert "first.pdf" not in page


def test_a_field_shows_every_check_that_it_fails_the_most_important_first():
    failed = ["Net and VAT give 34.00, not the total 33.90", "Line items add up to 30.00, not to the total 33.90"]
    found = result() | {"checks": [{"field": "total", "text": one} for one in failed]}
    _, ref = open_review(found=found)
    page = signed_in(bob()).get(url("show-review", ref))
    (total,) = [line for line in page.context["sheet"].lines if line.spec.name == "total"]
    assert [one.text for one in total.reasons] == failed
    text = one_line(page.content)
    assert all(one in text for one in failed)
    assert 'aria-describedby="w-total-1 w-total-2' in text


def test_the_list_of_keys_names_nothing_of_its_page_and_is_rendered_once_in_each_language():
    engine = engines["django"].engine
    (loader,) = engine.template_loaders
    assert rendering._needs_only(engine.get_template("review/desk/_keys.html").nodelist, frozenset(), loader)
