"""``manage.py recount_insight``: compare Insight's rollups with what the runs added, and repair them."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from config import table
from config.errors import CountersignError
from workflows.insight import recount


class Command(BaseCommand):
    help = "Recount Insight's daily figures of a site from its runs. Run it while the site is idle."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--site", default=table.DEFAULT_SITE)
        parser.add_argument("--repair", action="store_true", help="repair figures that differ")
        parser.add_argument("--runs", action="store_true", help="first have every run counted anew by the sweeper")

    def handle(self, *_args: Any, **options: Any) -> None:
        site = options["site"]
        try:
            if options["runs"]:
                number = recount.count_again(site)
                self.stdout.write(f"{number} runs will be counted again; recount when the sweeper is done")
                return
            found = recount.find_differences(site)
            for one in found:
                self.stdout.write(f"differs   {one.words}")
                if options["repair"]:
                    recount.repair_sums(site, one)
        except CountersignError as error:
            raise CommandError(str(error)) from error
        if found and not options["repair"]:
            raise CommandError(f"{len(found)} days differ. Run again with --repair while the site is idle.")
        self.stdout.write(f"{len(found)} repaired" if found else "all figures match")
