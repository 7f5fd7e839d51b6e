"""A trial on a real model: the embedded one reads a document with draft and production, and what it says is shown."""

from pathlib import Path

import pytest
from django.conf import settings

from config.laptop import embedded_model
from projects.prompts.prompt import Prompt
from projects.prompts.queries import PromptRef
from projects.settings.values import FieldSetting
from tests.embedded import needs_model, run_model_process
from tests.projects.projects import make_project
from tests.pump import Pump
from tests.tools.paper import Sheet, save
from tests.workflows.trials.reading import SITE, read_run
from tests.workflows.trials.test_trying import BY
from workflows.trials import actions, queries, trying
from workflows.trials.queries import Draft

pytestmark = [pytest.mark.usefixtures("table"), pytest.mark.django_db]


@needs_model
@pytest.mark.slow
@pytest.mark.timeout(600)
def test_a_real_model_answers_draft_and_production(pump: Pump, tmp_path: Path) -> None:
    sheet = Sheet(300, 200)
    sheet.text(20, 40, "CAFE LUNA", size=14)
    sheet.text(20, 80, "Total 12.50 EUR", size=14)
    project = make_project(fields=(FieldSetting("total", "Total", "amount", description="The amount due"),))
    run = read_run(pump, project_id=project.id, file=save([sheet], tmp_path / "receipt.pdf"))
    prompt = PromptRef(SITE, run.project_id, "extract")
    draft = Draft(Prompt("extract", "Record the total. {{fields}}\n", "{{page_text}}\nRecord it.\n"))
    ref = actions.start_trial(prompt, draft, run.document_id, "embedded", by=BY)
    with run_model_process(embedded_model.socket_of(settings.STATE_DIR)):
        trying.do_trial(ref, owner="m1")
    trial = queries.get_trial(ref)
    assert (trial.status, trial.error) == ("done", None)
    for name in (trial.draft_answer, trial.production_answer):
        found = queries.read_answer(SITE, run.project_id, run.document_id, str(name)).outcome
        assert found.calls
        assert found.money == "$0.00"
        assert found.problem or [one.name for one in found.fields] == ["total"]  # its answers need not be good
