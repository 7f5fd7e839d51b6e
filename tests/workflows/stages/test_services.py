"""Stages whose work somebody else does: what is asked, what lies in the artifacts, what is counted."""

from dataclasses import replace
from pathlib import Path

import pytest

from config.errors import ProviderPaused, StageFailed
from tests.tools.paper import Sheet, save
from tests.workflows.stages.memory import context, kept
from workflows.stages import (
    assess,
    format_parser,
    paddleocr_processor,
    segment_analyzer,
    segment_builder,
    segment_prep,
    usage,
)
from workflows.stages.base import FieldSpec, StageContext, StartedJob
from workflows.stages.pages import page_entries
from workflows.stages.pages.layout import Line, Word
from workflows.stages.pages.reading import Answer, Cell, DocumentReading, FormField, PageReading, Spot, Table
from workflows.stages.registry import STAGES
from workflows.stages.services import (
    GivenValue,
    PageAnswer,
    PageQuestion,
    PageReply,
    Services,
    UnusableAnswer,
    questions,
)
from workflows.stages.usage import Usage

TOTAL = FieldSpec("total", "Total", "amount", required=True, threshold=0.8)
DATE = FieldSpec("date", "Date", "date", required=True, threshold=0.8)


def scanned(folder: Path, pages: int = 2, **services: object) -> StageContext:
    sheets = [Sheet(200, 300) for _ in range(pages)]
    for sheet in sheets:  # a picture of a page: no text layer
        sheet.bar((0, 0, 200, 300), (0.9, 0.9, 0.9))
    ctx = context(save(sheets, folder / "a.pdf"), fields=(TOTAL, DATE))
    ctx = replace(ctx, services=Services(**services))
    segment_prep.run(ctx)
    format_parser.run(ctx)
    return ctx


def line(text: str, index: int, score: float = 0.98) -> Line:
    words = text.split()
    return Line(index, tuple(Word(word, (0.1 * i, 0.1, 0.1 * i + 0.09, 0.12), score) for i, word in enumerate(words)))


class Reader:
    """Reads "Total 9.00" on every page."""

    service, model = "endpoint", "Model endpoint ocr.example"

    def __init__(self, fails: int | None = None) -> None:
        self.fails = fails
        self.asked: list[int] = []

    def read(self, image: bytes, index: int, size: tuple[int, int]) -> PageReading:
        assert image.startswith(b"\x89PNG")
        self.asked.append(index)
        if index == self.fails:
            raise StageFailed("The model endpoint rejected this page: it returned 400.")
        return PageReading(index, (line("Total 9.00", index),))


class Textract:
    """A job that is under way at the first look."""

    service, model = "textract", "Amazon Textract"

    def __init__(self, *readings: DocumentReading | None) -> None:
        self.readings = list(readings)
        self.begun: list[dict[str, str]] = []

    def begin(self, fields: dict[str, str]) -> str:
        self.begun.append(fields)
        return "job-1"

    def look(self, job: str) -> DocumentReading | None:
        assert job == "job-1"
        return self.readings.pop(0)


def test_another_engine_reads_the_pages_and_is_named_and_counted(tmp_path):
    reader = Reader()
    ctx = scanned(tmp_path, page_reader=reader)
    done = paddleocr_processor.run(ctx)
    assert reader.asked == [0, 1]
    assert done.facts == {"pages": 2, "model": "Model endpoint ocr.example"}
    (used,) = done.used
    assert (used.service, used.pages) == ("endpoint", 2)
    head = kept(ctx).json("paddleocr/result.json")
    assert (head["model"], head["model_asked_for"]) == ("Model endpoint ocr.example", "pp-ocrv5")
    (page, _) = head["pages"]
    assert page["content"] == "Total 9.00"
    assert page["blocks"][0]["block_bbox"] == [
        0,
        round(0.1 * page["height"]),
        round(0.19 * page["width"]),
        round(0.12 * page["height"]),
    ]
    assert page["words"][1] == {"text": "9.00", "box": [0.1, 0.1, 0.19, 0.12], "score": 0.98, "block": 0}


def test_a_page_that_it_does_not_take_fails_alone(tmp_path):
    ctx = scanned(tmp_path, page_reader=Reader(fails=1))
    done = paddleocr_processor.run(ctx)
    assert done.failed == {1}
    assert "returned 400" in kept(ctx).json("paddleocr/result.json")["pages"][1]["error"]
    assert done.used[0].pages == 1


def test_a_service_that_does_not_answer_is_no_pages_fault(tmp_path):
    class Gone(Reader):
        def read(self, image, index, size):
            raise ProviderPaused("gone", provider="endpoint", seconds=9)

    with pytest.raises(ProviderPaused):
        paddleocr_processor.run(scanned(tmp_path, page_reader=Gone()))


