"""How a document is analysed otherwise: the settings that a new run freezes, and what is refused."""

from dataclasses import replace

import pytest

from config.errors import Refused, StageFailed
from projects.audit.events import Actor
from projects.settings import actions as project_actions
from projects.settings.values import MODEL_USES, FieldSetting, ProjectSettings
from tests.each import each
from tests.factories import PROJECT, SITE
from tests.workflows.decided import pin_learned
from workflows.documents import compare, reanalysis
from workflows.documents.forms import AnalysisForm
from workflows.documents.reanalysis import PROJECT as NOW
from workflows.documents.reanalysis import AnalysisRequest
from workflows.runs import pinned_types, run_settings
from workflows.runs.pinned_prompts import load_prompts
from workflows.stages.document_types.types import PinnedTypes, TypeSpec
from workflows.storage import files
from workflows.storage.objects import SiteFiles, delete_object

BEFORE = run_settings.freeze(PROJECT)
BY = Actor("1", "Rosa Marin")


@pytest.fixture(autouse=True)
def project(table: str) -> None:
    project_actions.create_project(SITE, ProjectSettings(name="Bills"), by=BY, project_id="proj_test")


def settled(**wish: object) -> run_settings.RunSettings:
    return reanalysis.merge_wish(SITE, "proj_test", BEFORE, AnalysisRequest(**wish))  # type: ignore[arg-type]


def test_rules_follow_no_instruction_and_the_form_says_so() -> None:
    with pytest.raises(Refused, match="Built-in rules ignore instructions"):
        settled(instruction="Read the small print")


def test_a_model_is_told_the_instruction_beside_the_project_s_own_words() -> None:
    pinned = settled(instruction="The total is the amount due.", analyzer="model")
    assert (pinned.analyzer, pinned.instruction) == ("model", "The total is the amount due.")
    assert pinned.models["extract"] == "bedrock"
    assert "{{document_instructions}}" in load_prompts(SITE, pinned.prompts_sha256)["extract"].prompt.instructions
    assert run_settings.from_json(run_settings.to_json(pinned)) == pinned


def test_another_model_can_be_asked_and_is_told_the_same() -> None:
    before = settled(analyzer="model")
    strong = reanalysis.merge_wish(SITE, "proj_test", before, AnalysisRequest(model="bedrock-strong"))
    assert set(strong.models.values()) == {"bedrock-strong"}
    assert load_prompts(SITE, strong.prompts_sha256) == load_prompts(SITE, before.prompts_sha256)
    assert {one.label for one in compare.settings_that_differ(before, strong)} == set(MODEL_USES.values())


def test_a_threshold_holds_for_fields_without_one_of_their_own() -> None:
    own = replace(BEFORE, fields=(replace(BEFORE.fields[0], threshold=0.95), *BEFORE.fields[1:]))
    changed = reanalysis.merge_wish(SITE, "proj_test", own, AnalysisRequest(threshold=0.5))
    assert [one.threshold for one in changed.fields] == [0.95, *[0.5] * (len(own.fields) - 1)]
    assert changed.default_threshold == 0.5
    with pytest.raises(Refused, match="from 0 to 100"):
        settled(threshold=1.5)


def test_a_threshold_holds_for_the_fields_of_every_type_that_may_be_found(table: str) -> None:
    fields = (replace(BEFORE.fields[0], threshold=0.95), replace(BEFORE.fields[1], threshold=0.8))
    book = PinnedTypes((TypeSpec("receipt", "Receipt", 1, fields), TypeSpec("invoice", "Invoice", 2, fields)))
    typed = replace(BEFORE, typing="found", types_sha256=pinned_types.pin(SITE, book))
    changed = reanalysis.merge_wish(SITE, "proj_test", typed, AnalysisRequest(threshold=0.5))
    found = pinned_types.load_types(SITE, changed.types_sha256).types
    assert [(one.id, [spec.threshold for spec in one.fields]) for one in found] == [
        ("receipt", [0.95, 0.5]), ("invoice", [0.95, 0.5]),
    ]  # fmt: skip
    assert pinned_types.load_types(SITE, typed.types_sha256) == book  # the run before keeps its own
    told = {one.label for one in compare.settings_that_differ(typed, changed)}
    assert told == {"Thresholds", "Types to find"}
    with pytest.raises(Refused, match="document types of this run cannot be loaded"):
        reanalysis.merge_wish(SITE, "proj_test", replace(typed, types_sha256="0" * 64), AnalysisRequest(threshold=0.5))


