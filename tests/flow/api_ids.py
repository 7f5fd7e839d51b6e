"""What single operations of the API need beside ids that there are: two ids of one thing, or a thing in some state.

By operation, and by parameter as schemathesis names it: ``path.run_id``, ``body.ticket``. A list has the values to
choose from, where chance sends the parameter at all; ``Always`` is sent with every call.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.contrib.auth.models import User
from django.test import Client

from config import clock
from config.transaction import EXISTS, transact
from projects.audit.events import actor_of
from projects.documents.actions import locks, properties
from projects.documents.earlier_values import list_earlier
from projects.documents.queries import document_rows
from projects.entities import actions as entity_actions
from projects.entities.actions import EntityDraft
from projects.folders import actions as folder_actions
from projects.folders.queries import ROOT
from projects.models.spec import BUILT_IN_OCR
from projects.prompts import actions as prompt_actions
from projects.prompts.prompt import Prompt
from projects.prompts.queries import PromptRef
from projects.schemas.labels import actions as label_actions
from projects.schemas.labels.actions import LabelChange
from projects.schemas.labels.keys import ItemType, LabelKey, item_key
from projects.settings.items import Project
from projects.settings.queries import get_project
from review.cases import actions as case_actions
from review.cases.actions import CaseText, TaskText
from review.identity import ReviewRef
from review.notifications import actions as notification_actions
from review.notifications import queries as notifications
from review.notifications.items import Kind
from tests.factories import PROJECT_ID
from tests.projects.make_sites import BY
from tests.review.reviews import open_review
from tests.workflows import decided
from tests.workflows.batches import bulk
from tests.workflows.executions.onboarding import NAME, PLAN
from tests.workflows.experiments.made import make_experiment
from tests.workflows.intake.test_api_uploads import put
from tests.workflows.intake.test_bucket_page import quarantined
from tests.workflows.learning.extractors import reviewed_orders
from tests.workflows.make_rules import make_mapping, make_rule, make_ruleset
from tests.workflows.publish.test_syncs import failed_webhook
from tests.workflows.questions.made import read_run
from tests.workflows.repeated import analysed_again, field, published_run
from tests.workflows.test_api import API
from workflows.batches import actions as batch_actions
from workflows.definitions import actions as definition_actions
from workflows.definitions.rules import Act
from workflows.documents.actions import removals
from workflows.experiments import actions as experiment_actions
from workflows.experiments.items import Experiment, ExperimentStatus
from workflows.experiments.results import Results, judge_half
from workflows.exports import actions as export_actions
from workflows.exports import writing
from workflows.exports.actions import Orderer
from workflows.exports.choice import Choice
from workflows.intake import bucket, unpacking
from workflows.intake.actions import unpack
from workflows.learning import actions as learning_actions
from workflows.learning.extractors import actions as extractor_actions
from workflows.links import actions as links
from workflows.questions import actions as question_actions
from workflows.runs import queries, run_settings
from workflows.runs.items import ActionType, Run
from workflows.runs.new_run import Original
from workflows.testsets.cases import HALVES
from workflows.testsets.queries import SetRef
from workflows.trials import actions as trial_actions
from workflows.trials.queries import Draft, PageRef

SITE = "default"
Ids = Mapping[str, Any]
_HOOK = "https://hooks.example.invalid/desk"
_NEAR = "https://127.0.0.1/desk"  # no name to look up


@dataclass(frozen=True)
class Always:
    """A value that a request is refused without, although its description cannot require it."""

    value: Any


def ids_of_operations(known: Mapping[str, Sequence[Any]], *, who: User, key: str) -> dict[str, Ids]:
    """``known``: of a project, a published run and one that was stopped among others. ``key``: the token of ``who``."""
    (project_id,), (testset_id,), entities = known["project_id"], known["testset_id"], known["entity_id"]
    project = get_project(SITE, project_id)
    published, stopped = (
        Run(SITE, PROJECT_ID, *ids) for ids in zip(known["document_id"], known["run_id"], strict=True)
    )
    client = Client(headers={"Authorization": f"Bearer {key}"})
    found: dict[str, Ids] = {}
    for run, names in (
        (published, "show_run show_result export_result list_pages list_transitions analyse_again"),
        (stopped, "run_again"),
    ):
        found |= dict.fromkeys(names.split(), _at(run))
    found["run_again"] = {**found["run_again"], "body.step": "segment_prep"}
    found |= _reviews(client, who) | _pages_and_questions() | _documents(project, client) | _workflows()
    found |= _settings(project, who) | _trials(project) | _taught() | _labels() | _failed(project)
    client.post(f"{API}/policies/1/try", {"document_id": published.document_id}, content_type="application/json")
    found |= {"choose_result": _at(_replaced_run()), "activate_policy_version": {"path.policy_version": 1}}
    found |= _experiments(SetRef(SITE, project_id, testset_id))
    return found | {
        "create_experiment": {
            "path.project_id": project_id, "body.test_set": testset_id, "body.classification_id": "",
            "body.prompts[*]": 1, "body.models[*]": "bedrock",
        },
        "merge_entities": {"path.entity_id": entities[0], "body.duplicate_id": entities[1]},
        **_in_their_state(known),
    }  # fmt: skip


def _in_their_state(known: Mapping[str, Sequence[Any]]) -> dict[str, Ids]:
    """What has to be as the caller last saw it, and what only one word of an operation's fits."""
    (type_id,), (folder_id,) = (known[one] for one in ("type_id", "folder_id"))
    entity_id = entity_actions.create_entity(SITE, type_id, EntityDraft("Alder"), by=BY).entity_id
    renamed, unused = (entity_actions.create_type(SITE, name, by=BY).type_id for name in ("Carriers", "Couriers"))
    case_id, settled = (case_actions.create_case(SITE, CaseText(text), by=BY).case_id for text in ("Open", "Settled"))
    closed = {"body.status": "CLOSED"}
    return {
        "update_entity": {"path.type_id": type_id, "path.entity_id": entity_id, "body.version": 1},
        "rename_entity_type": {"path.type_id": renamed},
        "delete_entity_type": {"path.type_id": unused},
        "restrict_folder": {"path.folder_id": folder_id, "body.version": 1, "body.groups[*]": "staff"},
        "settle_case": {"path.case_id": settled, **closed},
        "settle_task": {
            "path.case_id": case_id, "path.item_id": case_actions.add_task(SITE, case_id, TaskText("Call"), by=BY),
            **closed,
        },
        "add_locale": {"body.locale": "it"},
    }  # fmt: skip


