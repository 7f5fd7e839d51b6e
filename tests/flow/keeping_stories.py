"""What people keep together and look after: folders, cases, entities, and what an operator hurries."""

from collections.abc import Iterator
from functools import partial

from django.conf import settings

from projects.documents.actions.changes import DocumentChanges, change_document
from projects.entities import actions as entities
from projects.entities.actions import EntityDraft
from projects.folders import actions as folders
from projects.folders.items import EntryType
from projects.folders.queries import ROOT
from projects.policies import actions as policies
from projects.policies.decision import Case, Subject
from projects.settings import queries as project_queries
from projects.shares import actions as shares
from projects.shares import queries as share_queries
from projects.shares.actions import LinkDraft
from projects.shares.items import PrincipalType
from projects.shares.queries import Principal
from review.cases import actions as cases
from review.cases.actions import CaseText, TaskText
from review.cases.items import Kind
from tests.compat.seed_000 import written
from tests.factories import SITE, start_run
from tests.flow.setting_stories import BY, Step
from tests.workflows.executions.onboarding import onboarding
from tests.workflows.operations.test_operations import fail_event
from tests.workflows.repeated import field, published_run
from workflows.documents.actions import imports
from workflows.executions import actions as executions
from workflows.executions import queries as execution_queries
from workflows.executions.actions import Leaving, Wish
from workflows.executions.items import ExecutionOutcome
from workflows.links import actions as links
from workflows.links.queries import find_publication
from workflows.operations.actions import hurry_repair
from workflows.providers.actions import record_failure, retry_provider
from workflows.publish import syncs
from workflows.runs import queries, seed_000
from workflows.runs.actions.syncs import Sending, record_sync
from workflows.runs.items import Run, SyncService
from workflows.runs.queries import list_syncs

_ID, _OTHER = "01K00000000000000000000001", "01K00000000000000000000002"


def folder_story() -> Iterator[Step]:
    one = start_run().document_id
    yield folders.create_folder, lambda: folders.create_folder(SITE, ROOT, "Inbox", by=BY, folder_id=_ID)
    yield folders.create_path, lambda: folders.create_path(SITE, "/2026/May", by=BY)
    may = folders.create_path(SITE, "/2026/May", by=BY)
    move = folders.move_folder
    yield move, lambda: move(SITE, may, parent_id=ROOT, name="May", by=BY)
    yield folders.restrict_folder, lambda: folders.restrict_folder(SITE, may, ["admins"], version=1, by=BY)
    yield folders.move_document, lambda: folders.move_document(SITE, one, _ID, by=BY)
    yield folders.rename_document, lambda: folders.rename_document(SITE, one, "b.pdf", by=BY)
    yield folders.delete_folder, lambda: folders.delete_folder(SITE, may, by=BY)
    changes = DocumentChanges(metadata={"from": "Rosa"})
    yield change_document, lambda: change_document(SITE, one, changes, by=BY)


def import_story() -> Iterator[Step]:
    seed = written(settings.TABLE_NAME)
    project = project_queries.get_project(SITE, seed.project_id)

    def run_of(word: str) -> Run:
        one = seed.documents[word]
        return Run(SITE, seed.project_id, one.document_id, str(one.workflow_id))

    row = queries.project_document(SITE, seed.project_id, run_of("video").document_id)
    seed_000.fill_documents([row])
    yield imports.import_document, lambda: imports.import_document(SITE, project, row, by=BY)
    yield imports.open_run, lambda: imports.open_run(run_of("web"), "segment_prep", by=BY)
    yield imports.import_page, lambda: imports.import_page(SITE, seed.project_id, by=BY)


def share_story() -> Iterator[Step]:
    one = shares.find_target(SITE, EntryType.FILE, start_run().document_id)
    staff = Principal(PrincipalType.GROUP, "staff")
    yield shares.share_with, lambda: shares.share_with(SITE, one, staff, "staff", by=BY, share_id=_ID)
    link = LinkDraft("Auditors", 7)
    yield shares.create_link, lambda: shares.create_link(SITE, one, link, by=BY, share_id=_OTHER)
    yield shares.open_link, lambda: shares.open_link(SITE, share_queries.get_share(SITE, _OTHER))
    yield shares.revoke_share, lambda: shares.revoke_share(SITE, _ID, by=BY)
    two = published_run(field("total", "4.00")).document_id
    yield links.publish_document, lambda: links.publish_document(SITE, two, by=BY)
    row = find_publication(SITE, two)
    assert row
    yield links.withdraw_document, lambda: links.withdraw_document(SITE, two, seen=row.publication_id, by=BY)


