"""Who does the work: the document's own choice, then its project's, then the desk's settings; pinned by the run."""

from dataclasses import replace

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from config.errors import Refused
from projects.models import actions as model_actions
from projects.models.spec import BUILT_IN_OCR
from projects.settings import provider_choice
from projects.settings.values import DOERS, OCR_MODELS
from tests.html import one_line
from tests.people import alice, bob, signed_in
from tests.projects.models.catalogue import ADA, add_model
from tests.projects.projects import make_project
from tests.workflows.intake.test_upload_page import documents, pdf, url
from workflows.definitions.blueprint import DOCUMENT_ANALYSIS
from workflows.runs import queries, run_settings
from workflows.runs.actions import advance
from workflows.runs.items import END, Outcome, Run
from workflows.runs.pinned_prompts import load_models
from workflows.stages.base import RunSettings

pytestmark = pytest.mark.django_db


def pinned(document) -> RunSettings:
    link = queries.document_workflow("default", document.document_id, document.workflow_id)
    return run_settings.from_json(link.settings)


def sent(project, **choices):
    signed_in(bob()).post(url(project), {"files": [pdf()], **choices})
    return documents(project)[0]


def test_where_nobody_says_it_nothing_leaves_this_machine(table):
    found = pinned(sent(make_project()))
    assert (found.ocr_model, found.analyzer, found.transcriber, found.summarizer, found.use_bda) == (
        "pp-ocrv5",
        "rules",
        "local",
        "local",
        False,
    )
    assert (found.models, found.prompts_sha256) == ({}, "")


def test_the_desks_settings_hold_where_the_project_says_nothing(table, settings):
    settings.ANALYZER, settings.MODEL, settings.BEDROCK_STRONG_MODEL = "model", "bedrock-strong", "strong"
    found = pinned(sent(make_project()))
    assert (found.analyzer, set(found.models.values())) == ("model", {"bedrock-strong"})
    assert load_models("default", found.prompts_sha256)["extract"].spec.model == "strong"


def test_a_project_chooses_its_models_by_what_they_are_asked_for(table):
    add_model("cheap", takeover="bedrock")
    found = pinned(sent(make_project(analyzer="model", models={"extract": "cheap", "answer": "bedrock-strong"})))
    assert found.models == {
        "extract": "cheap",
        "classify": "cheap",
        "summarize": "cheap",
        "answer": "bedrock-strong",
    }
    assert load_models("default", found.prompts_sha256)["classify"].takeover.id == "bedrock"


def test_a_document_is_refused_while_its_project_asks_a_model_that_is_gone(table):
    with pytest.raises(Refused, match="The model gone is no longer in the catalogue"):
        run_settings.settings_of("default", "p", {"analyzer": "model", "models": {"extract": "gone"}})


def test_the_project_comes_before_the_desk_and_the_document_before_both(table, settings):
    settings.ANALYZER = "rules"
    project = make_project(ocr_model="textract", analyzer="model", summarizer="model", use_bda=True)
    first = pinned(sent(project))
    assert (first.ocr_model, first.analyzer, first.summarizer, first.use_bda) == (
        "textract",
        "model",
        "model",
        True,
    )
    document = sent(project, ocr_model="tesseract", analyzer="rules")
    second = pinned(document)
    assert (second.ocr_model, second.analyzer, second.summarizer) == ("tesseract", "rules", "model")
    kept = queries.project_document("default", project.id, document.document_id)  # an index row does not carry it
    assert kept.data["ocr_model"] == "tesseract"


def test_a_later_content_keeps_the_documents_choice(table):
    project = make_project()
    document = sent(project, ocr_model="tesseract")
    run = Run("default", project.id, document.document_id, document.workflow_id)
    step = DOCUMENT_ANALYSIS.steps[0]
    advance.advance(
        run, DOCUMENT_ANALYSIS, advance.Advance(step, END, 1, "completed", outcome=Outcome.PUBLISHED), last=None
    )
    signed_in(bob()).post(f"/documents/{document.document_id}/contents/", {"file": pdf("again.pdf")})
    (document,) = documents(project)
    assert document.workflow_id != run.workflow_id
    assert pinned(document).ocr_model == "tesseract"


