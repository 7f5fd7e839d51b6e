"""The page as a tool: turned, zoomed, dragged and paged by mouse and by key, with focus where it was."""

import io
import json
import re

import pytest
from PIL import Image
from playwright.sync_api import BrowserContext, Page, Route, expect
from pytest_django.live_server_helper import LiveServer

from review.desk.page_tools import region_reading, regions
from review.identity import ReviewRef
from tests.browser.desk import check_all, claim, expect_saved, field, in_sight, sign_in
from tests.browser.test_accessibility import faults
from tests.people import bob
from tests.review.recordings import make_recording
from tests.review.reviews import open_review, result
from workflows.providers.page_readers import ReadOnce
from workflows.runs.items import Run
from workflows.stages.pages import layout
from workflows.stages.pages.reading import PageReading
from workflows.stages.usage import Usage
from workflows.storage import files
from workflows.storage.objects import DocumentFiles

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("table")]


def three_pages() -> tuple[Run, ReviewRef]:
    """The total, which is in doubt, stands on the second page; the others are on the first."""
    found = result()
    found["pages"] = [{**found["pages"][0], "index": index, "image": files.page_image(index)} for index in range(3)]
    next(one for one in found["fields"] if one["name"] == "total")["page"] = 1
    run, ref = open_review(found=found)
    store = DocumentFiles(run.site, run.project_id, run.document_id)
    entries: list[dict[str, object]] = []
    for index in range(3):
        picture = io.BytesIO()
        Image.linear_gradient("L").resize((1240, 1754)).save(picture, "PNG")
        store.write(files.page_image(index), picture.getvalue(), "image/png")
        words = [
            {"text": text, "box": [left, 0.1, left + 0.1, 0.12], "score": 1.0, "block": 0}
            for text, left in (("47.50", 0.1), ("EUR", 0.25), (f"page{index}", 0.4))
        ]
        segment = {"words": words, "page_index": index, "text": ""}
        store.write(files.segment(index), json.dumps(segment).encode(), "application/json")
        entries.append(segment)
    store.write(files.TEXT_LAYER, json.dumps({"pages": entries}).encode(), "application/json")
    return run, ref


@pytest.fixture
def page(live_server: LiveServer, context: BrowserContext) -> Page:
    bob()
    _, ref = three_pages()
    page = context.new_page()
    sign_in(page, live_server, "bob")
    claim(page, f"{live_server.url}/review/{ref.document_id}/{ref.review_id}/")
    return page


def width(page: Page) -> float:
    return float(page.locator(".page-image").evaluate("one => one.getBoundingClientRect().width"))


def shown(page: Page) -> int:
    return int(page.locator(".page-image").get_attribute("data-index") or "") + 1


def expect_page(page: Page, number: int) -> None:
    expect(page.locator(f".page-image[data-index='{number - 1}']")).to_be_visible()


def hold_pages(page: Page) -> list[Route]:
    """The pages that are asked for, none of which comes by itself."""
    asked: list[Route] = []

    def hold(route: Route) -> None:
        asked.append(route)

    page.route(lambda address: "?page=" in address, hold)
    return asked


def ask_for_third_and_leave(page: Page) -> list[Route]:
    """By its number; the box is left before the page comes."""
    asked = hold_pages(page)
    for press in ("p", "3", "Enter", "Escape"):
        page.keyboard.press(press)
    return asked


def let_come(page: Page, asked: list[Route]) -> None:
    while not asked:
        page.wait_for_timeout(20)
    asked.pop().continue_()


