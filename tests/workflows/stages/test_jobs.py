"""Stages whose whole work is a job of somebody else: recordings, Data Automation; and summaries by a model."""

from dataclasses import replace
from pathlib import Path

import pytest

from config.errors import StageFailed
from tests.tools.paper import Sheet, save
from tests.workflows.stages.memory import context, kept, run_all
from tests.workflows.stages.recordings import tone
from workflows.stages import bda_processor, segment_prep, transcribe
from workflows.stages.base import StageContext, StartedJob
from workflows.stages.models import model_summary
from workflows.stages.registry import STAGES
from workflows.stages.services import Chapter, Output, Services, SummaryQuestion, Transcript, UnusableAnswer, Utterance
from workflows.stages.usage import Usage


class Service:
    """A job that is under way at the first look; then ``found``."""

    service, model = "transcribe", "Amazon Transcribe"

    def __init__(self, found: object) -> None:
        self.looks = [None, found, found]
        self.begun = 0

    def begin(self) -> str:
        self.begun += 1
        return "job-1"

    def look(self, job: str) -> object:
        assert job == "job-1"
        return self.looks.pop(0)


SPOKEN = Transcript(
    "Good morning. Invoice 7.",
    (Utterance(0, "Good morning.", 0.1, 0.9), Utterance(1, "Invoice 7.", 1.5, 2.5)),
    "en-GB",
    0.95,
    90.0,
)


def recording(folder: Path, service: Service) -> StageContext:
    ctx = context(tone(folder / "a.wav", 5, rate=8000), "audio/wav")
    ctx = replace(ctx, services=Services(transcriber=service), original=folder / "not-fetched")
    segment_prep.run(ctx)
    return ctx


def test_a_recording_is_written_down_by_a_service_without_being_fetched(tmp_path):
    service = Service(SPOKEN)
    ctx = recording(tmp_path, service)
    assert transcribe.JOB.begin(ctx) == StartedJob("transcribe", "job-1")
    assert transcribe.JOB.collect(ctx, "job-1") is False
    assert transcribe.JOB.collect(ctx, "job-1") is True
    done = transcribe.run(ctx)
    assert done.facts == {"model": "Amazon Transcribe", "segment_count": 1}
    assert done.used == (Usage("transcribe", "Amazon Transcribe", calls=1, ms=90_000),)
    head = kept(ctx).json("transcribe/result.json")
    assert (head["draft"], head["note"]) == (False, None)
    assert head["results"]["language_code"] == "en-GB"
    assert head["results"]["audio_segments"][1] == {
        "id": 1,
        "transcript": "Invoice 7.",
        "start_time": 1.5,
        "end_time": 2.5,
    }
    STAGES["segment_builder"].run(ctx)
    assert kept(ctx).json("analysis/segment_0000.json")["transcribe"] == "Good morning.\nInvoice 7."


@pytest.mark.wide
@pytest.mark.parametrize(
    ("found", "note"),
    [
        (replace(SPOKEN, score=0.7), "The transcript has a confidence of only 70%."),
        (Transcript("", (), "en-GB", 0.0, 0.0), "No speech was detected"),
    ],
)
def test_a_transcript_that_is_not_sure_says_so(tmp_path, found, note):
    ctx = recording(tmp_path, Service(found))
    transcribe.JOB.collect(ctx, "job-1")
    transcribe.JOB.collect(ctx, "job-1")
    transcribe.run(ctx)
    assert kept(ctx).json("transcribe/result.json")["note"].startswith(note)


def paper(folder: Path, **services: object) -> StageContext:
    sheets = [Sheet(400, 600) for _ in range(2)]
    for number, sheet in enumerate(sheets):
        sheet.text(40, 50, f"All prices of page {number + 1} in pounds sterling, and more words")
    return replace(context(save(sheets, folder / "a.pdf")), services=Services(**services))


