"""Each stage on an injected state: what it makes of it is asserted, and no other stage runs (seed 001)."""

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any
from unittest import mock

import pytest

from config import clock
from config.errors import NotFound, Refused, StageFailed
from projects.models.spec import BUILT_IN_OCR
from tests.each import each
from tests.factories import sample_files
from tests.tools import paper
from tests.workflows.stages.memory import page, settings
from tests.workflows.stages.test_webcrawler import ARTICLE, html, served
from workflows.operations import replay
from workflows.operations.replay import ReplayResult, State
from workflows.stages import formats, webcrawler
from workflows.stages.base import FieldSpec, StageContext
from workflows.stages.pages import layout
from workflows.stages.registry import STAGES
from workflows.stages.services import Output, Services, Transcript, Utterance
from workflows.storage import files

PAGE = {"segment_index": 0, "segment_type": "PAGE", "image": files.page_image(0), "width": 1000, "height": 1400}
PREPARED = {"file_type": "application/pdf", "segment_count": 1, "failed": [], "segments": [PAGE]}
PRINTED = page("Harbour Bakery Ltd", "Date 2024-03-31", "Total | 12.30")
TEXT = "\n".join(row.text for row in PRINTED.rows)
OCR = {
    "pages": [
        {"page_index": 0, "content": TEXT, "blocks": [], "width": 1000, "height": 1400, "slope": 0.0,
         "words": layout.words_to_store(PRINTED.lines)},
    ],
}  # fmt: skip
SEGMENT = {
    "segment_index": 0,
    "segment_type": "PAGE",
    "status": "parsing",
    "image_uri": files.page_image(0),
    "width": 1000,
    "height": 1400,
    "text_content": TEXT,
    "ai_analysis": [],
    "source": "ocr",
    "slope": 0.0,
    "words": layout.words_to_store(PRINTED.lines),
}
FIELD = {
    "name": "company",
    "label": "Company",
    "type": "text",
    "required": True,
    "threshold": 0.8,
    "allowed": [],
    "value": "Harbour Bakery Ltd",
    "raw": "Harbour Bakery Ltd",
    "confidence": 0.42,
    "page": 0,
    "box": None,
    "source": "rules",
    "candidates": [],
    "default": "",
}
TOTAL = FIELD | {"name": "total", "label": "Total", "type": "amount", "value": "12.30"}
RESULT = {
    "version": 1,
    "document_type": "receipt",
    "classification": None,
    "fields": [FIELD],
    "checks": [],
    "notes": [],
    "pages": [{"index": 0, "width": 1000, "height": 1400, "image": "", "title": "", "source": "ocr", "words": 6}],
}
BUILT = {files.PREPARED: PREPARED, files.segment(0): SEGMENT}


class Automated:
    """Data Automation that answers at once."""

    service, model = "bda", "Data Automation"

    def begin(self) -> str:
        return "job-1"

    def look(self, job: str) -> Output:
        assert job == "job-1"
        return Output({0: "# Harbour Bakery"}, "A receipt.")


class Heard:
    """A transcriber that answers at once."""

    service, model = "transcribe", "Transcribe"

    def begin(self) -> str:
        return "job-2"

    def look(self, job: str) -> Transcript:
        assert job == "job-2"
        return Transcript("Twelve thirty.", (Utterance(0, "Twelve thirty.", 0.0, 1.5),), "en", 0.9, 1.5)


def printed(tmp_path: Path) -> bytes:
    sheet = paper.Sheet(300, 120)
    sheet.text(30, 60, "Harbour Bakery", size=18)
    paper.picture(sheet, 150).save(tmp_path / "page.png")
    return (tmp_path / "page.png").read_bytes()


def prepared(done: ReplayResult) -> None:
    assert done.json(files.PREPARED)["segment_count"] == 1
    assert done.artifacts[files.page_image(0)].startswith(b"\x89PNG")


def parsed(done: ReplayResult) -> None:
    assert done.facts == {"pages": 1, "text_layer_pages": 1}
    assert done.json(files.TEXT_LAYER)["pages"][0]["words"]


def was_read(done: ReplayResult) -> None:
    assert done.json(files.OCR)["pages"][0]["content"] == "Harbour Bakery"


def automated(done: ReplayResult) -> None:
    assert done.json(files.BDA)["pages"] == [{"page_index": 0, "markdown": "# Harbour Bakery"}]