def test_pages_by_key_number_and_mouse_keep_zoom_and_focus(page: Page, console: list[str]) -> None:
    keys = page.keyboard
    expect_page(page, 2)  # what has to be checked stands there
    expect(page.locator("#f-total")).to_be_focused()
    keys.press("+")
    keys.press("+")
    zoomed = width(page)
    keys.press("PageUp")
    expect_page(page, 1)
    expect(page.locator("#f-total")).to_be_focused()
    assert width(page) == pytest.approx(zoomed, abs=1)
    keys.press("p")
    keys.type("3")
    keys.press("Enter")
    expect_page(page, 3)
    expect(page.locator("[data-go-to] input")).to_be_focused()
    assert width(page) == pytest.approx(zoomed, abs=1)
    keys.press("Escape")
    expect(page.locator("#f-total")).to_be_focused()
    page.get_by_label("Previous page", exact=True).click()
    expect_page(page, 2)
    expect(page.get_by_label("Previous page", exact=True)).to_be_focused()
    page.get_by_label("Previous page", exact=True).click()
    expect_page(page, 1)
    expect(page.locator(".page-scroll")).to_be_focused()  # there is no page before the first
    page.locator(".page-strip a").nth(1).click()
    expect(page.locator(".page-strip [aria-current]")).to_be_focused()
    assert shown(page) == 2
    keys.press("0")
    expect(page.locator(".page-image")).to_have_attribute("width", "100%")
    assert console == []


def test_a_page_is_turned_with_its_boxes_and_cut_outs(page: Page) -> None:
    box, crop = page.locator("[data-box='total'] rect"), page.locator("#f-total .field-crop")
    before, cut = box.bounding_box(), crop.get_attribute("viewBox")
    page.keyboard.press("t")
    expect(page.locator(".page-image")).to_have_attribute("viewBox", "0 0 1754 1240")
    after = box.bounding_box()
    assert before
    assert after
    assert before["width"] > before["height"]
    assert after["width"] < after["height"]
    assert crop.get_attribute("viewBox") != cut
    page.reload()  # it is remembered
    expect(page.locator(".page-image")).to_have_attribute("viewBox", "0 0 1754 1240")
    for _ in range(3):
        page.get_by_role("button", name="Rotate page", exact=True).click()
    expect(crop).to_have_attribute("viewBox", cut or "")


def test_wheel_and_drag_move_the_page_under_the_pointer(page: Page) -> None:
    frame = page.locator(".page-scroll").bounding_box()
    assert frame
    x, y = frame["x"] + 300, frame["y"] + 400
    page.mouse.move(x, y)
    before = width(page)
    page.keyboard.down("Control")
    page.mouse.wheel(0, -300)
    page.keyboard.up("Control")
    larger = "before => document.querySelector('.page-image').getBoundingClientRect().width > before"
    page.wait_for_function(larger, arg=before)
    scrolled = page.locator(".page-scroll").evaluate("one => [one.scrollLeft, one.scrollTop]")
    page.mouse.down()
    page.mouse.move(x - 40, y - 60, steps=4)
    page.mouse.up()
    moved = page.locator(".page-scroll").evaluate("one => [one.scrollLeft, one.scrollTop]")
    assert moved == [pytest.approx(scrolled[0] + 40, abs=2), pytest.approx(scrolled[1] + 60, abs=2)]
    expect(page.locator("#f-total")).to_have_class("exception active")  # the end of a drag chose nothing else
    page.get_by_role("button", name="Show boxes", exact=True).click()
    expect(page.locator(".page-image .field-box:visible")).to_have_count(1)  # the chosen field's


def test_a_small_screen_shows_the_active_field_at_a_readable_size(page: Page) -> None:
    page.set_viewport_size({"width": 375, "height": 740})
    page.locator("#f-total").click(position={"x": 10, "y": 10})
    box = page.locator("[data-box='total'] rect")
    expect(box).to_be_in_viewport()
    found = box.bounding_box()
    assert found
    assert found["height"] >= 17


