"""The pages of definitions: who sees them, what they show before and after publication, and what an admin changes."""

import re
from html import unescape
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from projects.settings.values import FieldSetting
from projects.sites.permissions import Permission
from tests.aws_faults import count_calls
from tests.factories import start_run
from tests.html import one_line
from tests.people import alice, bob, charlie, person, signed_in
from tests.projects.make_sites import BY, grant, make_site
from tests.projects.projects import make_project
from tests.workflows.advancing import published as ended
from workflows.definitions import actions as definition_actions
from workflows.definitions import diagram, versions
from workflows.definitions.blueprint import DOCUMENT_ANALYSIS, DOCUMENT_APPROVAL, FIRST_ANALYSIS, SHIPPED
from workflows.definitions.composition import Block, Plan
from workflows.runs.items import END

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("machines", "table")]
LIST = "/settings/definitions/"


@pytest.fixture
def published(table: str) -> None:
    for definition in SHIPPED.values():
        definition_actions.publish_definition(definition)


def read(client: Client, path: str) -> str:
    response = client.get(path)
    assert response.status_code == 200
    return unescape(one_line(response.content))


def page(definition_id: str) -> str:
    return reverse("definitions:show-definition", args=[definition_id])


def act(client: Client, what: str, definition_id: str, **posted: Any) -> Any:
    return client.post(reverse(f"definitions:{what}-definition", args=[definition_id]), posted, follow=True)


@pytest.mark.usefixtures("published")
def test_the_list_says_which_version_is_active() -> None:
    text = read(signed_in(alice()), LIST)
    rows = re.findall(r"Version (\d+)</a></th>\s*<td[^>]*><span class=\"status[^>]*>.*?</svg>(\w+)</span>", text, re.S)
    assert rows == [("2", "Active"), ("1", "Archived"), ("1", "Active")]


def test_what_is_not_published_is_shown_as_the_code_has_it_and_says_so() -> None:
    assert "No active version" in read(signed_in(alice()), LIST)
    text = read(signed_in(alice()), page(DOCUMENT_APPROVAL.id))
    assert "Not published" in text
    assert "First Approval" in text
    assert "Activate" not in text


@pytest.mark.usefixtures("published")
def test_a_version_shows_its_steps_its_drawing_its_machine_and_its_runs() -> None:
    run = ended(start_run())
    text = read(signed_in(alice()), page(DOCUMENT_ANALYSIS.id))
    assert "review required → 10, otherwise → 11" in text
    assert "default (7 d)" in text  # of its review
    assert "default (24 h)" in text
    assert f"/workflows/{run.document_id}/{run.workflow_id}/" in text
    assert ">this version<" in text
    assert '"QueryLanguage": "JSONata"' not in text  # it names the account: for those who deploy
    root = person("root", "R")
    root.is_superuser = True
    root.save()
    assert '"QueryLanguage": "JSONata"' in read(signed_in(root), page(DOCUMENT_ANALYSIS.id))
    assert text.count("<rect ") == len(DOCUMENT_ANALYSIS.steps) + 1
    assert "document-analysis.v2</td>" in read(signed_in(alice()), page(FIRST_ANALYSIS.id))
    approval = read(signed_in(alice()), page(DOCUMENT_APPROVAL.id))
    assert "small: Field total is less than “100”; Field total is greater than “-100”" in approval
    assert "A different reviewer than before" in approval
    assert "3 d" in approval
    assert "No runs yet" in approval
    assert "Send an event: document.approved" in approval
    assert "The run ends rejected" in approval


@pytest.mark.usefixtures("published")
def test_the_page_of_a_version_is_two_calls() -> None:
    client = signed_in(alice())
    client.get(page(DOCUMENT_ANALYSIS.id))
    with count_calls() as calls:
        client.get(page(DOCUMENT_ANALYSIS.id))
    assert calls.names() == ["dynamodb.BatchGetItem", "dynamodb.Query"]


@pytest.mark.parametrize("path", [page("document-analysis.v9"), page("x"), "/workflows/?definition=x"])
def test_what_is_not_there_is_not_found(path: str) -> None:
    assert signed_in(alice()).get(path).status_code == 404


@pytest.mark.usefixtures("published")
def test_an_admin_activates_another_version_and_archives_a_family() -> None:
    client = signed_in(alice())
    text = one_line(act(client, "activate", FIRST_ANALYSIS.id, instead_of="2").content)
    assert "New runs of document-analysis use version 1" in text
    assert versions.active_definition() is FIRST_ANALYSIS
    assert "is archived. Its runs continue." in act(client, "archive", DOCUMENT_APPROVAL.id).content.decode()
    assert act(client, "activate", DOCUMENT_ANALYSIS.id, instead_of="2").status_code == 409
    assert act(client, "activate", DOCUMENT_ANALYSIS.id, instead_of="x").status_code == 409
    assert act(client, "archive", FIRST_ANALYSIS.id).status_code == 422


@pytest.mark.usefixtures("published")
def test_a_tenants_admin_looks_and_changes_nothing() -> None:
    make_site("acme")
    lou = person("lou", "L", "locals")
    grant("acme", "locals", Permission.READ, Permission.ADMIN)
    text = read(signed_in(lou), f"/s/acme{page(FIRST_ANALYSIS.id)}")
    assert "Activate" not in text
    assert act_on(signed_in(lou), "activate").status_code == 404
    assert act_on(signed_in(lou), "archive").status_code == 404
    assert versions.active_definition() is DOCUMENT_ANALYSIS


