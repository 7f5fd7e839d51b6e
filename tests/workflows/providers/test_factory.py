"""Which services a run's frozen settings choose, on the product's own clients."""

import json
from dataclasses import replace
from typing import Any

import pytest
from django.conf import settings as conf

from config.environment import ModelEndpoint
from config.errors import StageFailed
from projects.models import actions as model_actions
from projects.models.builtin import list_builtin_models
from projects.models.spec import BUILT_IN_OCR
from tests.each import each
from tests.factories import PROJECT, SITE, start_run
from tests.outside import answering
from tests.projects.models.catalogue import ADA, add_model
from workflows.providers import factory
from workflows.providers.language_models.factory import make_chat
from workflows.runs import queries, run_files, run_settings
from workflows.stages.registry import STAGES
from workflows.stages.services import Output, Services, Transcript
from workflows.storage import files
from workflows.storage.objects import DocumentFiles


def chosen(stage: str, **project: Any) -> tuple[Services, DocumentFiles]:
    run = start_run()
    pinned = run_settings.settings_of(SITE, run.project_id, {**PROJECT, **project})
    found = factory.make_services(
        run, STAGES[stage], pinned, queries.document_of(run), step=4, attempt=1, heartbeat=lambda: None
    )  # fmt: skip
    return found, run_files.files_of(run)


def test_by_default_nobody_is_asked(table):
    for stage in STAGES:
        assert chosen(stage)[0] == Services()


def test_engines_by_page(table, settings):
    settings.OCR_ENDPOINT_URL = "https://ocr.example/ocr"
    tesseract = chosen("paddleocr_processor", ocr_model="tesseract", language="de")[0].page_reader
    assert (tesseract.service, tesseract.model, tesseract.languages) == ("local", "Tesseract", ("de",))
    endpoint = chosen("paddleocr_processor", ocr_model="endpoint")[0].page_reader
    assert (endpoint.service, endpoint.model) == ("endpoint", "PaddleX endpoint")
    assert chosen("paddleocr_processor", ocr_model="paddleocr-vl")[0] == Services()  # an older writer's: read here


def test_an_ocr_model_has_the_endpoint_that_it_names(table, settings):
    settings.OCR_ENDPOINTS = {"gpu": ModelEndpoint("https://gpu.example/ocr", "secret")}
    spec = replace(BUILT_IN_OCR["endpoint"], id="gpu", name="GPU", endpoint="gpu", orientation="page")
    model_actions.create_model(SITE, spec, by=ADA)
    reader = chosen("paddleocr_processor", ocr_model="gpu")[0].page_reader
    assert (reader.url, reader.key, reader.service) == ("https://gpu.example/ocr", "secret", "endpoint-gpu")
    assert reader.asked["useDocOrientationClassify"]
    settings.OCR_ENDPOINTS = {}
    assert chosen("paddleocr_processor", ocr_model="gpu")[0].page_reader.url == ""


def test_an_analyzer_that_nobody_knows_is_said(table):
    with pytest.raises(StageFailed, match="Unknown field extraction magic"):
        chosen("segment_analyzer", analyzer="magic")


def test_models_are_those_that_the_run_pinned(table, settings):
    settings.BEDROCK_MODEL, settings.BEDROCK_STRONG_MODEL, settings.TAKEOVER_PERCENT = "a", "b", 60
    analyst = chosen("segment_analyzer", analyzer="model")[0].analyst
    assert (analyst.chat.spec.model, analyst.takeover.spec.model, analyst.enough) == ("a", "b", 0.6)
    assert chosen("document_summarizer", summarizer="model")[0].writer.chat.spec.model == "a"
    assert chosen("document_summarizer", analyzer="model")[0].writer is None


def test_each_purpose_may_have_a_model_of_its_own(table):
    models = {"extract": "bedrock", "classify": "bedrock-strong", "summarize": "bedrock-strong"}
    project = {"analyzer": "model", "summarizer": "model", "models": models}
    analyst = chosen("segment_analyzer", **project)[0].analyst
    assert (analyst.reads.chat.spec.id, analyst.classifies.chat.spec.id) == ("bedrock", "bedrock-strong")
    assert chosen("document_summarizer", **project)[0].writer.chat.spec.id == "bedrock-strong"


