"""Words, search and regions of a page, and documents that are text or sound."""

import io
import json
import re
from unittest import mock

import pytest
from PIL import Image, ImageDraw, ImageFont

from config.errors import StageFailed, Unavailable
from projects.models.spec import find_builtin_ocr
from review import queries
from review.decide import claims
from review.desk import tasks
from review.desk.page_tools import again, page_reading, region_reading, regions
from review.desk.page_tools.page_reading import PageWish
from review.desk.page_tools.region_reading import Region
from tests.aws_faults import count_calls
from tests.each import each
from tests.html import one_line
from tests.people import alice, bob, charlie, signed_in
from tests.review.desk.pages import form
from tests.review.recordings import WAV, make_recording
from tests.review.reviews import open_review, person, result, url
from workflows.runs import queries as run_queries
from workflows.stages.pages import paged
from workflows.storage import files
from workflows.storage.objects import DocumentFiles

pytestmark = pytest.mark.usefixtures("desk")
EDGES = {"left": "0.05", "top": "0.1", "right": "0.6", "bottom": "0.2"}


def address(name, ref, index=0):
    return f"{url('show-review', ref)}pages/{index}/{name}/"


def word(text, x):
    return {"text": text, "box": [x, 0.1, x + 0.1, 0.12], "score": 1.0, "block": 0}


def store_of(run):
    return DocumentFiles(run.site, run.project_id, run.document_id)


def put(run, name, found):
    store_of(run).write(name, json.dumps(found).encode(), "application/json")


def mine(**more):
    run, ref = open_review(**more)
    claims.claim_review(ref, run, by=person(bob()))
    return run, ref


def text_found():
    found = result()
    found["pages"] = [{"index": 0, "width": 1000, "height": 1414, "image": None, "title": "Part", "source": "text"}]
    for field in found["fields"]:
        field["box"] = None
    return found


def test_words_are_for_who_may_look_in_thousandths_of_the_page():
    run, ref = open_review()
    assert signed_in(charlie()).get(address("words", ref)).json() == {"words": []}
    put(run, files.segment(0), {"words": [word("Total", 0.1)]})
    answer = signed_in(charlie()).get(address("words", ref))
    assert answer.json() == {"words": [["Total", 100, 100, 200, 120]]}
    assert "no-store" in answer["Cache-Control"]


def test_a_search_names_its_pages_and_marks_its_words_also_without_a_script():
    found = result()
    found["pages"] = [{**found["pages"][0], "index": index, "image": files.page_image(index)} for index in range(3)]
    run, ref = open_review(found=found)
    pages = [
        {"page_index": index, "text": "", "words": [word("Grand", 0.1), word("Total:", 0.3 if index else 0.8)]}
        for index in (0, 2)
    ]
    put(run, files.TEXT_LAYER, {"pages": pages})
    paged.OCR.write(store_of(run), [{"page_index": 1, "words": [word("nothing", 0.1)]}])
    paged.OCR.finish(store_of(run), [1], {})
    browser = signed_in(bob())
    text = one_line(browser.get(f"{url('show-review', ref)}?find=grand+total&page=3").content)
    assert "2 found on" in text
    assert text.count('<rect class="hit"') == 2
    assert 'href="?page=1&amp;find=grand%20total"' in text
    assert "“void” was not found." in one_line(browser.get(f"{url('show-review', ref)}?find=void").content)


def test_the_picture_of_the_next_document_is_named_and_nothing_is_claimed():
    _, here = mine(timeout=1000)
    taken, other = open_review("taken.pdf", timeout=2000)
    claims.claim_review(other, taken, by=person(alice()))
    run, following = open_review("next.pdf", timeout=3000)
    where = f"/review/ahead/?but={here.document_id}"
    assert signed_in(bob()).get(where).json() == {"picture": "", "name": ""}  # a text has none
    store_of(run).write(files.page_image(0), b"x", "image/png")
    with count_calls() as calls:
        found = signed_in(bob()).get(where).json()["picture"]
    assert found == f"/workflows/proj_test/{following.document_id}/pages/0.png?size=page"
    assert calls.of_page() == ["dynamodb.Query", "s3.ListObjectsV2"]
    assert queries.get_review(following).status == "PENDING"


def test_no_two_shortcuts_of_a_page_have_one_key():
    _, ref = open_review()
    for where, least in ((url("show-review", ref), 20), ("/review/", 3)):
        letters = re.findall(r'data-default="([^"]+)"', one_line(signed_in(bob()).get(where).content))
        assert len(letters) > least
        assert sorted(set(letters)) == sorted(letters)


