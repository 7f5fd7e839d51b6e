"""``manage.py evaluate``: how accurately fields are extracted, and how well confidence ranks errors."""

import json
import logging
import tempfile
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from config.errors import CountersignError
from config.table import DEFAULT_SITE
from workflows.management.developer_tools import load_tool


class Command(BaseCommand):
    help = "Evaluate the built-in stages on labelled documents: F1, error ranking, precision versus review rate."
    requires_system_checks: list[str] = []  # noqa: RUF012 - Django's own attribute; nothing of the desk is needed

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "folder", metavar="DIR", type=Path, help="documents, with ground_truth.jsonl there or in a parent folder"
        )
        parser.add_argument("--truth", type=Path, metavar="FILE", help="path to ground_truth.jsonl")
        parser.add_argument(
            "--calibration",
            metavar="VERSION|FILE",
            help="calibration version of a project, or a file; default: the prior",
        )
        parser.add_argument("--project", metavar="P", help="project of the version")
        parser.add_argument("--site", default=DEFAULT_SITE, metavar="S")
        parser.add_argument(
            "--reviewed", type=int, default=150, metavar="N", help="number of labelled reviews to learn from"
        )
        parser.add_argument(
            "--learn",
            type=int,
            nargs="+",
            default=[],
            metavar="N",
            help="also train extraction on N reviews of other sellers, and measure it on each kind of document",
        )
        parser.add_argument(
            "--split", action="store_true", help="also report each half separately (every other document)"
        )
        parser.add_argument(
            "--ablations",
            action="store_true",
            help="also measure unseen documents with and without each part of the confidence, by folds",
        )
        parser.add_argument("--readings", type=Path, metavar="DIR", help="cache results for the next run")
        parser.add_argument("--json", action="store_true", help="print one JSON object")

    def handle(self, *_args: Any, **options: Any) -> None:
        logging.getLogger().setLevel(logging.WARNING)  # keep the terminal for the result
        tool = load_tool("evaluate")
        try:
            with ExitStack() as stack:
                kept = options["readings"] or Path(stack.enter_context(tempfile.TemporaryDirectory()))
                found = tool.evaluate(kept, options, self._show_progress)
        except CountersignError as error:
            raise CommandError(str(error)) from error
        self.stdout.write(
            json.dumps(found, ensure_ascii=False) if options["json"] else "\n".join(tool.report_lines(found))
        )

    def _show_progress(self, number: int, total: int) -> None:
        if self.stderr.isatty():
            self.stderr.write(f"\rread {number} of {total}", ending="\n" if number == total else "")