def heard(done: ReplayResult) -> None:
    assert "Twelve thirty." in json.dumps(done.json(files.TRANSCRIPT))


def crawled(done: ReplayResult) -> None:
    assert "words words" in json.dumps(done.json(files.CRAWL))


def built(done: ReplayResult) -> None:
    assert done.json(files.segment(0))["text_content"] == TEXT
    assert done.json(files.segment(0))["status"] == "parsing"


def analysed(done: ReplayResult) -> None:
    found = {one["name"]: one["value"] for one in done.json(files.result("replay"))["fields"]}
    assert (found["company"], found["date"], found["total"]) == ("Harbour Bakery Ltd", "2024-03-31", "12.30")


def assessed(done: ReplayResult) -> None:
    assert done.facts["review_required"] is True
    assert done.facts["unsure"] == 1
    reasons = [one["text"] for one in done.json(files.assessment("replay"))["reasons"]]
    assert any("Company" in reason and "42 %" in reason for reason in reasons)


def drawn(done: ReplayResult) -> None:
    names = {one["name"]: one.get("role") for one in done.json(files.GRAPH)["entities"]}
    assert names["A person's own words Ltd"] == "Company"  # of the injected decision


def summed_up(done: ReplayResult) -> None:
    assert done.json(files.SUMMARY)["total_pages"] == 1
    assert done.json(files.SUMMARY)["document_summary"] == "Receipt of Harbour Bakery Ltd, total 12.30."


DECIDED = {"corrections": {"company": "A person's own words Ltd"}}
CASES: dict[str, tuple[State, Callable[[ReplayResult], None]]] = {
    "segment_prep": (State(), prepared),
    "format_parser": (State(), parsed),
    "paddleocr_processor": (State({files.PREPARED: PREPARED}), was_read),
    "bda_processor": (State(settings={"use_bda": True}), automated),
    "transcribe": (State({files.PREPARED: PREPARED}, {"transcriber": "transcribe"}, file_type="audio/wav"), heard),
    "webcrawler": (State({files.PREPARED: PREPARED}, file_type=formats.WEB_REQUEST), crawled),
    "segment_builder": (State({files.PREPARED: PREPARED, files.OCR: OCR}), built),
    "segment_analyzer": (State(BUILT), analysed),
    "assess": (State({files.result("replay"): RESULT}, {"fields": [FIELD]}), assessed),
    "graph_builder": (State({**BUILT, files.result("replay"): RESULT}, decision=DECIDED), drawn),
    "document_summarizer": (State({**BUILT, files.result("replay"): RESULT | {"fields": [FIELD, TOTAL]}}), summed_up),
}


def test_every_stage_has_a_case() -> None:
    assert set(CASES) == set(STAGES)