@pytest.mark.parametrize("name", ["order.eml", "order.txt"])  # the text of a mail whose attachments were taken out
def test_a_mail_has_its_heads_its_attachments_and_the_words_of_its_fields(name):
    found = text_found()
    found["fields"][1]["raw"] = "31 March  2024"
    run, ref = open_review(name, found=found)
    lines = ["From: Ann <ann@example.org>", "Subject: Bill 7", "Dear all,", "of 31 March", "2024 <b>"]
    lines.append("Attached: a.pdf, b.pdf")
    put(run, files.segment(0), {"text_content": "\n".join(lines)})
    text = one_line(signed_in(bob()).get(url("show-review", ref)).content)
    assert '<dt>Subject</dt><dd dir="auto">Bill 7' in text
    assert "2 attachments" in text
    assert '<mark class="field-mark" data-mark="date">31 March' in text
    assert "&lt;b&gt;" in text
    assert "Attached:" not in text
    text = one_line(signed_in(bob()).get(f"{url('show-review', ref)}?find=dear").content)
    assert '<mark class="hit">Dear</mark>' in text


@pytest.mark.wide
def test_a_region_is_read_once_by_a_worker_for_the_holder_alone():
    run, ref = mine()
    sheet = Image.new("RGB", (1240, 1754), "white")
    ImageDraw.Draw(sheet).text((100, 230), "TOTAL 47.50", fill="black", font=ImageFont.load_default(60))
    body = io.BytesIO()
    sheet.save(body, "PNG")
    store_of(run).write(files.page_image(0), body.getvalue(), "image/png")
    where, browser = address("region", ref), signed_in(bob())
    with mock.patch.object(regions, "order_reading", return_value=True) as order:
        asked = browser.post(where, EDGES)
    assert asked.status_code == 202
    again = f"{where}?name={asked.json()['name']}"
    assert browser.get(again).status_code == 202
    region = order.call_args.args[1]
    region_reading.read_region(ref, region)
    assert "47.50" in browser.get(again).json()["text"]
    with mock.patch.object(region_reading, "read_page_once") as read:  # delivered twice
        tasks.read_region(**vars(ref), **vars(region))
    assert not read.called
    with mock.patch.object(regions, "order_reading") as order:
        assert "47.50" in browser.post(where, EDGES).json()["text"]
    assert not order.called
    assert signed_in(alice()).post(where, EDGES).status_code == 409
    assert signed_in(charlie()).post(where, EDGES).status_code == 403


@each("changes", [{"left": "x"}, {"left": "nan"}, {"right": "1.2"}, {"right": "0.05"}, {"bottom": "0.1"}])
def test_an_odd_region_is_refused(changes):
    _, ref = mine()
    answer = signed_in(bob()).post(address("region", ref), EDGES | changes)
    assert (answer.status_code, "egion" in answer.json()["problem"]) == (422, True)
    assert signed_in(bob()).get(address("region", ref) + "?name=../x").status_code == 404


def test_regions_of_one_minute_are_counted_and_a_queue_that_is_away_is_told():
    _, ref = mine()
    browser = signed_in(bob())
    with mock.patch.object(regions, "order_reading", return_value=True):
        answers = [browser.post(address("region", ref), EDGES | {"left": f"0.0{n:02d}"}).status_code for n in range(21)]
    assert answers == [202] * 20 + [422]
    with mock.patch.object(tasks.queues, "enqueue", side_effect=Unavailable("away")):
        answer = signed_in(bob()).post(address("region", ref), EDGES)
    assert "No worker is available" in answer.json()["problem"]


@pytest.mark.wide
def test_a_region_whose_page_is_gone_says_so():
    _, ref = mine()
    region = Region(0, 0.1, 0.1, 0.5, 0.5)
    region_reading.read_region(ref, region)
    found = region_reading.find_reading(ref, queries.get_review(ref), region.name(queries.get_review(ref)))
    assert found["problem"]


def test_a_recording_is_played_from_anywhere_beside_its_transcript():
    run, ref = open_review("call.wav", found=text_found())
    play = f"{url('show-review', ref)}recording/"
    assert signed_in(charlie()).get(play).status_code == 404  # no recording
    make_recording(run)
    spoken = {"transcript": "the total is 33.90 <i>", "start_time": 61.0, "end_time": 64.0}
    put(run, files.segment(0), {"text_content": "not twice", "transcribe_segments": [spoken]})
    text = one_line(signed_in(bob()).get(url("show-review", ref)).content)
    assert f'<audio class="player" src="{play}"' in text
    assert 'data-at="61.0" data-until="64.0"' in text
    assert "1:01" in text
    assert '<mark class="field-mark" data-mark="total">33.90</mark>' in text
    assert "not twice" not in text
    browser = signed_in(charlie())
    whole = browser.get(play)
    assert (whole.status_code, whole["Content-Type"], b"".join(whole.streaming_content)) == (200, "audio/wav", WAV)
    part = browser.get(play, headers={"range": "bytes=70000-70009"})
    assert (part.status_code, part["Content-Range"]) == (206, f"bytes 70000-70009/{len(WAV)}")
    assert b"".join(part.streaming_content) == WAV[70000:70010]
    assert browser.get(play, headers={"range": "bytes=9999999-"}).status_code == 416


def drawn_page(run, text):
    """A page image with one line of text."""
    picture = Image.new("RGB", (1240, 1754), "white")
    ImageDraw.Draw(picture).text((90, 200), text, "black", ImageFont.load_default(48))
    body = io.BytesIO()
    picture.save(body, "PNG")
    store_of(run).write(files.page_image(0), body.getvalue(), "image/png")


