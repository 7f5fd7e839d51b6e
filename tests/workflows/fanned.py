"""A run of many small pages whose slices are small too, so that a test sees a fan-out of a few messages."""

import dataclasses
import tempfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from unittest import mock

from tests.factories import start_run
from tests.pump import Message, Pump
from tests.tools import paper
from workflows.engine import joins
from workflows.runs.items import Join, Run
from workflows.stages.pages import paged
from workflows.stages.registry import STAGES

SLICE = 2  # pages
PREP = "segment_prep"


def many_pages(count: int) -> Path:
    sheets = []
    for number in range(count):
        sheet = paper.Sheet(200, 100)
        sheet.text(20, 50, f"Page number {number} of this document")
        sheets.append(sheet)
    return paper.save(sheets, Path(tempfile.mkdtemp(prefix="countersign-pages-")) / "pages.pdf")


@contextmanager
def small_slices() -> Iterator[None]:
    with ExitStack() as stack:
        for name, stage in list(STAGES.items()):
            if stage.slicing:
                slicing = dataclasses.replace(stage.slicing, size=SLICE)
                stack.enter_context(mock.patch.dict(STAGES, {name: dataclasses.replace(stage, slicing=slicing)}))
        for artifact in (paged.PREPARED, paged.TEXT_LAYER):
            stack.enter_context(mock.patch.object(paged, _name(artifact), dataclasses.replace(artifact, size=SLICE)))
        yield


def _name(artifact: paged.PagedArtifact) -> str:
    return next(name for name, value in vars(paged).items() if value is artifact)


def fanned_out(pump: Pump, pages: int, *, held: Callable[[Message], bool] = lambda _: True) -> Run:
    """A run whose first slices are on their way; those that ``held`` says are kept back."""
    pump.hold = lambda message: message.task.endswith("run_slice") and held(message)
    run = start_run(many_pages(pages))
    pump.run(lambda: pump.ran("run_step") == 1)
    return run


def slices_of(pump: Pump, step: int = 1) -> list[int]:
    """The numbers of the slices that ran, in their order."""
    return [
        int(message.kwargs["number"])
        for message in pump.seen
        if message.task.endswith("run_slice") and message.kwargs["step"] == step
    ]


def join_of(run: Run, stage: str = PREP, attempt: int = 1) -> Join:
    join = joins.load(run, stage, attempt)
    assert join is not None
    return join
