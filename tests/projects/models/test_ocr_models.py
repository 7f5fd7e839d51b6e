"""OCR models stand in the catalogue beside language models: copied, changed, chosen by projects, read by programs."""

from dataclasses import replace
from typing import Any

import pytest

from config.environment import ModelEndpoint
from config.errors import NotFound, Refused
from projects.models import actions as model_actions
from projects.models import queries as model_queries
from projects.models.ocr_words import describe_ocr
from projects.models.spec import BUILT_IN_OCR, OcrSpec, ocr_spec_from, parse_pages
from projects.settings import queries as project_queries
from projects.sites.permissions import Permission
from tests.aws_faults import count_calls
from tests.html import one_line
from tests.people import alice, bob, signed_in
from tests.projects.models.catalogue import ADA, SPEC, add_model
from tests.projects.projects import make_project
from tests.workflows.test_api import API, problem, program

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("table")]
LIST = "/settings/models/"
TYPED = {
    "copy": "pp-ocrv5", "id": "fine", "name": "Fine print", "orientation": "lines", "dpi": "300",
    "pages": "1-3, 7, 9-", "least_score": "60", "languages": ["de", "fr"],
}  # fmt: skip


def add_ocr_model(model_id: str = "fine", *, site: str = "default", copy: str = "pp-ocrv5", **changes: Any) -> OcrSpec:
    spec = replace(BUILT_IN_OCR[copy], id=model_id, **{"name": f"OCR {model_id}", **changes})
    model_actions.create_model(site, spec, by=ADA)
    return spec


def text(response: Any) -> str:
    return one_line(response.content)


def test_both_kinds_are_listed_in_one_query() -> None:
    add_model("own")
    add_ocr_model(languages=("de",), dpi=300)
    with count_calls() as calls:
        page = text(signed_in(alice()).get(LIST))
    assert calls.names().count("dynamodb.Query") == 1
    for words in (
        "OCR models", "PP-OCR (built-in)", "Not installed", "install the package tesseract-ocr", "Endpoint not set up",
        "Ask the operator to set COUNTERSIGN_OCR_ENDPOINT_URL to a server", "OCR fine", "German", "300 dpi",
        "Minimum confidence 50 %", "Forms, Tables, Queries, Layout, Signatures", "Default",
    ):  # fmt: skip
        assert words in page
    assert [one.id for one in model_queries.list_models("default")] == ["bedrock", "bedrock-strong", "embedded", "own"]
    assert [one.id for one in model_queries.list_ocr_models("default")] == [*BUILT_IN_OCR, "fine"]


def test_a_copy_is_saved_with_what_its_engine_heeds() -> None:
    browser = signed_in(alice())
    page = text(browser.get(f"{LIST}new/?copy=pp-ocrv5"))
    assert 'name="copy" value="pp-ocrv5"' in page
    assert 'value="PP-OCR (built-in) (copy)"' in page
    for other in ("price_page", "features", "layout", "endpoint", "context"):
        assert f'name="{other}"' not in page
    assert browser.post(f"{LIST}new/", TYPED)["Location"] == LIST
    spec = model_queries.get_ocr_model("default", "fine")
    assert spec == OcrSpec(
        "fine", "Fine print", "pp-ocr", languages=("de", "fr"), orientation="lines", dpi=300, pages="1-3, 7, 9-",
        least_score=0.6,
    )  # fmt: skip
    assert ocr_spec_from(spec.to_json()) == spec
    browser.post(f"{LIST}fine/", {**TYPED, "version": "1", "name": "Finer", "pages": ""})
    entry = model_queries.get_entry("default", "fine")
    assert (entry.spec.name, entry.version) == ("Finer", 2)


@pytest.mark.parametrize(
    ("copy", "changes", "words"),
    [
        ("pp-ocrv5", {"dpi": "900"}, "Enter a whole number from 100 to 300."),
        ("pp-ocrv5", {"pages": "3-1"}, "Enter page numbers such as 1-3, 7, 9-"),
        ("pp-ocrv5", {"pages": "a"}, "Enter page numbers such as 1-3, 7, 9-"),
        ("pp-ocrv5", {"orientation": "page"}, "Select an option from the list."),
        ("pp-ocrv5", {"languages": ["xx"]}, "Select an option from the list."),
        ("pp-ocrv5", {"languages": ["ru"]}, "Select an option from the list."),
        ("pp-ocrv5", {"least_score": "101"}, "The maximum is 100 %"),
        ("pp-ocrv5", {"id": "textract"}, "belongs to a built-in model"),
        ("pp-ocrv5", {"id": "ocr"}, "reserved"),
        ("tesseract", {"orientation": "page", "layout": "block"}, "only with automatic or scattered text"),
        ("textract", {"features": []}, "Select at least one."),
        ("endpoint", {"endpoint": "https://evil"}, "Select an endpoint from the list."),
    ],
)
def test_what_cannot_be_is_refused(copy: str, changes: dict[str, Any], words: str) -> None:
    defaults = {"layout": "auto", "features": ["LAYOUT"], "orientation": ""}
    answer = signed_in(alice()).post(f"{LIST}new/", {**TYPED, **defaults, "copy": copy, **changes})
    assert answer.status_code in {409, 422}
    assert words in text(answer)
    assert len(model_queries.list_ocr_models("default")) == len(BUILT_IN_OCR)