def _at(run: Run) -> Ids:
    return {"path.document_id": run.document_id, "path.run_id": run.workflow_id}


def _review(ref: ReviewRef) -> Ids:
    return {"path.document_id": ref.document_id, "path.review_id": ref.review_id}


def _reviews(client: Client, who: User) -> dict[str, Ids]:
    """One that is open, one for each of what its holder may do, and one that was just decided."""
    found = {name: _review(open_review()[1]) for name in ("open_review", "claim_review")}
    rejection = {"body.decision": Always("reject"), "body.reason": Always("Not ours")}
    for name in ("release_review", "save_draft", "decide_review", "split_document", "undo_decision"):
        ids = _review(open_review()[1])
        at = f"{API}/documents/{ids['path.document_id']}/reviews/{ids['path.review_id']}"
        ticket = client.post(f"{at}/claim").json()["ticket"]
        found[name] = ids if name == "release_review" else {**ids, "body.ticket": ticket}
        if name == "decide_review":
            found[name] = {**found[name], **rejection}
        if name == "undo_decision":
            body = {"ticket": ticket, "decision": "reject", "reason": "Not ours"}
            decided = client.post(f"{at}/decide", body, content_type="application/json").json()
            found[name] = {**ids, "body.decision_id": decided["decision_id"]}
    row = _told(who)
    return found | {"read_notification": {"path.notification_id": row}}


