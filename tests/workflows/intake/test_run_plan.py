"""Documents that come under rules: what is decided at the upload, what after the analysis, and what a run pins."""

import json
from pathlib import Path

import numpy as np
import pytest
import zxingcpp
from PIL import Image

from config.errors import Refused, Tampered
from projects.audit.events import Actor
from tests.aws_faults import count_calls
from tests.factories import PROJECT, SITE, ref_of, review_of
from tests.pump import Pump
from tests.workflows.make_rules import arrived, draft, is_pdf, make_rule, make_ruleset, says
from workflows.definitions import blueprint, rules, stored_rules, versions
from workflows.definitions.rules import Act, Condition, Effect, Operator, Source, When
from workflows.intake import store as intake_store
from workflows.routing import actions, barcodes, judge, pinned_rules
from workflows.runs import queries, run_settings
from workflows.runs.items import Run
from workflows.storage import files
from workflows.storage.objects import DocumentFiles, delete_object

ALICE = Actor("1", "Alice Novak")
ALL_SURE = {**PROJECT, "review_policy": {"default_threshold": 0.0}}
ASSESS = blueprint.DOCUMENT_ANALYSIS.named("assess").order
NOBODY_SURE = {**PROJECT, "review_policy": {"default_threshold": 1.0}}


def frozen_of(run: Run) -> tuple[run_settings.RunSettings, rules.Routing]:
    link = queries.document_workflow(run.site, run.document_id, run.workflow_id)
    return run_settings.from_json(link.settings), stored_rules.read_routing(link.routing)


def judged(run: Run) -> rules.Judgement:
    return judge.judgement_of(run, queries.execution(run).routing_sha256)


@pytest.mark.wide
def test_without_rules_nothing_is_pinned_and_nothing_is_asked_later(pump: Pump) -> None:
    with count_calls() as calls:
        run = arrived(project=ALL_SURE)
    assert calls.names().count("dynamodb.Query") == 3  # rulesets, mappings, how many the site has in progress
    assert queries.document_workflow(run.site, run.document_id, run.workflow_id).routing is None
    pump.run(lambda: queries.execution(run).outcome is not None)
    assert queries.execution(run).routing_sha256 is None


def test_at_the_upload_a_rule_chooses_settings_queue_and_definition(pump: Pump) -> None:
    effect = {"queue": "q1", "language": "de", "threshold": 0.25, "definition": "document-analysis"}
    made = make_rule(make_ruleset(), is_pdf(), when=When.UPLOAD, **effect)
    settings, found = frozen_of(arrived())
    assert (settings.queue, settings.language, settings.default_threshold) == ("q1", "de", 0.25)
    assert {field.threshold for field in settings.fields} == {0.25}
    assert [one.rule_id for one in found.judgement.decisions] == [made.documentId]


def test_a_rule_that_does_not_hold_leaves_the_project_as_it_is(pump: Pump) -> None:
    make_rule(make_ruleset(), Condition(Source.CONTENT_TYPE, Operator.EQ, "image/png"), when=When.UPLOAD, language="de")
    settings, found = frozen_of(arrived())
    assert (settings.language, found.judgement.decisions) == ("en", ())


def test_a_classification_is_laid_over_the_projects() -> None:
    assert (
        intake_store.apply_effect({"classification_id": "c1"}, Effect(classification="c2"))["classification_id"] == "c2"
    )


def test_a_definition_that_is_gone_falls_back_to_the_analysis() -> None:
    assert versions.active_definition("gone") == blueprint.DOCUMENT_ANALYSIS
    assert versions.active_definition("document-analysis").name == "document-analysis"


def test_the_lineage_names_the_rules_and_nothing_of_the_document(pump: Pump) -> None:
    make_rule(make_ruleset(), is_pdf(), when=When.UPLOAD, description="PDFs go first")
    run = arrived()
    (first,) = queries.lineage(SITE, run.document_id).rows
    assert first.facts.as_dict() == {"rules": "PDFs go first"}


def test_after_the_analysis_a_rule_chooses_the_queue_that_the_review_opens_in(pump: Pump) -> None:
    ruleset = make_ruleset()
    make_rule(ruleset, says("no such words"), priority=1, queue="wrong")
    made = make_rule(ruleset, says("alder & quill"), Condition(Source.FIELD, Operator.GT, "500", "total"), queue="q7")
    run = arrived(project=NOBODY_SURE)
    pump.run(lambda: pump.ran("open_review") > 0)
    assert review_of(ref_of(run)).queue == "q7"
    (decision,) = judged(run).decisions
    assert decision.rule_id == made.documentId
    assert decision.why == ("Text contains “alder & quill”", "Field total is greater than “500”: it is “510.24”")
    told = [
        row.facts.as_dict() for row in queries.lineage(SITE, run.document_id).rows if row.type == "ASSESS_COMPLETED"
    ]
    assert told[0]["rules"] == "To the payables"
    assert "510.24" not in json.dumps(told)


def test_the_rules_word_on_the_queue_comes_before_the_projects(pump: Pump) -> None:
    make_rule(make_ruleset(), queue="ruled")
    run = arrived(project={**NOBODY_SURE, "review_queue": "of-the-project"})
    pump.run(lambda: pump.ran("open_review") > 0)
    assert review_of(ref_of(run)).queue == "ruled"


