"""The prompts of a document type are measured on documents of that type, beside the general prompt that is in use."""

from dataclasses import replace
from pathlib import Path

import pytest
from django.core.management import call_command
from django.urls import reverse

from config import table
from config.errors import NotFound, Refused
from projects.documents.items import Document
from projects.prompts import actions as prompt_actions
from projects.prompts import queries as prompt_queries
from projects.prompts.prompt import Prompt
from projects.prompts.queries import PromptRef
from projects.schemas.governing import AttributeUse, Schema
from tests.html import one_line
from tests.people import alice, signed_in
from tests.projects.make_schemas import make_attributes, make_classification
from tests.projects.models.catalogue import add_model
from tests.pump import Pump
from tests.workflows.experiments.counting_server import CAREFUL, CountingServer
from tests.workflows.experiments.made import BY, SITE, copy_document, make_experiment, make_set, save_prompt, work_all
from tests.workflows.trials.reading import read_run
from workflows.experiments import promotion, queries
from workflows.experiments.queries import ExperimentRef
from workflows.testsets.queries import SetRef

pytestmark = [pytest.mark.usefixtures("table"), pytest.mark.django_db]


@pytest.fixture
def receipts() -> str:
    make_attributes("company", "date", "total")
    return make_classification(Schema("Receipt", tuple(map(AttributeUse, ("company", "date", "total"))), ()))


@pytest.fixture
def testset(pump: Pump) -> SetRef:
    run = read_run(pump)
    return make_set(run.project_id, [run.document_id, copy_document(run, 1)])


def file_under(testset: SetRef, type_id: str) -> None:
    """As publication does with the type that was found."""
    pk = table.PROJECT_DOCUMENT.partition_key(SITE, project_id=testset.project_id)
    for row in Document.page(pk).rows:
        if row.document_id:
            key = table.DOCUMENT.key(SITE, document_id=row.document_id)
            Document.change(key, [Document.classification_id.set(type_id)], Document.PK.exists())


def save_for(testset: SetRef, type_id: str, words: str) -> PromptRef:
    ref = PromptRef(SITE, testset.project_id, "extract", type_id)
    prompt_actions.save_version(ref, Prompt("extract", f"{words}\n", "{{page_text}}\n"), based_on=0, note="", by=BY)
    return ref


def promote(ref: ExperimentRef, variant: int, expected: int, despite: str = "") -> None:
    promotion.promote_variant(ref, variant, expected=expected, reason="Totals", despite=despite, by=BY)


@pytest.mark.wide
def test_a_type_s_prompt_is_measured_and_promoted_beside_the_general_one(
    server: CountingServer, testset: SetRef, receipts: str
) -> None:
    prompt = save_for(testset, receipts, CAREFUL)
    with pytest.raises(Refused, match="2 of the 2 documents in this test set are not of the type Receipt"):
        make_experiment(testset, [0, 1], type_id=receipts)
    file_under(testset, receipts)
    ref = make_experiment(testset, [0, 1], type_id=receipts)
    head = work_all(ref)
    assert (head.status, int(head.answered), server.asked, head.classification_id) == ("done", 4, 4, receipts)
    plan = queries.load_plan(ref, str(head.plan_sha256))
    assert [one.prompt_words for one in plan.variants] == ["General prompt", "Prompt 1"]
    found = queries.load_results(ref, str(head.results_sha256))
    assert [found.halves[one]["held_back"].exact.share for one in (1, 2)] == [0.0, 1.0]  # type: ignore[union-attr]
    early = promotion.judge_promotion(ref, plan, replace(found, cells=3), 2, production=0)
    assert (early.is_safe, early.sentence.endswith("Only 3 of 4 answers are in.")) == (False, True)
    promote(ref, 2, 0)  # no second reason: it was held against the general prompt, which is in use
    assert int(prompt_queries.get_head(prompt).production) == 1
    assert int(prompt_queries.get_head(prompt.general).production) == 1
    with pytest.raises(Refused, match="Enter a reason for using it anyway"):
        promote(ref, 1, 1)
    promote(ref, 1, 1, "Half the price")
    assert int(prompt_queries.get_head(prompt).production) == 0
    with pytest.raises(Refused, match="no candidate of a document type"):
        promotion.nominate_variant(ref, 1, expected=0, percent=10, reason="Try", by=BY)
    general = save_prompt(testset.project_id, "Newer.")
    prompt_actions.move_production(prompt.general, general, expected=1, reason="Better", by=BY)
    with pytest.raises(Refused, match="The general prompt, which is in production, was not measured here"):
        promote(ref, 2, 0)  # another one than it was held against


def test_what_is_no_prompt_of_the_type_is_refused(testset: SetRef, receipts: str) -> None:
    file_under(testset, receipts)
    with pytest.raises(NotFound, match="no version 7"):
        make_experiment(testset, [7], type_id=receipts)
    with pytest.raises(NotFound, match="no version 0"):
        make_experiment(testset, [0])
    with pytest.raises(NotFound, match="Document type not found"):
        make_experiment(testset, [1], type_id="none")


@pytest.mark.wide
def test_the_form_offers_the_prompts_of_types(server: CountingServer, testset: SetRef, receipts: str) -> None:
    save_for(testset, receipts, CAREFUL)
    file_under(testset, receipts)
    add_model("local")
    admin, here = signed_in(alice()), reverse("workflows:create-experiment", args=[testset.project_id])
    assert f"?type={receipts}" in admin.get(here).content.decode()
    page = one_line(admin.get(f"{here}?type={receipts}").content)
    for words in ("General prompt, in production", "Version 1", f'name="type" value="{receipts}"'):
        assert words in page
    typed = {
        "name": "Receipts", "testset": testset.testset_id, "type": receipts, "prompts": ["0", "1"], "models": ["local"],
        "thresholds": "80", "limit": "5",
    }  # fmt: skip
    made = admin.post(here, typed)
    assert made.status_code == 302
    ref = ExperimentRef(SITE, testset.project_id, made["Location"].rstrip("/").rpartition("/")[2])
    work_all(ref)
    page = one_line(admin.get(made["Location"]).content)
    for words in (", with the prompts of Receipt", "General prompt · Model local", "Prompt 1 becomes"):
        assert words in page
    assert "Its prompt, the general prompt, is in production" in one_line(
        admin.get(f"{made['Location']}?variant=1").content
    )
    assert admin.get(f"{here}?type=none").status_code == 404


@pytest.mark.wide
def test_a_file_names_the_type(
    server: CountingServer, testset: SetRef, receipts: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    save_for(testset, receipts, CAREFUL)
    file_under(testset, receipts)
    add_model("local")
    file = tmp_path / "nightly.yaml"
    text = f"project: {testset.project_id}\ntest_set: Receipts\nmodels: local\nprompts: [production, newest]\n"
    file.write_text(f"{text}document_type: Receipt\nat_least: {{exact: 1}}\n")
    call_command("experiment", str(file))
    assert "Best on the held-back half: Prompt 1" in capsys.readouterr().out