def _told(who: User) -> str:
    transact(notification_actions.plan_notifications(open_review()[1], Kind.ASSIGNED, [str(who.pk)]))
    return str(notifications.list_inbox(SITE, str(who.pk)).rows[0].notification_id)


def _pages_and_questions() -> dict[str, Ids]:
    page = {**_at(read_run()), "path.index": 0}
    found: dict[str, Ids] = dict.fromkeys(("show_page", "list_questions", "ask_question"), page)
    for name in ("ask_question_again", "delete_question"):
        run = read_run()
        question_actions.ask_question(run, 0, "What is the total?", by=BY)
        found[name] = {**_at(run), "path.index": 0, "path.number": 1}
    found["ask_question_again"] = {**found["ask_question_again"], "body.generation": 1}
    return found


def _documents(project: Project, client: Client) -> dict[str, Ids]:
    sent, changed = read_run(), read_run()
    failed = failed_webhook(sent)
    for text in ("Rosa", "Marta"):
        properties.set_metadata(SITE, changed.document_id, "from", text, by=BY)
    earlier = list_earlier(SITE, changed.document_id)[0]
    at = f"{API}/projects/{project.id}/uploads"
    upload = client.post(at, {"size": 10}, content_type="application/json").json()
    put(upload, b"Invoice 17")
    archive, skipped = (_archive(project.id) for _ in range(2))
    record = unpacking.record_of(document_rows(SITE, skipped))
    unpack.finish(SITE, record, taken=1, refused=[("inner.zip", "Archives in archives are not extracted.")], message="")
    case_id = case_actions.create_case(SITE, CaseText("Claim 18"), by=BY, document_ids=[sent.document_id]).case_id
    return {
        "send_document_again": {"path.document_id": sent.document_id, "path.delivery_id": failed.at},
        "restore_earlier_values": {
            "path.document_id": changed.document_id, "body.kind": earlier.kind, "body.key": earlier.key,
            "body.until": earlier.at,
        },
        "download_file": {"path.document_id": sent.document_id, "path.version_id": "current"},
        "complete_upload": {"path.project_id": project.id, "path.upload_id": upload["upload_id"]},
        "show_unpacking": {"path.document_id": archive},
        "retry_unpacking": {"path.document_id": skipped},
        **_leaving(),
        "show_ocr_model": {"path.model_id": "pp-ocrv5"},
        "share_document": {"path.document_id": sent.document_id, "body.group": Always("admins")},
        "detach_document": {"path.case_id": case_id, "path.document_id": sent.document_id},
        "settle_nigo": {
            "path.case_id": case_id, "path.item_id": case_actions.add_nigo(SITE, case_id, "No signature", by=BY),
            "body.status": "CLOSED",
        },
        "retry_quarantined": {"path.digest": quarantined().digest},
        "discard_quarantined": {"path.digest": quarantined().digest},
    }  # fmt: skip


def _archive(project_id: str) -> str:
    """The id of one that a worker is about to unpack."""
    made, box = clock.new_ulid(), Original("a.zip", "application/zip", 10, "projects/p/a.zip", None)
    unpack.begin(site=SITE, by=BY, project_id=project_id, project={}, document_id=made, original=box)
    return made


def _replaced_run() -> Run:
    """Published, and not in use: a newer result of the same file is."""
    run = published_run(field("total", "4.00"))
    row = queries.document_workflow(run.site, run.document_id, run.workflow_id)
    analysed_again(run, run_settings.from_json(row.settings), field("total", "5.00"))
    return run