def test_nothing_else_is_begun_for_other_files_or_without_a_service(tmp_path):
    service = Service(SPOKEN)
    assert transcribe.JOB.begin(paper(tmp_path, transcriber=service)) is None
    plain = paper(tmp_path)
    for job in (transcribe.JOB, bda_processor.JOB):
        assert job.begin(plain) is None
        assert job.collect(plain, "x") is True
    assert bda_processor.run(plain).status == "skipped"
    assert service.begun == 0


def test_data_automation_gives_each_page_its_markdown(tmp_path):
    service = Service(Output({0: "# One", 1: "# Two"}, "A list.", (Chapter("Hello", "00:00:00;00", "00:00:09;00"),)))
    service.service, service.model = "bda", "Bedrock Data Automation"
    ctx = paper(tmp_path, automation=service)
    assert bda_processor.JOB.begin(ctx) == StartedJob("bda", "job-1")
    assert bda_processor.JOB.collect(ctx, "job-1") is False
    assert bda_processor.JOB.collect(ctx, "job-1") is True
    done = run_all(ctx)["bda_processor"]
    assert done.facts == {"pages": 2, "model": "Bedrock Data Automation"}
    assert done.used == (Usage("bda", "Bedrock Data Automation", pages=2, calls=1),)
    assert kept(ctx).json("bda-output/result.json")["summary"] == "A list."
    assert kept(ctx).json("analysis/segment_0001.json")["bda_indexer"] == "# Two"


class Writer:
    def __init__(self) -> None:
        self.asked: list[SummaryQuestion] = []

    def summarize(self, question: SummaryQuestion) -> tuple[str, Usage]:
        self.asked.append(question)
        if len(self.asked) > 9:
            raise StageFailed("The model returned nothing.")
        return f"Summary {len(self.asked)}.", Usage("bedrock", "cheap", calls=1, tokens_in=5, tokens_out=1)


def test_a_short_document_is_summarised_in_one_call(tmp_path):
    writer = Writer()
    ctx = paper(tmp_path, writer=writer)
    done = run_all(ctx)["document_summarizer"]
    (question,) = writer.asked
    assert question.language == "en"
    assert question.text.startswith("Page 1: ")
    assert "Page 2: " in question.text
    summary = kept(ctx).json("analysis/summary.json")
    assert (summary["document_summary"], summary["method"], summary["model"]) == ("Summary 1.", "model", "cheap")
    assert [page["page"] for page in summary["pages"]] == [0, 1]
    assert done.used == (Usage("bedrock", "cheap", calls=1, tokens_in=5, tokens_out=1),)


class OddWriter:
    def summarize(self, question: SummaryQuestion) -> tuple[str, Usage]:
        raise UnusableAnswer("The model returned nothing.", usage=(Usage("bedrock", "cheap", calls=1, tokens_in=5),))


def test_without_a_summary_of_the_model_sentences_are_chosen(tmp_path):
    ctx = paper(tmp_path, writer=OddWriter())
    done = run_all(ctx)["document_summarizer"]
    assert kept(ctx).json("analysis/summary.json")["method"] == "extractive"
    assert done.reason == "The model gave no usable summary; sentences of the text were chosen"
    assert done.used == (Usage("bedrock", "cheap", calls=1, tokens_in=5),)


def test_a_long_one_in_batches_that_overlap_and_are_merged():
    writer = Writer()
    text, used = model_summary.summarize(
        writer, [f"page {number}" for number in range(300)], language="ja", prompt="Letters.", instruction="Be brief."
    )
    assert len(writer.asked) == 4
    assert text == "Summary 4."
    assert len(used) == 4
    first, second, third, merged = (asked.text for asked in writer.asked)
    assert "Page 150: page 149" in first
    assert second.startswith("Page 121: page 120")
    assert third.startswith("Page 241: page 240")
    assert "Page 300: page 299" in third
    assert "Part 2: Summary 2." in merged
    assert [one.index for one in writer.asked] == [0, 1, 2, 3]
    assert {(one.language, one.prompt) for one in writer.asked} == {("ja", "Letters.")}
    assert {one.instruction for one in writer.asked} == {"Be brief."}  # a person's words and nothing beside them
    assert merged.startswith("Summaries of the document's parts, which overlap:\n\nPart 1: Summary 1.")
