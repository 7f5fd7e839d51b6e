"""``manage.py calibrate``: propose a calibration from a project's reviews, and optionally activate it."""

import json
import logging
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from config.errors import CountersignError
from config.table import DEFAULT_SITE
from projects.audit.events import Actor
from projects.settings import queries as project_queries
from workflows.learning import actions, calibrations, versions
from workflows.learning.calibrations import CALIBRATIONS, Summary
from workflows.learning.versions import Version
from workflows.stages.calibration import plain

BY = Actor("calibrate", "Command line")


class Command(BaseCommand):
    help = "Create a calibration from a project's reviews. It takes effect once activated."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--project", required=True, metavar="P")
        parser.add_argument("--site", default=DEFAULT_SITE, metavar="S")
        parser.add_argument("--activate", action="store_true", help="activate it for new runs")
        parser.add_argument(
            "--output", type=Path, metavar="FILE", help="also write it to a file, for manage.py evaluate"
        )

    def handle(self, *_args: Any, **options: Any) -> None:
        logging.getLogger().setLevel(logging.WARNING)  # keep the terminal for the result
        site, project_id = options["site"], options["project"]
        try:
            made = actions.propose_calibration(site, project_id, by=BY)
            self.stdout.write("\n".join(_lines(made)))
            if options["output"]:
                lesson = calibrations.get_calibration(site, project_id, made.number)
                content = plain(lesson) | {"version": made.number}
                options["output"].write_text(json.dumps(content, ensure_ascii=False, indent=1), encoding="utf-8")
            if options["activate"]:
                seen = versions.active_version(CALIBRATIONS, project_queries.get_project(site, project_id))
                actions.activate_calibration(site, project_id, made.number, seen=seen, by=BY)
                self.stdout.write(f"Calibration {made.number} is active for new runs.")
        except (CountersignError, OSError) as error:
            raise CommandError(str(error)) from error


def _lines(made: Version[Summary]) -> list[str]:
    summary = made.summary
    counts = ", ".join(f"{name} {count}" for name, count in summary.values.items())
    before, after = (_format_share(share) for share in (summary.prior_auc, summary.auc))
    learned = f"{made.documents} reviewed documents ({counts}) and {summary.vendors} sellers"
    return [
        f"Calibration {made.number}, from {learned}.",
        f"AUC {after} (uncalibrated: {before}).",
        "asked below  documents asked  values asked  precision of the rest",
        *(
            f"{level.threshold:>11.3f}{level.documents:>17.3f}{level.asked:>14.3f}{_format_share(level.precision):>23}"
            for level in summary.levels
        ),
    ]


def _format_share(share: float | None) -> str:
    return "-" if share is None else f"{share:.3f}"
