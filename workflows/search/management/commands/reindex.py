"""``manage.py reindex``: compare the search index with the table and S3, and repair it."""

import logging
import sys
from collections.abc import Iterator
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from config.errors import CountersignError
from config.table import DEFAULT_SITE
from projects.sites import queries as site_queries
from workflows.search.rebuild import Progress, rebuild_index


class Command(BaseCommand):
    help = "Rebuild the search index from the table and S3. Search stays available; interrupted runs resume."
    requires_system_checks: list[str] = []  # noqa: RUF012 - Django's own attribute

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--site", metavar="S", help="limit to one site (default: all sites)")

    def handle(self, *_args: Any, **options: Any) -> None:
        logging.getLogger().setLevel(logging.WARNING)  # keep the terminal for the result
        try:
            for site in _sites(options["site"]):
                count = rebuild_index(site, self._progress)
                self.stdout.write(f"{site}: {count} document{'' if count == 1 else 's'} compared")
        except CountersignError as error:
            raise CommandError(f"{error} Run again to resume.") from error

    def _progress(self, now: Progress) -> None:
        if sys.stderr.isatty():
            bar = "█" * round(24 * now.projects / now.of)
            text = f"\r{bar:░<24} {now.documents} documents, {now.projects} of {now.of} projects"
            self.stderr.write(text, ending="\n" if now.projects == now.of else "")


def _sites(wanted: str | None) -> Iterator[str]:
    """Raises: NotFound."""
    if wanted:
        yield str(site_queries.get_site(wanted).siteId)
        return
    yield DEFAULT_SITE
    cursor = None
    while True:
        page = site_queries.list_sites(cursor)
        yield from (str(row.siteId) for row in page.rows if row.siteId != DEFAULT_SITE)
        if not (cursor := page.next):
            return