def test_a_job_reads_the_whole_document_before_the_stage_begins(tmp_path):
    answer = Answer("What is the total?", "total", Spot("$ 9.00", 1, (0.1, 0.1, 0.2, 0.12), 0.93))
    wrong = Answer("What is the date?", "date", Spot("soon", 1, None, 0.9))
    form = FormField("Total", Spot("9.00", 1, None, 0.9))
    table = Table(1, None, (Cell(0, 0, "a", 1.0),))
    second = PageReading(1, (line("Total 9.00", 1),), (form,), (table,), (answer, wrong))
    service = Textract(None, DocumentReading((PageReading(0, (line("Hello", 0),)), second)))
    ctx = scanned(tmp_path, document_reader=service)
    job = STAGES["paddleocr_processor"].job
    assert job is not None
    assert job.begin(ctx) == StartedJob("textract", "job-1")
    assert service.begun == [{"total": "Total", "date": "Date"}]
    assert job.collect(ctx, "job-1") is False
    assert job.collect(ctx, "job-1") is True
    done = paddleocr_processor.run(ctx)
    assert done.facts == {"pages": 2, "model": "Amazon Textract"}
    assert done.used == (Usage("textract", "Amazon Textract", pages=2, calls=1),)
    segment_builder.run(ctx)
    segment = kept(ctx).json("analysis/segment_0001.json")
    assert segment["forms"] == [{"key": "Total", "value": "9.00", "ticked": None}]
    assert segment["tables"] == ["| a |\n| --- |"]
    assert [one["value"] for one in segment["given"]] == ["9.00"]  # "soon" is no date
    segment_analyzer.run(ctx)
    total = kept(ctx).json("runs/run1/result.json")["fields"][0]
    assert (total["value"], total["source"], total["page"], total["box"]) == (
        "9.00",
        "textract",
        1,
        [0.1, 0.1, 0.2, 0.12],
    )
    assert total["confidence"] >= 0.93


def test_collecting_twice_leaves_the_same(tmp_path):
    reading = DocumentReading((PageReading(0, (line("Hello", 0),)), PageReading(1)))
    ctx = scanned(tmp_path, document_reader=Textract(reading, reading))
    paddleocr_processor.JOB.collect(ctx, "job-1")
    first = dict(kept(ctx).kept)
    paddleocr_processor.JOB.collect(ctx, "job-1")
    assert kept(ctx).kept == first


def test_a_page_that_the_job_could_not_read_fails_alone(tmp_path):
    ctx = scanned(
        tmp_path, pages=3, document_reader=Textract(DocumentReading((PageReading(0), PageReading(1)), {1: "X"}))
    )
    paddleocr_processor.JOB.collect(ctx, "job-1")
    done = paddleocr_processor.run(ctx)
    assert done.failed == {1, 2}


def test_where_every_page_has_its_text_no_job_is_begun(tmp_path):
    sheet = Sheet(400, 600)
    sheet.text(40, 50, "All prices in pounds sterling and a few more words")
    ctx = replace(context(save([sheet], tmp_path / "a.pdf")), services=Services(document_reader=Textract()))
    segment_prep.run(ctx)
    format_parser.run(ctx)
    assert paddleocr_processor.JOB.begin(ctx) is None
    assert paddleocr_processor.run(ctx).status == "skipped"


def test_without_a_service_there_is_no_job(tmp_path):
    ctx = scanned(tmp_path)
    assert paddleocr_processor.JOB.begin(ctx) is None
    assert paddleocr_processor.JOB.collect(ctx, "x") is True


USED = Usage("bedrock", "cheap", calls=1, tokens_in=10, tokens_out=2)


class Model:
    """Gives the same answer for every page, and remembers what it was asked."""

    def __init__(self, *given: GivenValue, wrong_on: int | None = None) -> None:
        self.given = given
        self.wrong_on = wrong_on
        self.error: StageFailed = UnusableAnswer("total: 'x' is no amount.", usage=(USED,))
        self.asked: list[PageQuestion] = []
        self.problem = ""

    def read_page(self, question: PageQuestion) -> PageReply:
        self.asked.append(question)
        if self.wrong_on == len(self.asked) - 1:
            raise self.error
        names = {spec.name for spec in question.specs}
        given = tuple(one for one in self.given if one.name in names)
        return PageReply(PageAnswer(given, "A receipt.", "receipt", ("Alder",)), "cheap", (USED,), self.problem)


def analysed(folder: Path, model: Model, pages: int = 1) -> tuple[StageContext, object]:
    ctx = scanned(folder, pages, page_reader=Reader(), analyst=model)
    for stage in (paddleocr_processor, segment_builder):
        stage.run(ctx)
    return ctx, segment_analyzer.run(ctx)


def result(ctx: StageContext) -> dict:
    return {one["name"]: one for one in kept(ctx).json("runs/run1/result.json")["fields"]}


