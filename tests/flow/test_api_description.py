"""The API keeps what its description says, asked by schemathesis: every operation, fixed seed, bounded cases."""

import json
import subprocess
import sys
import zlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from ninja import Schema
from pytest_django.live_server_helper import LiveServer

from config import aws
from projects.audit.events import actor_of
from projects.entities import actions as entity_actions
from projects.entities.actions import EntityDraft
from projects.folders import actions as folder_actions
from projects.folders.items import EntryType
from projects.folders.queries import ROOT
from projects.policies.actions import save_version
from projects.schemas import actions as schema_actions
from projects.schemas.governing import AttributeDefinition
from projects.schemas.governing import Schema as AttributeSchema
from projects.schemas.labels import actions as label_actions
from projects.schemas.labels.actions import LabelChange
from projects.schemas.labels.keys import ItemType, LabelKey, item_key
from projects.settings.items import Project
from projects.shares import actions as share_actions
from projects.shares.items import PrincipalType
from projects.shares.queries import Principal
from projects.sites import api_keys
from projects.sites.permissions import EVERYTHING
from projects.web.http import PROBLEM
from review.api import api
from review.cases import actions as case_actions
from review.cases.actions import CaseText, TaskText
from tests.examples import at_most
from tests.flow.api_ids import Always, ids_of_operations
from tests.people import alice
from tests.projects.make_sites import BY
from tests.review.handovers.asking import ask
from tests.settings import FOLDER
from tests.workflows.batches import bulk
from tests.workflows.executions.onboarding import make_execution
from tests.workflows.experiments.made import SITE, make_experiment
from tests.workflows.repeated import field, published_run, run_to_repeat
from tests.workflows.test_api import API
from workflows.exports.actions import Orderer, order_export
from workflows.exports.choice import Choice
from workflows.testsets import actions as testset_actions
from workflows.testsets.cases import Case

