"""Artifacts with an entry a page: one object for small documents, else chunks and a head that lists them.

No stage holds all entries of a long document: a slice reads and writes the chunks of its pages (docs/adr/0010).
"""

import itertools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from config.errors import NotFound
from workflows.stages import artifacts, slices
from workflows.stages.base import ArtifactStore
from workflows.storage import files

MERGED = 200  # pages up to which the head contains the entries, as in the seed-000 system
LIGHT = 50  # pages of one light slice, and of its chunk

Entry = Mapping[str, Any]


@dataclass(frozen=True)
class PagedArtifact:
    """``head`` has a list under ``name``, or lists the chunks; an entry's ``key`` is its page (0-based).

    ``size``: pages of a chunk. No two slices may write one chunk concurrently, or they would overwrite each other.
    """

    head: str
    name: str
    key: str
    size: int

    def chunk(self, number: int) -> str:
        return files.chunk(self.head, number)

    def write(self, store: ArtifactStore, entries: Sequence[Entry], *, into: bool = False) -> None:
        """Write the chunks of ``entries``, whole ones unless ``into``, which keeps a chunk's other entries."""
        for number, group in itertools.groupby(entries, lambda entry: int(entry[self.key]) // self.size):
            found = {int(entry[self.key]): entry for entry in self._chunk(store, number)} if into else {}
            found |= {int(entry[self.key]): entry for entry in group}
            artifacts.write_json(store, self.chunk(number), [found[index] for index in sorted(found)])

    def finish(self, store: ArtifactStore, indices: Sequence[int], more: Mapping[str, Any]) -> None:
        """Write the head for the entries of ``indices``, which makes them readable."""
        head = dict(more)
        if len(indices) <= MERGED:
            head[self.name] = list(self._entries(store, indices))
        else:
            head |= {self.name: [], "chunk_size": self.size, "indices": slices.pack_ranges(indices)}
            head["chunks"] = f"{self.chunk(0).removesuffix('0000.json')}{{index:04d}}.json"
        artifacts.write_json(store, self.head, head)

    def open_pages(self, store: ArtifactStore) -> "Pages":
        """Empty if the stage did not run or had nothing to do."""
        try:
            return Pages(self, store, artifacts.read_json(store, self.head))
        except NotFound:
            return Pages(self, store, {})

    def page(self, store: ArtifactStore, index: int) -> Entry:
        """Return one entry, even while the stage still runs; empty if there is none."""
        found = {int(entry[self.key]): entry for entry in self._chunk(store, index // self.size)}
        return found.get(index) or self.open_pages(store).by_index([index]).get(index, {})

    def _entries(self, store: ArtifactStore, indices: Iterable[int]) -> Iterator[Entry]:
        for number, group in itertools.groupby(indices, lambda index: index // self.size):
            wanted = set(group)
            yield from (entry for entry in self._chunk(store, number) if int(entry[self.key]) in wanted)

    def _chunk(self, store: ArtifactStore, number: int) -> list[Entry]:
        try:
            entries: list[Entry] = artifacts.read_json(store, self.chunk(number))
        except NotFound:
            return []
        return entries


@dataclass(frozen=True)
class Pages:
    """A paged artifact as listed by its head; ``head`` is empty if there is none."""

    of: PagedArtifact
    store: ArtifactStore
    head: Mapping[str, Any]

    @property
    def indices(self) -> Sequence[int]:
        """The pages that have an entry."""
        if "indices" in self.head:
            return slices.unpack_ranges(self.head["indices"])
        return [int(entry[self.of.key]) for entry in self.head.get(self.of.name, ())]

    def entries(self, indices: Iterable[int]) -> Iterator[Entry]:
        """Yield entries of ``indices`` (ascending), chunk by chunk; missing ones are skipped."""
        if "indices" not in self.head:
            wanted = set(indices)
            yield from (entry for entry in self.head.get(self.of.name, ()) if int(entry[self.of.key]) in wanted)
            return
        present = set(self.indices)
        yield from self.of._entries(self.store, [index for index in indices if index in present])

    def by_index(self, indices: Iterable[int]) -> dict[int, Entry]:
        return {int(entry[self.of.key]): entry for entry in self.entries(indices)}

    def ranges(self, name: str) -> list[int]:
        """Return the pages that the head lists under ``name``."""
        return slices.unpack_ranges(self.head.get(name, ()))


PREPARED = PagedArtifact(files.PREPARED, "segments", "segment_index", LIGHT)
TEXT_LAYER = PagedArtifact(files.TEXT_LAYER, "pages", "page_index", LIGHT)
TRANSCRIPT = PagedArtifact(files.TRANSCRIPT, "chunks", "chunk_index", LIGHT)
BDA = PagedArtifact(files.BDA, "pages", "page_index", LIGHT)
CRAWL = PagedArtifact(files.CRAWL, "chunks", "chunk_index", LIGHT)
CHUNKS = PagedArtifact(files.TEXT_LAYER, "chunks", "chunk_index", LIGHT)  # for text files
OCR = PagedArtifact(files.OCR, "pages", "page_index", 1)  # a page takes seconds, so none is read twice
