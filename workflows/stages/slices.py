"""Work cut into slices: cutting, doing page by page what can fail alone, and doing all of it in one process."""

import itertools
import logging
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from config.errors import CountersignError, StageFailed
from workflows.stages.base import SliceResult, Slicing, StageContext, StageResult, Tally

log = logging.getLogger(__name__)

# More failed pages than this are no accident of single pages, and their numbers would not fit the run's row.
MOST_FAILED = 1000
_NAMED = 10  # pages in a sentence
_UNEXPECTED = "The page could not be processed; the others were. You can retry it."


def cut_slices(slicing: Slicing, indices: Sequence[int]) -> list[Sequence[int]]:
    """The slices of ``indices``, which come in ascending order."""
    if slicing.aligned:
        return [list(group) for _, group in itertools.groupby(indices, lambda index: index // slicing.size)]
    return [indices[start : start + slicing.size] for start in range(0, len(indices), slicing.size)]


def run_all(slicing: Slicing, context: StageContext) -> StageResult:
    """The whole stage in this process, slice by slice. Raises: StageFailed."""
    indices = slicing.plan(context)
    if isinstance(indices, StageResult):
        return indices
    done = [slicing.work(context, part) for part in cut_slices(slicing, indices)]
    return finish_slices(slicing, context, tally_slices(len(indices), done))


def tally_slices(planned: int, done: Sequence[SliceResult]) -> Tally:
    counts: dict[str, float] = {}
    for name, count in itertools.chain.from_iterable(one.counts.items() for one in done):
        counts[name] = counts.get(name, 0) + count
    failed = {index: sentence for one in done for index, sentence in one.failed.items()}
    outputs = [one.output for one in done if one.output is not None]
    return Tally(planned, frozenset(failed), counts, outputs, next(iter(failed.values()), None))


def finish_slices(slicing: Slicing, context: StageContext, done: Tally) -> StageResult:
    """Raises: StageFailed if nothing could be done, or too little to call it done."""
    if context.only is None and done.failed and len(done.failed) >= min(done.planned, MOST_FAILED):
        raise StageFailed(done.error or _UNEXPECTED)
    return slicing.finish(context, done)


def select_requested(context: StageContext, indices: Iterable[int]) -> list[int]:
    """Of ``indices`` those that this run of the stage is about."""
    return [index for index in indices if context.only is None or index in context.only]


def do_each_page(context: StageContext, indices: Iterable[int], do: Callable[[int], Any]) -> dict[int, str]:
    """Call ``do`` for each page; returns which failed, with a sentence. A page that fails does not cost the others.

    Raises: Unavailable and the like: AWS does not answer, which is no page's fault; the slice is tried again.
    """
    failed: dict[int, str] = {}
    for index in indices:
        try:
            do(index)
        except StageFailed as error:
            failed[index] = str(error)
        except CountersignError:
            raise
        except Exception:
            # The edge of a page, as a task's edge: whatever a parser throws at one page, the document goes on.
            log.exception("page failed", extra={"run": context.workflow_id, "page": index})
            failed[index] = _UNEXPECTED
        context.heartbeat()
    return failed


def describe_left_out(failed: Iterable[int]) -> str | None:
    """What a stage behind the assessment says, whose result stands without these pages (0-based); None for none.

    >>> describe_left_out([6, 2]), describe_left_out([0])
    ('2 pages could not be looked at and are left out: 3, 7.', '1 page could not be looked at and is left out: 1.')
    """
    pages = sorted(failed)
    if not pages:
        return None
    named = ", ".join(str(index + 1) for index in pages[:_NAMED]) + (" and more" if len(pages) > _NAMED else "")
    one = len(pages) == 1
    count, verb = "1 page" if one else f"{len(pages)} pages", "is" if one else "are"
    return f"{count} could not be looked at and {verb} left out: {named}."


def pack_ranges(indices: Iterable[int]) -> list[list[int]]:
    """Ascending indices as ranges, the end not included.

    >>> pack_ranges([0, 1, 2, 7, 9, 10])
    [[0, 3], [7, 8], [9, 11]]
    """
    ranges: list[list[int]] = []
    for index in indices:
        if ranges and ranges[-1][1] == index:
            ranges[-1][1] = index + 1
        else:
            ranges.append([index, index + 1])
    return ranges


def unpack_ranges(ranges: Iterable[Sequence[int]]) -> list[int]:
    """The inverse of ``pack_ranges``.

    >>> unpack_ranges([[0, 3], [7, 8]])
    [0, 1, 2, 7]
    """
    return [index for start, end in ranges for index in range(start, end)]
