"""Pages of experiments: started, watched, compared and promoted by who configures the project, at a fixed cost."""

import re

import pytest
from django.urls import reverse

from projects.prompts import actions as prompt_actions
from projects.prompts import queries as prompt_queries
from projects.prompts.queries import PromptRef
from projects.sites import actions as site_actions
from projects.sites.permissions import Permission
from tests.aws_faults import count_calls
from tests.html import one_line
from tests.people import alice, bob, person, signed_in
from tests.projects.make_sites import grant
from tests.projects.models.catalogue import add_model
from tests.pump import Pump
from tests.workflows.decided import project
from tests.workflows.experiments.counting_server import CountingServer
from tests.workflows.experiments.made import (
    BY,
    SITE,
    copy_document,
    make_experiment,
    make_set,
    save_prompt,
    two_prompts,
    work_all,
)
from tests.workflows.trials.reading import read_run
from workflows.experiments import lanes, queries
from workflows.experiments.items import ExperimentCell, judged_to_store
from workflows.experiments.queries import ExperimentRef
from workflows.experiments.results import Judged
from workflows.testsets import actions as testset_actions
from workflows.testsets.cases import HALVES, Case
from workflows.testsets.queries import SetRef

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("table")]


def url(name: str, *args: object) -> str:
    return reverse(f"workflows:{name}", args=args)


def prompt_of(project_id: str) -> PromptRef:
    return PromptRef(SITE, project_id, "extract")


def large_experiment(*, prompts: int = 1) -> ExperimentRef:
    """A thousand rows, of documents that are gone; the second of two variants is always wrong."""
    project_id = project()
    testset = testset_actions.create_test_set(SITE, project_id, "Many", by=BY)
    cases = [Case(f"d{number}", "0" * 64, "tuning", 1) for number in range(60)]
    testset_actions.add_cases(testset, cases, note="", by=BY)
    versions = two_prompts(project_id)[: prompts - 1]
    ref = make_experiment(testset, [1, *versions])
    wrong = judged_to_store((Judged("total", 0.9, expected=True, answered=True, right=False),))
    with ExperimentCell.batch_write() as batch:
        for number in range(1000):
            batch.save(
                ExperimentCell(
                    *ref.cell_key(number),
                    number=number,
                    case=number // prompts,
                    variant=number % prompts + 1,
                    document_id=f"d{number // prompts}",
                    half="tuning",
                    status="done",
                    judged=wrong if number % prompts else None,
                    exact=not number % prompts,
                    created_at="2026-01-01",
                )
            )
    return ref