def policy_story() -> Iterator[Step]:
    rego = "package countersign\n\nallow := true\n"
    yield policies.save_version, lambda: policies.save_version(SITE, rego, newest=0, by=BY)
    case = Case(Subject(), "READ", {"id": "example"})
    yield policies.try_version, lambda: policies.try_version(SITE, 1, [case], by=BY)
    yield policies.activate_version, lambda: policies.activate_version(SITE, 1, active=0, by=BY)
    yield policies.deactivate_policy, lambda: policies.deactivate_policy(SITE, active=1, by=BY)


def execution_story() -> Iterator[Step]:
    definition = onboarding()
    wish = Wish(definition, "Jane", "{}")
    yield executions.create_execution, lambda: executions.create_execution(SITE, wish, by=BY, execution_id=_ID)
    now = partial(execution_queries.get_execution, SITE, _ID)
    step = definition.step(1)
    leaving = Leaving("approved", 2)
    yield (
        executions.leave_step,
        lambda: executions.leave_step(SITE, now(), step, leaving, attempt=1, by=BY),
    )
    yield executions.begin_next_attempt, lambda: executions.begin_next_attempt(SITE, now(), why="a test")
    yield executions.cancel_execution, lambda: executions.cancel_execution(SITE, _ID, by=BY)
    yield executions.purge_execution, lambda: executions.purge_execution(SITE, _ID, by=BY)
    executions.create_execution(SITE, wish, by=BY, execution_id=_OTHER)
    other = execution_queries.get_execution(SITE, _OTHER)
    ended = ExecutionOutcome.FAILED
    yield executions.end_execution, lambda: executions.end_execution(SITE, other, ended, "No.", attempt=1, by=BY)


def sync_story() -> Iterator[Step]:
    one = start_run().document_id
    record_sync(SITE, Sending(one, SyncService.SEARCH, "document.indexed"), arrived=True)
    at = list_syncs(SITE, one).rows[0].at
    yield syncs.ask_again, lambda: syncs.ask_again(SITE, one, at, by=BY)


def case_story() -> Iterator[Step]:
    one = start_run().document_id
    yield cases.create_case, lambda: cases.create_case(SITE, CaseText("Claim 17"), by=BY, case_id=_ID)
    text = CaseText("Claim 18")
    yield cases.update_case, lambda: cases.update_case(SITE, _ID, text, version=1, by=BY)
    yield cases.attach_document, lambda: cases.attach_document(SITE, _ID, one, by=BY)
    yield cases.detach_document, lambda: cases.detach_document(SITE, _ID, one, by=BY)
    yield cases.add_task, lambda: cases.add_task(SITE, _ID, TaskText("Call"), by=BY, task_id=_ID)
    yield cases.update_task, lambda: cases.update_task(SITE, _ID, _ID, TaskText("Write"), by=BY)
    yield cases.add_nigo, lambda: cases.add_nigo(SITE, _ID, "No signature", by=BY, nigo_id=_ID)
    yield cases.close_item, lambda: cases.close_item(SITE, _ID, Kind.TASK, _ID, by=BY)
    yield cases.reopen_item, lambda: cases.reopen_item(SITE, _ID, Kind.TASK, _ID, by=BY)
    cases.create_case(SITE, CaseText("Nothing open"), by=BY, case_id=_OTHER)
    yield cases.close_case, lambda: cases.close_case(SITE, _OTHER, by=BY)
    yield cases.reopen_case, lambda: cases.reopen_case(SITE, _OTHER, by=BY)


def entity_story() -> Iterator[Step]:
    yield entities.create_type, lambda: entities.create_type(SITE, "Suppliers", by=BY, type_id=_ID)
    entities.create_type(SITE, "Couriers", by=BY, type_id=_OTHER)
    yield entities.rename_type, lambda: entities.rename_type(SITE, _OTHER, "Carriers", by=BY)
    yield entities.delete_type, lambda: entities.delete_type(SITE, _OTHER, by=BY)
    mill, other = EntityDraft("Mill Ltd"), EntityDraft("The Mill")
    yield entities.create_entity, lambda: entities.create_entity(SITE, _ID, mill, by=BY, entity_id=_ID)
    entities.create_entity(SITE, _ID, other, by=BY, entity_id=_OTHER)
    yield (
        entities.update_entity,
        lambda: entities.update_entity(SITE, _ID, _ID, EntityDraft("Mill GmbH"), version=1, by=BY),
    )
    yield entities.merge_entities, lambda: entities.merge_entities(SITE, _ID, _ID, _OTHER, by=BY)
    last = entities.create_entity(SITE, _ID, EntityDraft("Last"), by=BY)
    yield (
        entities.delete_entity,
        lambda: entities.delete_entity(SITE, _ID, last.entity_id, version=int(last.version), by=BY),
    )


def operation_story() -> Iterator[Step]:
    place = fail_event().place
    yield hurry_repair, lambda: hurry_repair(place, by=BY)
    for _ in range(settings.PROVIDER_FAILURES):
        record_failure("textract", "ThrottlingException")
    yield retry_provider, lambda: retry_provider("textract", by=BY)
