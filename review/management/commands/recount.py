"""``manage.py recount``: whether every counter of a site says how many there are, and puts it right."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from config import table
from config.errors import Conflict, CountersignError
from review import recount
from review.recount import Difference


class Command(BaseCommand):
    help = (
        "Count a site's documents and waiting reviews row by row, and compare with its counters. Reads every list to "
        "its end; what moves meanwhile is never written over."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--site", default=table.DEFAULT_SITE)
        parser.add_argument("--repair", action="store_true", help="set the counters that differ, where nothing moved")

    def handle(self, *_args: Any, **options: Any) -> None:
        site = options["site"]
        try:
            found = recount.differences(site)
            left = [one for one in found if not (options["repair"] and self._repaired(site, one))]
        except CountersignError as error:
            raise CommandError(str(error)) from error
        for one in left:
            self.stdout.write(f"differs   {one.words}")
        if left:
            raise CommandError(f"{len(left)} counters differ. Run it once more while nothing moves, with --repair.")
        self.stdout.write("every counter equals the full count" if not found else f"{len(found)} repaired")

    def _repaired(self, site: str, one: Difference) -> bool:
        try:
            recount.repair(site, one)
        except Conflict:
            return False
        self.stdout.write(f"repaired  {one.words}")
        return True
