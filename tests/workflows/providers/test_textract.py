"""Textract's jobs: what is asked for is what its service model takes, and parts are fetched to the last."""

import json
from pathlib import Path

import pytest
from django.conf import settings

from config.errors import ProviderPaused, StageFailed
from tests.workflows.providers.services import caller, stubbed
from workflows.providers import jobs
from workflows.providers.jobs import RunningJob, S3File
from workflows.providers.textract import TEXTRACT, Query, Textract, queries_for
from workflows.stages.field_spec import FieldSpec
from workflows.stages.pages.reading import DocumentReading
from workflows.stages.services import alias, questions

SAMPLES = Path(settings.BASE_DIR).parent / "shared/samples/textract"
FILE = S3File("bucket", "projects/p/documents/d/d.pdf", "v1")
WHERE = {"S3Object": {"Bucket": "bucket", "Name": "projects/p/documents/d/d.pdf", "Version": "v1"}}
TOKEN = jobs.job_token("default", "01H", 3, 1)


def line(text: str, page: int = 1) -> dict:
    box = {"Left": 0.1, "Top": 0.1, "Width": 0.2, "Height": 0.1}
    return {"BlockType": "LINE", "Id": f"{page}{text}", "Text": text, "Page": page, "Geometry": {"BoundingBox": box}}


def test_a_job_is_begun_with_all_that_is_read_and_under_its_token():
    with stubbed("textract") as (client, stubber):
        wanted = {
            "DocumentLocation": WHERE,
            "FeatureTypes": ["FORMS", "TABLES", "QUERIES", "LAYOUT", "SIGNATURES"],
            "ClientRequestToken": TOKEN,
            "QueriesConfig": {"Queries": [{"Text": "What is the total?", "Alias": "total", "Pages": ["*"]}]},
        }
        stubber.add_response("start_document_analysis", {"JobId": "j1"}, wanted)
        textract = Textract(client, caller(TEXTRACT))
        assert textract.start(FILE, TOKEN, [Query("What is the total?", "total")]) == "j1"


def test_without_questions_none_are_paid_for():
    with stubbed("textract") as (client, stubber):
        features = ["FORMS", "TABLES", "LAYOUT", "SIGNATURES"]
        wanted = {
            "DocumentLocation": {"S3Object": {"Bucket": "bucket", "Name": "k"}},
            "FeatureTypes": features,
            "ClientRequestToken": TOKEN,
        }
        stubber.add_response("start_document_analysis", {"JobId": "j1"}, wanted)
        Textract(client, caller(TEXTRACT)).start(S3File("bucket", "k"), TOKEN)


def test_only_the_features_of_the_model_are_asked_for():
    with stubbed("textract") as (client, stubber):
        wanted = {
            "DocumentLocation": {"S3Object": {"Bucket": "bucket", "Name": "k"}},
            "FeatureTypes": ["FORMS"],
            "ClientRequestToken": TOKEN,
        }
        stubber.add_response("start_document_analysis", {"JobId": "j1"}, wanted)
        textract = Textract(client, caller(TEXTRACT), features=("FORMS",))
        textract.start(S3File("bucket", "k"), TOKEN, [Query("What is the total?", "total")])
        stubber.add_response("start_document_analysis", {"JobId": "j1"}, {**wanted, "FeatureTypes": ["LAYOUT"]})
        Textract(client, caller(TEXTRACT), features=("QUERIES",)).start(S3File("bucket", "k"), TOKEN)


def test_one_page_is_read_at_once():
    with stubbed("textract") as (client, stubber):
        answer = {"DocumentMetadata": {"Pages": 1}, "Blocks": [line("a")]}
        stubber.add_response("analyze_document", answer, {"Document": {"Bytes": b"PNG"}, "FeatureTypes": ["LAYOUT"]})
        page = Textract(client, caller(TEXTRACT), features=("LAYOUT",)).read(b"PNG", 4)
    assert (page.index, page.text) == (4, "a")


def test_a_job_under_way_is_waited_for():
    with stubbed("textract") as (client, stubber):
        wanted = {"JobId": "j1", "MaxResults": 1000}
        stubber.add_response("get_document_analysis", {"JobStatus": "IN_PROGRESS"}, wanted)
        assert Textract(client, caller(TEXTRACT)).look("j1") == RunningJob()


