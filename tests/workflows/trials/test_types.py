"""The prompt of a document type is tried as runs use it: on a document of that type, beside what is in use for it."""

from typing import Any

import pytest

from config.errors import NotFound
from projects.prompts import actions as prompt_actions
from projects.prompts.prompt import Prompt
from projects.prompts.queries import PromptRef
from projects.schemas.governing import AttributeUse, Schema
from tests.flow.test_models import said
from tests.html import one_line
from tests.outside import Outside, answering
from tests.people import alice, signed_in
from tests.projects.make_schemas import make_attributes, make_classification
from tests.projects.projects import make_project
from tests.pump import Pump
from tests.workflows.trials.reading import SITE, read_run
from tests.workflows.trials.test_trying import BY, MESSAGE, told
from workflows.providers import actions as provider_actions
from workflows.runs.items import Run
from workflows.trials import actions, queries, trying
from workflows.trials.queries import Draft, TrialRef

pytestmark = [pytest.mark.usefixtures("table"), pytest.mark.django_db]


@pytest.fixture(autouse=True)
def forgotten() -> None:
    provider_actions.forget_provider_state()


@pytest.fixture
def receipts() -> str:
    """A document type with two of the sample's fields."""
    make_attributes("company", "total")
    return make_classification(Schema("Receipt", (AttributeUse("company"), AttributeUse("total", required=True)), ()))


def save(prompt: PromptRef, words: str, **based: Any) -> int:
    text = Prompt("extract", f"{words}\n", MESSAGE)
    return prompt_actions.save_version(prompt, text, based_on=0, note="", by=BY).version


def do(ref: TrialRef) -> Outside:
    def answer(_: Any) -> Any:
        given = said(0.95)
        del given["output"]["message"]["content"][0]["toolUse"]["input"]["fields"]["date"]
        return given

    with answering("bedrock-runtime", Converse=answer) as outside:
        trying.do_trial(ref, owner="m1")
    return outside


def start(prompt: PromptRef, run: Run) -> TrialRef:
    return actions.start_trial(prompt, Draft(Prompt("extract", "Mine.", MESSAGE)), run.document_id, "bedrock", by=BY)


@pytest.mark.wide
def test_a_type_without_its_own_is_held_against_the_general_prompt(pump: Pump, receipts: str) -> None:
    run = read_run(pump)
    general = PromptRef(SITE, run.project_id, "extract")
    prompt = PromptRef(SITE, run.project_id, "extract", receipts)
    moved = save(general, "General.")
    prompt_actions.move_production(general, moved, expected=1, reason="Better", by=BY)
    ref = start(prompt, run)
    later = save(general, "Later.")
    prompt_actions.move_production(general, later, expected=moved, reason="Better", by=BY)
    assert told(do(ref)) == ["Mine.", "Gener"]
    trial = queries.get_trial(ref)
    assert trial.draft_answer
    found = queries.read_answer(SITE, run.project_id, run.document_id, trial.draft_answer).outcome
    assert [one.name for one in found.fields] == ["company", "total"]  # those of the type, not of the project
    assert (found.problem, trial.error) == ("", None)


@pytest.mark.wide
def test_a_type_with_its_own_in_production_is_held_against_that(pump: Pump, receipts: str) -> None:
    run = read_run(pump)
    prompt = PromptRef(SITE, run.project_id, "extract", receipts)
    prompt_actions.move_production(prompt, save(prompt, "Their."), expected=0, reason="Better", by=BY)
    assert told(do(start(prompt, run))) == ["Mine.", "Their"]


@pytest.mark.wide
def test_no_type_is_asked_for_where_the_project_finds_types(pump: Pump, receipts: str) -> None:
    run = read_run(pump, project_id=make_project(typing="found").id)
    assert told(do(start(PromptRef(SITE, run.project_id, "extract", receipts), run))) == ["Mine.", "You r"]


@pytest.mark.wide
def test_the_editor_of_a_type_offers_it(pump: Pump, receipts: str) -> None:
    run, admin = read_run(pump), signed_in(alice())
    editor = f"/projects/{run.project_id}/prompts/extract@{receipts}/"
    here = f"{editor}try/"
    assert f'formaction="{here}"' in admin.get(editor).content.decode()
    desk = one_line(admin.get(here).content)
    assert "Compared with: General prompt, version 1. The document is read as Receipt" in desk
    assert "About 2 requests" in desk
    typed = {"instructions": "Mine.", "message": MESSAGE, "document": run.document_id, "model": "bedrock"}
    started = admin.post(f"{here}start/", typed)
    assert started["Location"].startswith(here)
    do(TrialRef(SITE, run.project_id, started["Location"].rstrip("/").rpartition("/")[2]))
    page = one_line(admin.get(started["Location"]).content)
    for words in (
        "Extract fields: Receipt",
        "General prompt, version 1",
        f'action="{editor}"',
        'name="based_on" value="0"',
    ):
        assert words in page
    assert admin.get(started["Location"].replace(f"@{receipts}", "")).status_code == 404
    assert admin.get(here.replace(receipts, "none")).status_code == 404


def test_a_type_that_is_gone_is_no_prompt(pump: Pump) -> None:
    run = read_run(pump)
    ref = start(PromptRef(SITE, run.project_id, "extract", "none"), run)
    do(ref)
    assert "document type no longer exists" in str(queries.get_trial(ref).error)
    with pytest.raises(NotFound):
        queries.get_trial(TrialRef(SITE, run.project_id, "none"))
