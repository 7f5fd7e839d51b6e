"""``manage.py process``: run documents to their end, or to review."""

import json
import logging
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser

from config.brokers.transport import CELERY, STEP_FUNCTIONS
from config.errors import CountersignError, NotFound
from config.table import DEFAULT_SITE
from projects.audit.events import Actor
from projects.settings import queries as project_queries
from projects.settings.defaults import ensure_default_project
from projects.settings.items import Project
from projects.sites import directory
from workflows.operations import local_desk, process_files, process_report
from workflows.operations.local_desk import LocalDesk
from workflows.operations.process_files import Job
from workflows.operations.process_report import Line

BY = Actor("process", "Command line")
AT_ONCE = 8  # files in progress; more would only wait in the queue


class Command(BaseCommand):
    help = "Process documents until they finish or need review. Starts required services if not running."
    requires_system_checks: list[str] = []  # noqa: RUF012 - Django's own attribute; each child checks for itself

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("files", nargs="+", metavar="FILE", type=Path, help="file or folder of files")
        parser.add_argument("--project", metavar="P", help="project ID (default: the default project)")
        parser.add_argument("--site", metavar="S", default=DEFAULT_SITE)
        # manage.py reads it before the settings; here it is only documented.
        parser.add_argument("--engine", choices=[STEP_FUNCTIONS, CELERY], default=settings.ENGINE)
        parser.add_argument("--timeout", type=int, default=3600, help="maximum seconds to wait per file")
        parser.add_argument(
            "--json",
            action="store_true",
            help="print one JSON object per line; extracted files name their container",
        )
        parser.add_argument("--table", action="store_true", help="report stages run and skipped, by file type")

    def handle(self, *_args: Any, **options: Any) -> None:
        logging.getLogger().setLevel(logging.WARNING)  # keep the terminal for the result
        lines: list[Line] = []
        if options["engine"] != settings.ENGINE:
            raise CommandError(f"Set COUNTERSIGN_ENGINE={options['engine']} in the environment.")
        try:
            with local_desk.run_local_desk(self._aside) as desk:
                project = _project(options["site"], options["project"])
                work = _Work(options["site"], project, options["timeout"], desk)
                paths = list(_paths(options["files"]))
                for number, done in enumerate(work.finished(paths, self._aside), start=1):
                    for job in process_files.unfold_job(done):
                        if options["table"]:
                            lines.append(process_report.line_of(job))
                        else:
                            shape = process_files.describe_job(job)
                            self._write_line(json.dumps(shape, ensure_ascii=False) if options["json"] else _line(shape))
                    self._progress(number, len(paths))
        except CountersignError as error:
            raise CommandError(str(error)) from error
        if options["table"]:
            self._write_table(lines, as_json=options["json"])

    def _write_line(self, text: str) -> None:
        self.stdout.write(text)
        self.stdout.flush()

    def _write_table(self, lines: list[Line], *, as_json: bool) -> None:
        if as_json:
            self.stdout.write("\n".join(json.dumps(line.plain(), ensure_ascii=False) for line in lines))
        else:
            self.stdout.write(process_report.report_table(lines))

    def _aside(self, text: str) -> None:
        if settings.DEBUG or "exited with" in text:
            self.stderr.write(text)

    def _progress(self, done: int, total: int) -> None:
        if sys.stderr.isatty():
            bar = "█" * round(24 * done / total)
            self.stderr.write(f"\r{bar:░<24} {done} of {total}", ending="\n" if done == total else "")


class _Work:
    def __init__(self, site: str, project: Project, timeout: float, desk: LocalDesk) -> None:
        self.site, self.project, self.timeout, self.desk = site, project, timeout, desk

    def finished(self, paths: list[Path], report: Any) -> Iterator[Job]:
        """Yield each file's job when it is settled, or in its current state after the timeout."""
        waiting = list(reversed(paths))
        moving: list[tuple[Job, float]] = []
        while waiting or moving:
            while waiting and len(moving) < AT_ONCE:
                job = process_files.begin_job(self.site, self.project, waiting.pop(), by=BY)
                moving.append((job, time.monotonic() + self.timeout))
            looked = [(process_files.update_job(job), deadline) for job, deadline in moving]
            over = [job for job, deadline in looked if job.outcome or time.monotonic() > deadline]
            yield from over
            moving = [(job, deadline) for job, deadline in looked if job not in over]
            self.desk.tend(report)
            if not over:
                time.sleep(0.3)


def _project(site: str, name: str | None) -> Project:
    if not directory.is_open(site):
        raise NotFound(f"Site {site} does not exist or is closed. An admin can create sites under Settings → Sites.")
    return project_queries.get_project(site, name) if name else ensure_default_project(site, by=BY)


def _paths(given: list[Path]) -> Iterator[Path]:
    for path in given:
        if path.is_dir():
            yield from sorted(one for one in path.rglob("*") if one.is_file() and not one.name.startswith("."))
        else:
            yield path


def _line(shape: dict[str, Any]) -> str:
    found = ", ".join(f"{field['name']} {field['value']}" for field in shape["fields"] if field["value"])
    reasons = "; ".join(shape["review"]["reasons"])
    name = " / ".join(text for text in (shape.get("container"), shape["file"]) if text)
    return " · ".join(text for text in (name, shape["status"], found, reasons, shape["error"]) if text)