SEED = 11
CASES = 6  # of an operation by chance; those at the limits of its description come on top
SHARES = 8  # tests that can run beside each other
CHECKS = (
    "not_a_server_error",
    "status_code_conformance",
    "content_type_conformance",
    "response_headers_conformance",
    "response_schema_conformance",
    "negative_data_rejection",
    "positive_data_acceptance",
    "missing_required_header",
    "unsupported_method",
    "allow_header_conformance",
    "ignored_auth",
)
# What no description can say of a request, so that 422 may be the answer to a valid one.
REFUSALS = {
    "upload_document": "whether the file can be read",
    "complete_upload": "which models there are, and whether the file can be read",
    "change_document": "which attributes the site has, and what their values are",
    "save_chat_webhook": "which addresses may be called",
    "change_account": "which time zones there are",
    "create_attribute": "which entries an attribute of each type has",
    "change_attribute": "which entries an attribute of each type has",
    "save_site_schema": "which attributes the site has, and what their values are",
    "create_document_type": "which attributes the site has, and what their values are",
    "save_document_type": "which attributes the site has, and what their values are",
    "archive_document_type": "which state of it the change is based on",
    "create_project": "which languages, models and queues there are",
    "change_project": "which languages, models and queues there are",
    "save_draft": "whose ticket it is",
    "split_document": "whose ticket it is, and which pages there are",
    "decide_review": "whose ticket it is, and which fields have to be checked",
    "list_events": "which instants there are",
    "create_batch": "whether the manifest is in the bucket",
    "retry_batch": "whether lines failed",
    "continue_batch": "whether the batch was halted",
    "delete_document": "whether its run has ended",
    "run_again": "which steps the run came to, and whether it has ended",
    "analyse_again": "what the run before had, and whether it has ended",
    "retry_unpacking": "whether files were left out",
    "choose_result": "whether the result counts already",
    "ask_for_review": "whether the files, the project and the queue are there; each field's name once",
    "restrict_folder": "which groups the site has",
    "import_entities": "what a CSV file is",
    "create_folder": "how long each name of a path may be",
    "move_folder": "how long each name of a path may be",
    "add_task": "who is of the site, and which days there are",
    "add_nigo": "that a name has words",
    "create_case": "that a name has words, and which documents there are",
    "settle_case": "whether tasks are open",
    "settle_task": "that there are two words for it",
    "settle_nigo": "that there are two words for it",
    "create_entity": "what an IBAN is",
    "update_entity": "what an IBAN is",
    "check_workflow_plan": "what a step of each kind needs",
    "try_workflow_plan": "what a step of each kind needs, and how deep the data is",
    "create_workflow": "what a step of each kind needs",
    "save_workflow_draft": "what a step of each kind needs",
    "publish_workflow": "whether the draft can be run",
    "activate_workflow_version": "whether it is active, or not deployed yet",
    "archive_workflow_version": "whether it is archived, or every document needs it",
    "purge_document": "whether it is deleted",
    "purge_execution": "whether it has ended",
    "restore_earlier_values": "which attributes the site has, and what their values are",
    "start_execution": "which workflows there are, and how deep the data is",
    "add_locale": "which languages there are",
    "add_resource_item": "which entries go together, and which values the site's schemas allow",
    "set_resource_item": "that it is the item of the address",
    "merge_entities": "that nothing is merged with itself",
    "create_entity_type": "that a name has words",
    "rename_entity_type": "that a name has words",
    "delete_entity_type": "whether it has entries",
    "move_document": "how long each name of a path may be",
    "share_document": "that there is one of three, who is of the site, and that a name has words",
    "publish_document": "whether it has a result",
    "share_folder": "that there is one of three, who is of the site, and that a name has words",
    "search": "what a word is",
    "show_figures": "whether an access policy is active",
    "save_policy_version": "what a policy is",
    "try_policy_version": "which documents there are",
    "activate_policy_version": "whether it was tried",
    "save_prompt_version": "which placeholders a purpose has",
    "move_prompt_production": "whether the reason has words",
    "set_prompt_candidate": "whether the version is in production, and the reason has words",
    "create_test_set": "which fields the project has",
    "list_questions": "whether another system processed it",
    "ask_question": "whether the question has words",
    "try_prompt": "which placeholders a purpose has",
    "read_page_anew": "which models are set up, and that each is named once",
    "activate_extractor": "whether the reason has words",
    "create_export_schedule": "which columns the project has, and what a prefix is",
    "assign_bucket_folder": "what a folder is called",
    "remove_bucket_folder": "whether it is assigned",
    "create_export": "which columns the project has, and which of two days comes first",
    "create_experiment": "whether the test set has documents",
    "resume_experiment": "what is spent already",
    "retry_experiment": "whether an answer failed",
    "promote_variant": "how good it is",
}
# Of these no accepted request can be made by chance; tests of their own send one.
NEVER_BUILT = {
    "import_entities",  # a CSV file
    "purge_document",  # one that is deleted
    "purge_execution",  # one that has ended
    "save_workflow_draft",  # the ETag of the draft that was read
    "split_document",  # parts that have every page once
}
STAFF = Principal(PrincipalType.GROUP, "staff")


def known() -> dict[str, list[Any]]:
    """Ids that there are: without them nearly every answer would be 404."""
    project: Project = bulk.project()
    published, stopped = published_run(field("total", "4.00")), run_to_repeat()
    batch = bulk.make(project, [{"key": bulk.put("a.txt")}])
    testset = testset_actions.create_test_set(SITE, project.id, "Receipts", by=BY)
    testset_actions.add_cases(testset, [Case(published.document_id, "0" * 64, "tuning", 1)], note="", by=BY)
    experiment = make_experiment(testset, [1])
    suppliers = entity_actions.create_type(SITE, "Suppliers", by=BY).type_id
    entities = [entity_actions.create_entity(SITE, suppliers, EntityDraft(name), by=BY) for name in ("Mill", "Quill")]
    case = case_actions.create_case(SITE, CaseText("Claim 17"), by=BY).case_id
    shared = share_actions.find_target(SITE, EntryType.FILE, published.document_id)
    schema_actions.create_definition(SITE, AttributeDefinition("vendor", "Vendor", "text"), by=BY)
    tag = label_actions.add_language(SITE, "de", by=BY).tag
    total = LabelKey(ItemType.INTERFACE, interface_key="total")
    label_actions.save_labels(SITE, tag, [LabelChange(total, "Summe")], by=BY)
    return {
        "locale": [tag],
        "item_key": [item_key(total)],
        "key": ["vendor"],
        "index": [0],
        "number": [0],
        "type_id": [suppliers],
        "entity_id": [one.entity_id for one in entities],
        "folder_id": [folder_actions.create_folder(SITE, ROOT, "Inbox", by=BY).folder_id],
        "share_id": [share_actions.share_with(SITE, shared, STAFF, "staff", by=BY).share_id],
        "case_id": [case],
        "execution_id": [make_execution().executionId],
        "item_id": [case_actions.add_task(SITE, case, TaskText("Call"), by=BY)],
        "project_id": [project.id],
        "document_id": [published.document_id, stopped.document_id],
        "run_id": [published.workflow_id, stopped.workflow_id],
        "batch_id": [batch.id],
        "review_id": [ask("loan 17").ref.review_id],
        "month": ["2026-11"],
        "document_type": [
            schema_actions.create_classification(
                SITE, AttributeSchema("Receipt"), by=BY, classification_id=schema_actions.new_classification_id()
            ).id
        ],
        "model_id": ["bedrock", "embedded"],
        "purpose": ["extract", "answer"],
        "prompt_version": [1],
        "policy_version": [save_version(SITE, "package countersign\n\nallow := true\n", newest=0, by=BY).number],
        "testset_id": [testset.testset_id],
        "experiment_id": [experiment.experiment_id],
        "export_id": [order_export(SITE, project.id, Choice(), who=Orderer(BY)).export_id],
        "definition_id": ["document-analysis.v1"],
        "version_id": ["current"],
        "name": ["document-analysis"],
    }