@pytest.mark.wide
def test_a_run_keeps_the_rules_it_began_with(pump: Pump) -> None:
    made = make_rule(make_ruleset(), queue="first")
    run = arrived(project=NOBODY_SURE)
    actions.update_rule(SITE, made.rulesetId, made.documentId, draft(queue="second"), version=1, by=ALICE)
    later = arrived(project=NOBODY_SURE)
    pump.run(lambda: pump.ran("open_review") > 1)
    assert (review_of(ref_of(run)).queue, review_of(ref_of(later)).queue) == ("first", "second")


def test_many_runs_under_the_same_rules_share_one_object(table: str) -> None:
    make_rule(make_ruleset(), actions=(Act("OCR"),))
    book = pinned_rules.current_rules(SITE)
    with count_calls() as calls:
        assert {pinned_rules.pin_rules(SITE, book) for _ in range(3)} == {
            pinned_rules.pin_rules(SITE, pinned_rules.current_rules(SITE))
        }
    assert calls.names().count("s3.PutObject") == 1
    assert pinned_rules.load_pinned_rules(SITE, pinned_rules.pin_rules(SITE, book)) == book


def test_rules_that_somebody_changed_behind_the_runs_back_are_not_applied(table: str) -> None:
    make_rule(make_ruleset(), queue="q1")
    sha256 = pinned_rules.pin_rules(SITE, pinned_rules.current_rules(SITE))
    pinned_rules.SiteFiles(SITE).write(files.pinned_rules(sha256), b"{}", "application/json")
    with pytest.raises(Tampered):
        pinned_rules.load_pinned_rules(SITE, sha256)
    pinned_rules.pin_rules(SITE, pinned_rules.current_rules(SITE))  # mends it
    assert pinned_rules.load_pinned_rules(SITE, sha256) == pinned_rules.current_rules(SITE)


def test_rules_that_the_bucket_lost_are_there_again_with_the_next_run(pump: Pump) -> None:
    make_rule(make_ruleset(), queue="q1")
    name = files.pinned_rules(pinned_rules.pin_rules(SITE, pinned_rules.current_rules(SITE)))
    delete_object(pinned_rules.SiteFiles(SITE).key(name), "")
    pinned_rules.load_pinned_rules.cache_clear()  # as in a worker that has not read them
    run = arrived(project=NOBODY_SURE)
    pump.run(lambda: pump.ran("open_review") > 0)
    assert review_of(ref_of(run)).queue == "q1"


def test_the_step_done_twice_asks_once_and_answers_the_same(pump: Pump) -> None:
    make_rule(make_ruleset(), queue="q1")
    run = arrived(project=NOBODY_SURE)
    pump.run(lambda: pump.ran("open_review") > 0)
    before = queries.execution(run)
    (assess,) = [one for one in pump.seen if one.task.endswith("run_step") and int(one.kwargs["step"]) == ASSESS]
    pump.redeliver(assess)
    assert queries.execution(run).last_transition == before.last_transition
    assert review_of(ref_of(run)).queue == "q1"


def page_with_codes(folder: Path, *texts: str) -> Path:
    page = Image.new("L", (1240, 1754), 255)
    for i, text in enumerate(texts):
        code = zxingcpp.write_barcode_to_image(zxingcpp.create_barcode(text, zxingcpp.Code128), scale=3)
        image = Image.fromarray(np.array(code))
        page.paste(image.rotate(90, expand=True) if i else image, (100 + 800 * i, 300))
    path = folder / "codes.png"
    page.save(path, dpi=(150, 150))
    return path


@pytest.mark.wide
def test_a_barcode_sends_a_document_where_the_rule_says(pump: Pump, tmp_path: Path) -> None:
    make_rule(make_ruleset(), Condition(Source.BARCODE, Operator.CONTAINS, "pay-"), queue="payables")
    run = arrived(page_with_codes(tmp_path, "PAY-2024-0418", "OTHER"), project=NOBODY_SURE)
    pump.run(lambda: pump.ran("open_review") > 0, seconds=90)
    assert review_of(ref_of(run)).queue == "payables"
    store = DocumentFiles(SITE, run.project_id, run.document_id)
    kept = json.loads(store.read(files.routing_judgement(run.workflow_id)))["barcodes"]
    assert {(one["text"], one["format"], one["page"]) for one in kept} == {
        ("PAY-2024-0418", "Code 128", 0),
        ("OTHER", "Code 128", 0),
    }
    left, top, right, bottom = next(one["box"] for one in kept if one["text"].startswith("PAY"))
    assert 0 < left < right < 1
    assert 0 < top < bottom < 1


def test_a_page_without_a_barcode_has_none(table: str, tmp_path: Path) -> None:
    class Store:
        def read(self, name: str) -> bytes:
            return page_with_codes(tmp_path).read_bytes()

    assert barcodes.on_page(Store(), 0) == []  # type: ignore[arg-type]


def test_the_bucket_of_rules_is_the_sites_own(table: str) -> None:
    make_rule(make_ruleset(site="acme"), site="acme", queue="q1")
    with count_calls() as calls:
        pinned_rules.pin_rules("acme", pinned_rules.current_rules("acme"))
    assert [call.params["Key"].split("/")[0] for call in calls.of("s3", "PutObject")] == ["acme"]
    assert pinned_rules.current_rules(SITE) == pinned_rules.PinnedRules()


def test_a_rule_that_chooses_a_classification_that_is_gone_is_named_before_anything_is_kept(pump: Pump) -> None:
    make_rule(make_ruleset(), when=When.UPLOAD, classification="gone", description="Contracts")
    with count_calls() as calls, pytest.raises(Refused, match="selected by rule “Contracts” no longer exists"):
        arrived()
    assert "dynamodb.TransactWriteItems" not in calls.names()
