"""Every URL of the desk, and one of each thing that an address can name."""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any
from unittest.mock import patch

from django.urls import URLPattern, get_resolver

from projects.audit.events import Actor
from projects.documents.actions import properties as attribute_actions
from projects.entities import actions as entity_actions
from projects.entities.actions import EntityDraft
from projects.folders import actions as folder_actions
from projects.folders.items import EntryType
from projects.policies import actions as policy_actions
from projects.queues import actions as queue_actions
from projects.schemas import actions as attribute_definition_actions
from projects.schemas.governing import AttributeDefinition, Schema
from projects.schemas.labels import actions as label_actions
from projects.schemas.labels.actions import LabelChange
from projects.schemas.labels.keys import ItemType, LabelKey
from projects.settings import actions as project_actions
from projects.settings.values import ProjectSettings
from projects.shares import actions as share_actions
from projects.shares.actions import LinkDraft
from projects.shares.items import PrincipalType
from projects.shares.queries import Principal
from projects.sites import api_keys
from projects.sites.permissions import Permission
from review.cases import actions as case_actions
from review.cases.actions import CaseText, TaskText
from tests.projects.models.catalogue import SPEC, add_model
from tests.review.reviews import VALUES, open_review
from tests.workflows.executions.onboarding import make_execution
from tests.workflows.make_rules import make_mapping, make_rule, make_ruleset
from workflows.batches import actions
from workflows.batches.actions import BatchDraft
from workflows.experiments import actions as experiment_actions
from workflows.experiments.actions import Draft
from workflows.runs.actions import segments
from workflows.storage import files
from workflows.storage.objects import DocumentFiles
from workflows.testsets import actions as testset_actions
from workflows.testsets.cases import Case

DOCUMENT_ID = "7b0cf3d5-0d5c-4b5c-9c39-1f3cb1d2f001"


@dataclass(frozen=True)
class Page:
    name: str
    route: str

    def path(self, known: dict[str, Any]) -> str:
        """Fails for an argument that has no value here yet."""
        text = re.sub(r"\^?\(\?P<(\w+)>[^)]*\)/?\$?", r"<\1>/", self.route)
        text = re.sub(r"<(?:\w+:)?(\w+)>", lambda found: str(known[found[1]]), text)
        return "/" + (text.rstrip("/") if self.route.endswith(".*)$") else text)


def pages(patterns: Any = None, space: str = "", route: str = "") -> Iterator[Page]:
    for one in get_resolver().url_patterns if patterns is None else patterns:
        here = route + str(one.pattern)
        if isinstance(one, URLPattern):
            yield Page(space + one.name if one.name else here, here)
        else:
            yield from pages(one.url_patterns, f"{space}{one.namespace}:" if one.namespace else space, here)