def _labels() -> dict[str, Ids]:
    """A label that there is not yet, and one by its own address; each as the attribute's, without what others have."""
    tag = label_actions.add_language(SITE, "es", by=BY).tag
    vendor = {"itemType": "INTERFACE", "interfaceKey": "vendor", "localizedValue": "Proveedor"}
    vendor |= dict.fromkeys(("classificationId", "attributeKey", "allowedValue"), "")
    body = {f"body.resourceItem.{name}": Always(text) for name, text in vendor.items()}
    address = {"path.locale": tag, "path.item_key": item_key(LabelKey(ItemType.INTERFACE, interface_key="vendor"))}
    return {"add_resource_item": {"path.locale": tag, **body}, "set_resource_item": {**address, **body}}


def _failed(project: Project) -> dict[str, Ids]:
    """A batch that kept raising an error before its first line."""
    batch = bulk.make(project, [{"key": bulk.put("b.txt")}])
    batch_actions.stop_batch(SITE, batch)
    return {"retry_batch": {"path.batch_id": batch.id}}


def _experiments(testset: SetRef) -> dict[str, Ids]:
    """One with an answer that failed, one whose results are in, and one that was paused."""
    failed, measured, paused = (make_experiment(testset, [1]) for _ in range(3))
    experiment_actions.pause_experiment(paused, by=BY)
    begun = [Experiment.failed.set(1), Experiment.status.set(ExperimentStatus.RUNNING)]
    Experiment.change(failed.key, begun, EXISTS)
    nothing = {half: judge_half([], 0.8) for half in HALVES}
    experiment_actions.record_results(measured, Results(1, {1: nothing}))
    experiment_actions.end_experiment(failed)
    of_measured = {"path.project_id": testset.project_id, "path.experiment_id": measured.experiment_id}
    words = {"body.reason": "Nightly run", "body.despite": Always("Measured while tuning")}
    return {
        "resume_experiment": {"path.experiment_id": paused.experiment_id, "body.limit": Always(5)},
        "retry_experiment": {"path.experiment_id": failed.experiment_id, "body.limit": Always(5)},
        "promote_variant": {**of_measured, "body.variant": 1, "body.expected": 1, **words},
    }


def _leaving() -> dict[str, Ids]:
    """What other operations, which come before these, would have taken along."""
    open_to_all, published = (published_run(field("total", "4.00")) for _ in range(2))
    checked_out = read_run()
    for run in (open_to_all, published):
        links.publish_document(SITE, run.document_id, by=BY)
    locks.check_out(SITE, checked_out.document_id, 8, by=BY)
    restored, purged = (published_run(field("total", "4.00")) for _ in range(2))
    for run in (restored, purged):
        removals.delete_document(SITE, run.document_id, by=BY)
    total = LabelKey(ItemType.INTERFACE, interface_key="total")
    tag = label_actions.add_language(SITE, "fr", by=BY).tag
    label_actions.save_labels(SITE, tag, [LabelChange(total, "Somme")], by=BY)
    return {
        "show_publication": {"path.document_id": open_to_all.document_id},
        "publish_document": {"path.document_id": open_to_all.document_id},
        "withdraw_document": {"path.document_id": published.document_id},
        "check_in_document": {"path.document_id": checked_out.document_id},
        "restore_document": {"path.document_id": restored.document_id},
        "purge_document": {"path.document_id": purged.document_id},
        "delete_resource_item": {"path.locale": tag, "path.item_key": item_key(total)},
    }


def _workflows() -> dict[str, Ids]:
    """A draft to look at and publish, a version to activate, and one that nothing needs."""
    for name in ("spare", "other"):
        definition_actions.create_composed(name, PLAN, by=BY)
        made = definition_actions.publish_plan(name, revision=1, by=BY)
        definition_actions.mark_deployed(made.id)
    drafts = ("show_workflow_draft", "save_workflow_draft", "publish_workflow")
    return {
        **{one: {"path.name": NAME} for one in drafts},
        "list_workflow_documents": {"path.name": "document-analysis"},
        "activate_workflow_version": {"path.name": "spare", "body.version": 1},
        "archive_workflow_version": {"path.definition_id": "other.v1"},
        "start_execution": {"body.workflow": NAME},
    }