def test_a_tenants_admin_does_not_see_the_addresses_that_the_main_site_composed() -> None:
    steps = (
        Block("mail", "Tell the office", parameters={"to": "office@example.com"}),
        Block("webhook", "Tell the books", parameters={"url": "https://example.com/?token=s3cret"}),
    )
    definition_actions.create_composed("told", Plan(blocks=steps), by=BY)
    told = definition_actions.publish_plan("told", revision=1, by=BY)
    own = read(signed_in(alice()), page(told.id))
    assert ("office@example.com" in own, "token=s3cret" in own) == (True, True)
    make_site("acme")
    lou = person("lou", "L", "locals")
    grant("acme", "locals", Permission.READ, Permission.ADMIN)
    text = read(signed_in(lou), f"/s/acme{page(told.id)}")
    assert "Tell the books" in text
    assert not re.search("example.com|s3cret", text)


def act_on(client: Client, what: str) -> Any:
    return client.post(f"/s/acme{page(FIRST_ANALYSIS.id)}{what}/", {"instead_of": "2"})


@pytest.mark.parametrize("who", [bob, charlie])
def test_who_administers_nothing_does_not_see_them(who: Any) -> None:
    assert signed_in(who()).get(LIST).status_code == 403


def test_runs_are_listed_by_definition() -> None:
    start_run()
    assert "receipt" in read(signed_in(charlie()), "/workflows/").lower()
    text = read(signed_in(charlie()), "/workflows/?definition=document-approval")
    assert "No runs yet" in text


def test_a_run_tells_its_transitions_and_its_version() -> None:
    run = ended(start_run())
    path = f"/workflows/{run.document_id}/{run.workflow_id}/history/"
    text = read(signed_in(alice()), path)
    assert page(DOCUMENT_ANALYSIS.id) in text
    assert text.count('data-label="Duration"') == 12  # all but the review
    assert "Publishing" in text
    assert page(DOCUMENT_ANALYSIS.id) not in read(signed_in(charlie()), path)
    assert "document-analysis.v2" in read(signed_in(charlie()), path)
    fragment = one_line(signed_in(charlie(), htmx=True).get(path).content)
    assert fragment.startswith('<div class="panel-head">')


def test_a_run_that_has_just_begun_has_none() -> None:
    run = start_run()
    text = read(signed_in(charlie()), f"/workflows/{run.document_id}/{run.workflow_id}/history/")
    assert "No completed steps yet" in text


@pytest.mark.parametrize("definition", SHIPPED.values(), ids=lambda one: one.id)
def test_no_two_lines_of_a_drawing_lie_on_each_other(definition: Any) -> None:
    drawing = diagram.draw_definition(definition)
    assert len(drawing.boxes) == len(definition.steps) + 1
    wanted = {(step.order, order) for step in definition.steps for order in step.next.values()}
    assert len(drawing.lines) == len(wanted)
    spans: dict[str, list[tuple[int, int]]] = {}
    for line in drawing.lines:
        if found := re.fullmatch(r"M\d+ (\d+)H(\d+)V(\d+)H\d+", line):
            spans.setdefault(found[2], []).append((int(found[1]), int(found[3])))
    for lane, taken in spans.items():
        assert int(lane) < drawing.width
        for one, other in zip(sorted(taken), sorted(taken)[1:], strict=False):
            assert one[1] <= other[0]
    assert diagram.name_target(END) == "end"


@pytest.mark.parametrize("definition", SHIPPED.values(), ids=lambda one: one.id)
def test_rails_lead_to_every_step_and_to_the_end(definition: Any) -> None:
    rails = diagram.draw_rails(definition)
    assert len(rails.rows) == len(definition.steps) + 1
    assert rails.lanes <= 4
    wanted = {(step.order, order) for step in definition.steps for order in step.next.values()}
    straight = [one for row in rails.rows for one in row if (one.x1, one.y2) == (one.x2, "100%") and one.y1 == 18]
    arrows = [one for row in rails.rows for one in row if one.arrow]
    assert len(straight) + len(arrows) == len(wanted)
    for above, below in zip(rails.rows, rails.rows[1:], strict=False):  # no line ends between two rows
        assert {one.x2 for one in above if one.y2 == "100%"} == {one.x1 for one in below if one.y1 == 0}


def test_a_field_that_no_document_has_is_warned_of_and_published_all_the_same() -> None:
    make_project(fields=(FieldSetting("order_no", "Order", "text"),))
    client = signed_in(alice())
    plan = client.post("/settings/definitions/new/", {"name": "rule"})["Location"]
    form = {"version": "1", "blocks-TOTAL_FORMS": "1", "blocks-INITIAL_FORMS": "0", "blocks-0-kind": "approval"}
    form |= {"blocks-0-label": "Finance", "blocks-0-operator_1": "GT", "blocks-0-value_1": "1000"}
    known = client.post(plan, {**form, "blocks-0-key_1": "order_no", "order": "try", "document": "none"})
    assert "has these fields" not in one_line(known.content)
    tried = client.post(plan, {**form, "blocks-0-key_1": "totl", "order": "try", "document": "none"})
    assert "has these fields: totl. Correct the names" in one_line(tried.content)
    shown = client.post(plan, {**form, "blocks-0-key_1": "totl", "order": "publish"}, follow=True)
    assert "rule.v1 is published" in one_line(shown.content)
    assert "has these fields: totl" in one_line(shown.content)
