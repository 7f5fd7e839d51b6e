"""Rulesets, their rules and field mappings by API."""

import pytest

from projects.sites.permissions import Permission
from tests.factories import SITE
from tests.projects.make_sites import BY, make_site
from tests.workflows.make_rules import make_mapping, make_rule, make_ruleset
from tests.workflows.test_api import API, problem, program
from workflows.definitions.rules import Condition, Operator, Source

LARGE = Condition(Source.FIELD, Operator.GT, "1000", "total")
pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("table")]


def test_rulesets_are_listed_with_their_rules() -> None:
    ruleset = make_ruleset("Invoices", by=BY, site=SITE)
    make_rule(ruleset, LARGE, description="Large ones", by=BY, site=SITE)
    client = program(Permission.READ, Permission.GOVERN)
    (found,) = client.get(f"{API}/rulesets").json()["items"]
    assert (found["description"], found["active"]) == ("Invoices", True)
    shown = client.get(f"{API}/rulesets/{found['id']}").json()
    assert [one["description"] for one in shown["rules"]] == ["Large ones"]
    assert shown["rules"][0]["conditions"] == [{"source": "FIELD", "operator": "GT", "value": "1000", "key": "total"}]
    assert client.get(f"{API}/rulesets/none").status_code == 404
    assert program(Permission.READ).get(f"{API}/rulesets").status_code == 403


def test_field_mappings_are_listed_by_name_and_each_tells_its_fields() -> None:
    mapping = make_mapping(("total", "amount"), ("vendor", "supplier"), name="Totals", by=BY, site=SITE)
    make_mapping(("date", "day"), name="Dates", by=BY, site=SITE)
    client = program(Permission.READ, Permission.GOVERN)
    found = client.get(f"{API}/mappings").json()["items"]
    assert [one["name"] for one in found] == ["Dates", "Totals"]
    assert found[1]["fields"] == [
        {"field": "total", "attribute": "amount"},
        {"field": "vendor", "attribute": "supplier"},
    ]
    assert (found[1]["active"], found[1]["project_id"]) == (True, None)
    assert client.get(f"{API}/mappings/{mapping.id}").json() == found[1]
    problem(client.get(f"{API}/mappings/none"), 404)
    problem(program(Permission.READ).get(f"{API}/mappings"), 403)
    make_site("acme")
    elsewhere = program(Permission.READ, Permission.GOVERN, site="acme")
    assert elsewhere.get(f"{API}/mappings").json() == {"items": []}
    problem(elsewhere.get(f"{API}/mappings/{mapping.id}"), 404)