def described() -> Any:
    return api.get_openapi_schema(path_prefix=f"{API}/")


def operations() -> dict[str, str]:
    """The ids of all operations that the API describes, and the method of each."""
    paths = described()["paths"].values()
    return {operation["operationId"]: method for path in paths for method, operation in path.items()}


def configured(ids: Mapping[str, Sequence[Any]], own: Mapping[str, Mapping[str, Any]], folder: Path) -> Path:
    """Ids from answers are not tried again: the list of API keys would lead to the end of the run's own."""
    lines = ["[phases.fuzzing.extra-data-sources]", "responses = false", "[parameters]"]
    lines += [f'"path.{name}" = {{ dictionary = "{name}", probability = 0.9 }}' for name in ids]
    lines += ["[dictionaries]", *(f"{name} = {{ values = {json.dumps(values)} }}" for name, values in ids.items())]
    for one, its in own.items():
        values = {name: value if isinstance(value, list) else [value] for name, value in its.items()}
        values = {name: listed for name, listed in values.items() if not isinstance(its[name], Always)}
        lines += [f'"{one}.{name}" = {{ values = {json.dumps(listed)} }}' for name, listed in values.items()]
    for one, its in own.items():
        lines += ["[[operations]]", f"include-operation-id = {json.dumps([one])}", "[operations.parameters]"]
        lines += [
            f'"{name}" = '
            + (json.dumps(value.value) if isinstance(value, Always) else f'{{ dictionary = "{one}.{name}" }}')
            for name, value in its.items()
        ]
    lines += ["[[operations]]", f"include-operation-id = {json.dumps(list(REFUSALS))}"]
    lines += ["checks.positive_data_acceptance.expected-statuses = ['2xx', 401, 403, 404, 409, 412, 422]"]
    lines += [
        "checks.negative_data_rejection.expected-statuses = [400, 401, 403, 404, 405, 406, 409, 412, 413, 415, 422]"
    ]
    path = folder / "schemathesis.toml"
    path.write_text("\n".join(lines))
    return path


def test_every_failure_is_described_as_the_problem_that_it_is() -> None:
    assert set(REFUSALS) < set(operations())
    assert set(REFUSALS) >= NEVER_BUILT
    for path in described()["paths"].values():
        for operation in path.values():
            failures = {status: one for status, one in operation["responses"].items() if int(status) >= 400}
            assert {400, 401, 403, 404, 503} <= set(failures)
            assert [list(one["content"]) for one in failures.values()] == [[PROBLEM]] * len(failures)


def test_no_two_shapes_have_one_name() -> None:
    """The description would have the later one for both."""
    shapes: dict[str, set[str]] = {}
    left = list(Schema.__subclasses__())
    while left:
        one = left.pop()
        left += one.__subclasses__()
        if one.__module__.endswith("api"):
            shapes.setdefault(one.__name__, set()).add(one.__module__)
    assert {name: found for name, found in shapes.items() if len(found) > 1} == {}


