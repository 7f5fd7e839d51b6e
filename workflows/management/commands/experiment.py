"""``manage.py experiment FILE.yaml``: run an experiment from a terminal; fails below the shares that it requires."""

import logging
import time
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from config.errors import CountersignError, ProviderPaused
from config.table import DEFAULT_SITE
from projects.audit.events import Actor
from projects.models.cost_words import money
from workflows.experiments import actions, lanes, queries
from workflows.experiments.items import ExperimentStatus
from workflows.experiments.queries import ExperimentRef
from workflows.experiments.results import Plan, Results
from workflows.learning.scores import Interval
from workflows.testsets.cases import HALVES

BY = Actor("experiment", "Command line")
_MOST_WAITS = 20  # waits for a model that does not answer, between two answers
_LONGEST_WAIT = 60.0  # seconds
_LOOK_SECONDS = 1.0  # seconds between polls of lanes that workers took over
_NOT_MEASURED = 2  # the exit code: a pipeline must not mistake it for a worse prompt


class Command(BaseCommand):
    help = (
        "Run the experiment that a YAML file describes and print its results. "
        "Exit code 1 below the file's at_least, 2 if it could not be run to its end."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", type=Path, metavar="FILE.yaml")
        parser.add_argument("--site", default=DEFAULT_SITE, metavar="S")

    def handle(self, *_args: Any, **options: Any) -> None:
        logging.getLogger().setLevel(logging.WARNING)  # keep the terminal for the result
        try:
            declared = actions.read_declaration(options["site"], options["file"].read_text(encoding="utf-8"))
            ref = actions.create_experiment(options["site"], declared.project_id, declared.draft, by=BY)
            self._work(ref)
            head = queries.get_experiment(ref)
            plan = queries.load_plan(ref, str(head.plan_sha256))
            if head.status != ExperimentStatus.DONE or not head.results_sha256:
                words = f"The experiment is {actions.describe_status(head)}. {head.message or ''}".strip()
                raise CommandError(words, returncode=_NOT_MEASURED)
            results = queries.load_results(ref, str(head.results_sha256))
            self.stdout.write("\n".join(_lines(plan, results)))
            self.stdout.write(f"{int(head.asked)} requests, {money(int(head.spent))}.")
            best, half = actions.find_best(plan.variants, results)
            self.stdout.write(f"Best on the held-back half: {best.words}.")
            if shortfalls := actions.list_shortfalls(half, declared.at_least):
                raise CommandError(" ".join(shortfalls))
        except (CountersignError, OSError, UnicodeDecodeError) as error:
            raise CommandError(str(error), returncode=_NOT_MEASURED) from error

    def _work(self, ref: ExperimentRef) -> None:
        """Process the lanes in this process, so that no worker is needed; workers continue if it dies.

        Lanes take turns, as the sweeper of a running deployment orders lanes that are idle for long. What its workers
        take over is awaited.
        """
        numbers = range(int(queries.get_experiment(ref).lanes))
        while True:
            more = sum(self._go_along(ref, lane) for lane in numbers)
            if not queries.get_experiment(ref).is_under_way:
                return
            if not more:
                time.sleep(_LOOK_SECONDS)

    def _go_along(self, ref: ExperimentRef, lane: int) -> bool:
        """As ``work_lane``, with the same waits as a message for a model that is busy or does not answer."""
        for _ in range(_MOST_WAITS):
            try:
                return self._work_lane(ref, lane)
            except ProviderPaused as paused:
                self.stderr.write(f"{paused.reason} Waiting.")
                time.sleep(min(paused.seconds, _LONGEST_WAIT))
        return self._work_lane(ref, lane)

    def _work_lane(self, ref: ExperimentRef, lane: int) -> bool:
        return bool(lanes.work_lane(ref, lane, order_id=str(queries.get_lane(ref, lane).order_id), keep=lambda: None))


def _lines(plan: Plan, results: Results) -> list[str]:
    lines = ["variant  half        documents  f1                   exact   review  p50 s   cost"]
    for variant in plan.variants:
        for half in HALVES:
            one = results.halves[variant.number][half]
            lines.append(
                f"{variant.number:>7}  {half:<10}{one.documents:>11}  {_show(one.f1):<19}"
                f"{_show_share(one.exact):>7}{_show_number(one.review_rate):>9}{_show_number(one.p50):>7}"
                f"{money(one.micros):>9}"
            )
        lines.append(f"         {variant.words}")
    return lines


def _show(one: Interval | None) -> str:
    return f"{one.share:.3f} ({one.low:.3f}–{one.high:.3f})" if one else "-"


def _show_share(one: Interval | None) -> str:
    return _show_number(one.share if one else None)


def _show_number(one: float | None) -> str:
    return "-" if one is None else f"{one:.3f}"
