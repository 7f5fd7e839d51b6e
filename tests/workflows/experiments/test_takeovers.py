"""What is measured is what runs do: the model that takes over is asked where the first one is not sure."""

import json
from dataclasses import replace
from decimal import Decimal
from typing import Any

import pytest

from projects.prompts import actions as prompt_actions
from projects.prompts.book import make_shipped_book
from projects.prompts.prompt import Prompt
from projects.prompts.queries import PromptRef
from tests.html import one_line
from tests.people import alice, signed_in
from tests.projects.models.catalogue import add_model
from tests.pump import Pump
from tests.workflows.experiments.counting_server import RIGHT, Answer, CountingServer
from tests.workflows.experiments.made import BY, SITE, copy_document, make_experiment, make_set, work_all
from tests.workflows.providers.language_models.chat_server import completion
from tests.workflows.trials.reading import read_run
from workflows.experiments import queries
from workflows.experiments.results import Plan, combine_variants, plan_from

pytestmark = [pytest.mark.usefixtures("table"), pytest.mark.django_db]


def say(body: dict[str, Any]) -> tuple[int, Any]:
    """The strong model is right and sure; the other one doubts the total that it finds."""
    strong = body["model"] == "strong-model"
    fields = {name: {"value": value, "raw": value, "confidence": 0.95} for name, value in RIGHT.items()}
    if not strong:
        fields["total"] = {"value": "42.50", "raw": "42.50", "confidence": 0.4}
    return completion(json.dumps({"description": "An invoice.", "fields": fields}))


@pytest.fixture
def answer() -> Answer:
    return say


@pytest.mark.wide
def test_the_model_that_takes_over_is_pinned_asked_and_paid_for(server: CountingServer, pump: Pump) -> None:
    run = read_run(pump)
    testset = make_set(run.project_id, [run.document_id, copy_document(run, 1)])
    add_model("strong", name="Strong", model="strong-model", price_in=Decimal(10))
    cheap = add_model("cheap", name="Cheap", price_in=Decimal(1), takeover="strong")
    alone = replace(cheap, takeover="")
    ref = make_experiment(testset, [1], models=(cheap, alone))
    head = work_all(ref)
    assert (head.status, int(head.answered), server.asked) == ("done", 4, 4)  # both variants share the first answers
    assert (int(head.asked), int(head.spent), int(head.micros)) == (4, 2 * 100 + 2 * 1000, 4 * 100 + 2 * 1000)
    plan = queries.load_plan(ref, str(head.plan_sha256))
    assert plan.variants[0].takeover
    assert plan.variants[0].words.startswith("Prompt 1 · Cheap, then Strong below 70 %")
    halves = queries.load_results(ref, str(head.results_sha256)).halves
    assert [halves[one]["held_back"].exact.share for one in (1, 2)] == [1.0, 0.0]  # type: ignore[union-attr]
    form = one_line(signed_in(alice()).get(f"/workflows/projects/{run.project_id}/experiments/new/").content)
    assert "Cheap, then Strong below 70 %" in form


def test_types_are_found_by_the_project_s_own_prompt(pump: Pump) -> None:
    run = read_run(pump)
    testset = make_set(run.project_id, [run.document_id])
    ref = PromptRef(SITE, run.project_id, "classify")
    saved = prompt_actions.save_version(
        ref, Prompt("classify", "Mine.\n", "{{document_text}}\n"), based_on=1, note="", by=BY
    )
    prompt_actions.move_production(ref, saved.version, expected=1, reason="Better", by=BY)
    made = make_experiment(testset, [1])
    plan = queries.load_plan(made, str(queries.get_experiment(made).plan_sha256))
    assert plan.book(plan.variants[0])["classify"].prompt.instructions == "Mine.\n"


def test_a_plan_comes_back_as_it_was() -> None:
    strong = add_model("strong")
    cheap = add_model("cheap", takeover="strong")
    variants = combine_variants([1], [cheap, strong], [0.5], [0.8], [strong])
    plan = Plan("t", 1, "00", 3, {1: Prompt("extract", "A\n", "B\n")}, variants, make_shipped_book()["classify"])
    assert plan_from(plan.to_bytes()) == plan
    first, second = variants
    assert (first.takeover, second.takeover, first.model.temperature) == (strong, None, 0.5)
    assert first.settings != replace(first, takeover=None).settings  # no measure of each other
