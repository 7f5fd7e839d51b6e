"""Rulesets and their rules by API."""

import pytest

from projects.sites.permissions import Permission
from tests.factories import SITE
from tests.projects.make_sites import BY
from tests.workflows.make_rules import make_rule, make_ruleset
from tests.workflows.test_api import API, program
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
