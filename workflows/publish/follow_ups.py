"""Driving follow-ups: attributes first, then one action after the other, until one has to wait."""

import json
import logging
from functools import partial

from django.conf import settings
from django.utils.translation import gettext

from config.errors import ActionFailed, Conflict, NotFound, Refused, Tampered, Unavailable
from config.transaction import Change
from projects.audit.events import Actor
from projects.documents.actions.properties import set_attribute
from projects.documents.queries import get_document
from workflows.definitions import stored_rules
from workflows.definitions.rules import Act
from workflows.publish import action_kinds, actions, hiding
from workflows.publish import queries as publish_queries
from workflows.publish.action_kinds import ActionResult, Task
from workflows.publish.actions import S
from workflows.publish.items import DocumentAction, FollowUp
from workflows.routing import field_mapping, judge, pinned_rules
from workflows.runs import events, queries
from workflows.runs.items import ACTION_ENDED, ActionType, DocumentWorkflow, Execution, FollowUpStatus, Run
from workflows.runs.run_files import files_of
from workflows.storage import files

log = logging.getLogger(__name__)

MOST_ACTIONS = 40  # actions of a run over all rules, since the publishing transaction writes them


def plan_follow_ups(run: Run, document: DocumentWorkflow, execution: Execution) -> list[Change]:
    """Return the rows of follow-ups for the publishing transaction; empty if there are none."""
    acts = _acts(run, document, execution)
    if (
        not acts
        and not pinned_rules.load_pinned_rules(run.site, stored_rules.read_routing(document.routing).book).mappings
    ):
        return []
    before = publish_queries.document_actions(run.site, run.document_id) if acts else []
    return actions.plan_action_rows(run, document, acts, first=max((one.idx + 1 for one in before), default=0))


def _acts(run: Run, document: DocumentWorkflow, execution: Execution) -> list[Act]:
    """List the actions of rules evaluated at upload, then those after the analysis."""
    first = stored_rules.read_routing(document.routing).judgement
    then = judge.judgement_of(run, execution.routing_sha256)
    return [*first.effect.actions, *then.effect.actions][:MOST_ACTIONS]


def drive_follow_ups(run: Run, *, owner: str) -> None:
    """Do what is due now. Idempotent: a redelivery finds it claimed or done.

    Raises:
        Unavailable: the table or S3 does not answer; it is due again when the lease expires.

    """
    try:
        follow_up = actions.claim_follow_up(run, owner=owner)
        _go_on(run, follow_up, owner)
    except Conflict:  # another worker has it, or got it when this one's lease expired
        log.info("follow-up is in other hands", extra={"run": run.workflow_id})


def _go_on(run: Run, follow_up: FollowUp, owner: str) -> None:
    try:
        get_document(run.site, run.document_id)
    except NotFound:
        if not hiding.hide_with_document(run, owner=owner):
            actions.end_follow_up(run, owner=owner, status=FollowUpStatus.CANCELLED)
        return
    if not follow_up.mapped_at:
        actions.record_mapping(run, owner=owner, message=_set_attributes(run))
    for action in publish_queries.actions_of(run):
        if action.status not in ACTION_ENDED and not _do(run, action, owner):
            return
    actions.end_follow_up(run, owner=owner, status=FollowUpStatus.DONE)


def _set_attributes(run: Run) -> str:
    """Set attributes by the pinned mappings; return in sentences what could not be set. Idempotent."""
    document = queries.document_workflow(run.site, run.document_id, run.workflow_id)
    mappings = pinned_rules.load_pinned_rules(run.site, stored_rules.read_routing(document.routing).book).mappings
    if not mappings:
        return ""
    store = files_of(run)
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
    """Do one action; return False if later ones have to wait."""
    if action.status in (S.FAILED, S.IN_QUEUE):  # a person has to act: nothing is due
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
    if int(action.attempts) >= settings.ACTION_ATTEMPTS:  # each time the worker died, or raised an unexpected error
        raise ActionFailed(gettext("The action did not finish after repeated attempts. Check the workers, then retry."))
    deed = action_kinds.DEEDS.get(action.kind)
    if deed is None:
        raise ActionFailed(gettext("This version does not support the action. Update, then retry."))
    return deed(Task(run, action, partial(actions.renew_follow_up, run, owner=owner)))