def test_parts_are_fetched_to_the_last_and_merged():
    beats = []
    with stubbed("textract") as (client, stubber):
        head = {"JobStatus": "SUCCEEDED", "DocumentMetadata": {"Pages": 2}}
        stubber.add_response(
            "get_document_analysis",
            {**head, "Blocks": [line("a")], "NextToken": "n1"},
            {"JobId": "j", "MaxResults": 1000},
        )
        stubber.add_client_error("get_document_analysis", "ProvisionedThroughputExceededException", "", 400)
        for given, following, block in (("n1", "n2", line("b")), ("n2", None, line("c", 2))):
            answer = {**head, "Blocks": [block]} | ({"NextToken": following} if following else {})
            wanted = {"JobId": "j", "MaxResults": 1000, "NextToken": given}
            stubber.add_response("get_document_analysis", answer, wanted)
        found = Textract(client, caller(TEXTRACT), beat=lambda: beats.append(1)).look("j")
    assert isinstance(found, DocumentReading)
    assert [page.text for page in found.pages] == ["a\nb", "c"]
    assert len(beats) == 2


@pytest.mark.skipif(not SAMPLES.is_dir(), reason="the samples are not on this machine")
@pytest.mark.parametrize("name", ["gib", "gib_multi_page_table_merge", "test-inprogress-response"])
def test_real_answers_are_what_the_service_model_says(name):
    answer = json.loads((SAMPLES / f"{name}.json").read_text())
    answer.pop("ResponseMetadata")
    last = {"JobStatus": "SUCCEEDED", "Blocks": []}
    with stubbed("textract") as (client, stubber):
        stubber.add_response("get_document_analysis", answer)
        if "NextToken" in answer:
            stubber.add_response("get_document_analysis", last)
        found = Textract(client, caller(TEXTRACT)).look("j")
    lines = sum(block["BlockType"] == "LINE" for block in answer.get("Blocks", ()))
    assert (sum(len(page.lines) for page in found.pages) if isinstance(found, DocumentReading) else 0) == lines


def test_a_part_of_the_pages_is_kept_and_the_rest_named():
    answer = {
        "JobStatus": "PARTIAL_SUCCESS",
        "DocumentMetadata": {"Pages": 2},
        "Blocks": [line("a")],
        "Warnings": [{"ErrorCode": "INVALID_PAGE", "Pages": [2]}],
    }
    with stubbed("textract") as (client, stubber):
        stubber.add_response("get_document_analysis", answer)
        found = Textract(client, caller(TEXTRACT)).look("j")
    assert isinstance(found, DocumentReading)
    assert found.unread == {1: "INVALID_PAGE"}


def test_a_failed_job_is_a_failed_stage():
    with stubbed("textract") as (client, stubber):
        stubber.add_response("get_document_analysis", {"JobStatus": "FAILED", "StatusMessage": "INVALID_IMAGE_TYPE"})
        with pytest.raises(StageFailed, match="cannot read this file"):
            Textract(client, caller(TEXTRACT)).look("j")


def test_a_file_on_the_embedded_aws_is_told_so():
    with stubbed("textract") as (client, stubber):
        stubber.add_client_error("start_document_analysis", "InvalidS3ObjectException", "", 400)
        with pytest.raises(StageFailed, match="not on the embedded AWS"):
            Textract(client, caller(TEXTRACT)).start(FILE, TOKEN)


def test_throttled_for_good_it_is_left_alone():
    with stubbed("textract") as (client, stubber):
        for _ in range(4):
            stubber.add_client_error("start_document_analysis", "LimitExceededException", "", 400)
        with pytest.raises(ProviderPaused, match="LimitExceededException"):
            Textract(client, caller(TEXTRACT)).start(FILE, TOKEN)


NAMED = {"total": "Total", "größe #1": "Size"}


def test_each_field_is_a_question_with_an_alias_that_textract_takes():
    specs = [FieldSpec(name, label, "text", required=False, threshold=0.8) for name, label in NAMED.items()]
    (total, odd) = queries_for(questions(specs))
    assert (total.text, total.alias) == ("What is the total?", "total")
    assert odd.alias == "gr__e__1"
    assert len(alias("x" * 300)) == 100


def test_more_questions_than_textract_takes_are_left_out():
    many = queries_for({f"f{number}": f"Field {number}" for number in range(40)})
    with stubbed("textract") as (client, stubber):
        stubber.add_response("start_document_analysis", {"JobId": "j"})
        sent = []
        client.meta.events.register("before-parameter-build.textract.*", lambda params, **_: sent.append(params))
        Textract(client, caller(TEXTRACT)).start(FILE, TOKEN, many)
    assert len(sent[0]["QueriesConfig"]["Queries"]) == 30


def test_tokens_fit_every_service_and_differ_by_each_part():
    tokens = {
        jobs.job_token(*parts) for parts in [("a", "r", 3, 1), ("b", "r", 3, 1), ("a", "r", 4, 1), ("a", "r", 3, 2)]
    }
    assert len(tokens) == 4
    assert all(len(one) <= 64 and one.replace("-", "").isalnum() for one in tokens)