def test_a_small_receipt_is_enlarged_while_a_value_that_was_not_found_is_looked_for(
    live_server: LiveServer, context: BrowserContext
) -> None:
    bob()
    found = result()
    for one in found["fields"]:
        if one["name"] == "total":
            one.update(value=None, box=None, page=None, confidence=0.0)
        elif one.get("box"):
            left, top, right, bottom = one["box"]
            one["box"] = [0.4 + left / 8, 0.3 + top / 8, 0.4 + right / 8, 0.3 + bottom / 8]
    _, ref = open_review(found=found)
    page = context.new_page()
    sign_in(page, live_server, "bob")
    claim(page, f"{live_server.url}/review/{ref.document_id}/{ref.review_id}/")
    page.get_by_role("button", name="Auto", exact=True).click()
    page.locator("#f-total").click(position={"x": 10, "y": 10})
    expect(page.locator("#f-total")).to_have_class("exception active")
    boxes = page.locator(".page-image .field-box")
    heights = boxes.evaluate_all("all => all.map((one) => one.getBoundingClientRect().height)")
    assert min(heights) >= 15
    expect(boxes.first).to_be_in_viewport()
    page.locator("#f-total").focus()
    page.keyboard.press("Enter")  # nothing to confirm: it is to be typed
    expect(field(page, "total")).to_be_focused()


def test_pictures_are_small_and_the_next_one_is_there(page: Page) -> None:
    seen: set[str] = set()
    page.on("request", lambda one: seen.add(one.url.split("?")[1]) if ".png" in one.url else None)
    page.goto(page.url + "?page=1")
    page.wait_for_function(
        "() => performance.getEntriesByType('resource').some((one) => one.name.endsWith('pages/1.png?size=page'))"
    )
    assert seen <= {"size=page", "size=thumb"}


def test_an_enlarged_page_is_fetched_sharper_once_and_not_as_it_is_stored(page: Page) -> None:
    seen: list[str] = []
    page.on("request", lambda one: seen.append(one.url) if "pages/1.png" in one.url else None)
    zoom_in = page.get_by_role("button", name="Zoom in")
    image = page.locator(".page-image image").first
    page.get_by_role("button", name="Fit to width").click()
    expect(image).to_have_attribute("href", re.compile(r"\?size=page$"))
    for _ in range(6):
        zoom_in.click()
    expect(image).to_have_attribute("href", re.compile(r"\?size=zoom$"))
    page.get_by_role("button", name="Fit to width").click()
    zoom_in.click()
    page.wait_for_timeout(300)
    assert [one.rpartition("?")[2] for one in seen] == ["size=zoom"]


def test_keys_are_changed_and_reset(page: Page) -> None:
    keys = page.keyboard
    keys.press("?")
    page.get_by_role("button", name="Next field (or ↓): J. Change key").click()
    keys.press("k")
    expect(page.locator("[data-keys-told]")).to_contain_text("K is used for “Previous field")
    page.get_by_role("button", name="Approve and open next: A. Change key").click()
    keys.press("=")  # every letter has its act
    expect(page.locator("[data-keys-told]")).to_contain_text("Approve and open next: =.")
    keys.press("Escape")
    expect(page.locator("[data-approve] .key")).to_have_text("=")
    page.reload()
    expect(page.locator("[data-approve] .key")).to_have_text("=")
    keys.press("?")
    page.get_by_role("button", name="Reset keys").click()
    expect(page.locator("[data-approve] .key")).to_have_text("A")


def drag(page: Page, start: tuple[float, float], end: tuple[float, float]) -> None:
    """From one place of the page to another, in fractions of it."""
    at = page.locator(".page-image").bounding_box()
    assert at
    page.mouse.move(at["x"] + start[0] * at["width"], at["y"] + start[1] * at["height"])
    page.mouse.down()
    page.mouse.move(at["x"] + end[0] * at["width"], at["y"] + end[1] * at["height"], steps=4)
    page.mouse.up()


def test_words_fill_the_active_field_by_press_and_by_drag(page: Page, console: list[str]) -> None:
    total = field(page, "total")
    page.locator(".page-image").hover(position={"x": 20, "y": 20})
    page.locator("[data-word='47.50']").click(force=True)
    expect(total).to_have_value("47.50")
    expect(total).to_be_focused()
    expect_saved(page)
    page.locator("[data-word='EUR']").click(modifiers=["Control"], force=True)
    expect(total).to_have_value("47.50 EUR")
    page.keyboard.press("Control+z")
    expect(total).to_have_value("47.50")
    page.get_by_role("button", name="Select words", exact=True).click()
    drag(page, (0.2, 0.09), (0.6, 0.13))
    expect(total).to_have_value("EUR page1")
    expect(page.locator("[data-words-told]")).to_have_text("Filled: EUR page1")
    assert console == []


