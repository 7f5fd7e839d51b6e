"""Documents of the seed-000 system are imported: then they are listed, counted, searched, deleted, run again."""

import datetime as dt

import pytest
from django.test import Client

from config.due import sweeper
from config.errors import NotFound, Refused
from projects.audit.events import Actor, actor_of
from projects.documents import queries as document_queries
from projects.settings import queries as project_queries
from projects.sites import api_keys
from projects.sites.permissions import Permission
from tests.compat.pages import read, run_url, words
from tests.compat.seed_000 import Seed000
from tests.people import alice, charlie, signed_in
from tests.projects.projects import SITE
from tests.pump import Pump
from tests.review.reviews import open_review
from tests.tools.samples import write_samples
from workflows.documents.actions import imports, removals, reruns
from workflows.documents.tasks import import_documents
from workflows.runs import queries, seed_000
from workflows.runs.items import END, Outcome, Run
from workflows.search import content
from workflows.search.content import DocumentRef
from workflows.search.index import Kind

pytestmark = pytest.mark.django_db
BY = Actor("7", "Alice")
IMPORTED = {"completed", "failed", "picture", "video", "web", "stuck"}


def imported(seed: Seed000) -> None:
    import_documents(site=SITE, project_id=seed.project_id, user_id=BY.id, user_name=BY.name)


def counts(seed: Seed000) -> dict[str, int]:
    return dict(document_queries.documents_of_project(SITE, seed.project_id).by_status)


def test_they_are_documents_runs_and_counted_and_twice_is_as_once(seed: Seed000) -> None:
    imported(seed)
    imported(seed)
    assert counts(seed) == {"published": 4, "failed": 2}
    runs = words(read("/workflows/"))
    for word in IMPORTED:
        document = seed.documents[word]
        assert document.name in runs
        page = words(read(f"/documents/{document.document_id}/"))
        assert document.name in page
        assert "Another system" not in page
    day = dt.date(2025, 3, 4)
    assert seed.documents["web"].name in words(read(f"/documents/?day={day}"))
    left = seed.documents["analyzing"].document_id
    with pytest.raises(NotFound):
        document_queries.get_document(SITE, left)


def test_the_runs_page_stays_as_it_was_and_the_project_offers_the_import_once_more_only_for_the_rest(
    seed: Seed000,
) -> None:
    url = f"/workflows/projects/{seed.project_id}/documents/"
    writer = signed_in(alice())
    assert "Another system processed some of these documents." in words(writer.get(url).content.decode())
    assert writer.post(f"{url}import/").status_code == 302
    imported(seed)
    text = words(read(run_url(seed, "completed")))
    assert "Building Knowledge Graph" in text
    assert "12 entities, 5 relationships" in text


def test_a_project_without_documents_of_that_system_offers_no_import(table: str) -> None:
    open_review("receipt.pdf")
    page = words(signed_in(alice()).get("/workflows/projects/proj_test/documents/").content.decode())
    assert ("receipt.pdf" in page, "Another system" in page) == (True, False)


def test_who_is_too_late_imports_nothing(seed: Seed000) -> None:
    document = seed.documents["completed"]
    row = queries.project_document(SITE, seed.project_id, document.document_id)
    seed_000.fill_documents([row])
    project = project_queries.get_project(SITE, seed.project_id)
    assert imports.import_document(SITE, project, row, by=BY)
    assert not imports.import_document(SITE, project, row, by=BY)
    assert counts(seed) == {"published": 1}


def test_what_is_still_processed_there_is_left(seed: Seed000) -> None:
    document = seed.documents["analyzing"]
    run = Run(SITE, seed.project_id, document.document_id, str(document.workflow_id))
    with pytest.raises(Refused, match="has not finished"):
        imports.open_run(run, "segment_prep", by=BY)


def test_their_texts_are_found(seed: Seed000) -> None:
    imported(seed)
    document = seed.documents["completed"]
    entry = content.entry_of(DocumentRef(SITE, seed.project_id, document.document_id), lambda: None)
    assert entry is not None
    texts = {part.page: part.text for part in entry.parts if part.kind == Kind.PAGE}
    assert sorted(texts) == [0, 1, 2]
    assert "page 2" in texts[1]


