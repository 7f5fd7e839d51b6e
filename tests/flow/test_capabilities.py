"""What a person may do by page they may do by API, and nothing else: one table of capabilities with both."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from projects.audit.events import actor_of
from projects.sites.api_keys import create_api_key
from projects.sites.permissions import EVERYTHING
from projects.web.http import API_PATH
from review.api import api
from review.console import find_example
from tests.flow.test_url_roles import ROLES, TABLE
from tests.flow.urls import world
from tests.people import alice, bob, charlie

pytestmark = pytest.mark.django_db
PEOPLE = {"viewer": charlie, "reviewer": bob, "admin": alice}


@dataclass(frozen=True)
class Capability:
    """``pages``: names of addresses, with a method where it is not GET; ``operations``: ids of the API's.

    ``who``: of the roles, from the first that may.
    """

    who: str
    pages: tuple[str, ...]
    operations: tuple[str, ...]


TABLE_OF_BOTH: Mapping[str, Capability] = {
    "look at projects": Capability(
        "viewer", ("projects:list-projects", "projects:show-project"), ("list_projects", "show_project")
    ),
    "set projects up": Capability(
        "admin",
        ("projects:create-project", "POST projects:create-project", "POST projects:edit-project"),
        ("create_project", "change_project"),
    ),
    "look at documents": Capability(
        "viewer",
        ("documents:list-documents", "documents:show-document", "documents:show-activity", "workflows:list-contents"),
        (
            "list_documents", "show_document", "list_activity", "list_file_versions", "download_file", "show_unpacking",
            "show_publication", "list_document_shares", "show_ocr",
        ),
    ),
    "look at what documents share": Capability(
        "viewer", ("workflows:show-project-graph",), ("show_project_graph",)
    ),
    "import documents": Capability("reviewer", ("POST workflows:import-documents",), ("import_documents",)),
    "look at notifications": Capability("viewer", ("review:list-notifications",), ("list_notifications",)),
    "read notifications": Capability("viewer", ("POST review:read-notifications",), ("read_notification",)),
    "search": Capability("viewer", ("workflows:search",), ("search",)),
    "upload": Capability(
        "reviewer",
        ("workflows:upload", "POST workflows:upload", "POST workflows:list-contents", "POST workflows:unpack-again"),
        ("upload_document", "prepare_upload", "complete_upload", "retry_unpacking"),
    ),
    "edit documents": Capability(
        "reviewer",
        (
            "POST documents:change-tags", "POST documents:change-attributes", "POST documents:change-metadata",
            "POST documents:change-checkout", "POST documents:change-type", "POST folders:change-path",
            "POST workflows:change-publication",
        ),
        (
            "set_document_type", "change_document", "check_out_document", "check_in_document", "move_document",
            "publish_document", "withdraw_document",
        ),
    ),
    "delete documents": Capability(
        "admin", ("workflows:delete-document", "POST workflows:delete-document"), ("delete_document",)
    ),
    "look at deleted documents": Capability(
        "admin", ("documents:list-deleted", "documents:show-deleted"), ("list_deleted_documents",)
    ),
    "restore and purge documents": Capability(
        "admin",
        ("POST workflows:restore-document", "POST workflows:purge-document"),
        ("restore_document", "purge_document"),
    ),
    "look at runs": Capability(
        "viewer",
        ("workflows:overview", "workflows:list-runs", "workflows:show-run", "workflows:show-result",
         "workflows:show-lineage"),
        ("show_run", "show_result", "export_result", "list_executions", "list_transitions", "list_events",
            "list_workflow_documents"),
    ),
    "look at deliveries": Capability("viewer", ("workflows:list-syncs",), ("list_document_deliveries",)),
    "send documents again": Capability(
        "reviewer", ("POST workflows:ask-sync-again",), ("send_document_again",)
    ),
    "look at earlier values": Capability("viewer", ("documents:list-earlier-values",), ("list_earlier_values",)),
    "restore earlier values": Capability(
        "reviewer", ("POST documents:list-earlier-values",), ("restore_earlier_values",)
    ),
    "look at rules": Capability(
        "admin", ("routing:list-rulesets", "routing:edit-ruleset"), ("list_rulesets", "show_ruleset")
    ),
    "look at field mappings": Capability(
        "admin", ("routing:list-mappings", "routing:edit-mapping"), ("list_mappings", "show_mapping")
    ),
    "look at the access policy": Capability(
        "admin", ("policies:list-versions", "policies:show-version"), ("list_policy_versions", "show_policy_version")
    ),
    "change the access policy": Capability(
        "admin",
        (
            "POST policies:list-versions", "POST policies:try-version", "POST policies:activate-version",
            "POST policies:deactivate-policy",
        ),
        ("save_policy_version", "try_policy_version", "activate_policy_version", "deactivate_policy"),
    ),
    "look at API keys": Capability("admin", ("settings:edit-keys",), ("list_api_keys",)),
    "look at access requests": Capability("admin", ("settings:list-people",), ("list_access_requests",)),
    "revoke API keys": Capability("admin", ("POST settings:revoke-key",), ("revoke_api_key",)),
    "look at saved views": Capability("viewer", ("review:list-views",), ("list_saved_views",)),
    "look at executions": Capability(
        "viewer",
        ("workflows:list-executions", "workflows:show-execution"),
        ("show_execution", "list_execution_transitions"),
    ),
    "start executions": Capability(
        "reviewer",
        ("workflows:start-execution", "POST workflows:start-execution", "POST workflows:cancel-execution"),
        ("start_execution", "cancel_execution"),
    ),
    "purge executions": Capability("admin", ("POST workflows:purge-execution",), ("purge_execution",)),
    "run again": Capability(
        "reviewer",
        ("workflows:show-reruns", "POST workflows:run-again", "POST workflows:analyse-again",
         "POST workflows:choose-result"),
        ("run_again", "analyse_again", "choose_result"),
    ),
    "look at reviews": Capability(
        "viewer",
        ("review:queue", "review:list-queues", "review:show-review"),
        ("list_queues", "list_reviews", "open_review", "show_review"),
    ),
    "review": Capability(
        "reviewer",
        (
            "POST review:claim", "POST review:release", "POST review:save-draft", "POST review:decide",
            "POST review:undo", "POST review:split",
        ),
        ("claim_review", "release_review", "save_draft", "decide_review", "undo_decision", "split_document"),
    ),
    "ask for a review": Capability("reviewer", ("POST workflows:upload",), ("ask_for_review",)),
    "look at batches": Capability(
        "viewer", ("workflows:list-batches", "workflows:show-batch"),
        ("list_batches", "show_batch", "list_batch_lines"),
    ),
    "run batches": Capability(
        "reviewer",
        (
            "POST workflows:create-batch", "POST workflows:retry-batch", "POST workflows:change-slots",
            "POST workflows:continue-batch", "POST workflows:cancel-batch",
        ),
        ("create_batch", "retry_batch", "change_batch_slots", "continue_batch", "cancel_batch"),
    ),
    "look into folders": Capability(
        "viewer", ("folders:list-folders", "folders:show-folder"), ("list_folder", "show_folder")
    ),
    "file in folders": Capability(
        "reviewer",
        ("POST folders:create-folder", "POST folders:edit-folder", "POST folders:delete-folder"),
        ("create_folder", "move_folder", "delete_folder"),
    ),
    "restrict folders": Capability("admin", (), ("restrict_folder",)),
    "look at shares": Capability("viewer", ("shares:list-shares",), ("list_shares",)),
    "share": Capability(
        "reviewer",
        ("POST shares:share-document", "POST shares:share-folder", "POST shares:revoke-share"),
        ("share_document", "share_folder", "revoke_share"),
    ),
    "look at one's tasks": Capability("viewer", ("cases:list-tasks",), ("list_my_tasks",)),
    "look at cases": Capability("viewer", ("cases:list-cases", "cases:show-case"), ("list_cases", "show_case")),
    "work on cases": Capability(
        "reviewer",
        (
            "POST cases:create-case", "POST cases:edit-case", "POST cases:settle-case", "POST cases:attach-document",
            "POST cases:add-item", "POST cases:settle-item",
        ),
        (
            "create_case", "settle_case", "add_task", "add_nigo", "settle_task", "settle_nigo", "attach_document",
            "detach_document",
        ),
    ),
    "look at entities": Capability(
        "viewer",
        ("entities:list-types", "entities:list-entities", "entities:show-entity", "entities:suggest-entities"),
        ("list_entity_types", "list_entities", "show_entity"),
    ),
    "keep entities": Capability(
        "reviewer",
        (
            "POST entities:create-entity", "POST entities:show-entity", "POST entities:merge-entity",
            "POST entities:import-entities",
        ),
        ("create_entity", "update_entity", "merge_entities", "import_entities", "delete_entity"),
    ),
    "keep types of entities": Capability(
        "admin",
        (
            "POST entities:list-types", "entities:edit-type", "POST entities:edit-type", "POST entities:delete-type",
        ),
        ("create_entity_type", "rename_entity_type", "delete_entity_type"),
    ),
    "look at labels in other languages": Capability(
        "viewer", (), ("list_locales", "list_resource_items", "show_resource_item")
    ),
    "keep labels in other languages": Capability(
        "admin",
        ("schemas:list-languages", "POST schemas:list-languages", "schemas:edit-labels", "POST schemas:edit-labels"),
        ("add_locale", "delete_locale", "add_resource_item", "set_resource_item", "delete_resource_item"),
    ),
    "export": Capability(
        "admin",
        ("workflows:list-exports", "POST workflows:list-exports", "workflows:download-export"),
        ("create_export", "list_exports", "show_export", "download_export"),
    ),
    "look at models": Capability(
        "admin", ("models:list-models", "models:edit-model"),
        ("list_models", "show_model", "list_ocr_models", "show_ocr_model"),
    ),
    "look at prompts": Capability(
        "admin", ("prompts:list-prompts", "prompts:edit-prompt", "prompts:show-version"),
        ("list_prompts", "show_prompt", "list_prompt_versions", "show_prompt_version", "list_prompt_uses"),
    ),
    "change prompts": Capability(
        "admin",
        ("POST prompts:edit-prompt", "POST prompts:move-production", "POST prompts:set-candidate"),
        ("save_prompt_version", "move_prompt_production", "set_prompt_candidate"),
    ),
    "measure": Capability(
        "admin",
        (
            "workflows:list-test-sets", "workflows:show-test-set", "POST workflows:create-test-set",
            "POST workflows:change-seeding", "workflows:list-experiments", "workflows:show-experiment",
            "POST workflows:create-experiment", "POST workflows:pause-experiment",
            "POST workflows:resume-experiment", "POST workflows:retry-experiment",
            "POST workflows:stop-experiment", "POST workflows:promote-variant",
        ),
        (
            "list_test_sets", "show_test_set", "list_test_set_versions", "create_test_set", "change_test_set",
            "list_experiments", "show_experiment", "show_experiment_results", "create_experiment", "pause_experiment",
            "resume_experiment",
            "retry_experiment", "stop_experiment", "promote_variant",
        ),
    ),
    "compose workflow definitions": Capability(
        "admin",
        (
            "definitions:create-definition", "POST definitions:create-definition", "definitions:edit-plan",
            "POST definitions:edit-plan", "POST definitions:activate-definition", "POST definitions:archive-definition",
        ),
        (
            "check_workflow_plan", "try_workflow_plan", "create_workflow", "show_workflow_draft", "save_workflow_draft",
            "publish_workflow", "activate_workflow_version", "archive_workflow_version",
        ),
    ),
    "look at workflow definitions": Capability(
        "admin", ("definitions:list-definitions", "definitions:show-definition"), ("list_workflows", "show_workflow")
    ),
    "look at schemas": Capability(
        "admin",
        (
            "schemas:list-attributes", "schemas:edit-attribute", "schemas:edit-site-schema",
            "schemas:list-classifications", "schemas:edit-classification",
        ),
        ("list_attributes", "show_attribute", "show_site_schema", "list_document_types", "show_document_type"),
    ),
    "keep schemas": Capability(
        "admin",
        (
            "POST schemas:list-attributes", "POST schemas:edit-attribute", "POST schemas:delete-attribute",
            "POST schemas:edit-site-schema", "POST schemas:create-classification", "POST schemas:edit-classification",
            "POST schemas:archive-classification",
        ),
        (
            "create_attribute", "change_attribute", "delete_attribute", "save_site_schema", "create_document_type",
            "save_document_type", "archive_document_type",
        ),
    ),
    "choose notifications": Capability(
        "viewer",
        ("review:choose-notifications", "POST review:choose-notifications"),
        ("show_notification_choices", "choose_notifications"),
    ),
    "have a chat tool told": Capability(
        "admin",
        ("review:edit-chat", "POST review:edit-chat"),
        ("show_chat_webhook", "save_chat_webhook", "remove_chat_webhook"),
    ),
    "look after the own account": Capability(
        "viewer", ("settings:edit-tokens",), ("show_account", "change_account")
    ),
    "export on a schedule": Capability(
        "admin",
        ("POST workflows:create-export-schedule", "POST workflows:delete-export-schedule"),
        ("list_export_schedules", "create_export_schedule", "delete_export_schedule"),
    ),
    "look at operations": Capability(
        "admin",
        ("operations:show-costs", "services:list-providers", "operations:show-operations"),
        ("list_costs", "list_services", "show_operations"),
    ),
    "assign folders of the bucket": Capability(
        "admin",
        ("incoming:create-tenant", "POST incoming:create-tenant", "POST incoming:remove-tenant"),
        ("list_bucket_folders", "assign_bucket_folder", "remove_bucket_folder"),
    ),
    "look after the quarantine": Capability(
        "admin",
        ("incoming:list-incoming", "POST incoming:settle-incoming"),
        ("list_quarantine", "retry_quarantined", "discard_quarantined"),
    ),
    "look at what reviews taught": Capability(
        "admin",
        ("workflows:show-calibration", "workflows:show-extractors", "workflows:show-thresholds"),
        ("list_calibrations", "list_extractors", "simulate_thresholds"),
    ),
    "learn from reviews": Capability(
        "admin",
        (
            "POST workflows:propose-calibration", "POST workflows:activate-calibration",
            "POST workflows:train-extractor", "POST workflows:activate-extractor", "POST workflows:collect-reviews",
        ),
        (
            "propose_calibration", "activate_calibration", "train_extractor", "activate_extractor", "collect_reviews",
        ),
    ),
    "look at pages": Capability("viewer", ("workflows:show-segment",), ("list_pages", "show_page")),
    "look at questions": Capability("viewer", ("workflows:show-questions",), ("list_questions",)),
    "ask questions": Capability(
        "reviewer",
        (
            "POST workflows:ask-question", "POST workflows:ask-question-again", "POST workflows:delete-question",
        ),
        ("ask_question", "ask_question_again", "delete_question"),
    ),
    "look at figures": Capability("viewer", ("workflows:show-insight",), ("show_figures",)),
    "look at failures": Capability("viewer", ("workflows:list-failures",), ("list_failures",)),
    "look at how reviewers agree": Capability(
        "viewer", ("review:show-quality", "review:list-disputes"), ("show_quality", "list_disputes")
    ),
    "try prompts and OCR models": Capability(
        "admin",
        (
            "POST workflows:start-trial", "workflows:show-trial", "POST workflows:start-reading",
            "workflows:show-reading",
        ),
        ("try_prompt", "show_trial", "read_page_anew", "show_reading"),
    ),
    "look at the audit": Capability("admin", ("audit:show-audit",), ("list_audit",)),
    "look at API calls": Capability("admin", ("audit:show-audit",), ("list_api_calls",)),
    "test webhooks": Capability(
        "admin",
        ("workflows:list-deliveries", "POST routing:send-webhook-test"),
        ("list_deliveries", "test_webhook"),
    ),
}  # fmt: skip


def described() -> Any:
    return api.get_openapi_schema(path_prefix=API_PATH)


def list_operations() -> Iterator[tuple[str, str, Any]]:
    """Path, method and description of each."""
    for path, methods in described()["paths"].items():
        yield from ((path, method, one) for method, one in methods.items())


def roles_from(first: str) -> set[str]:
    names = list(PEOPLE)
    return set(names[names.index(first) :])


@pytest.mark.wide
def test_every_operation_is_a_capability_and_every_page_of_one_is_there() -> None:
    named = [one for capability in TABLE_OF_BOTH.values() for one in capability.operations]
    assert sorted(named) == sorted(one["operationId"] for _, _, one in list_operations())
    for capability in TABLE_OF_BOTH.values():
        for page in capability.pages:
            method, _, name = page.rpartition(" ")
            assert (method or "GET") in TABLE[name], page


def test_pages_are_for_whom_their_capability_is() -> None:
    """What each role is answered is in the table of addresses, which a test asks."""
    for does, capability in TABLE_OF_BOTH.items():
        for page in capability.pages:
            method, _, name = page.rpartition(" ")
            answers = dict(zip(ROLES, TABLE[name][method or "GET"], strict=True))
            assert {role for role in PEOPLE if answers[role] != 403} == roles_from(capability.who), f"{does}: {page}"


@pytest.mark.wide
def test_operations_are_for_whom_their_capability_is(table: str) -> None:
    known, may = world("default"), {one["operationId"]: set() for _, _, one in list_operations()}
    for role, who in PEOPLE.items():
        _, key = create_api_key("default", "Script", EVERYTHING, by=actor_of(who()), personal=True)
        client = Client(headers={"Authorization": f"Bearer {key}"})
        for path, method, one in list_operations():
            if ask(client, path, method, one, known) != 403:
                may[one["operationId"]].add(role)
    wanted = {one: roles_from(capability.who) for capability in TABLE_OF_BOTH.values() for one in capability.operations}
    assert may == wanted


def ask(client: Client, path: str, method: str, one: Any, known: Mapping[str, Any]) -> int:
    """With a valid body: a wrong one would be refused before anyone asks who sends it."""
    address = re.sub(r"\{(\w+)\}", lambda found: str(known.get(found[1], "none")), path)
    content = one.get("requestBody", {}).get("content", {})
    sent: dict[str, Any] = {}
    if "multipart/form-data" in content:
        sent = {"data": {"file": SimpleUploadedFile("a.txt", b"Hello")}}
    elif content:
        body = find_example(described(), content["application/json"]["schema"])
        sent = {"data": body, "content_type": "application/json"}
    if one["operationId"] == "search":
        address += "?q=hello"
    return int(getattr(client, method)(address, **sent).status_code)
