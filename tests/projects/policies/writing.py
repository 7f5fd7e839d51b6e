"""Policies for tests, made as an admin makes them."""

from projects.audit.events import Actor
from projects.policies import actions, queries
from projects.policies.decision import Case, Subject
from tests.factories import SITE

BY = Actor("1", "Ada Novak")
DEPARTMENTS = """package countersign

deny contains sprintf("For the group %s.", [one]) if {
	some one in input.document.attributes.department
	not one in input.user.groups
}
"""
READ_ONLY = 'package countersign\n\ndeny contains "Nothing is changed." if input.action != "READ"\n'
CLOSED = "package countersign\n\ndeny := true\n"
# Two values of one rule, as soon as a document is asked about by a person.
BROKEN = 'package countersign\n\nallow := input.user.kind == "person"\n\nallow := input.user.kind != "person"\n'
EXAMPLE = Case(Subject("9", "tried", ["admins"]), "READ", {"id": "example", "attributes": {}, "tags": {}})


def save(source: str, *, site: str = SITE) -> int:
    newest = int(queries.get_policy(site).newest or 0)
    return actions.save_version(site, source, newest=newest, by=BY).number


def activate(source: str, *, site: str = SITE) -> int:
    """Saved, tried and active; one that fails is written past the rule that keeps it from that."""
    number = save(source, site=site)
    if actions.try_version(site, number, [EXAMPLE], by=BY)[0].failed:
        row = queries.get_version(site, number)
        row.tried_at = "2026-11-26T00:00:00+00:00"
        row.save()
    active = int(queries.get_policy(site).index or 0)
    actions.activate_version(site, number, active=active, by=BY)
    return number
