"""``manage.py fill``: rows for scale tests; keys come from the index, so a second run goes on where one stopped."""

import sys
from argparse import ArgumentParser
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from django.core.management.base import BaseCommand

from config import table
from config.item import Item, translated
from review import filled
from workflows.actions import segments
from workflows.frozen import Run

_BATCH = 25
_LANES = 4


class Command(BaseCommand):
    help = "Write documents, reviews and segments of a project for scale tests; a second run adds what is missing."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--documents", type=int, default=0)
        parser.add_argument("--reviews", type=int, default=0)
        parser.add_argument("--segments", type=int, default=0)
        parser.add_argument("--site", default=table.DEFAULT_SITE)
        parser.add_argument("--project", default="proj_fill")

    def handle(self, *_args: Any, **options: Any) -> None:
        site, project = options["site"], options["project"]
        self._write("documents", options["documents"], lambda index: filled.document(site, project, index))
        self._write("reviews", options["reviews"], lambda index: filled.review(site, project, index))
        if options["segments"]:
            segments.write(Run(site, project, "fill-document", "fill-run"), options["segments"])
            self.stdout.write(f"segments   {options['segments']}")

    def _write(self, name: str, count: int, row: Callable[[int], Item]) -> None:
        ranges = [range(start, min(start + _BATCH, count)) for start in range(0, count, _BATCH)]
        with ThreadPoolExecutor(_LANES) as lanes:
            for done, _ in enumerate(lanes.map(lambda indices: _save(map(row, indices)), ranges), start=1):
                if sys.stderr.isatty():
                    self.stderr.write(f"\r{name} {min(done * _BATCH, count)}/{count}", ending="")
        if count:
            self.stdout.write(f"{name:10} {count}")


def _save(rows: Iterable[Item]) -> None:
    """The same index makes the same key: rows that are there are written over with what they hold."""
    with translated(), Item.batch_write() as batch:
        for row in rows:
            batch.save(row)