def test_with_boxes_off_the_words_under_the_active_box_are_pressed(page: Page) -> None:
    total = field(page, "total")
    page.locator("#f-total").focus()
    was = total.input_value()
    page.locator(".page-image").hover(position={"x": 20, "y": 20})
    box = page.locator(".field-box.active")
    page.locator("[data-word='47.50']").evaluate(
        """word => {
          const box = document.querySelector(".field-box.active");
          for (const name of ["x", "y", "width", "height"]) word.setAttribute(name, box.getAttribute(name));
        }"""
    )
    box.scroll_into_view_if_needed()
    at = box.bounding_box()
    assert at
    middle = (at["x"] + at["width"] / 2, at["y"] + at["height"] / 2)
    page.mouse.click(*middle)  # the box is in front
    expect(total).to_be_focused()
    expect(total).to_have_value(was)
    page.keyboard.press("Escape")
    page.keyboard.press("b")
    expect(box).to_be_visible()
    page.mouse.click(*middle)
    expect(total).to_have_value("47.50")


def test_a_region_without_text_is_read_by_a_worker(page: Page, monkeypatch: pytest.MonkeyPatch) -> None:
    def read(ref: ReviewRef, region: region_reading.Region) -> bool:
        region_reading.read_region(ref, region)
        return True

    lines = layout.lines_of([{"text": "12.00", "box": [0, 0, 1, 1], "score": 1, "block": 0}], 0)
    once = ReadOnce(PageReading(0, lines), Usage("local", "m"))
    monkeypatch.setattr(region_reading, "read_page_once", lambda *_args: once)
    monkeypatch.setattr(regions, "order_reading", read)
    page.locator(".page-image").hover(position={"x": 20, "y": 20})
    page.keyboard.press("s")
    drag(page, (0.2, 0.3), (0.6, 0.35))
    expect(field(page, "total")).to_have_value("12.00")


def test_a_document_is_searched_by_key_from_page_to_page(page: Page) -> None:
    page.keyboard.press("/")
    expect(page.get_by_label("Find in document")).to_be_focused()
    page.keyboard.type("eur page")
    page.keyboard.press("Enter")
    expect(page.locator(".viewer-told")).to_contain_text("3 found on")
    expect(page.locator(".page-image rect.hit")).to_have_count(2)
    expect(page.get_by_label("Find in document")).to_be_focused()
    page.keyboard.press("Enter")  # the next page that has it
    expect_page(page, 3)
    expect(page.locator(".page-image rect.hit")).to_have_count(2)
    assert faults(page) == []
    page.get_by_label("Clear search").click()
    expect(page.locator(".page-image rect.hit")).to_have_count(0)


def claimed_recording(live_server: LiveServer, context: BrowserContext) -> Page:
    bob()
    found = result()
    found["pages"] = [{"index": 0, "width": 1000, "height": 1414, "image": None, "title": "", "source": "text"}]
    for one in found["fields"]:
        one["box"] = None
    run, ref = open_review("call.wav", found=found)
    make_recording(run)
    spoken = [
        {"transcript": "good morning the total is 33.90", "start_time": 2.0, "end_time": 8.0},
        {"transcript": "thank you", "start_time": 20.0, "end_time": 22.0},
    ]
    segment = {"text_content": "", "transcribe_segments": spoken}
    store = DocumentFiles(run.site, run.project_id, run.document_id)
    store.write(files.segment(0), json.dumps(segment).encode(), "application/json")
    page = context.new_page()
    sign_in(page, live_server, "bob")
    claim(page, f"{live_server.url}/review/{ref.document_id}/{ref.review_id}/")
    expect(page.locator("[data-mark='total']")).to_have_class("field-mark active")
    page.wait_for_function("() => document.querySelector('[data-player]').readyState >= 1")
    return page