def test_a_model_that_is_not_set_up_here_is_said(table):
    spec = add_model("far", endpoint="far")
    with pytest.raises(StageFailed, match="The endpoint far of Model far is not set up"):
        chosen("segment_analyzer", analyzer="model", models={"extract": spec.id})


def test_a_model_of_a_provider_that_this_version_does_not_know_is_not_sent_to_another_one():
    with pytest.raises(StageFailed, match="has a provider this version does not know"):
        make_chat(replace(list_builtin_models()[0], provider="gone"))


def test_transcribe_hears_the_original_in_the_projects_language_and_answers_from_our_bucket(table):
    found, store = chosen("transcribe", transcriber="transcribe", language="de")
    reader = found.transcriber
    done = {"TranscriptionJob": {"TranscriptionJobStatus": "COMPLETED", "LanguageCode": "de-DE"}}
    running = {"TranscriptionJob": {"TranscriptionJobStatus": "IN_PROGRESS"}}
    looks = [running, done]
    with answering(
        "transcribe", StartTranscriptionJob=lambda _: {}, GetTranscriptionJob=lambda _: looks.pop(0)
    ) as outside:  # fmt: skip
        job = reader.begin()
        assert reader.look(job) is None
        results = {"transcripts": [{"transcript": "Guten Tag"}], "items": []}
        store.write(files.TRANSCRIBED, json.dumps({"results": results}).encode(), "application/json")
        heard = reader.look(job)
    assert isinstance(heard, Transcript)
    assert (heard.text, heard.language) == ("Guten Tag", "de-DE")
    _, asked = outside.asked[0]
    assert asked["LanguageCode"] == "de-DE"
    assert asked["OutputBucketName"] == conf.BUCKET_NAME
    assert asked["OutputKey"] == store.root + "transcribe/job.json"
    assert asked["Media"]["MediaFileUri"].startswith(f"s3://{conf.BUCKET_NAME}/{store.root}")


@each(
    ("stored", "spoken"),
    [("de-AT", "de-AT"), ("zh_TW", "zh-TW"), ("EN", "en-US"), ("zh-Hant", "zh-CN"), ("fi", "fi-FI")],
)
def test_transcribe_is_told_a_language_with_its_country(table, stored, spoken):
    reader = chosen("transcribe", transcriber="transcribe", language=stored)[0].transcriber
    assert reader.languages.codes == (spoken,)


def test_data_automation_is_read_from_where_it_says(table, settings):
    account = "arn:aws:bedrock:eu-central-1:123456789012"
    settings.BDA_PROJECT_ARN = f"{account}:data-automation-project/abcdef012345"
    settings.BDA_PROFILE_ARN = f"{account}:data-automation-profile/eu.data-automation-v1"
    found, store = chosen("bda_processor", use_bda=True)
    reader = found.automation
    invocation = f"{account}:data-automation-invocation/0b1c2d3e-0000-4000-8000-000000000001"
    part = store.write(
        "bda-output/1/standard.json", b'{"pages": [{"page_index": 0, "representation": {"text": "Hi"}}]}', "x"
    )
    outputs = {"output_metadata": [{"segment_metadata": [{"standard_output_path": part}]}]}
    metadata = store.write("bda-output/1/job_metadata.json", json.dumps(outputs).encode(), "x")
    with answering(
        "bedrock-data-automation-runtime",
        InvokeDataAutomationAsync=lambda _: {"invocationArn": invocation},
        GetDataAutomationStatus=lambda _: {"status": "Success", "outputConfiguration": {"s3Uri": metadata}},
    ) as outside:
        assert reader.look(reader.begin()) == Output({0: "Hi"})
    assert outside.asked[0][1]["outputConfiguration"]["s3Uri"] == store.uri("bda-output/")


def test_each_step_and_attempt_has_a_token_of_its_own(table):
    run = start_run()
    pinned = run_settings.freeze({**PROJECT, "ocr_model": "textract"})
    document = queries.document_of(run)
    stage = STAGES["paddleocr_processor"]
    tokens = {
        factory.make_services(run, stage, pinned, document, step=step, attempt=attempt, heartbeat=lambda: None)
        .document_reader.token
        for step, attempt in [(3, 1), (3, 2), (4, 1)]
    }  # fmt: skip
    assert len(tokens) == 3
    assert run.site == SITE
