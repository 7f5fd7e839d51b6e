import datetime as dt
from pathlib import Path
from unittest import mock

import pytest
from django.conf import settings

from config import clock, table
from projects.audit.events import Actor
from projects.documents import queries as documents_queries
from projects.documents import recount
from projects.documents.items import DocumentStatus
from projects.prompts.queries import PromptRef, get_head
from projects.settings.defaults import INVOICE_PROJECT_ID, ensure_default_project
from projects.sites.demo_users import ensure_logins
from tests.tools import history
from tests.tools.past import Past, past
from workflows.batches import queries as batch_queries
from workflows.engine import driver
from workflows.operations import process_files
from workflows.runs import queries

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("aws_stack", "table")]
TODAY = dt.datetime(2026, 11, 23, 15, 30, tzinfo=dt.UTC)
_SOME = ("contract-tarn-cleaning.pdf", "supplier-price-list.webreq")
_arrivals = history._arrivals


def some(*told: object) -> list[history.Arrival]:
    return [one for one in _arrivals(*told) if one.path.name in _SOME]  # type: ignore[arg-type]


@pytest.fixture
def written(tmp_path: Path) -> None:
    """Twice, as if the first had been killed before it said that it was done."""
    driver.publish_machines(lambda _text: None)
    ensure_logins(tmp_path / "logins.json")
    with mock.patch.object(settings, "ENGINE", "celery"), mock.patch.object(history, "_arrivals", some):
        for _ in range(2):
            history.write_history(tmp_path / "papers", TODAY)


@pytest.mark.wide
def test_it_happened_on_its_days_and_nothing_is_left_to_do(written: None) -> None:
    before = clock.iso(TODAY)
    documents = queries.project_documents("default", "proj_contracts").rows
    (contract,) = documents
    assert contract.outcome == "published"
    events = queries.lineage("default", contract.document_id).rows
    assert {str(event.type) for event in events} >= {"HUMAN_REVIEW_REQUIRED", "PUBLISHED"}
    days = {clock.parse(str(event.occurredAt)).date() for event in events}
    assert days == {dt.date(2026, 11, 18)}
    assert queries.in_progress("default").rows == []
    assert before > max(str(event.occurredAt) for event in events)


def test_what_is_under_way_on_a_busy_machine_is_not_taken_over(tmp_path: Path) -> None:
    driver.publish_machines(lambda _text: None)
    ensure_logins(tmp_path / "logins.json")
    project = ensure_default_project("default", by=Actor("demo", "Demo"))
    (tmp_path / "note.txt").write_text("Total 12.34")
    with mock.patch.object(settings, "ENGINE", "celery"), past() as then:
        then.go_to(TODAY - dt.timedelta(days=5))
        job = process_files.begin_job("default", project, tmp_path / "note.txt", by=Actor("demo", "Demo"))
    assert job.run
    place = table.due_place(str(queries.execution(job.run).GSI2SK))
    assert place.due_at > clock.iso(clock.in_seconds(500))


@pytest.mark.wide
def test_its_counters_are_those_of_a_recount(written: None) -> None:
    counts = documents_queries.count_documents("default")
    assert [counts.count_of(one) for one in (DocumentStatus.PUBLISHED, DocumentStatus.FAILED)] == [4, 1]
    assert list(recount.find_differences("default")) == []


@pytest.mark.wide
def test_it_has_a_batch_and_versions_of_a_prompt(written: None) -> None:
    (batch,) = batch_queries.list_batches("default").rows
    assert (batch.status, int(batch.published), int(batch.failed)) == ("finished", 3, 1)
    head = get_head(PromptRef("default", INVOICE_PROJECT_ID, "extract"))
    assert (int(head.version), int(head.production)) == (3, 2)


@pytest.mark.wide
def test_no_invented_run_is_listed_in_progress(tmp_path: Path) -> None:
    """It began days ago: an overview of the demo's first minutes would call it stuck."""
    driver.publish_machines(lambda _text: None)
    ensure_logins(tmp_path / "logins.json")
    seen: list[int] = []
    real = Past.work

    def work(then: Past) -> None:
        seen.append(len(queries.in_progress("default").rows))
        real(then)

    with (
        mock.patch.object(settings, "ENGINE", "celery"),
        mock.patch.object(history, "_arrivals", some),
        mock.patch.object(Past, "work", work),
    ):
        history.write_history(tmp_path / "papers", TODAY)
    assert len(seen) > 2
    assert set(seen) == {0}
