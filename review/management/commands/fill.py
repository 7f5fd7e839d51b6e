"""``manage.py fill``: rows for scale tests; keys come from the index, so a second run goes on where one stopped."""

import datetime as dt
import sys
from argparse import ArgumentParser
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from django.core.management.base import BaseCommand

from config import clock, table
from config.item import Item, translated
from review.identity import DEFAULT_QUEUE
from review.items.reviews import Review
from review.status import ReviewStatus
from workflows.actions import segments
from workflows.frozen import Run
from workflows.items.documents import ProjectDocument

_BATCH = 25
_LANES = 4
_BEGIN = dt.datetime(2026, 1, 1, tzinfo=dt.UTC)


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
        self._write("documents", options["documents"], lambda index: _document(site, project, index))
        self._write("reviews", options["reviews"], lambda index: _review(site, project, index))
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


def _document(site: str, project: str, index: int) -> ProjectDocument:
    document_id = f"fill-{index:08d}"
    at = clock.iso(_BEGIN + dt.timedelta(seconds=index))
    name, size = f"Filled document {index + 1}.pdf", 100_000 + index
    key = table.PROJECT_DOCUMENT.key(site, project_id=project, document_id=document_id)
    return ProjectDocument(
        key.pk,
        key.sk,
        **table.PROJECT_DOCUMENT.gsi1(site, project_id=project, updated_at=at),
        data={"document_id": document_id, "project_id": project, "name": name, "file_size": size},
        name=name,
        status="completed",
        outcome="published",
        document_id=document_id,
        workflow_id=f"fill-run-{index:08d}",
        project_id=project,
        file_type="application/pdf",
        file_size=size,
        page_count=1,
        created_at=at,
        updated_at=at,
    )


def _review(site: str, project: str, index: int) -> Review:
    """An open review in the queue; its run does not exist, so it can be listed and looked at and not decided."""
    document_id, review_id = f"fill-{index:08d}", f"fill-review-{index:08d}"
    now, deadline = clock.iso(_BEGIN), clock.iso(clock.in_seconds(86_400 + index))
    key = table.REVIEW.key(site, document_id=document_id, review_id=review_id)
    return Review(
        key.pk,
        key.sk,
        **table.REVIEW.gsi1(site, queue=DEFAULT_QUEUE, deadline=deadline, review_id=review_id),
        reviewId=review_id,
        status=ReviewStatus.PENDING,
        createdAt=now,
        queue=DEFAULT_QUEUE,
        name=f"Filled document {index + 1}.pdf",
        project_id=project,
        project_name="Filled",
        document_id=document_id,
        workflow_id=f"fill-run-{index:08d}",
        page_count=1,
        reasons=["Total 58 %, needs 80 %"],
        fields_unsure=1,
        deadline=deadline,
        result_sha256="0" * 64,
        last_transition="fill",
        step=7,
        definition="document-analysis.v1",
        version=1,
        created_at=now,
        updated_at=now,
    )
