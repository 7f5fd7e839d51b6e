"""``manage.py fill``: synthetic documents and reviews for scale tests; a restart continues."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from config import table
from config.errors import CountersignError
from workflows.management.developer_tools import load_tool


class Command(BaseCommand):
    help = (
        "Create synthetic documents, reviews and segments in a project for scale tests. Stores only the files that "
        "reviews show and starts no runs. Resumes if interrupted."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--documents", type=int, default=0, help="number of published documents")
        parser.add_argument("--reviews", type=int, default=0, help="number of documents awaiting review")
        parser.add_argument("--segments", type=int, default=0, help="number of segments in one additional run")
        parser.add_argument("--site", default=table.DEFAULT_SITE)
        parser.add_argument("--project", default="proj_fill")
        parser.add_argument("--again", action="store_true", help="overwrite everything, including completed work")

    def handle(self, *_args: Any, **options: Any) -> None:
        try:
            load_tool("fill").fill(
                options["site"],
                options["project"],
                documents=options["documents"],
                reviews=options["reviews"],
                segment_count=options["segments"],
                again=options["again"],
                out=self.stdout,
                progress=self.stderr,
            )
        except CountersignError as error:
            raise CommandError(str(error)) from error
