"""The files of runs beside each other: each finds what it made, and what it took, never what another made instead."""

import uuid

import pytest

from config.errors import NotFound
from workflows.runs import run_files
from workflows.runs.run_files import Layer
from workflows.storage import files
from workflows.storage.objects import DocumentFiles

ANALYSIS, GRAPH = files.segment(0), files.GRAPH


@pytest.fixture
def first(table: str) -> DocumentFiles:
    """Of a document of its own: the bucket outlives a test."""
    return DocumentFiles("acme", "p", str(uuid.uuid4()))


def layered(first: DocumentFiles, *layers: Layer) -> DocumentFiles:
    return run_files.open_run_files(first, run_files.to_json(layers))


def put(store: DocumentFiles, name: str, body: str) -> None:
    store.write(name, body.encode(), "text/plain")


def test_a_run_that_stands_alone_has_the_document_s_own_files(first: DocumentFiles) -> None:
    assert run_files.to_json(()) is None
    assert run_files.open_run_files(first, None) is first
    assert first.place(ANALYSIS) == ANALYSIS


def test_what_a_run_inherits_is_read_where_it_lies_and_what_it_makes_lies_apart(first: DocumentFiles) -> None:
    second = layered(first, Layer("second", ("analysis/",)))
    put(first, ANALYSIS, "first")
    put(first, GRAPH, "first")
    assert second.read(ANALYSIS) == b"first"
    assert second.exists(ANALYSIS)
    assert second.open(ANALYSIS)[0].read() == b"first"
    assert not second.exists(GRAPH)  # which it is to make itself
    for read in (second.read, second.open):
        with pytest.raises(NotFound):
            read(GRAPH)
    put(second, ANALYSIS, "second")
    assert (second.read(ANALYSIS), first.read(ANALYSIS)) == (b"second", b"first")
    assert not second.write_new(ANALYSIS, b"late", "text/plain")
    assert second.write_new(GRAPH, b"second", "text/plain")
    assert first.read(GRAPH) == b"first"


def test_a_chain_ends_where_a_run_made_the_folder_itself(first: DocumentFiles) -> None:
    second = layered(first, Layer("second", ("paddleocr/",)))
    third = layered(first, Layer("third", ("paddleocr/", "analysis/")), Layer("second", ("paddleocr/",)))
    put(first, files.OCR, "first")
    put(first, ANALYSIS, "first")
    assert third.read(files.OCR) == b"first"
    assert not third.exists(ANALYSIS)  # the second has not made it, and the first's is not the third's
    put(second, ANALYSIS, "second")
    assert third.read(ANALYSIS) == b"second"


def test_pictures_and_the_files_of_runs_are_where_they_always_were(first: DocumentFiles) -> None:
    second = layered(first, Layer("second", ()))
    for name in (files.page_image(3), files.result("second"), "d.pdf"):
        assert second.place(name) == name
    put(second, files.page_image(3), "drawn")
    assert first.read(files.page_image(3)) == b"drawn"


def test_only_its_own_artifacts_are_cleared(first: DocumentFiles) -> None:
    second = layered(first, Layer("second", ("analysis/",)))
    for store in (first, second):
        put(store, ANALYSIS, "made")
        put(store, GRAPH, "made")
    second.clear_artifacts(["graph_work/"])
    assert not second.exists(GRAPH)
    assert first.exists(GRAPH)
    second.clear_artifacts()
    assert second.read(ANALYSIS) == b"made"  # the first's again
