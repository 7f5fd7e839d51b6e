"""Driving what follows a publication: attributes first, then one action after the other, until one has to wait."""

import json
import logging
from functools import partial

from django.conf import settings

from config.errors import ActionFailed, Conflict, NotFound, Refused, Tampered, Unavailable
from config.transaction import Change
from projects.audit.events import Actor
from projects.documents.actions.properties import set_attribute
from projects.documents.queries import get_document
from workflows.documents.actions import hide
from workflows.publish import action_kinds, actions
from workflows.publish import queries as publish_queries
from workflows.publish.action_kinds import ActionResult, Task
from workflows.publish.actions import S
from workflows.publish.items import DocumentAction, FollowUp
from workflows.routing import judge, pinned_rules
from workflows.rules import field_mapping, stored_rules
from workflows.rules.routing import Act
from workflows.runs import events, queries
from workflows.runs.items import ACTION_ENDED, ActionType, DocumentWorkflow, Execution, FollowUpStatus, Run
from workflows.storage import files
from workflows.storage.objects import DocumentFiles

log = logging.getLogger(__name__)

MOST_ACTIONS = 40  # of one run, all its rules together: they are written in the transaction that publishes


def plan_follow_ups(run: Run, document: DocumentWorkflow, execution: Execution) -> list[Change]:
    """The rows of what follows, for the transaction that publishes; none if nothing does."""
    acts = _acts(run, document, execution)
    if (
        not acts
        and not pinned_rules.load_pinned_rules(run.site, stored_rules.read_routing(document.routing).book).mappings
    ):
        return []
    before = publish_queries.document_actions(run.site, run.document_id) if acts else []
    return actions.plan_action_rows(run, document, acts, first=max((one.idx + 1 for one in before), default=0))


def _acts(run: Run, document: DocumentWorkflow, execution: Execution) -> list[Act]:
    """What the rules asked for when the document came, then what they asked for after the analysis."""
    first = stored_rules.read_routing(document.routing).judgement
    then = judge.judgement_of(run, execution.routing_sha256)
    return [*first.effect.actions, *then.effect.actions][:MOST_ACTIONS]


def drive_follow_ups(run: Run, *, owner: str) -> None:
    """Do what is due now; delivered twice, the second finds it claimed or done.

    Raises:
        Unavailable: the table or S3 does not answer; it is due again when the lease runs out.

    """
    try:
        follow_up = actions.claim_follow_up(run, owner=owner)
        _go_on(run, follow_up, owner)
    except Conflict:  # another worker has it, or had it as this one's lease ran out
        log.info("follow-up is in other hands", extra={"run": run.workflow_id})


def _go_on(run: Run, follow_up: FollowUp, owner: str) -> None:
    try:
        get_document(run.site, run.document_id)
    except NotFound:
        if not hide.hide_follow_up(run, owner=owner):
            actions.end_follow_up(run, owner=owner, status=FollowUpStatus.CANCELLED)
        return
    if not follow_up.mapped_at:
        actions.record_mapping(run, owner=owner, message=_set_attributes(run))
    for action in publish_queries.actions_of(run):
        if action.status not in ACTION_ENDED and not _do(run, action, owner):
            return
    actions.end_follow_up(run, owner=owner, status=FollowUpStatus.DONE)


def _set_attributes(run: Run) -> str:
    """Set what the pinned mappings say; returns in sentences what could not be set. Again it changes nothing."""
    document = queries.document_workflow(run.site, run.document_id, run.workflow_id)
    mappings = pinned_rules.load_pinned_rules(run.site, stored_rules.read_routing(document.routing).book).mappings
    if not mappings:
        return ""
    store = DocumentFiles(run.site, run.project_id, run.document_id)
    output = json.loads(store.read(files.output(run.workflow_id)))
    problems = []
    for one in field_mapping.map_output(mappings, output, run.project_id):
        try:
            by = Actor("system", f"Mapping {one.mapping}")
            set_attribute(run.site, run.document_id, one.key, [one.value], by=by)
        except (Refused, NotFound) as error:
            problems.append(f"{one.mapping}: {error}")
    return " ".join(problems)[:1000]


def _do(run: Run, action: DocumentAction, owner: str) -> bool:
    """Do one action; False if what is after it has to wait."""
    if action.status in (S.FAILED, S.IN_QUEUE):  # a person's turn: nothing is due
        actions.end_follow_up(run, owner=owner, status=FollowUpStatus.WAITING)
        return False
    if action.kind == ActionType.QUEUE:
        actions.queue_document(run, action, owner=owner)
        return False
    attempt = actions.begin_action(run, action)
    log.info("action begins", extra={"run": run.workflow_id, "action": action.kind, "attempt": attempt})
    try:
        done = _perform_action(run, action, owner)
    except (ActionFailed, NotFound, Tampered) as error:
        actions.fail_action(run, action, attempt=attempt, owner=owner, message=str(error))
        return False
    except Unavailable as error:
        actions.retry_action_later(run, action, attempt=attempt, owner=owner, message=str(error))
        return False
    done_event = actions.complete_action(run, action, attempt=attempt, owner=owner, message=done.message, bus=done.bus)
    events.publish_soon(done_event)
    return True


def _perform_action(run: Run, action: DocumentAction, owner: str) -> ActionResult:
    if int(action.attempts) >= settings.ACTION_ATTEMPTS:  # each time the worker died, or stopped on an error of ours
        raise ActionFailed("The action did not finish after repeated attempts. Check the workers, then retry.")
    deed = action_kinds.DEEDS.get(action.kind)
    if deed is None:
        raise ActionFailed("This version does not support the action. Update, then retry.")
    return deed(Task(run, action, partial(actions.renew_follow_up, run, owner=owner)))
