"""Artifacts of long documents lie in chunks, and are read as those of short ones."""

from typing import Any

from tests.workflows.stages.memory import MemoryStore
from workflows.stages import format_parser
from workflows.stages.pages import paged
from workflows.stages.pages.paged import OCR, TEXT_LAYER, PagedArtifact


def entries(of: PagedArtifact, indices: range | list[int], text: str = "") -> list[dict[str, Any]]:
    return [{of.key: index, "text": text or f"page {index}", "doubt": None} for index in indices]


def test_a_short_documents_entries_are_in_the_head_as_the_contract_has_it() -> None:
    store = MemoryStore()
    TEXT_LAYER.write(store, entries(TEXT_LAYER, range(3)))
    TEXT_LAYER.finish(store, range(3), {"page_count": 3})
    assert [page["text"] for page in store.json("format-parser/result.json")["pages"]] == ["page 0", "page 1", "page 2"]


def test_a_long_documents_head_names_chunks_and_holds_no_entry() -> None:
    store = MemoryStore()
    for start in range(0, 230, 50):
        TEXT_LAYER.write(store, entries(TEXT_LAYER, range(start, min(start + 50, 230))))
    TEXT_LAYER.finish(store, range(230), {"page_count": 230})
    assert store.json("format-parser/result.json") == {
        "page_count": 230,
        "pages": [],
        "chunk_size": 50,
        "chunks": "format-parser/chunks/chunk_{index:04d}.json",
        "indices": [[0, 230]],
    }
    pages = TEXT_LAYER.open_pages(store)
    assert [page["text"] for page in pages.entries([0, 49, 50, 229])] == ["page 0", "page 49", "page 50", "page 229"]


def test_reading_a_slice_reads_its_chunks_only() -> None:
    store = MemoryStore()
    wanted = list(range(0, 600, 2))
    OCR.write(store, entries(OCR, wanted))
    OCR.finish(store, wanted, {})
    read: list[str] = []
    inner = store.read
    store.read = lambda name: (read.append(name), inner(name))[1]  # type: ignore[method-assign]
    assert sorted(OCR.open_pages(store).by_index(range(10, 15))) == [10, 12, 14]
    assert read == ["paddleocr/result.json", *(f"paddleocr/chunks/chunk_{index:04d}.json" for index in (10, 12, 14))]


def test_a_page_written_into_its_chunk_leaves_the_others_there() -> None:
    store = MemoryStore()
    TEXT_LAYER.write(store, entries(TEXT_LAYER, range(3)))
    TEXT_LAYER.write(store, entries(TEXT_LAYER, [1], "again"), into=True)
    TEXT_LAYER.finish(store, range(3), {})
    assert [page["text"] for page in TEXT_LAYER.open_pages(store).entries(range(3))] == ["page 0", "again", "page 2"]


def test_one_page_can_be_read_while_the_stage_still_works() -> None:
    store = MemoryStore()
    OCR.write(store, entries(OCR, [7]))
    assert OCR.page(store, 7)["text"] == "page 7"
    assert OCR.page(store, 8) == {}


def test_artifacts_of_an_older_version_are_read_from_their_one_object() -> None:
    store = MemoryStore()
    pages = [{"page_index": 0, "text": "a", "doubt": None}, {"page_index": 1, "text": "b", "doubt": "a scan"}]
    paged.artifacts.write_json(store, "format-parser/result.json", {"pages": pages})
    found = TEXT_LAYER.open_pages(store)
    assert (found.indices, format_parser.find_doubted_pages(found)) == ([0, 1], [1])
    assert found.by_index([1])[1]["text"] == "b"
    assert TEXT_LAYER.page(store, 1)["text"] == "b"