def test_a_model_is_shown_each_page_with_its_picture_and_the_prompt(tmp_path):
    model = Model(GivenValue("total", "9.00", "9.00", 0.9))
    ctx, done = analysed(tmp_path, model)
    (question,) = model.asked
    assert (question.text, question.specs, question.alone) == ("Total 9.00", (TOTAL, DATE), True)
    assert question.image is not None
    segment = kept(ctx).json("analysis/segment_0000.json")
    assert segment["ai_analysis"] == [{"analysis_query": "Page 1 Analysis", "content": "A receipt."}]
    assert segment["page_description"] == "A receipt."
    assert [one["name"] for one in segment["graph_entities"]] == ["Alder"]
    assert done.used == (Usage("bedrock", "cheap", pages=1, calls=1, tokens_in=10, tokens_out=2),)


def test_a_value_stands_where_the_page_has_it_and_rules_that_agree_count(tmp_path):
    ctx, _ = analysed(tmp_path, Model(GivenValue("total", "9.00", "9.00", 0.75)))
    total = result(ctx)["total"]
    assert (total["value"], total["source"], total["page"]) == ("9.00", "cheap", 0)
    assert total["box"] == [0.1, 0.1, 0.19, 0.12]
    assert total["candidates"][0]["evidence"]["agreed"] == 1.0
    assert total["confidence"] >= 0.75


def test_a_value_that_stands_nowhere_on_its_page_is_never_believed(tmp_path):
    ctx, _ = analysed(tmp_path, Model(GivenValue("date", "2024-03-12", "12 March 2024", 0.99)))
    date = result(ctx)["date"]
    assert (date["value"], date["box"], date["confidence"]) == ("2024-03-12", None, 0.5)


def test_a_page_that_the_model_cannot_be_asked_about_fails_alone_and_keeps_no_answer(tmp_path):
    model = Model(GivenValue("total", "9.00", "9.00", 0.9), wrong_on=1)
    model.error = StageFailed("The model is gone.")
    ctx, done = analysed(tmp_path, model, pages=2)
    assert done.failed == {1}
    segment = kept(ctx).json("analysis/segment_0001.json")
    assert (segment["status"], segment["ai_analysis"]) == ("failed", [])
    assert segment["error"] == "The model is gone."


def test_fields_that_cannot_be_used_are_read_by_rules_and_sent_to_a_person(tmp_path):
    model = Model(GivenValue("date", "2024-03-12", "12 March 2024", 0.9))
    model.problem = "total: 'x' is no amount."
    ctx, done = analysed(tmp_path, model, pages=2)
    note = "The model gave no usable answer for some fields of pages 1, 2; built-in rules were used"
    assert (done.failed, done.reason) == (frozenset(), note)
    assert kept(ctx).json("analysis/segment_0000.json")["left_out"] == "total: 'x' is no amount."
    assert {name: one["source"] for name, one in result(ctx).items()} == {"total": "rules", "date": "cheap"}
    assert note in kept(ctx).json("runs/run1/result.json")["notes"]


def test_a_page_whose_answer_cannot_be_used_is_read_by_rules_and_sent_to_a_person(tmp_path):
    ctx, done = analysed(tmp_path, Model(wrong_on=0))
    note = "The model gave no usable answer for page 1; built-in rules were used"
    assert (done.failed, done.reason, done.used) == (frozenset(), note, (USED,))
    segment = kept(ctx).json("analysis/segment_0000.json")
    assert (segment["status"], segment["unanswered"]) == ("completed", "total: 'x' is no amount.")
    total = result(ctx)["total"]
    assert (total["value"], total["source"]) == ("9.00", "rules")
    assess.run(ctx)
    assessment = kept(ctx).json("runs/run1/assessment.json")
    assert assessment["review_required"]
    assert note in [one["text"] for one in assessment["reasons"]]


def test_pages_in_the_middle_of_a_long_document_are_described_and_not_searched(tmp_path):
    model = Model(GivenValue("total", "9.00", "9.00", 0.9))
    analysed(tmp_path, model, pages=14)
    asked = [bool(question.specs) for question in model.asked]
    assert asked == [True] * 8 + [False] * 2 + [True] * 4
    assert not any(question.alone for question in model.asked)


def test_usage_goes_through_slices_and_the_table():
    used = [
        Usage("bedrock", "eu.amazon.nova-lite-v1:0", calls=1, tokens_in=10),
        Usage("bedrock", "eu.amazon.nova-lite-v1:0", calls=2, tokens_out=3, ms=5),
        Usage("local", "x", pages=1),
    ]
    summed = usage.sum_usage(used)
    assert summed == (
        Usage("bedrock", "eu.amazon.nova-lite-v1:0", calls=3, tokens_in=10, tokens_out=3, ms=5),
        Usage("local", "x", pages=1),
    )
    assert usage.of_counts({**usage.usage_counts(used), "other": 1.0}) == summed
    assert usage.read_usage(usage.usage_to_store(used)) == summed


def test_questions_and_entries_agree_on_odd_names():
    odd = FieldSpec("größe #1", "Size", "number", required=False, threshold=0.8)
    (alias,) = questions([odd])
    page = PageReading(0, answers=(Answer("", alias, Spot("12", 0, None, 0.9)),))
    assert page_entries.entry(page, (10, 10), "textract", [odd])["given"][0]["name"] == "größe #1"
