"""The search index follows what happens to documents: late, twice, in any order, by two workers at once."""

import pytest

from config.errors import Unavailable
from tests.aws_faults import fail
from tests.factories import start_run
from tests.workflows.search.published import ROSA, end, everything, found, hear, publish, search
from workflows.documents.actions import removals
from workflows.runs.items import Outcome
from workflows.search import content, indexing
from workflows.search.content import DocumentRef
from workflows.search.index import Entry, search_index
from workflows.search.models import SearchPart

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("machines", "table")]


def test_names_fields_and_pages_are_found_with_where_they_stand() -> None:
    run = publish("First page of Alphaword", "second Bravoword", fields={"company": "Müller GmbH", "total": "12.50"})
    hear(run)
    assert found("alphaword") == found("muller") == found("12.50") == found("bravo") == [run.document_id]
    (hit,) = search("bravoword").hits
    assert [(part.kind, part.page) for part in hit.entry.parts] == [("page", 1)]
    (hit,) = search("gmbh").hits
    assert [(part.kind, part.label, part.text) for part in hit.entry.parts] == [("field", "Company", "Müller GmbH")]
    assert (hit.entry.run_id, hit.entry.project_name, hit.entry.status) == (run.workflow_id, "Receipts", "published")
    assert found(hit.entry.name) == [run.document_id]


def test_heard_of_twice_it_is_found_once() -> None:
    run = publish("Alphaword")
    hear(run)
    before = everything()
    hear(run)
    assert everything() == before
    assert found("alphaword") == [run.document_id]
    assert SearchPart.objects.count() == len(before[0][-1])


@pytest.mark.parametrize("outcome", [Outcome.REJECTED, Outcome.FAILED, Outcome.EXPIRED])
def test_what_was_not_published_is_not_found(outcome: Outcome) -> None:
    run = publish("Alphaword", outcome=outcome)
    hear(run)
    assert found("alphaword") == []


def test_what_is_still_read_is_not_found_yet() -> None:
    run = start_run()
    hear(run)
    assert everything() == []


def test_deleted_is_not_found_restored_is_and_purged_is_gone() -> None:
    run = publish("Alphaword")
    hear(run)
    removals.delete_document(run.site, run.document_id, by=ROSA)
    hear(run)
    assert found("alphaword") == []
    removals.restore_document(run.site, run.document_id, by=ROSA)
    hear(run)
    assert found("alphaword") == [run.document_id]
    removals.delete_document(run.site, run.document_id, by=ROSA)
    removals.purge_document(run.site, run.document_id, by=ROSA)
    hear(run)
    assert found("alphaword") == []
    assert not SearchPart.objects.exists()


def test_an_event_that_comes_late_undoes_nothing() -> None:
    """Published, deleted, restored, deleted, purged: whichever comes last, it says what is so now."""
    run = publish("Alphaword")
    removals.delete_document(run.site, run.document_id, by=ROSA)
    hear(run)  # the deletion's, and then that of the publication
    hear(run, at="2000-01-01T00:00:00+00:00")
    assert found("alphaword") == []
    removals.purge_document(run.site, run.document_id, by=ROSA)
    for at in ("2099-01-01T00:00:00+00:00", "2000-01-01T00:00:00+00:00"):
        hear(run, at=at)
        assert found("alphaword") == []
    removals.finish_removal(run.site, run.document_id)
    hear(run)
    assert found("alphaword") == []


def test_a_worker_that_read_before_a_deletion_does_not_bring_it_back(monkeypatch: pytest.MonkeyPatch) -> None:
    """It holds the whole entry, and the other worker hears of the deletion and is done first."""
    run = publish("Alphaword")
    which = DocumentRef(run.site, run.project_id, run.document_id)
    real, read = content.entry_of, []

    def slow(asked: DocumentRef, beat: content.Beat) -> Entry | None:
        entry = real(asked, beat)
        read.append(entry)
        if len(read) == 1:
            removals.delete_document(run.site, run.document_id, by=ROSA)
            hear(run)
        return entry

    monkeypatch.setattr(content, "entry_of", slow)
    indexing.bring_up_to_date(which, lambda: None)
    assert [one is None for one in read] == [False, True, True]  # its own, the other's, its own again
    assert found("alphaword") == []


def test_who_is_always_overtaken_gives_up_for_now(monkeypatch: pytest.MonkeyPatch) -> None:
    run = publish("Alphaword")
    real = content.entry_of

    def overtaken(asked: DocumentRef, beat: content.Beat) -> Entry | None:
        index = search_index()
        index.remove(run.site, run.project_id, run.document_id, after=index.mark(run.site, run.document_id))
        return real(asked, beat)

    monkeypatch.setattr(content, "entry_of", overtaken)
    with pytest.raises(Unavailable):
        indexing.bring_up_to_date(DocumentRef(run.site, run.project_id, run.document_id), lambda: None)


def test_while_a_newer_content_is_read_the_older_stays_found(monkeypatch: pytest.MonkeyPatch) -> None:
    run = publish("Alphaword")
    hear(run)

    def under_way(*_: object) -> None:
        raise content.RunUnderWay

    monkeypatch.setattr(content, "entry_of", under_way)
    hear(run)
    assert found("alphaword") == [run.document_id]


def test_the_same_document_on_another_site_is_another() -> None:
    ours, theirs = publish("Alphaword"), publish("Bravoword", site="acme")
    hear(ours)
    hear(theirs)
    assert (found("alphaword"), found("alphaword", site="acme")) == ([ours.document_id], [])
    assert (found("bravoword"), found("bravoword", site="acme")) == ([], [theirs.document_id])


def test_a_long_document_is_read_in_slices(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(content, "_AHEAD", 3)
    beats: list[int] = []
    run = publish(*(f"page{number}word" for number in range(10)))
    entry = content.entry_of(DocumentRef(run.site, run.project_id, run.document_id), lambda: beats.append(1))
    assert entry is not None
    parts = iter(entry.parts)
    assert next(parts).kind == "name"
    assert next(parts).text == "page0word"
    assert len(beats) == 1
    assert [part.page for part in parts] == list(range(1, 10))
    assert len(beats) == 4


def test_where_s3_does_not_answer_nothing_is_changed() -> None:
    run = publish("Alphaword")
    hear(run)
    before = everything()
    which = DocumentRef(run.site, run.project_id, run.document_id)
    with fail("s3", "GetObject"), pytest.raises(Unavailable):
        indexing.bring_up_to_date(which, lambda: None)
    assert everything() == before


@pytest.mark.wide
def test_pages_that_a_purge_took_meanwhile_are_left_out() -> None:
    run = publish("Alphaword")
    end_pages = DocumentRef(run.site, run.project_id, run.document_id)
    entry = content.entry_of(end_pages, lambda: None)
    removals.delete_document(run.site, run.document_id, by=ROSA)
    removals.purge_document(run.site, run.document_id, by=ROSA)
    removals.finish_removal(run.site, run.document_id)
    assert entry is not None
    assert [part.kind for part in entry.parts] == ["name"]
    assert content.entry_of(end_pages, lambda: None) is None


def test_a_run_without_a_page_is_found_by_its_name() -> None:
    run = start_run()
    end(run, pages=0)
    hear(run)
    (one,) = everything()
    assert [row[1] for row in one[-1]] == ["name"]