@pytest.mark.wide
def test_an_admin_compares_two_prompts_and_promotes_the_better_one(server: CountingServer, pump: Pump) -> None:
    run, admin = read_run(pump), signed_in(alice())
    here = run.project_id
    testset = make_set(here, [run.document_id, copy_document(run, 1)])
    plain, careful = two_prompts(here)
    prompt_actions.move_production(prompt_of(here), plain, expected=1, reason="Better", by=BY)
    add_model("local")
    form = one_line(admin.get(url("create-experiment", here)).content)
    for words in ("Receipts · 2 documents", f"Version {plain}, in production", "Model local"):
        assert words in form
    typed = {
        "name": "Careful or not", "testset": testset.testset_id, "prompts": [plain, careful], "models": ["local"],
        "temperatures": "", "thresholds": "80", "limit": "5",
    }  # fmt: skip
    wrong = admin.post(url("create-experiment", here), {**typed, "temperatures": "hot"})
    assert (wrong.status_code, "Enter temperatures from 0 to 2" in one_line(wrong.content)) == (422, True)
    made = admin.post(url("create-experiment", here), typed)
    assert made.status_code == 302
    assert "Queued" in one_line(admin.get(made["Location"]).content)
    pump.hold = lambda message: not message.task.endswith("experiments.tasks.work")
    pump.run(lambda: pump.ran("experiments.tasks.work") == 1)
    page = one_line(admin.get(made["Location"]).content)
    for words in ("Done", "4 of 4 answers", "best F1", '<svg class="chart"', '<th scope="row">Total</th>'):
        assert words in page
    assert "Show results" in one_line(signed_in(alice(), htmx=True).get(made["Location"]).content)
    ref = ExperimentRef(SITE, here, made["Location"].rstrip("/").rpartition("/")[2])
    differences = url("list-experiment-differences", here, ref.experiment_id)
    differing = one_line(admin.get(differences).content)
    for words in ("2 documents with different mistakes", "Wrong: Total"):
        assert words in differing
    beside = one_line(admin.get(url("compare-experiment-document", here, ref.experiment_id, run.document_id)).content)
    for words in ("510.24", "42.50", f"/{run.document_id}/pages/0.png", 'href="#trial-field-total"', "Variant 2 only"):
        assert words in beside
    assert 'id="trial-field-total"' in beside
    assert 'class="field-box done"' in beside
    alone = url("compare-experiment-document", here, ref.experiment_id, run.document_id) + "?first=1&second=1"
    assert "Variant 2 only" not in one_line(admin.get(alone).content)
    answers = one_line(admin.get(url("list-experiment-answers", here, ref.experiment_id)).content)
    assert answers.count("All correct") == 2
    promote = url("promote-variant", here, ref.experiment_id)
    chosen = {"variant": "2", "expected": str(plain), "candidate": "0", "label": "production", "reason": "Totals"}
    promoted = admin.post(promote, chosen, follow=True)
    assert promoted.redirect_chain[0][0].endswith("?variant=2")
    assert f"Its prompt, version {careful}, is in production." in one_line(promoted.content)
    assert int(prompt_queries.get_head(prompt_of(here)).production) == careful
    late = admin.post(promote, {**chosen, "variant": "1"})
    assert late.status_code in {409, 422}
    site_actions.set_second_person(SITE, True, version=0, by=BY)
    back = {**chosen, "variant": "1", "expected": str(careful), "despite": "Shorter"}
    assert "is proposed. Another person has to confirm" in one_line(admin.post(promote, back, follow=True).content)
    assert int(prompt_queries.get_head(prompt_of(here)).production) == careful
    grant(SITE, "writers", Permission.READ, Permission.ADMIN)
    assert signed_in(person("wim", "Bos", "writers")).post(promote, back).status_code == 403


@pytest.mark.wide
def test_of_equal_variants_none_is_the_best(server: CountingServer, pump: Pump) -> None:
    run, admin = read_run(pump), signed_in(alice())
    testset = make_set(run.project_id, [run.document_id])
    _, careful = two_prompts(run.project_id)
    ref = make_experiment(testset, [careful], temperatures=(0.0, 0.5))
    work_all(ref)
    found = (
        one_line(admin.get(url("show-experiment", run.project_id, ref.experiment_id), {"half": half}).content)
        for half in HALVES
    )
    page = next(one for one in found if "interval over 1 document;" in one)
    assert "best F1" not in page


@pytest.mark.wide
def test_a_worse_prompt_needs_a_written_reason(server: CountingServer, pump: Pump) -> None:
    run, admin = read_run(pump), signed_in(alice())
    here = run.project_id
    testset = make_set(here, [run.document_id, copy_document(run, 1)])
    plain, careful = two_prompts(here)
    prompt_actions.move_production(prompt_of(here), careful, expected=1, reason="Better", by=BY)
    ref = make_experiment(testset, [plain, careful])
    work_all(ref)
    promote = url("promote-variant", here, ref.experiment_id)
    chosen = {"variant": "1", "expected": str(careful), "candidate": "0", "label": "production", "reason": "Shorter"}
    refused = admin.post(promote, chosen)
    assert refused.status_code == 422
    assert "Enter a reason for using it anyway" in one_line(refused.content)
    assert int(prompt_queries.get_head(prompt_of(here)).production) == careful
    assert admin.post(promote, {**chosen, "despite": "Half the price."}).status_code == 302
    assert int(prompt_queries.get_head(prompt_of(here)).production) == plain
    nominated = {**chosen, "variant": "2", "label": "candidate", "percent": "25"}
    assert admin.post(promote, nominated).status_code == 302
    assert float(prompt_queries.get_head(prompt_of(here)).share) == 0.25