def test_a_run_keeps_its_models_whatever_desk_and_catalogue_say_later(table, settings):
    settings.BEDROCK_MODEL = "today"
    spec = add_model("own", temperature=0.1)
    models = {"extract": "bedrock", "answer": "own"}
    text = run_settings.to_json(run_settings.settings_of("default", "p", {"analyzer": "model", "models": models}))
    settings.BEDROCK_MODEL = "tomorrow"
    model_actions.update_model("default", replace(spec, temperature=0.9), version=1, by=ADA)
    kept = load_models("default", run_settings.from_json(text).prompts_sha256)
    assert (kept["extract"].spec.model, kept["answer"].spec.temperature) == ("today", 0.1)


def test_a_run_keeps_its_ocr_model_whatever_the_catalogue_says_later(table):
    spec = replace(BUILT_IN_OCR["pp-ocrv5"], id="own", name="Own", dpi=300, languages=("de",))
    model_actions.create_model("default", spec, by=ADA)
    found = pinned(sent(make_project(ocr_model="own")))
    model_actions.update_model("default", replace(spec, dpi=100), version=1, by=ADA)
    assert (found.ocr_model, found.ocr_spec, found.ocr_languages) == ("own", spec, ("de",))
    assert pinned(sent(make_project())).ocr_spec == BUILT_IN_OCR["pp-ocrv5"]


def test_a_document_is_refused_while_its_projects_ocr_model_is_gone(table):
    with pytest.raises(Refused, match="The OCR model gone is no longer in the catalogue"):
        run_settings.settings_of("default", "p", {"ocr_model": "gone"})
    assert run_settings.settings_of("default", "p", {"ocr_model": "pp-structurev3"}).ocr_spec.provider == "pp-ocr"


def test_a_run_from_before_reads_as_it_did():
    old = run_settings.to_json(run_settings.freeze({}))
    for name in (
        "analyzer",
        "transcriber",
        "summarizer",
        "use_bda",
        "models",
    ):
        old = old.replace(f'"{name}":', f'"x{name}":')
    with pytest.raises(TypeError):
        run_settings.from_json(old)  # an unknown name is a mistake ...
    kept = run_settings.from_json('{"language":"en","document_prompt":"","ocr_model":"pp-ocrv5","ocr_options":{},'
                            '"fields":[],'
                            '"default_threshold":0.8}')  # fmt: skip
    assert (kept.analyzer, kept.models) == ("rules", {})  # ... a missing one is an older run


def test_what_is_no_choice_is_not_taken(table):
    assert provider_choice.read_provider_choices(
        {"ocr_model": "evil", "analyzer": "", "summarizer": "model", "use_bda": "on"},
        provider_choice.list_choices("default"),
    ) == {"summarizer": "model"}


def test_every_choice_has_a_default_that_is_one_of_it(table):
    choices = provider_choice.list_choices("default")
    assert all(provider_choice.desk_default(name) in values for name, values in choices.items())
    assert set(choices) == {*provider_choice.NAMES} == {"ocr_model", *DOERS}
    assert choices["ocr_model"] == OCR_MODELS


def test_one_document_is_read_by_an_ocr_model_of_the_catalogue(table):
    project = make_project()
    model_actions.create_model("default", replace(BUILT_IN_OCR["pp-ocrv5"], id="sharp", name="Sharp", dpi=200), by=ADA)
    assert '<option value="sharp">Sharp</option>' in one_line(signed_in(bob()).get(url(project)).content)
    document = sent(project, ocr_model="sharp")
    assert (pinned(document).ocr_model, pinned(document).ocr_spec.dpi) == ("sharp", 200)
    model_actions.remove_model("default", "sharp", version=1, by=ADA)
    refused = signed_in(bob()).post(url(project), {"files": [pdf()], "ocr_model": "sharp"})
    assert (refused.status_code, "choose an option from the list" in one_line(refused.content)) == (422, True)


def test_the_form_of_a_project_offers_and_keeps_them(table, settings):
    project = make_project()
    browser = signed_in(alice())
    settings.SUMMARIZER = "model"
    page = one_line(browser.get(f"/projects/{project.id}/edit/").content)
    for words in ("Default: Built-in rules", "Default: Language model"):
        assert words in page
    assert "Language model" in page
    browser.cookies[settings.LANGUAGE_COOKIE_NAME] = "de"
    assert "Standard: Integrierte Regeln" in one_line(browser.get(f"/projects/{project.id}/edit/").content)


def test_a_form_that_comes_back_keeps_what_was_chosen(table):
    project = make_project()
    bad = SimpleUploadedFile("a.pdf", b"no pdf")
    answer = signed_in(bob()).post(url(project), {"files": [bad], "analyzer": "model"})
    assert answer.status_code == 422
    assert '<option value="model" selected>' in one_line(answer.content)