def world(site: str, word: str = "Receipts", company: str = "") -> dict[str, Any]:
    """One of each thing that an address can name; ``word`` is in every text of it that people wrote.

    ``company``: what the document says, where that is another word.
    """
    project_id, queue_id, rule_id = "proj_" + "a" * 21, "01HZZZZZZZZZZZZZZZZZZZZZZ0", "01HZZZZZZZZZZZZZZZZZZZZZZ1"
    by = Actor("1", f"{word} Admin")
    project_actions.create_project(site, ProjectSettings(name=f"{word} project"), by=by, project_id=project_id)
    company = company or word
    values = {**VALUES, "company": (f"{company} GmbH", 0.97)}
    run, ref = open_review(
        f"{word}.pdf", values=values, site=site, project_id=project_id, document_id=DOCUMENT_ID, project_name=word
    )
    segments.write(run, 1)
    store = DocumentFiles(site, project_id, run.document_id)
    store.write(files.page_image(0), f"a picture of {word}".encode(), "image/png")
    store.write(
        files.segment(0),
        json.dumps({"segment_index": 0, "text_content": f"{company} text"}).encode(),
        "application/json",
    )
    queue_actions.create_queue(site, f"{word} queue", ["admins", "reviewers"], by=by, queue_id=queue_id)
    ruleset = make_ruleset(f"{word} rules", by=by, site=site, ruleset_id=rule_id)
    make_rule(ruleset, description=f"{word} rule", by=by, site=site, rule_id=rule_id)
    make_mapping(("company", "vendor"), name=f"{word} mapping", by=by, site=site, mapping_id=rule_id)
    vendor = AttributeDefinition("vendor", f"{word} vendor", "text")
    attribute_definition_actions.create_definition(site, vendor, by=by)
    attribute_definition_actions.create_classification(
        site, Schema(f"{word} paper"), by=by, classification_id=DOCUMENT_ID
    )
    label_actions.add_language(site, "de", by=by)
    label = LabelKey(ItemType.INTERFACE, interface_key="vendor")
    label_actions.save_labels(site, "de", [LabelChange(label, f"{word} Lieferant")], by=by)
    attribute_actions.add_tag(site, run.document_id, "kind", word, by=by)
    attribute_actions.set_attribute(site, run.document_id, "vendor", [company], by=by)
    folder = folder_actions.create_folder(site, "", f"{word} folder", by=by, folder_id=rule_id)
    folder_actions.move_document(site, run.document_id, folder.folder_id, by=by)
    suppliers = entity_actions.create_type(site, f"{word} suppliers", by=by, type_id=rule_id)
    entity_actions.create_entity(site, suppliers.type_id, EntityDraft(f"{word} Ltd"), by=by, entity_id=rule_id)
    shared = share_actions.find_target(site, EntryType.FILE, run.document_id)
    share_actions.share_with(site, shared, Principal(PrincipalType.GROUP, "staff"), word, by=by, share_id=rule_id)
    with patch("secrets.token_urlsafe", lambda _: "s" * 43):  # the same on each site
        link = share_actions.create_link(site, shared, LinkDraft(f"{word} link", 7), by=by, share_id=queue_id)
    case = case_actions.create_case(site, CaseText(f"{word} case"), by=by, document_ids=[DOCUMENT_ID], case_id=rule_id)
    case_actions.add_task(site, case.case_id, TaskText(f"{word} task", owner_id="1", owner_name=word), by=by)
    api_keys.create_api_key(site, f"{word} key", [Permission.READ], by=by)
    rego = f'package countersign\n\ndeny contains "{word}" if input.action == "GOVERN"\n'
    policy_actions.save_version(site, rego, f"{word} note", newest=0, by=by)
    add_model("local", site=site, name=f"{word} model")
    draft = BatchDraft(f"{word} batch", project_id, word, "none", "list", slots=1, percent=0)
    batch = actions.create_batch(site, draft, by=by, batch_id=rule_id)
    testset = testset_actions.create_test_set(site, project_id, f"{word} set", by=by, testset_id=rule_id)
    testset_actions.add_cases(testset, [Case(run.document_id, "0" * 64, "tuning", 1)], note=word, by=by)
    trial = Draft(f"{word} experiment", testset.testset_id, (1,), (SPEC,))
    experiment = experiment_actions.create_experiment(site, project_id, trial, by=by, experiment_id=rule_id)
    execution = make_execution(f"{word} execution", site=site, by=Actor("none", word), execution_id=rule_id)
    return {
        "execution_id": execution.executionId, "locale": "de", "item_key": "INTERFACE%23vendor",
        "type_id": rule_id, "entity_id": rule_id, "case_id": case.case_id, "item_id": "none",
        "folder_id": folder.folder_id, "share_id": rule_id,
        "link_id": link.share.share_id, "secret": link.secret, "shared_id": run.document_id,
        "published_id": run.document_id, "policy_version": 1,
        "testset_id": testset.testset_id, "experiment_id": experiment.experiment_id,
        "purpose": "extract", "trial_id": "none", "prompt_version": 1,
        "batch_id": batch.id, "definition_id": "document-approval.v1",
        "key": "vendor", "name": "none", "ruleset_id": rule_id, "rule_id": rule_id, "mapping_id": rule_id,
        "classification_id": DOCUMENT_ID, "document_type": DOCUMENT_ID, "folder": "none",
        "at": "none", "delivery_id": "none",
        "project_id": project_id, "document_id": run.document_id, "workflow_id": run.workflow_id, "index": 0,
        "field": "total",
        "run_id": run.workflow_id, "review_id": ref.review_id, "queue_id": queue_id, "site_id": "acme",
        "model_id": "local",
        "month": "2026-11", "form": "csv", "mask": "none", "object_id": "1",
        "uidb64": "none", "token": "none", "provider_id": "sso", "provider": "none", "pk": 1, "user_id": 0,
        "digest": "0" * 64, "queue": "none", "message_id": "none", "view_id": "none",
        "version_id": "current", "upload_id": "none", "export_id": "none", "schedule_id": "none",
        "notification_id": "none", "subject_id": DOCUMENT_ID,
        "version": 7, "number": 0, "kind": "OCR", "id": "1", "content_type_id": "1", "app_label": "auth", "url": "none",
    }  # fmt: skip