def test_an_endpoint_is_one_of_the_deployers(settings: Any) -> None:
    settings.OCR_ENDPOINTS = {"gpu": ModelEndpoint("http://127.0.0.1:9/ocr", "very-secret")}
    browser = signed_in(alice())
    typed = {**TYPED, "copy": "endpoint", "endpoint": "gpu", "price_page": "0.0010"}
    assert browser.post(f"{LIST}new/", typed)["Location"] == LIST
    spec = model_queries.get_ocr_model("default", "fine")
    assert (spec.service, spec.model, str(spec.price_page)) == ("endpoint-gpu", "PaddleX endpoint gpu", "0.001")
    for url in (LIST, f"{LIST}fine/"):
        page = text(browser.get(url))
        assert "very-secret" not in page
        assert "127.0.0.1:9" not in page
    assert "$0.001" in text(browser.get(LIST))


def test_a_language_model_is_no_ocr_model_and_the_other_way_round() -> None:
    add_model("own", takeover="")
    add_ocr_model()
    with pytest.raises(NotFound):
        model_queries.get_model("default", "fine")
    with pytest.raises(NotFound):
        model_queries.get_ocr_model("default", "own")
    with pytest.raises(Refused, match="no longer in the catalogue"):
        model_actions.create_model("default", replace(SPEC, id="b", takeover="fine"), by=ADA)


def test_a_project_chooses_among_them_and_keeps_its_choice_from_removal() -> None:
    add_ocr_model()
    add_ocr_model("theirs", site="acme")
    project = make_project()
    browser = signed_in(alice())
    page = text(browser.get(f"/projects/{project.id}/edit/"))
    assert '<option value="fine">OCR fine</option>' in page
    assert "theirs" not in page
    make_project(ocr_model="fine")
    assert "In use by" in text(browser.post(f"{LIST}fine/remove/", {"version": "1"}, follow=True))
    assert {one.settings.ocr_model for one in project_queries.every_project("default")} == {"pp-ocrv5", "fine"}


def test_programs_of_admins_list_and_read_them(settings: Any) -> None:
    spec = add_ocr_model(dpi=200)
    add_model("own")
    add_ocr_model("theirs", site="acme")
    client = program(Permission.ADMIN)
    items = client.get(f"{API}/models/ocr").json()["items"]
    assert [(one["id"], one["version"]) for one in items] == [*((one, 0) for one in BUILT_IN_OCR), ("fine", 1)]
    shown = client.get(f"{API}/models/ocr/fine").json()
    assert (shown["dpi"], shown["features"], shown["sha256"]) == (200, None, spec.sha256)
    for gone in ("ocr/theirs", "ocr/own", "ocr/a%23b", "fine"):
        problem(client.get(f"{API}/models/{gone}"), 404)
    other = program(Permission.READ, Permission.WRITE)
    for path in ("/models/ocr", "/models/ocr/pp-ocrv5"):
        problem(other.get(f"{API}{path}"), 403)


def test_of_two_admins_who_save_the_second_is_told() -> None:
    add_ocr_model()
    browser = signed_in(alice())
    typed = {**TYPED, "version": "1", "name": "First"}
    assert browser.post(f"{LIST}fine/", typed)["Location"] == LIST
    assert 'value="OCR fine"' not in text(browser.get(f"{LIST}fine/"))
    answer = browser.post(f"{LIST}fine/", {**typed, "name": "Second"})
    assert answer.status_code == 409
    assert "changed this model" in text(answer)
    assert browser.post(f"{LIST}fine/", {**typed, "dpi": "1"}).status_code == 422


def test_what_a_model_does_is_told_in_words() -> None:
    spec = replace(BUILT_IN_OCR["tesseract"], layout="sparse", orientation="page", pages="2-")
    assert list(describe_ocr(spec)) == ["Detect page orientation", "Scattered text", "Pages 2-"]


def test_others_change_nothing() -> None:
    add_ocr_model()
    browser = signed_in(bob())
    assert browser.get(f"{LIST}new/?copy=pp-ocrv5").status_code == 403
    assert browser.post(f"{LIST}fine/", {**TYPED, "version": "1"}).status_code == 403


def test_what_changes_a_reading_changes_its_digest_and_a_name_does_not() -> None:
    spec = BUILT_IN_OCR["pp-ocrv5"]
    assert replace(spec, id="x", name="X").sha256 == spec.sha256
    assert len({spec.sha256, replace(spec, dpi=200).sha256, replace(spec, languages=("de",)).sha256}) == 3


def test_a_range_tells_which_pages_are_read() -> None:
    spec = replace(BUILT_IN_OCR["pp-ocrv5"], pages="1-2, 5, 8-")
    assert [index + 1 for index in range(9) if spec.reads(index)] == [1, 2, 5, 8, 9]
    for wrong in ("0", "2-1", "x", "1-2-3", "-3"):
        with pytest.raises(ValueError, match=wrong):
            list(parse_pages(wrong))
