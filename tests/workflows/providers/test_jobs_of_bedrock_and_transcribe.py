"""Data Automation's and Transcribe's jobs: begun once, looked at, their outputs read."""

import pytest

from config.errors import StageFailed
from tests.workflows.providers.services import caller, stubbed
from workflows.providers import bda, transcribe
from workflows.providers.bda import BDA, DataAutomation
from workflows.providers.jobs import RunningJob, S3File
from workflows.providers.transcribe import TRANSCRIBE, Languages, Transcribe
from workflows.stages.services import Chapter, Output, Utterance

FILE = S3File("bucket", "a/call.wav")
PROJECT = "arn:aws:bedrock:us-east-1:123456789012:data-automation-project/abcdef012345"
PROFILE = "arn:aws:bedrock:us-east-1:123456789012:data-automation-profile/us.data-automation-v1"
INVOCATION = "arn:aws:bedrock:us-east-1:123456789012:data-automation-invocation/0b1c2d3e-0000-4000-8000-000000000001"


def automation(client, project=PROJECT):
    return DataAutomation(client, caller(BDA), project, PROFILE)


def test_data_automation_is_begun_under_its_token():
    with stubbed("bedrock-data-automation-runtime") as (client, stubber):
        wanted = {
            "clientToken": "countersign-abc",
            "inputConfiguration": {"s3Uri": "s3://bucket/a/call.wav"},
            "outputConfiguration": {"s3Uri": "s3://bucket/a/bda-output/"},
            "dataAutomationConfiguration": {"dataAutomationProjectArn": PROJECT, "stage": "LIVE"},
            "dataAutomationProfileArn": PROFILE,
        }
        stubber.add_response("invoke_data_automation_async", {"invocationArn": INVOCATION}, wanted)
        found = automation(client).start(FILE, "countersign-abc", output_uri="s3://bucket/a/bda-output/")
    assert found == INVOCATION


def test_data_automation_that_is_not_set_up_says_which_settings():
    with stubbed("bedrock-data-automation-runtime") as (client, _), pytest.raises(StageFailed, match="BDA_PROJECT_ARN"):
        automation(client, "").start(FILE, "t", output_uri="s3://bucket/out/")


@pytest.mark.parametrize("state", ["Created", "InProgress"])
def test_data_automation_under_way_is_waited_for(state):
    with stubbed("bedrock-data-automation-runtime") as (client, stubber):
        stubber.add_response("get_data_automation_status", {"status": state}, {"invocationArn": INVOCATION})
        assert automation(client).look(INVOCATION) == RunningJob()


def test_data_automation_ends_with_its_output_or_with_its_error():
    with stubbed("bedrock-data-automation-runtime") as (client, stubber):
        where = {"s3Uri": "s3://bucket/out/job_metadata.json"}
        stubber.add_response("get_data_automation_status", {"status": "Success", "outputConfiguration": where})
        assert automation(client).look(INVOCATION) == bda.FinishedInvocation("s3://bucket/out/job_metadata.json")
        stubber.add_response("get_data_automation_status", {"status": "ClientError", "errorMessage": "Too many pages"})
        with pytest.raises(StageFailed, match="Too many pages"):
            automation(client).look(INVOCATION)


def test_the_outputs_of_a_job_are_found():
    metadata = {"output_metadata": [{"segment_metadata": [{"standard_output_path": "s3://b/0/result.json"}, {}]}, {}]}
    assert bda.list_outputs(metadata) == ["s3://b/0/result.json"]
    assert bda.list_outputs({}) == []


def test_pages_are_read_as_markdown_and_else_as_text():
    found = bda.read_bda_output(
        {
            "document": {"summary": "A lease."},
            "pages": [
                {"page_index": 0, "representation": {"markdown": "# Lease", "text": "Lease"}},
                {"page_index": 1, "representation": {"text": "Rent"}},
                {"page_index": 2},
            ],
        }
    )
    assert found == Output({0: "# Lease", 1: "Rent", 2: ""}, "A lease.")


def test_chapters_of_a_video_and_the_text_of_a_recording():
    chapter = {"summary": "Hello", "start_timecode_smpte": "00:00:00;00", "end_timecode_smpte": "00:00:09;12"}
    found = bda.read_bda_output({"audio": {"representation": {"text": "Good morning."}}, "chapters": [chapter]})
    assert found.pages == {0: "Good morning."}
    assert found.chapters == (Chapter("Hello", "00:00:00;00", "00:00:09;12"),)