@pytest.mark.wide
@each("step", CASES)
def test_a_stage_makes_of_an_injected_state_what_it_should(
    step: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    state, holds = CASES[step]
    context = _context(step)
    if step == "paddleocr_processor":
        state = replace(state, artifacts={**state.artifacts, files.page_image(0): printed(tmp_path)})
    ran: list[str] = []
    now = clock.now()
    monkeypatch.setattr(clock, "now", lambda: now)  # a page that is fetched says when
    others = {name: _noting(name, ran) for name in STAGES if name != step}
    with served({"/a": html(ARTICLE.format("A", ""))}) as site, mock.patch.dict(STAGES, others):
        inner = webcrawler.run
        request = tmp_path / "page.webreq"
        request.write_text(json.dumps({"url": site.url("/a")}))
        original = request if step == "webcrawler" else sample_files()[0]
        crawler = replace(STAGES["webcrawler"], run=lambda one: inner(one, site.network))
        state = replace(state, original=original)
        with mock.patch.dict(STAGES, {"webcrawler": crawler} if step == "webcrawler" else {}):
            first, second = replay.replay_stage(step, context, state), replay.replay_stage(step, context, state)
    holds(first)
    assert not ran
    assert (first.artifacts, first.facts) == (second.artifacts, second.facts)  # the same state, the same bytes
    assert json.loads(json.dumps(first.told, default=str))["step"] == step


def bare_context() -> StageContext:
    """Of nothing but what a test injects."""
    scratch = replay.Scratch(None, {}, frozenset())
    return StageContext("replay", "replay", "application/pdf", Path("none"), settings(), scratch, lambda: None)


def _context(step: str) -> StageContext:
    chosen = {"bda_processor": Services(automation=Automated()), "transcribe": Services(transcriber=Heard())}
    return replace(bare_context(), services=chosen.get(step, Services()))


def _noting(name: str, ran: list[str]) -> Any:
    def run(_context: StageContext) -> Any:
        ran.append(name)
        raise AssertionError(name)

    return replace(STAGES[name], run=run)


def test_an_artifact_can_be_taken_away() -> None:
    with pytest.raises(NotFound):
        replay.replay_stage("assess", bare_context(), State({files.result("replay"): None}))


def test_a_setting_is_laid_over_the_run_s() -> None:
    found = State({files.result("replay"): RESULT}, {"fields": [FIELD | {"threshold": 0.3}]})
    strict = State(found.artifacts, {"fields": [FIELD | {"threshold": 0.9}]})
    (loose, sure) = (replay.replay_stage("assess", bare_context(), one) for one in (found, strict))
    assert (loose.facts["unsure"], sure.facts["unsure"]) == (0, 1)
    with pytest.raises(Refused, match="no such setting: colour"):
        replay.replay_stage("assess", bare_context(), State(settings={"colour": "red"}))


def test_what_a_service_would_do_is_not_done() -> None:
    for step, change in (
        ("segment_analyzer", {"analyzer": "model"}),
        ("paddleocr_processor", {"ocr_model": "textract"}),
        ("bda_processor", {"use_bda": True}),
    ):
        with pytest.raises(Refused, match="a replay asks no service"):
            replay.replay_stage(step, bare_context(), State(settings=change))
    with pytest.raises(Refused, match="There is no stage publish"):
        replay.replay_stage("publish", bare_context())


def test_pages_are_read_again_if_another_ocr_model_is_injected_than_the_run_pinned() -> None:
    pinned = replace(settings(), ocr_model="textract", ocr=BUILT_IN_OCR["textract"].to_json())
    assert replay.settings_with(pinned, {"ocr_model": "pp-ocrv5"}).ocr_spec == BUILT_IN_OCR["pp-ocrv5"]
    own = replace(BUILT_IN_OCR["pp-ocrv5"], id="own", name="Own", pages="9-").to_json()
    injected = {files.PREPARED: PREPARED, files.TEXT_LAYER: {"pages": []}}
    state = State(settings={"ocr_model": "own", "ocr": own}, artifacts=injected)
    done = replay.replay_stage("paddleocr_processor", bare_context(), state)
    assert (done.status, done.artifacts) == ("skipped", {})


def test_a_stage_that_fails_says_why(tmp_path: Path) -> None:
    damaged = tmp_path / "a.pdf"
    damaged.write_bytes(b"not a file")
    with pytest.raises(StageFailed):
        replay.replay_stage("segment_prep", bare_context(), State(original=damaged))


@each(
    ("state", "words"),
    [
        ({"only": 5}, "Fix only"),
        ({"settings": 5, "artifacts": 3}, "Fix artifacts, settings"),
        ({"original": 7}, "Fix original"),
        ({"original": "none.pdf"}, "There is no file"),
        ([], "A state is a JSON object"),
    ],
)
def test_a_state_of_another_shape_is_refused_with_what_to_mend(tmp_path: Path, state: Any, words: str) -> None:
    with pytest.raises(Refused, match=words):
        replay.state_from(state, tmp_path)


def test_fields_that_are_none_are_refused() -> None:
    with pytest.raises(Refused, match="Each of the fields is an object"):
        replay.settings_with(settings(), {"fields": "x"})
    assert replay.state_from({"only": None, "original": None}, Path()) == State()


def test_a_general_threshold_holds_for_every_field_without_one_of_its_own():
    fields = tuple(FieldSpec(name, name, "text", False, threshold) for name, threshold in (("a", 0.8), ("b", 0.95)))
    found = replay.settings_with(replace(settings(), fields=fields, default_threshold=0.8), {"default_threshold": 0.5})
    assert [one.threshold for one in found.fields] == [0.5, 0.95]
    for wrong in ("half", 2, True):
        with pytest.raises(Refused, match="from 0 to 1"):
            replay.settings_with(settings(), {"default_threshold": wrong})