def test_a_recording_goes_on_where_it_was_after_a_refused_decision(
    live_server: LiveServer, context: BrowserContext
) -> None:
    page = claimed_recording(live_server, context)
    check_all(page)
    page.evaluate("Object.assign(document.querySelector('[data-player]'), { currentTime: 12, playbackRate: 1.75 })")
    page.locator("[name='field-total']").fill("about ten")
    page.locator("[data-approve]").click()
    expect(page.locator("[data-sent-error]")).to_be_visible()
    page.wait_for_function("() => document.querySelector('[data-player]').readyState >= 1")
    now = "(({ currentTime, playbackRate, paused }) => [currentTime, playbackRate, paused])"
    assert page.evaluate(f"{now}(document.querySelector('[data-player]'))") == [12, 1.75, True]


def test_a_recording_plays_beside_its_transcript_and_its_words_jump(
    live_server: LiveServer, context: BrowserContext, console: list[str]
) -> None:
    page = claimed_recording(live_server, context)
    page.locator("[data-said]", has_text="thank").click()
    expect(page.locator(".heard")).to_have_text("thank")
    now = "document.querySelector('[data-player]').currentTime"
    assert page.evaluate(now) == pytest.approx(20, abs=0.1)
    page.locator("#f-total").focus()
    page.keyboard.press(",")
    assert page.evaluate(now) == pytest.approx(17, abs=0.1)
    page.keyboard.press("q")
    assert page.evaluate("document.querySelector('[data-player]').playbackRate") == 1.25
    assert faults(page) == []
    assert console == []


def test_the_next_document_is_there_before_it_opens(
    live_server: LiveServer, context: BrowserContext, console: list[str]
) -> None:
    bob()
    first, second = three_pages()[1], three_pages()[1]
    page = context.new_page()
    sign_in(page, live_server, "bob")
    url = f"{live_server.url}/review/{first.document_id}/{first.review_id}/"
    claim(page, url)
    page.goto(f"{url}?page=3")
    expect_page(page, 3)  # the page of the address, though what has to be checked is on another
    page.wait_for_function(
        "id => performance.getEntriesByType('resource').some((one) => one.name.includes(`${id}/pages/0.png`))",
        arg=second.document_id,
    )
    assert console == []


def test_decisions_by_keyboard_cost_less_than_150_kb_each(live_server: LiveServer, context: BrowserContext) -> None:
    bob()
    waiting = [three_pages()[1] for _ in range(3)]
    page = context.new_page()
    sign_in(page, live_server, "bob")
    claim(page, f"{live_server.url}/review/{waiting[0].document_id}/{waiting[0].review_id}/")
    sent = context.new_cdp_session(page)
    sent.send("Network.enable")
    sizes: list[int] = []
    sent.on("Network.loadingFinished", lambda event: sizes.append(event["encodedDataLength"]))
    for _ in waiting[1:]:
        sizes.clear()
        before = page.url
        in_sight(page)
        page.keyboard.press("Enter")
        page.keyboard.press("a")
        expect(page).not_to_have_url(before)
        page.wait_for_load_state("networkidle")
        assert 0 < sum(sizes) <= 150_000


@pytest.mark.wide
def test_what_is_typed_while_a_page_comes_stays(page: Page) -> None:
    asked = ask_for_third_and_leave(page)
    keys = page.keyboard
    keys.press("/")
    keys.type("page")
    page.wait_for_function("() => document.activeElement.value === 'page'")
    let_come(page, asked)
    expect_page(page, 3)
    find = page.locator("[data-find] [type='search']")
    expect(find).to_be_focused()
    expect(find).to_have_value("page")
    keys.type("2")
    keys.press("Enter")
    page.wait_for_function("() => document.querySelector('[data-find] [type=search]').value === 'page2'")
    let_come(page, asked)
    expect(page.locator(".viewer-told")).to_contain_text("1 found on 3")


@pytest.mark.wide
def test_who_leaves_the_number_is_not_called_back(page: Page) -> None:
    asked = ask_for_third_and_leave(page)
    expect(page.locator("#f-total")).to_be_focused()
    let_come(page, asked)
    expect_page(page, 3)
    expect(page.locator("#f-total")).to_be_focused()