@pytest.mark.parametrize(
    ("languages", "wanted"),
    [
        (Languages("auto", ("en-US", "de-DE")), {"IdentifyLanguage": True, "LanguageOptions": ["en-US", "de-DE"]}),
        (Languages("auto"), {"IdentifyLanguage": True}),
        (Languages("direct", ("en-GB",)), {"LanguageCode": "en-GB"}),
        (
            Languages("multi", ("en-US", "de-DE")),
            {"IdentifyMultipleLanguages": True, "LanguageOptions": ["en-US", "de-DE"]},
        ),
    ],
)
def test_transcribe_is_begun_under_a_name_and_writes_into_our_bucket(languages, wanted):
    with stubbed("transcribe") as (client, stubber):
        stubber.add_response(
            "start_transcription_job",
            {},
            {
                "TranscriptionJobName": "countersign-abc",
                "Media": {"MediaFileUri": "s3://bucket/a/call.wav"},
                "OutputBucketName": "bucket",
                "OutputKey": "a/transcribe/t.json",
                **wanted,
            },
        )
        started = Transcribe(client, caller(TRANSCRIBE)).start(
            FILE, "countersign-abc", languages, output_key="a/transcribe/t.json"
        )
    assert started == "countersign-abc"


def test_a_job_that_was_begun_before_is_gone_on_with():
    with stubbed("transcribe") as (client, stubber):
        stubber.add_client_error("start_transcription_job", "ConflictException", "", 400)
        started = Transcribe(client, caller(TRANSCRIBE)).start(FILE, "countersign-abc", Languages(), output_key="k")
    assert started == "countersign-abc"


def test_any_other_refusal_of_a_recording_is_a_failure():
    with stubbed("transcribe") as (client, stubber):
        stubber.add_client_error("start_transcription_job", "BadRequestException", "", 400)
        with pytest.raises(StageFailed, match="MP3"):
            Transcribe(client, caller(TRANSCRIBE)).start(FILE, "countersign-abc", Languages(), output_key="k")


@pytest.mark.parametrize("state", ["QUEUED", "IN_PROGRESS"])
def test_a_recording_under_way_is_waited_for(state):
    with stubbed("transcribe") as (client, stubber):
        stubber.add_response("get_transcription_job", {"TranscriptionJob": {"TranscriptionJobStatus": state}})
        assert Transcribe(client, caller(TRANSCRIBE)).look("countersign-abc") == RunningJob()


def test_a_recording_ends_with_its_language_or_with_its_error():
    with stubbed("transcribe") as (client, stubber):
        job = {"TranscriptionJobStatus": "COMPLETED", "LanguageCode": "en-US"}
        stubber.add_response("get_transcription_job", {"TranscriptionJob": job})
        assert Transcribe(client, caller(TRANSCRIBE)).look("j") == transcribe.FinishedTranscription("en-US")
        job = {"TranscriptionJobStatus": "FAILED", "FailureReason": "No audio track"}
        stubber.add_response("get_transcription_job", {"TranscriptionJob": job})
        with pytest.raises(StageFailed, match="No audio track"):
            Transcribe(client, caller(TRANSCRIBE)).look("j")


def word(text, start, end, sure="0.9"):
    return {
        "type": "pronunciation",
        "start_time": str(start),
        "end_time": str(end),
        "alternatives": [{"content": text, "confidence": sure}],
    }


STOP = {"type": "punctuation", "alternatives": [{"content": ".", "confidence": "0.0"}]}
ITEMS = [word("Good", 0.1, 0.4), word("morning", 0.5, 0.9, "0.5"), STOP, word("Yes", 2, 2.5)]


def test_a_transcript_has_its_utterances_with_their_times():
    results = {
        "transcripts": [{"transcript": "Good morning. Yes"}],
        "items": ITEMS,
        "audio_segments": [{"id": 0, "transcript": "Good morning.", "start_time": "0.1", "end_time": "0.9"}],
    }
    found = transcribe.read_transcribe_output({"results": results}, "en-US")
    assert found.text == "Good morning. Yes"
    assert found.utterances == (Utterance(0, "Good morning.", 0.1, 0.9),)
    assert (found.language, found.seconds) == ("en-US", 2.5)
    assert found.score == pytest.approx((0.9 + 0.5 + 0.9) / 3)


def test_an_older_transcript_is_cut_at_the_ends_of_sentences():
    found = transcribe.read_transcribe_output({"results": {"transcripts": [], "items": ITEMS}})
    assert found.utterances == (
        Utterance(0, "Good morning.", 0.1, 0.9),
        Utterance(1, "Yes", 2.0, 2.5),
    )


def test_silence_is_no_error():
    found = transcribe.read_transcribe_output({"results": {"transcripts": [{"transcript": ""}], "items": []}})
    assert (found.text, found.utterances, found.score, found.seconds) == ("", (), 0.0, 0.0)
    assert transcribe.read_transcribe_output({}).text == ""