def test_an_instruction_holds_on_until_it_is_taken_away_or_nobody_follows_it() -> None:
    before = settled(instruction="Look twice.", analyzer="model")
    for wish, instruction in (
        (AnalysisRequest(threshold=0.5), "Look twice."),
        (AnalysisRequest(instruction=""), ""),
        (AnalysisRequest(instruction="Once."), "Once."),
        (AnalysisRequest(analyzer="rules"), ""),
    ):
        assert reanalysis.merge_wish(SITE, "proj_test", before, wish).instruction == instruction
    assert AnalysisForm(before, {}, {})["instruction"].value() == "Look twice."


def test_the_fields_that_the_project_has_now_can_be_read(table: str) -> None:
    fields = (FieldSetting("iban", "IBAN", "text", required=True),)
    wanted = ProjectSettings(name="Bills", fields=fields)
    made = project_actions.create_project(SITE, wanted, by=BY, project_id=project_actions.new_project_id())
    pinned = reanalysis.merge_wish(SITE, made.id, BEFORE, AnalysisRequest(fields=NOW))
    assert [one.name for one in pinned.fields] == ["iban"]
    assert pinned.ocr_model == BEFORE.ocr_model
    with pytest.raises(Refused, match="project's document type no longer exists"):
        reanalysis.merge_wish(SITE, made.id, BEFORE, AnalysisRequest(fields="0" * 8))


def test_values_are_judged_by_the_calibration_and_the_extractor_that_are_active_now() -> None:
    pin_learned("proj_test", paused_at="2026-11-27T00:00:00.000000+00:00")
    pinned = settled()  # nothing else differs: a reason to analyze again
    assert (pinned.calibration_version, pinned.calibration_sha256, pinned.calibration_paused) == (3, "c" * 64, True)
    assert (pinned.extractor_version, pinned.extractor_sha256) == (2, "e" * 64)
    with pytest.raises(Refused, match="Change at least one option"):
        reanalysis.merge_wish(SITE, "proj_test", pinned, AnalysisRequest())
    other = reanalysis.merge_wish(SITE, "proj_gone", pinned, AnalysisRequest(threshold=0.5))
    assert other.calibration_version == 3  # of a project that is gone: as in the earlier run


@each(
    "wish",
    [
        AnalysisRequest(),
        AnalysisRequest(analyzer="rules"),
        AnalysisRequest(analyzer="an oracle"),
        AnalysisRequest(analyzer="model", model="?"),
        AnalysisRequest(instruction="x" * 2001, analyzer="model"),
    ],
)
def test_what_would_change_nothing_or_does_not_exist_is_refused(wish: AnalysisRequest) -> None:
    with pytest.raises(Refused):
        reanalysis.merge_wish(SITE, "proj_test", BEFORE, wish)


def test_the_settings_that_differ_are_told_in_words() -> None:
    changed = settled(instruction="Look twice.", analyzer="model", threshold=0.5)
    told = {one.label: (one.left, one.right) for one in compare.settings_that_differ(BEFORE, changed)}
    assert told["Instruction"] == ("none", "Look twice.")
    assert told["Field extraction"] == ("Built-in rules", "Language model")
    assert set(told) == {"Instruction", "Field extraction", *MODEL_USES.values(), "Thresholds"}
    assert compare.settings_that_differ(BEFORE, BEFORE) == []


def test_types_that_the_bucket_lost_are_there_again_with_the_next_run(table: str) -> None:
    book = PinnedTypes((TypeSpec("receipt", "Receipt", 1, BEFORE.fields),))
    sha256 = pinned_types.pin(SITE, book)
    key = SiteFiles(SITE).key(files.pinned_types(sha256))
    delete_object(key, "")
    with pytest.raises(StageFailed, match="Upload the file again"):
        pinned_types.load_types(SITE, sha256)
    assert pinned_types.pin(SITE, book) == sha256
    assert pinned_types.load_types(SITE, sha256) == book
