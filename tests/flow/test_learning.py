"""Publishing under the error limit as shipped, and a calibration that stops keeping it: people are asked again."""

import runpy
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings

from config import clock, constants
from projects.audit.events import Actor
from projects.settings import queries as project_queries
from review.decide import claims, decisions
from review.decide.tasks import enqueue_redeem
from tests.factories import ROSA, SITE, ref_of, review_of, sample_files, start_run, verdict
from tests.pump import Pump
from tests.tools import paper
from tests.tools.paper import Sheet
from tests.workflows.decided import decided_run, project
from tests.workflows.stages.memory import context, kept, run_all
from workflows.learning import actions, calibrations, versions
from workflows.learning.calibrations import CALIBRATIONS
from workflows.runs import queries
from workflows.runs.items import Run
from workflows.stages.assessment import needs_review

COMPANY = "Alder & Quill Stationers Ltd"
ANNA = Actor("1", "Anna Berg")


@pytest.fixture(autouse=True)
def shipped(settings: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without what tests of other flows replace."""
    with monkeypatch.context() as patch:
        patch.delenv("COUNTERSIGN_OVERRIDES")
        settings.MOST_WRONG_PERCENT = runpy.run_path(constants.__file__)["MOST_WRONG_PERCENT"]
    assert settings.MOST_WRONG_PERCENT > 0


def draw(folder: Path, company: str, number: str = "AQ-2418") -> Path:
    """An invoice without sums before its total, so that nothing on it proves another thing."""
    sheet = Sheet(595, 842)
    rows = (company, "14 Lantern Street", "Northbridge NB2 4QT", "INVOICE", f"Invoice no. {number}",
            "Date: 12 March 2024", "Total due: £510.24")  # fmt: skip
    for line, row in enumerate(rows):
        sheet.text(56, 66 + 18 * line, row)
    return paper.save([sheet], folder / f"{clock.new_ulid()}.pdf")


def run_to_rest(run: Run, pump: Pump) -> list[str]:
    """The reasons for which a person is asked; empty if it was published."""
    asked = pump.ran("open_review")
    pump.run(lambda: queries.execution(run).status != "running" or pump.ran("open_review") > asked)
    return list(review_of(ref_of(run)).reasons) if pump.ran("open_review") > asked else []


@pytest.mark.wide
def test_at_the_shipped_limit_what_is_proved_is_published_and_what_is_not_is_asked_about(
    pump: Pump, tmp_path: Path
) -> None:
    proved, plain = start_run(sample_files()[0]), start_run(draw(tmp_path, COMPANY))
    pump.run(lambda: queries.execution(proved).status != "running" and pump.ran("open_review") == 1)
    assert queries.execution(proved).outcome == "published"
    assert "Total is not verified; too few reviews to rely on its confidence" in review_of(ref_of(plain)).reasons


def learned_project(sample: Path, pump: Pump) -> str:
    """Whose reviews kept papers like the sample, each of another seller, and whose calibration counts.

    Their runs ended in the table alone: their first messages have nothing to do.
    """
    ctx = context(sample)
    run_all(ctx)
    read = kept(ctx).json("runs/run1/result.json")["fields"]
    project_id, ended = project(), set()
    for number in range(36):
        fields = [one | {"value": f"Seller {number:02d} Ltd"} if one["name"] == "company" else one for one in read]
        ended.add(decided_run(project_id, fields, {}).workflow_id)
    pump.hold = lambda message: message.kwargs.get("workflow_id") in ended
    actions.propose_calibration(SITE, project_id, by=ANNA)
    actions.activate_calibration(SITE, project_id, 1, seen=0, by=ANNA)
    return project_id


def correct(run: Run, pump: Pump) -> None:
    """As the paper says; its total is another one than was read."""
    ref = ref_of(run)
    claims.claim_review(ref, run, by=ROSA)
    decisions.decide_review(ref, run, verdict(ref, total="510.42"), by=ROSA)
    enqueue_redeem(ref, str(review_of(ref).decision_id), delay=settings.REVIEW_UNDO_SECONDS)
    checked = pump.ran("check_calibration")
    pump.run(lambda: pump.ran("check_calibration") > checked)


def is_paused(project_id: str) -> bool:
    return calibrations.is_paused(project_queries.get_project(SITE, project_id))


@pytest.mark.wide
@pytest.mark.django_db
def test_documents_that_a_calibration_misjudges_are_noticed_within_50_and_asking_resumes(
    pump: Pump, tmp_path: Path
) -> None:
    """Papers that look as those reviewed and are wrong; only what the audit sample shows a person is corrected."""
    project_id = learned_project(draw(tmp_path, COMPANY), pump)

    def start(number: int) -> Run:
        data = project_queries.get_project(SITE, project_id).data.as_dict()
        another = draw(tmp_path, COMPANY, f"AQ-{number:04d}")  # none is a copy of one before
        return start_run(another, project=data, project_id=project_id, workflow_id=f"01JD00000000000000000{number:05d}")

    audited = published = 0
    first = 10  # of the seven runs from here on two are in the sample; how it is on average, tests of drift say
    while not is_paused(project_id):
        run = start(first + audited + published)
        if reasons := run_to_rest(run, pump):
            assert reasons == [needs_review.AUDIT]
            correct(run, pump)
            audited += 1
        else:
            assert queries.execution(run).outcome == "published"
            published += 1
        assert audited + published <= 50
    assert published > 0
    (event, *_) = versions.list_version_events(CALIBRATIONS, SITE, project_id)
    assert (event.type, int(event.payload["documents"]), int(event.payload["wrong"])) == ("paused", audited, audited)
    assert "Total is not verified; too few reviews to rely on its confidence" in run_to_rest(start(99), pump)
