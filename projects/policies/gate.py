"""Enforcement of the access policy: on documents named in URLs and on rows of lists.

It only denies: what groups, queues and folders do not permit is never evaluated. Decisions are cached for one request.
Sites without an active policy and the settings pages are not affected (ADR 0058).
"""

from collections.abc import Collection, Iterable
from typing import Any

from django.contrib.auth.models import User
from django.http import HttpRequest

from config.errors import NotAllowed, NotFound, Refused
from config.phrase import Sentence
from projects.audit.events import Actor, actor_of
from projects.documents.view_log import note_denial
from projects.policies import decision, queries
from projects.policies.decision import OUTSIDER, PROGRAM, Case, Decision, Subject
from projects.sites import access
from projects.sites.api_keys import Program
from projects.sites.people import list_people
from projects.sites.permissions import Permission

MISSING = Sentence("Document not found.")
UNCOUNTED = Sentence("These figures count documents that this site’s access policy may hide from you.")
BROKEN = Sentence("Documents cannot be opened: this site’s access policy failed. Ask a site admin to repair it.")
_REPAIR = Sentence(
    "Documents cannot be opened: version %(version)s of this site’s access policy failed. %(failed)s "
    "Repair or deactivate it under Settings, Access policy."
)


def find_denied_documents(request: HttpRequest, document_ids: Iterable[str]) -> frozenset[str]:
    """Return the documents that the policy denies, for the action that the view checks."""
    site = str(request.site)
    version = queries.active_number(site)
    if not version:
        return frozenset()
    action = access.asked_of(request)
    found = _decide(request, site, version, action, [one for one in document_ids if one])
    return frozenset(one for one, answer in found.items() if not answer.allowed)


def shows_counts(request: HttpRequest) -> bool:
    """Return whether this person may see counts of a site, project or queue.

    Counters do not know which of the documents they count a policy hides from whom. So under an active one only those
    see them who can deactivate it; a program never can.
    """
    program = getattr(request, "auth", None)
    may_deactivate = access.can(request, Permission.ADMIN) and (not program or program.person_id)
    shown = bool(may_deactivate) or not queries.active_number(str(request.site))
    if not shown:
        request.counts_left_out = True  # type: ignore[attr-defined]  # said above the page that lacks them
    return shown


def shows_counts_to(site: str, user_id: str) -> bool:
    """``shows_counts`` for a worker that writes to this person: one SQL statement under a policy."""
    return not queries.active_number(site) or user_id in {one.id for one in list_people(site, Permission.ADMIN)}


def check_document(request: HttpRequest, document_id: str, action: Permission) -> None:
    """Raises: NotFound if viewing is denied; NotAllowed, with reasons, if only this action is.

    A failing policy raises NotAllowed; admins see the error.
    """
    site = str(request.site)
    version = queries.active_number(site)
    if not version:
        return
    answer = _decide(request, site, version, action, [document_id]).get(document_id)
    if answer is None or answer.allowed:
        return
    note_denial(site, document_id, by=_actor(request), policy=version, what=_describe(action, answer))
    if answer.failed:
        raise NotAllowed(_explain_failure(request, answer))
    if action == Permission.READ or not _may_view(request, site, version, document_id):
        raise NotFound(MISSING)
    raise NotAllowed(" ".join(answer.reasons) or Sentence("The access policy of this site does not permit this."))


@access.beside_permissions
def check_named_document(request: HttpRequest, permission: Permission) -> None:
    """Check the document named in the URL, after the permission. Raises: as ``check_document``."""
    match = request.resolver_match
    document_id = str(match.kwargs.get("document_id", "")) if match is not None else ""
    if document_id:
        check_document(request, document_id, permission)


def _explain_failure(request: HttpRequest, answer: Decision) -> str:
    return (
        _REPAIR.fill(version=answer.version, failed=answer.failed) if access.can(request, Permission.ADMIN) else BROKEN
    )


def _may_view(request: HttpRequest, site: str, version: int, document_id: str) -> bool:
    return _decide(request, site, version, Permission.READ, [document_id])[document_id].allowed


def _decide(
    request: HttpRequest, site: str, version: int, action: Permission, document_ids: Collection[str]
) -> dict[str, Decision]:
    """Decide once per document and request; invalid ids are left out."""
    known: dict[Any, Decision] = request.__dict__.setdefault("policy_answers", {})
    request.policy_version = version  # type: ignore[attr-defined]  # read by the log of views
    wanted = [one for one in dict.fromkeys(document_ids) if (action, one) not in known]
    if wanted:
        for one, answer in decide_for(site, version, subject_of(request), action, wanted).items():
            known[action, one] = answer
            if answer.failed:
                told = _explain_failure(request, answer)
                request.policy_failed = told  # type: ignore[attr-defined]  # shown above the list that lacks it
    return {one: known[action, one] for one in document_ids if (action, one) in known}


def decide_for(
    site: str, version: int, subject: Subject, action: Permission, document_ids: Collection[str]
) -> dict[str, Decision]:
    """Decide for each document; deny all if the policy fails or its input cannot be read."""
    try:
        policy = queries.read_version(site, version)
    except (NotFound, Refused) as error:
        return dict.fromkeys(document_ids, Decision(version, allowed=False, failed=str(error)))
    documents = queries.describe_documents(site, document_ids, policy.needs)
    cases = [Case(subject, action.value, one) for one in documents.values()]
    if not cases:
        return {}
    return dict(zip(documents, decision.decide(site, policy, version, cases), strict=True))


def find_denied_to(site: str, subject: Subject, action: Permission, document_ids: Collection[str]) -> frozenset[str]:
    """``find_denied_documents`` for a worker without a request. Raises: Refused if the policy failed."""
    version = queries.active_number(site)
    if not version or not document_ids:
        return frozenset()
    found = decide_for(site, version, subject, action, document_ids)
    failed = next((one.failed for one in found.values() if one.failed), "")
    if failed:
        raise Refused(BROKEN)
    return frozenset(one for one, answer in found.items() if not answer.allowed)


def subject_of(request: HttpRequest) -> Subject:
    program, user = getattr(request, "auth", None), request.user
    if isinstance(program, Program) and not program.person_id:
        return Subject(program.actor.id, program.actor.name, kind=PROGRAM)
    if not user.is_authenticated:
        return Subject(kind=OUTSIDER)
    return Subject(str(user.pk), user.get_username(), sorted(access.groups_of(request)))


def stored_subject(actor_id: str, groups: Collection[str]) -> Subject:
    """Return the subject stored on a row."""
    if not actor_id.isdecimal():
        return Subject(actor_id, kind=PROGRAM)
    name = User.objects.filter(pk=int(actor_id)).values_list("username", flat=True).first()
    return Subject(actor_id, name or "", sorted(groups))


def _actor(request: HttpRequest) -> Actor:
    program = getattr(request, "auth", None)
    if isinstance(program, Program):
        return program.actor
    return actor_of(request.user) if request.user.is_authenticated else Actor("link", "Shared link")


def _describe(action: Permission, answer: Decision) -> str:
    told = "policy failed" if answer.failed else " ".join(answer.reasons)
    return f"{action.value}: {told}" if told else action.value
