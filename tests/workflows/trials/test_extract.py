"""What a trial finds is what a run would, and nothing of it is written."""

from decimal import Decimal
from typing import Any

import pytest

from config import aws
from config.errors import NotFound, ProviderPaused, Refused
from tests.factories import SITE, start_run
from tests.projects.projects import make_project
from tests.pump import Pump
from tests.workflows.trials.reading import FakeChat, make_model, page_arguments, read_run
from workflows.stages.usage import Usage
from workflows.storage import files
from workflows.storage.objects import DocumentFiles
from workflows.trials.documents import load_read_document
from workflows.trials.outcome import Meter
from workflows.trials.purposes import Outcome, extract_fields

pytestmark = [pytest.mark.usefixtures("table"), pytest.mark.django_db]


@pytest.fixture
def everything(table: str) -> Any:
    """All rows, and all objects with their versions."""

    def look() -> Any:
        rows = aws.dynamodb_client().scan(TableName=table)["Items"]
        objects = aws.aws_client("s3").list_object_versions(Bucket=aws.settings.BUCKET_NAME).get("Versions", [])
        return sorted(map(repr, rows)), sorted((one["Key"], one["VersionId"]) for one in objects)

    return look


def by_name(found: Outcome) -> dict[str, Any]:
    return {one.name: one for one in found.fields}


@pytest.mark.wide
def test_a_trial_reads_what_a_run_would_and_writes_nothing(pump: Pump, everything: Any) -> None:
    run = read_run(pump)
    before = everything()
    document = load_read_document(SITE, run.project_id, run.document_id)
    chat = FakeChat(lambda _: page_arguments(total="9999.99"))
    found = extract_fields(make_model(chat), document)
    fields = by_name(found)
    assert fields["company"].value == "Alder & Quill Stationers Ltd"
    assert (fields["company"].page, fields["company"].confidence >= 0.95) == (0, True)
    assert fields["company"].box is not None
    invented = fields["total"]  # it stands nowhere on the page, and the rules are sure of another
    assert (invented.value, invented.box) == ("9999.99", None)
    assert invented.confidence < 0.05
    assert invented.problem.endswith("%, needs 80 %")
    assert invented.problem in found.reasons
    (call,) = found.calls
    assert (call.purpose, call.index, call.with_image) == ("extract", 0, True)
    assert (found.tokens_in, found.tokens_out, found.seconds) == (1000, 100, 0.5)
    assert (found.cost, found.unpriced) == (Decimal("0.000084"), False)
    assert everything() == before


def test_a_model_with_a_price_of_its_own_is_priced_in_full() -> None:
    meter = Meter(make_model(FakeChat(lambda _: page_arguments())))
    meter.model.note(Usage("openai-local", "tiny", calls=1, tokens_in=1000, micros=3000))
    meter.model.note(Usage("openai-local", "tiny", pages=1))
    found = meter.outcome()
    assert (found.cost, found.unpriced) == (Decimal("0.003"), False)
    meter.model.note(Usage("openai-local", "other", calls=1))
    assert meter.outcome().unpriced


@pytest.mark.wide
def test_two_trials_of_one_document_see_nothing_of_each_other(pump: Pump) -> None:
    run = read_run(pump)
    document = load_read_document(SITE, run.project_id, run.document_id)
    assert [page.index for page in document.pages] == [0]
    assert "Alder" in document.pages[0].text
    assert document.pages[0].image[:4] == b"\x89PNG"
    first = extract_fields(make_model(FakeChat(lambda _: page_arguments(total="1.00"))), document)
    chat = FakeChat(lambda _: page_arguments())
    second = extract_fields(make_model(chat), document)
    assert (by_name(first)["total"].value, by_name(second)["total"].value) == ("1.00", "510.24")
    assert len(chat.asked) == 1


@pytest.mark.wide
def test_an_answer_that_cannot_be_taken_is_a_problem_of_the_trial(pump: Pump) -> None:
    run = read_run(pump)
    document = load_read_document(SITE, run.project_id, run.document_id)
    found = extract_fields(make_model(FakeChat(lambda _: {"fields": "none"})), document)
    assert found.problem.startswith("Page 1: The model's answer cannot be used")
    assert (found.fields, len(found.calls), found.tokens_in) == ((), 2, 2000)


@pytest.mark.wide
def test_fields_that_cannot_be_taken_are_read_by_rules_and_a_reason_to_look(pump: Pump) -> None:
    run = read_run(pump)
    document = load_read_document(SITE, run.project_id, run.document_id)
    found = extract_fields(make_model(FakeChat(lambda _: page_arguments(date="soon"))), document)
    assert (found.problem, by_name(found)["date"].value) == ("", "2024-03-12")
    assert "The model gave no usable answer for some fields of page 1; built-in rules were used" in found.reasons


@pytest.mark.wide
def test_a_model_that_pauses_is_the_callers_to_wait_for(pump: Pump) -> None:
    run = read_run(pump)

    def pause(_: Any) -> Any:
        raise ProviderPaused("Not now.", provider="bedrock", seconds=5)

    with pytest.raises(ProviderPaused):
        extract_fields(make_model(FakeChat(pause)), load_read_document(SITE, run.project_id, run.document_id))


def test_only_documents_of_the_project_that_are_read_are_opened(pump: Pump) -> None:
    run = read_run(pump)
    with pytest.raises(NotFound):
        load_read_document(SITE, make_project("Other").id, run.document_id)
    with pytest.raises(NotFound):
        load_read_document(SITE, run.project_id, "00000000-0000-0000-0000-000000000000")
    fresh = start_run(project_id=run.project_id)
    with pytest.raises(Refused, match="not read yet"):
        load_read_document(SITE, fresh.project_id, fresh.document_id)
    store = DocumentFiles(SITE, run.project_id, run.document_id)
    assert store.exists(files.segment(0))
