"""``manage.py evaluate``: how well fields are found, and how well confidence ranks what is wrong."""

import json
import logging
import tempfile
from collections.abc import Iterable, Sequence
from contextlib import ExitStack
from dataclasses import asdict
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from config.errors import CountersignError
from config.table import DEFAULT_SITE
from workflows.learning import calibrations
from workflows.operations.evaluation import measuring, truth
from workflows.operations.evaluation.measuring import Measured, Paper
from workflows.stages.calibration import UNCALIBRATED, Calibration, calibration_from

HALVES = ("first", "second")


class Command(BaseCommand):
    help = "Evaluate the built-in stages on labelled documents: F1, error ranking, precision versus review rate."
    requires_system_checks: list[str] = []  # noqa: RUF012 - Django's own attribute; nothing of the desk is needed

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "folder", metavar="DIR", type=Path, help=("documents, with ground_truth.jsonl there or in a parent folder")
        )
        parser.add_argument("--truth", type=Path, metavar="FILE", help="path to ground_truth.jsonl")
        parser.add_argument(
            "--calibration",
            metavar="VERSION|FILE",
            help=("calibration version of a project, or a file; default: the prior"),
        )
        parser.add_argument("--project", metavar="P", help="project of the version")
        parser.add_argument("--site", default=DEFAULT_SITE, metavar="S")
        parser.add_argument(
            "--reviewed", type=int, default=150, metavar="N", help="number of labelled reviews to learn from"
        )
        parser.add_argument(
            "--split", action="store_true", help=("also report each half separately (every other document)")
        )
        parser.add_argument("--readings", type=Path, metavar="DIR", help="cache results for the next run")
        parser.add_argument("--json", action="store_true", help="print one JSON object")

    def handle(self, *_args: Any, **options: Any) -> None:
        logging.getLogger().setLevel(logging.WARNING)  # the terminal is for the result
        try:
            with ExitStack() as stack:
                kept = options["readings"] or Path(stack.enter_context(tempfile.TemporaryDirectory()))
                told = self._measured(kept, _calibration(options), options)
        except CountersignError as error:
            raise CommandError(str(error)) from error
        self.stdout.write(json.dumps(told, ensure_ascii=False) if options["json"] else "\n".join(_lines(told)))

    def _measured(self, readings: Path, calibration: Calibration, options: dict[str, Any]) -> dict[str, Any]:
        entries = truth.entries(options["folder"], options["truth"])
        papers: list[Paper] = []
        for number, entry in enumerate(entries, start=1):
            papers.append(measuring.paper(entry, readings))
            if self.stderr.isatty():
                self.stderr.write(f"\rread {number} of {len(entries)}", ending="\n" if number == len(entries) else "")
        found = _told(measuring.measured(papers, calibration)) | {"calibration": calibration.version}
        found["unreadable"] = [{"file": str(one.entry.path), "error": one.error} for one in papers if one.error]
        after = measuring.after_reviews(papers, options["reviewed"])
        found["after_reviews"] = after and _told(after.measured) | {
            "reviewed": after.reviewed,
            "measured_on": after.how,
        }
        if options["split"]:
            found["split"] = _halves(papers, calibration)
        return found


def _halves(papers: Sequence[Paper], calibration: Calibration) -> dict[str, Any]:
    halves = zip(HALVES, (papers[::2], papers[1::2]), strict=True)
    return {name: _told(measuring.measured(half, calibration)) for name, half in halves}


def _calibration(options: dict[str, Any]) -> Calibration:
    """Raises: CountersignError, with what to write instead."""
    asked = options["calibration"]
    if not asked:
        return UNCALIBRATED
    if not asked.isdigit():
        return _from_file(Path(asked))
    if not options["project"]:
        raise CountersignError("Specify the project with --project.")
    return calibrations.get_calibration(options["site"], options["project"], int(asked)).lesson


def _from_file(path: Path) -> Calibration:
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
        return calibration_from(content, int(content.get("version") or 0))
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise CountersignError(
            f"{path} is not a calibration file. Create one with manage.py calibrate --output."
        ) from error


def _told(measured: Measured) -> dict[str, Any]:
    """Shares 0–1, to four places; ``auc`` None where nothing, or everything, is wrong."""
    return {
        "documents": measured.documents,
        "f1": round(measured.score.f1, 4),
        "precision": round(measured.score.precision, 4),
        "recall": round(measured.score.recall, 4),
        "fields": {
            name: asdict(one)
            | {"f1": round(one.f1, 4), "precision": round(one.precision, 4), "recall": round(one.recall, 4)}
            for name, one in measured.fields.items()
        },
        "auc": _rounded(measured.auc),
        "reliability": [{name: _rounded(share) for name, share in asdict(level).items()} for level in measured.levels],
    }


def _rounded(share: float | None) -> float | None:
    return None if share is None else round(share, 4)


def _lines(told: dict[str, Any]) -> Iterable[str]:
    yield from _part("All documents", told)
    for name, half in told.get("split", {}).items():
        yield from _part(f"The {name} half, every other document", half)
    if after := told["after_reviews"]:
        yield from _part(f"After {after['reviewed']} reviews, {after['measured_on']}", after)
    for one in told["unreadable"]:
        yield f"{one['file']}: {one['error']}"


def _part(title: str, told: dict[str, Any]) -> Iterable[str]:
    yield f"{title}: {told['documents']} documents, F1 {told['f1']:.3f}, AUC {_shown(told['auc'])}"
    for name, one in told["fields"].items():
        counts = f"{one['right']} right of {one['answered']} found and {one['expected']} there"
        yield f"  {name:<16} F1 {one['f1']:.3f}  {counts}"
    yield "  asked below   of documents   of values   precision of the rest"
    for level in told["reliability"]:
        shares = "".join(f"{_shown(level[name]):>14}" for name in ("documents", "asked", "precision"))
        yield f"  {level['threshold']:>11.3f}{shares}"
    yield ""


def _shown(share: float | None) -> str:
    return "-" if share is None else f"{share:.3f}"
