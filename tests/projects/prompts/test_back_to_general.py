"""A document type goes back from its own prompt to the general one, as any move of production: reasoned and audited."""

import re

import pytest

from config.errors import Conflict, NotFound, Refused
from config.table import ENTITY_EVENT
from projects.audit.events import actor_of
from projects.audit.items import EntityEvent
from projects.prompts import actions as prompt_actions
from projects.prompts import queries as prompt_queries
from projects.prompts.actions import ProductionMove
from projects.prompts.choice import choose_book
from projects.prompts.prompt import Prompt
from projects.prompts.queries import PromptRef
from projects.sites import actions as site_actions
from projects.sites.permissions import ADMINS, Permission
from tests.aws_faults import before_each
from tests.html import one_line
from tests.people import alice, person, signed_in
from tests.projects.make_schemas import ALICE, BOB, make_classification
from tests.projects.make_sites import grant
from tests.projects.projects import SITE, make_project

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("table", "attributes")]


@pytest.fixture
def ref() -> PromptRef:
    """A type's prompt with two versions, the first in production and the second a candidate."""
    found = PromptRef(SITE, make_project(analyzer="model").id, "extract", make_classification())
    for words in ("One", "Two"):
        prompt = Prompt("extract", f"{words}\n", "{{page_text}}\n")
        prompt_actions.save_version(found, prompt, based_on=0, note="", by=ALICE)
    prompt_actions.move_production(found, 1, expected=0, reason="Better", by=ALICE)
    prompt_actions.set_candidate(found, 2, expected=0, percent=10, reason="Trial", by=ALICE)
    return found


def go_back(ref, expected=1, reason="Worse", by=ALICE):
    return prompt_actions.move_production(ref, 0, expected=expected, reason=reason, by=by)


def head(ref):
    found = prompt_queries.get_head(ref)
    return int(found.version), int(found.production), int(found.candidate)


def page(ref, rest="versions/1/"):
    return f"/projects/{ref.project_id}/prompts/{ref.slug}/{rest}"


def test_documents_of_the_type_are_read_by_the_general_prompt_again(ref):
    assert go_back(ref) is ProductionMove.MOVED
    assert head(ref) == (2, 0, 2)  # its versions stay, and a share of runs still tries the candidate
    book = choose_book(SITE, ref.project_id, lambda: 0.9, types=[ref.scope])
    assert book.find("extract", ref.scope).scope == "general"
    assert go_back(ref, expected=0) is ProductionMove.UNCHANGED
    pk = ENTITY_EVENT.partition_key(SITE, entity_type="prompt", entity_id=ref.entity_id)
    last = EntityEvent.page(pk, consistent=True).rows[-1]
    assert (last.type, last.payload.as_dict()) == ("production_moved", {"before": 1, "after": 0, "reason": "Worse"})
    assert prompt_actions.move_production(ref, 2, expected=0, reason="Again", by=ALICE) is ProductionMove.MOVED


def test_it_needs_a_reason_and_a_type(ref):
    with pytest.raises(Refused, match="Give a short reason"):
        go_back(ref, reason=" ")
    with pytest.raises(NotFound, match="no version 0"):
        go_back(ref.general)
    assert head(ref) == (2, 1, 2)


def test_of_two_who_move_at_once_one_wins(ref):
    def other():
        prompt_actions.move_production(ref, 2, expected=1, reason="Better", by=BOB)

    with before_each("dynamodb", "TransactWriteItems", other), pytest.raises(Conflict, match="put version 2"):
        go_back(ref)
    with (
        before_each("dynamodb", "TransactWriteItems", lambda: go_back(ref, expected=2, by=BOB)),
        pytest.raises(Conflict, match="put the general prompt into production"),
    ):
        prompt_actions.move_production(ref, 1, expected=2, reason="Better", by=ALICE)
    assert head(ref)[1] == 0


def test_a_button_with_a_reason_leads_back(ref):
    admin, writer = signed_in(alice()), signed_in(person("wim", "Bos", "writers"))
    grant(SITE, "writers", Permission.READ, Permission.ADMIN)
    here, move = page(ref), page(ref, "versions/0/production/")
    assert "Use the general prompt" in one_line(admin.get(here).content)
    assert "Use the general prompt" not in one_line(writer.get(here).content)
    assert "Use the general prompt" not in one_line(admin.get(page(ref.general)).content)
    assert writer.post(move, {"expected": "1", "reason": "Worse"}).status_code == 403
    refused = admin.post(move, {"expected": "1", "reason": ""})
    assert (refused.status_code, "Give a short reason" in one_line(refused.content)) == (422, True)
    late = admin.post(move, {"expected": "2", "reason": "Worse"})
    assert late.status_code == 409
    done = one_line(admin.post(move, {"expected": "1", "reason": "Worse"}, follow=True).content)
    assert "The general prompt is in production. Runs that start from now on use it." in done
    assert "General prompt</span>" in done
    assert "general prompt" in one_line(admin.get("/settings/audit/").content)


def test_a_second_person_confirms_it_where_the_site_says_so(ref):
    admin, rosa = signed_in(alice()), signed_in(person("rosa", "Marin", ADMINS))
    site_actions.set_second_person(SITE, True, version=0, by=actor_of(alice()))
    assert "Propose the general prompt" in one_line(admin.get(page(ref)).content)
    sent = admin.post(page(ref, "versions/0/production/"), {"expected": "1", "reason": "Worse"}, follow=True)
    listed = one_line(sent.content)
    assert "The general prompt is proposed. Another person has to confirm it" in listed
    assert head(ref)[1] == 1
    assert f'href="{page(ref)}"' in listed
    shown = one_line(rosa.get(page(ref)).content)
    assert "Confirm the general prompt" in shown
    proposal = {"proposal": re.search(r'name="proposal" value="(\w+)"', shown)[1]}
    assert rosa.post(page(ref, "proposal/decline/"), {**proposal, "reason": ""}).status_code == 422
    done = one_line(rosa.post(page(ref, "proposal/confirm/"), proposal, follow=True).content)
    assert "The general prompt is in production." in done
    assert head(ref)[1] == 0
