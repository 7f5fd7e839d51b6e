"""``manage.py recount``: verify and repair a site's counters."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from config import table
from config.errors import Conflict, CountersignError
from projects.documents import recount
from projects.documents.recount import Difference


class Command(BaseCommand):
    help = (
        "Recount a site's documents and open reviews and compare them with its counters. Counters that change "
        "meanwhile are never overwritten."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--site", default=table.DEFAULT_SITE)
        parser.add_argument(
            "--repair", action="store_true", help="repair differing counters that did not change meanwhile"
        )

    def handle(self, *_args: Any, **options: Any) -> None:
        site = options["site"]
        try:
            found = recount.find_differences(site)
            left = [one for one in found if not (options["repair"] and self._repair_and_report(site, one))]
        except CountersignError as error:
            raise CommandError(str(error)) from error
        for one in left:
            self.stdout.write(f"differs   {one.words}")
        if left:
            raise CommandError(f"{len(left)} counters differ. Run again with --repair while the site is idle.")
        self.stdout.write("all counters match" if not found else f"{len(found)} repaired")

    def _repair_and_report(self, site: str, one: Difference) -> bool:
        try:
            recount.repair_counter(site, one)
        except Conflict:
            return False
        self.stdout.write(f"repaired  {one.words}")
        return True