def test_all_operations_answer_failures_with_one_model() -> None:
    """One for each status of each operation was half of the time that the addresses take to be imported."""
    paths = [path for _, router in api._routers for path in router.path_operations.values()]
    found = {one.response_models[404] for path in paths for one in path.operations if 404 in one.response_models}
    assert len(found) == 1


def test_every_body_is_one_argument() -> None:
    """``projects.web.api`` leaves its name out of the places of errors, as callers do not send it."""
    paths = [path for _, router in api._routers for path in router.path_operations.values()]
    models = [model for path in paths for one in path.operations for model in one.models]
    bodies = [list(one.model_fields) for one in models if one.__ninja_param_source__ == "body"]
    assert bodies
    assert {len(names) for names in bodies} == {1}


def operations_of(share: int) -> tuple[list[str], list[str]]:
    """One share of the operations, and apart from the others the deletions.

    Which share an operation is in depends on its name alone: a new one moves no other.
    """
    asked = {one: method for one, method in operations().items() if zlib.crc32(one.encode()) % SHARES == share}
    return [one for one in asked if asked[one] != "delete"], [one for one in asked if asked[one] == "delete"]


def never_accepted(report: Any) -> set[str]:
    """The ids of the operations of which no call succeeded."""
    paths = described()["paths"].items()
    ids = {f"{method.upper()} {path}": one["operationId"] for path, its in paths for method, one in its.items()}
    rates = report["valid_rates"].items()
    return {ids[name] for name, phases in rates if not any(phase["accepted"] for phase in phases.values())}


def test_each_operation_is_in_one_share() -> None:
    shared = [one for share in range(SHARES) for asked in operations_of(share) for one in asked]
    described_ids = [one["operationId"] for path in described()["paths"].values() for one in path.values()]
    assert sorted(shared) == sorted(described_ids)
    assert len(set(shared)) == len(shared)


@pytest.fixture
def provider_account(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without one, Textract is not set up. Nothing is sent to it."""
    monkeypatch.setattr(aws, "provider_credentials", lambda: True)


@pytest.mark.wide
@pytest.mark.timeout(600)
@pytest.mark.usefixtures("provider_account")
@pytest.mark.parametrize("share", range(SHARES))
def test_every_operation_answers_as_its_description_says(
    live_server: LiveServer, table: str, tmp_path: Path, share: int, settings: Any
) -> None:
    """Deletions come last: otherwise the other operations would get 404."""
    settings.REVIEW_UNDO_SECONDS = 600  # the decision that is undone is older than seconds by then
    by = actor_of(alice())  # a person's token: programs do not decide reviews
    _, key = api_keys.create_api_key("default", "Scanner", EVERYTHING, by=by, personal=True)
    other, _ = api_keys.create_api_key("default", "Other", EVERYTHING, by=by)
    ids = known() | {"mask": [str(other.mask)]}
    own = ids_of_operations(ids, who=alice(), key=key)
    assert own.keys() <= set(operations())
    settings.WEBHOOK_PRIVATE_ADDRESSES = True  # an address without a name, which nothing here could resolve
    remembered = FOLDER / "schemathesis"  # hypothesis computes there, once, which characters there are: seconds
    remembered.mkdir(exist_ok=True)
    for number, asked in enumerate(filter(None, operations_of(share))):
        folder = tmp_path / str(number)
        folder.mkdir()
        ran = subprocess.run(
            [
                Path(sys.executable).with_name("schemathesis"), f"--config-file={configured(ids, own, folder)}",
                "run", f"{live_server.url}{API}/openapi.json", "--header", f"Authorization: Bearer {key}",
                *(f"--include-operation-id={one}" for one in asked),
                "--seed", str(SEED), "--max-examples", str(at_most(CASES)),
                "--checks", ",".join(CHECKS), "--phases", "coverage,fuzzing", "--no-shrink", "--continue-on-failure",
                "--request-timeout", "60", "--generation-database", "none",
                "--report", "json", "--report-json-path", folder / "report.json", "--output-sanitize", "true",
            ],
            capture_output=True, text=True, check=False, cwd=remembered,
        )  # fmt: skip
        assert ran.returncode == 0, ran.stdout[-20_000:] + ran.stderr
        report = json.loads((folder / "report.json").read_text())
        assert report["warnings"]["missing_auth"] == [], "these were refused whatever they were sent"
        assert report["operations"]["tested"] == len(asked)
        assert never_accepted(report) <= NEVER_BUILT, "no call of these succeeded, and nothing says why"