def _settings(project: Project, who: User) -> dict[str, Ids]:
    ruleset, folder = make_ruleset(), folder_actions.create_folder(SITE, ROOT, "Handed round", by=BY)
    make_rule(ruleset, actions=(Act(ActionType.WEBHOOK, {"url": _HOOK}),))
    bucket.add_tenant("acme", SITE, project, by=BY)
    notification_actions.save_chat_webhook(SITE, _HOOK, [Kind.ASSIGNED], by=actor_of(who))
    orderer = Orderer(BY, ("admins",), is_everywhere=True)
    export = export_actions.order_export(SITE, project.id, Choice(), who=orderer)
    writing.write_export(SITE, project.id, export.export_id, owner="me", keep=lambda: None)
    schedule = export_actions.create_schedule(SITE, project.id, Choice(), "day", "finance/daily", who=orderer)
    return {
        "show_mapping": {"path.mapping_id": make_mapping(("total", "vendor")).id},
        "show_ruleset": {"path.ruleset_id": ruleset.documentId},
        "test_webhook": {"body.url": _HOOK},
        "save_chat_webhook": {"body.url": _NEAR},
        "share_folder": {"path.folder_id": folder.folder_id, "body.group": Always("admins")},
        "remove_bucket_folder": {"path.folder": "acme"},
        "assign_bucket_folder": {"body.folder": "other", "body.site": SITE, "body.project_id": project.id},
        "download_export": {"path.project_id": project.id, "path.export_id": export.export_id, "path.index": 0},
        "delete_export_schedule": {"path.project_id": project.id, "path.schedule_id": schedule.schedule_id},
    }


def _trials(project: Project) -> dict[str, Ids]:
    """``show_trial`` and ``show_reading`` find what was asked for, whether or not a worker has begun it."""
    document_id = read_run(project_id=project.id).document_id
    prompt = Prompt("extract", "Read.\n", "{{page_text}}\n")
    ref = PromptRef(SITE, project.id, "extract")
    newer = prompt_actions.save_version(ref, prompt, based_on=1, note="", by=BY).version
    trial = trial_actions.start_trial(ref, Draft(prompt), document_id, "bedrock", by=BY)
    models = list(BUILT_IN_OCR.values())[:2]
    reading = trial_actions.start_reading(SITE, project.id, PageRef(document_id, 0), models, by=BY)
    at, text = {"path.project_id": project.id}, {"body.instructions": "Read.", "body.message": "{{page_text}}"}
    of_prompt = {**at, "path.purpose": "extract", "query.classification_id": ""}
    return {
        "show_trial": {**of_prompt, "path.trial_id": trial.trial_id},
        "show_reading": {**at, "path.trial_id": reading.trial_id},
        "try_prompt": {
            **of_prompt,
            "body.document_id": document_id,
            "body.model_id": "bedrock",
            "body.question": "",
            **text,
        },
        "read_page_anew": {
            **at,
            "body.document_id": document_id,
            "body.page": 0,
            "body.models": Always(["pp-ocrv5", "textract"]),
        },
        "save_prompt_version": {**of_prompt, "body.based_on": newer, **text},
        "set_prompt_candidate": {**of_prompt, "body.version": newer},
        "move_prompt_production": {**of_prompt, "body.version": newer, "body.expected": 1, "body.reason": "Better"},
        "create_batch": {"body.project_id": project.id},
        "try_policy_version": {"body.document_id": document_id},
    }


def _taught() -> dict[str, Ids]:
    """A calibration and an extractor, of projects with reviews enough."""
    reviewed, orders = decided.reviewed_project(), reviewed_orders.project_of_orders(12)
    learning_actions.propose_calibration(SITE, reviewed, by=BY)
    extractor_actions.train_extractor(SITE, orders, by=BY)
    version = {"body.version": 1, "body.expected": 0}
    return {
        "activate_calibration": {"path.project_id": reviewed, **version},
        "activate_extractor": {"path.project_id": orders, **version},
    }