@pytest.mark.wide
def test_a_page_is_read_again_by_another_model_and_its_values_stand_beside_the_fields():
    run, ref = mine()
    drawn_page(run, "TOTAL EUR 38.10")
    where, browser = address("again", ref), signed_in(bob())
    assert "Read page 1 again" in one_line(browser.get(where).content)
    assert browser.post(where, {"model": "none"}).status_code == 422
    with mock.patch.object(again, "order_page_reading", return_value=True) as order:
        answer = browser.post(where, {"model": "pp-ocrv5"})
    name = order.call_args.args[1].name(queries.get_review(ref))
    assert answer["Location"].endswith(f"?page=1&reading={name}")
    assert "Reading page 1 again." in one_line(browser.get(f"{where}?name={name}").content)
    wish = {**vars(ref), "index": 0, "model_id": "pp-ocrv5", "user_id": str(bob().pk), "user_name": "Bob Ito"}
    tasks.read_page(**wish)
    with mock.patch.object(page_reading, "read_page_once") as read:  # delivered twice
        tasks.read_page(**wish)
    assert not read.called
    assert "every 2s" not in one_line(browser.get(f"{where}?name={name}").content)
    text = one_line(browser.get(url("show-review", ref)).content)
    assert 'data-use="38.10"' in text
    review = queries.get_review(ref)
    assert (review.status, review.holder) == ("CLAIMED", str(bob().pk))
    kinds = [row.type for row in run_queries.lineage(ref.site, ref.document_id).rows]
    assert kinds.count("HUMAN_REVIEW_PAGE_READ") == 1
    assert signed_in(alice()).post(where, {"model": "pp-ocrv5"}).status_code == 409  # it is Bob's


@pytest.mark.wide
def test_a_reading_that_comes_after_the_decision_changes_nothing():
    run, ref = mine()
    drawn_page(run, "TOTAL EUR 38.10")
    signed_in(bob()).post(url("decide", ref), form(bob(), ref))
    page_reading.read_page(ref, PageWish(0, "pp-ocrv5"), by=person(bob()))
    assert queries.get_review(ref).page_readings is None


def test_what_a_model_could_not_read_is_told():
    _, ref = mine()
    page_reading.read_page(ref, PageWish(0, "gone"), by=person(bob()))
    [name] = queries.get_review(ref).page_readings
    found = page_reading.find_reading(ref, queries.get_review(ref), name)
    assert (found["model"], bool(found["problem"])) == ("", True)
    assert signed_in(bob()).get(url("show-review", ref)).status_code == 200


def test_a_model_that_failed_is_told_by_its_name_as_others_are():
    _, ref = mine()
    with mock.patch.object(page_reading, "_read_values", side_effect=StageFailed("No answer.")):
        page_reading.read_page(ref, PageWish(0, "pp-ocrv5"), by=person(bob()))
    [name] = queries.get_review(ref).page_readings
    text = one_line(signed_in(bob()).get(f"{address('again', ref)}?name={name}").content)
    model = find_builtin_ocr("pp-ocrv5")
    assert model
    assert f"<bdi>{model.name}</bdi>: No answer." in text


def test_the_words_of_a_document_say_which_language_they_are_in_and_the_words_about_it_do_not():
    run, ref = mine(found={**text_found(), "language": "de"}, name="brief.eml")
    lines = ["From: Anna <anna@example.org>", "Subject: Rechnung", "Sehr geehrte", "# Posten", "- Eins", "| A | B |"]
    put(run, files.segment(0), {"text_content": "\n".join(lines)})
    text = one_line(signed_in(bob()).get(url("show-review", ref)).content)
    assert '<dt>Subject</dt><dd lang="de" dir="auto">Rechnung' in text
    assert '<p class="lines" lang="de" dir="auto">Sehr geehrte' in text
    assert '<h3 lang="de" dir="auto">Posten' in text
    assert '<li lang="de" dir="auto">Eins' in text
    assert '<table class="data-table boxed" lang="de">' in text
    said = dict(re.findall(r'<input class="text-input" id="i-f-(\w+)"([^>]*)>', text))
    assert said["company"].count('lang="de"') == 1  # as its value is found
    assert 'placeholder="Not found"' in said["currency"]
    assert "lang=" not in said["currency"]  # what stands in it is in the reader's language
    assert text.count('lang="en"') == 1  # the page's own


def test_a_recording_is_spoken_in_the_language_that_was_heard():
    run, ref = open_review("call.wav", found={**text_found(), "language": "en-US"})
    make_recording(run)
    spoken = {"transcript": "the total", "start_time": 1.0, "end_time": 4.0}
    put(run, files.segment(0), {"transcribe_segments": [spoken]})
    text = one_line(signed_in(charlie()).get(url("show-review", ref)).content)
    assert '<p lang="en-US" dir="auto">' in text


def test_a_document_of_unknown_language_has_none():
    run, ref = mine(found=text_found())
    put(run, files.segment(0), {"text_content": "Dear all"})
    text = one_line(signed_in(bob()).get(url("show-review", ref)).content)
    assert re.findall(r' lang="[^"]*"', text) == [' lang="en"']
