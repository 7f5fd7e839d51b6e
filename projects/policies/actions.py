"""Writes of access policies: one conditional transaction each, with its audit event."""

import datetime as dt
from collections.abc import Sequence

from django.utils.translation import gettext

from config import clock
from config.errors import Conflict, Refused
from config.phrase import Sentence
from config.transaction import EXISTS, Put, Update, transact
from projects.audit.events import Actor, entity_event
from projects.policies import decision, queries
from projects.policies.decision import Case, Decision
from projects.policies.items import AccessPolicy, PolicyVersion
from projects.policies.language import read_policy
from projects.policies.queries import policy_key, version_key
from projects.sites import actions as site_actions
from projects.sites import directory
from projects.sites.items import Site

LONGEST_NOTE = 200
_CHANGED = Sentence("Another user changed the policy meanwhile. Nothing was saved; check the versions and try again.")
_EVENT = "policy"  # as the audit log knows it; the id is the number of the version


def save_version(site: str, source: str, note: str = "", *, newest: int, by: Actor) -> PolicyVersion:
    """Save the next version; it has no effect until it is activated.

    ``newest``: the latest version that the person saw.

    Raises:
        Refused: the text is not a valid policy; the message says what to change.
        Conflict: someone saved another version meanwhile.

    """
    source = source.replace("\r\n", "\n").strip() + "\n"
    policy = read_policy(source)
    tried = decision.decide(site, policy, 0, [Case(decision.Subject(), "READ", {"id": "none"})])[0]
    if tried.failed.startswith("Line "):  # it does not even compile; what fails for an example is tried on one
        raise Refused(tried.failed)
    if len(note) > LONGEST_NOTE:
        raise Refused(gettext("A note can have up to %(longest_note)s characters.") % {"longest_note": LONGEST_NOTE})
    number, now = newest + 1, clock.iso(clock.now())
    row = PolicyVersion(
        *version_key(site, number),
        siteId=site,
        index=number,
        policy=source,
        note=note.strip() or None,
        user_id=by.id,
        user_name=by.name,
        created_at=now,
    )
    head = Update(
        policy_key(site),
        [
            AccessPolicy.siteId.set(site),
            AccessPolicy.type.set("FULL"),
            AccessPolicy.newest.set(number),
            *([] if newest else [AccessPolicy.index.set(0)]),
        ],
        AccessPolicy.newest == newest if newest else AccessPolicy.newest.does_not_exist(),
    )
    event = entity_event(site, _EVENT, str(number), "saved", by=by, payload={"version": number, "note": note.strip()})
    try:
        transact([Put(row), head], event)
    except Conflict as error:
        raise Conflict(_CHANGED) from error
    return row


def try_version(
    site: str, number: int, cases: Sequence[Case], *, by: Actor, at: dt.datetime | None = None
) -> list[Decision]:
    """Evaluate a version on examples and record the trial, which activation requires.

    Raises: NotFound, Refused.
    """
    row = queries.get_version(site, number)
    found = decision.decide(site, read_policy(row.policy), 0, cases, at=at)
    if any(one.failed for one in found):
        return found  # which is no trial: a policy that fails is not activated
    allowed = all(one.allowed for one in found)
    tried = [
        PolicyVersion.tried_at.set(clock.iso(clock.now())),
        PolicyVersion.tried_by.set(by.name),
        PolicyVersion.tried_allowed.set(allowed),
    ]
    payload = {"version": number, "action": cases[0].action, "allowed": allowed, "document": cases[0].document["id"]}
    transact([Update(row.key, tried, EXISTS)], entity_event(site, _EVENT, str(number), "tried", by=by, payload=payload))
    return found


def activate_version(site: str, number: int, *, active: int, by: Actor) -> None:
    """Activate a version, also an earlier one; ``active``: the version that the person saw as active.

    Raises:
        NotFound: no such version.
        Refused: it was never tried.
        Conflict: another version was activated meanwhile.

    """
    row = queries.get_version(site, number)
    if not row.tried_at:
        raise Refused(gettext("Try this version on an example before you activate it."))
    _switch(site, number, row.policy, active=active, word="activated", by=by)


def deactivate_policy(site: str, *, active: int, by: Actor) -> None:
    """Deactivate the policy; groups alone decide. Raises: Conflict if another version was activated meanwhile."""
    if active:
        _switch(site, 0, "", active=active, word="deactivated", by=by)


def _switch(site: str, number: int, source: str, *, active: int, word: str, by: Actor) -> None:
    now = clock.iso(clock.now())
    head = Update(
        policy_key(site),
        [
            AccessPolicy.index.set(number),
            AccessPolicy.policy.set(source) if source else AccessPolicy.policy.remove(),
            AccessPolicy.updated_by.set(by.name),
            AccessPolicy.updated_at.set(now),
        ],
        AccessPolicy.index == active,
    )
    payload = {"version": {"before": active or None, "after": number or None}}
    event = entity_event(site, _EVENT, str(number or active), word, by=by, payload=payload)
    try:
        transact([head, site_actions.change_row(site, Site.policy.set(number))], event)
    except Conflict as error:
        raise Conflict(_CHANGED) from error
    finally:
        directory.forget()