def test_they_are_deleted_come_back_and_are_purged(seed: Seed000) -> None:
    imported(seed)
    for word in ("completed", "web"):
        document = seed.documents[word]
        before = counts(seed)
        removals.delete_document(SITE, document.document_id, by=BY)
        removals.finish_removal(SITE, document.document_id)
        assert signed_in(charlie()).get(run_url(seed, word)).status_code == 404
        removals.restore_document(SITE, document.document_id, by=BY)
        removals.finish_removal(SITE, document.document_id)
        assert counts(seed) == before
        assert document.name in words(read(run_url(seed, word)))
        removals.delete_document(SITE, document.document_id, by=BY)
        removals.finish_removal(SITE, document.document_id)
        removals.purge_document(SITE, document.document_id, by=BY)
        removals.finish_removal(SITE, document.document_id)
        assert seed_000.newest_link(SITE, document.document_id) is None
        assert document.name not in words(read("/workflows/"))


@pytest.mark.wide
def test_a_file_is_read_again_here_which_imports_it(seed: Seed000, pump: Pump, tmp_path) -> None:
    document = seed.documents["completed"]
    file = write_samples(tmp_path)[0]
    seed.write(f"{seed.root(document.document_id)}{document.document_id}.pdf", file.read_bytes(), "application/pdf")
    writer = signed_in(alice())
    assert "Another system processed this document." in words(
        writer.get(run_url(seed, "completed", "again/")).content.decode()
    )
    went = writer.post(run_url(seed, "completed", "again/stage/"), {"step": "segment_prep"})
    new = went["Location"].rstrip("/").rpartition("/")[2]
    run = Run(SITE, seed.project_id, document.document_id, new)
    pump.run(lambda: queries.execution(run).currentStep == END or pump.ran("open_review") > 0)
    assert queries.board(SITE, new).data["segment_builder"]["status"] == "completed"
    assert queries.board(SITE, new).name == document.name  # that system's runs name the object, by an ID
    # What was read before is kept beside it.
    assert "A manual about pumps" in read(run_url(seed, "completed", "result/"))
    assert "Page 2 Analysis" in words(read(run_url(seed, "completed", "segments/1/")))


def test_programs_import_and_run_again(seed: Seed000) -> None:
    _, key = api_keys.create_api_key(SITE, "Scanner", (Permission.READ, Permission.WRITE), by=actor_of(alice()))
    client = Client(headers={"Authorization": f"Bearer {key}"})
    assert client.post(f"/api/v1/projects/{seed.project_id}/documents/import").status_code == 202
    document = seed.documents["failed"]
    url = f"/api/v1/documents/{document.document_id}/runs/{document.workflow_id}/again"
    begun = client.post(url, {"step": "segment_prep"}, content_type="application/json")
    assert begun.status_code == 201
    assert begun.json()["run_id"] != document.workflow_id
    assert client.get(f"/api/v1/documents/{document.document_id}").json()["name"] == document.name
    chosen = f"/api/v1/documents/{document.document_id}/runs/{document.workflow_id}/choose"
    assert client.post(chosen).status_code == 422


def test_segments_that_count_from_one_are_shown_from_one(seed: Seed000) -> None:
    document = seed.documents["completed"]
    root = seed.root(document.document_id)
    for number in (1, 2, 3):
        place = f"{root}analysis/segment_{number:04d}.json"
        seed.write(place, {"segment_index": number, "text_content": f"Counted {number}", "status": "completed"})
        data = {"segment_index": number, "s3_key": place, "image_uri": ""}
        seed.put({"PK": f"WF#{document.workflow_id}", "SK": f"SEG#{number:04d}", "data": data})
    text = words(read(run_url(seed, "completed", "segments/0/")))
    assert "Page 1 of 3" in text
    assert "Counted 1" in text
    assert "Counted 3" in words(read(run_url(seed, "completed", "segments/2/")))
    assert signed_in(charlie()).get(run_url(seed, "completed", "segments/3/")).status_code == 404


def test_nothing_is_due_after_an_import(seed: Seed000) -> None:
    imported(seed)
    assert sweeper.sweep() == 0
    document = seed.documents["completed"]
    run = Run(SITE, seed.project_id, document.document_id, str(document.workflow_id))
    assert reruns.source_of(run).execution.outcome == Outcome.PUBLISHED
