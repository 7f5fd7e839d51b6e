import io

import pytest
from django.core.management import CommandError, call_command

from config import clock
from config.errors import Unavailable
from projects.settings import actions as project_actions
from projects.settings.items import Project
from projects.settings.values import ProjectSettings
from tests.aws_faults import fail
from tests.projects.make_sites import make_site
from tests.workflows.search.published import ROSA, everything, found, hear, publish
from workflows.documents.actions import removals
from workflows.runs.items import Outcome, Run
from workflows.search import rebuild as module
from workflows.search.models import SearchDocument, SearchPart, SearchRebuild
from workflows.search.rebuild import Progress, rebuild_index

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("machines", "table")]


def desk() -> list[Run]:
    """Two projects with what can become of a document."""
    runs = []
    for _ in range(2):
        project = make_project()
        runs += [publish(f"Alphaword {number}", project_id=project.id) for number in range(3)]
        runs.append(publish("Alphaword rejected", project_id=project.id, outcome=Outcome.REJECTED))
    removals.delete_document(runs[1].site, runs[1].document_id, by=ROSA)
    return runs


def make_project(site: str = "default") -> Project:
    return project_actions.create_project(
        site, ProjectSettings(name="P"), by=ROSA, project_id=project_actions.new_project_id()
    )


def nobody(_progress: Progress) -> None:
    pass


@pytest.mark.wide
def test_it_comes_to_what_the_events_came_to() -> None:
    runs = desk()
    for run in runs:
        hear(run)
    followed = everything()
    assert len(followed) == 5
    SearchDocument.objects.all().delete()
    assert everything() == []
    assert rebuild_index("default", nobody) == len(runs)
    assert everything() == followed
    rebuild_index("default", nobody)
    assert everything() == followed
    assert not SearchRebuild.objects.exists()


@pytest.mark.wide
def test_it_mends_what_events_were_lost() -> None:
    runs = desk()
    for run in runs:
        hear(run)
    removals.restore_document(runs[1].site, runs[1].document_id, by=ROSA)
    removals.delete_document(runs[0].site, runs[0].document_id, by=ROSA)
    for run in (runs[2], runs[4]):
        removals.delete_document(run.site, run.document_id, by=ROSA)
    removals.purge_document(runs[2].site, runs[2].document_id, by=ROSA)
    removals.finish_removal(runs[2].site, runs[2].document_id)  # no project lists it any more
    rebuild_index("default", nobody)
    assert set(found("alphaword")) == {runs[1].document_id, runs[5].document_id, runs[6].document_id}
    assert not SearchPart.objects.filter(document__document_id=runs[2].document_id).exists()


def test_stopped_it_goes_on_where_it_was(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_PAGE", 2)
    runs = desk()
    seen: list[Progress] = []

    def stop(progress: Progress) -> None:
        seen.append(progress)
        if len(seen) == 3:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        rebuild_index("default", stop)
    looked = SearchDocument.objects.exclude(seen_at="").count()
    assert 0 < looked < len(runs)
    began = SearchRebuild.objects.get().started_at
    real, again = module.bring_up_to_date, []
    monkeypatch.setattr(module, "bring_up_to_date", lambda which, beat: (again.append(which), real(which, beat)))
    assert rebuild_index("default", seen.append) == len(runs)
    assert len(again) == len(runs) - looked
    assert len(found("alphaword")) == 5
    assert seen[-1] == Progress(len(runs), 2, 2)
    assert began < clock.iso(clock.now())


@pytest.mark.wide
def test_a_place_that_was_kept_before_the_secret_key_changed_begins_its_project_anew() -> None:
    runs = desk()
    first = min(run.project_id for run in runs)
    now = clock.iso(clock.now())
    SearchRebuild.objects.create(site="default", started_at=now, project_id=first, cursor="of:another", done=2)
    rebuild_index("default", nobody)
    assert len(everything()) == 5
    assert not SearchRebuild.objects.exists()


def test_where_something_does_not_answer_it_says_so_and_goes_on_later() -> None:
    runs = desk()
    with fail("s3", "GetObject"), pytest.raises(Unavailable):
        rebuild_index("default", nobody)
    with fail("s3", "GetObject"), pytest.raises(CommandError, match="Run again to resume"):
        call_command("reindex")
    rebuild_index("default", nobody)
    assert len(found("alphaword")) == len(runs) - 3


@pytest.mark.wide
def test_removed_documents_are_forgotten_when_no_message_can_come_any_more() -> None:
    desk()
    rebuild_index("default", nobody)
    gone = SearchDocument.objects.filter(is_found=False)
    assert gone.count() == 3
    gone.update(seen_at="2000-01-01")
    SearchDocument.objects.filter(is_found=True).update(seen_at="2000-01-01")
    rebuild_index("default", nobody)
    assert (gone.count(), len(everything())) == (3, 5)  # looked at again, they are remembered again
    gone.update(seen_at="2000-01-01", site="closed")
    rebuild_index("default", nobody)
    assert gone.count() == 3


def test_the_command_does_one_site_or_all() -> None:
    make_site("acme")
    ours = make_project()
    publish("Alphaword", project_id=ours.id)
    theirs = make_project("acme")
    run = publish("Bravoword", site="acme", project_id=theirs.id)
    said = io.StringIO()
    call_command("reindex", "--site", "acme", stdout=said)
    assert said.getvalue() == "acme: 1 document compared\n"
    assert (found("alphaword"), found("bravoword", site="acme")) == ([], [run.document_id])
    said = io.StringIO()
    call_command("reindex", stdout=said)
    assert said.getvalue() == "default: 1 document compared\nacme: 1 document compared\n"
    assert len(found("alphaword")) == 1
    with pytest.raises(CommandError, match="Site not found"):
        call_command("reindex", "--site", "nowhere")