def test_a_page_of_a_thousand_answers_is_one_query() -> None:
    ref, admin = large_experiment(), signed_in(alice())
    with count_calls() as calls:
        page = one_line(admin.get(url("list-experiment-answers", ref.project_id, ref.experiment_id)).content)
    assert sorted(calls.names()) == [
        "dynamodb.BatchGetItem", "dynamodb.GetItem", "dynamodb.GetItem", "dynamodb.Query",
    ]  # fmt: skip
    assert page.count("All correct") == 25
    with count_calls() as calls:
        admin.get(url("show-experiment", ref.project_id, ref.experiment_id))
    assert not [one for one in calls.names() if one in {"dynamodb.Query", "dynamodb.Scan"}]
    with count_calls() as calls:
        listed = one_line(admin.get(url("list-experiments", ref.project_id)).content)
    assert calls.names().count("dynamodb.Query") == 1
    assert "0 of 60" in listed


@pytest.mark.wide
def test_pages_of_a_thousand_results_ask_for_no_row_of_them() -> None:
    ref, admin = large_experiment(prompts=2), signed_in(alice())
    lanes.settle(ref, queries.load_plan(ref, str(queries.get_experiment(ref).plan_sha256)))
    queries.load_results.cache_clear()
    one = (ref.project_id, ref.experiment_id)
    for name, words in (
        ("show-experiment", "Variant 2"),
        ("list-experiment-differences", "500 documents with different mistakes"),
    ):
        with count_calls() as calls:
            page = one_line(admin.get(url(name, *one)).content)
        assert (words in page, calls.names().count("s3.GetObject") <= 1) == (True, True), name
        assert not [call for call in calls.names() if call in {"dynamodb.Query", "dynamodb.Scan"}], name


def test_it_is_paused_resumed_and_stopped_by_buttons(pump: Pump) -> None:
    ref, admin = large_experiment(), signed_in(alice())
    one = (ref.project_id, ref.experiment_id)
    assert admin.post(url("pause-experiment", *one)).status_code == 302
    late = admin.post(url("pause-experiment", *one))
    assert (late.status_code, "it is paused now" in one_line(late.content)) == (409, True)
    assert admin.post(url("resume-experiment", *one), {"limit": "x"}).status_code == 422
    assert admin.post(url("resume-experiment", *one), {"limit": "7.50"}).status_code == 302
    assert int(queries.get_experiment(ref).limit_micros) == 7_500_000
    assert admin.post(url("stop-experiment", *one)).status_code == 302
    assert admin.post(url("stop-experiment", *one)).status_code == 409


@pytest.mark.wide
def test_only_who_configures_the_project_sees_its_experiments() -> None:
    testset = SetRef(SITE, project(), "")
    ref, reviewer = large_experiment(), signed_in(bob())
    one = (ref.project_id, ref.experiment_id)
    for name in ("show-experiment", "list-experiment-answers", "list-experiment-differences"):
        assert reviewer.get(url(name, *one)).status_code == 403
        assert signed_in(alice()).get(url(name, testset.project_id, ref.experiment_id)).status_code == 404
    assert reviewer.get(url("compare-experiment-document", *one, "d1")).status_code == 403
    assert signed_in(alice()).get(url("compare-experiment-document", *one, "d1")).status_code == 404
    for name in ("pause-experiment", "resume-experiment", "stop-experiment", "promote-variant"):
        assert reviewer.post(url(name, *one)).status_code == 403
        assert signed_in(alice()).get(url(name, *one)).status_code == 405


def test_the_prompt_in_production_is_offered_however_old_it_is() -> None:
    here = project()
    for number in range(27):
        save_prompt(here, f"Read the page, try {number}.")
    page = one_line(signed_in(alice()).get(url("create-experiment", here)).content)
    assert "Version 28" in page
    assert "Version 2 ·" not in page
    assert re.search(r'value="1"[^>]*checked[^>]*>\s*(<[^>]+>\s*)*Version 1, in production', page)
