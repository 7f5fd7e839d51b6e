"""Slices of a stage's work: cutting, page-by-page work with isolated failures, and running all in one process."""

import itertools
import logging
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from config.errors import CountersignError, StageFailed
from config.phrase import Sentence, count_sentence
from workflows.stages.base import SliceResult, Slicing, StageContext, StageResult, Tally

log = logging.getLogger(__name__)

# More failed pages than this are a systematic failure, and would not fit the run's row.
MOST_FAILED = 1000
_NAMED = 10  # pages listed in a sentence
_UNEXPECTED = Sentence("The page could not be processed; the others were. You can retry it.")


def cut_slices(slicing: Slicing, indices: Sequence[int]) -> list[Sequence[int]]:
    """Cut ascending ``indices`` into slices."""
    if slicing.aligned:
        return [list(group) for _, group in itertools.groupby(indices, lambda index: index // slicing.size)]
    return [indices[start : start + slicing.size] for start in range(0, len(indices), slicing.size)]


def run_all(slicing: Slicing, context: StageContext) -> StageResult:
    """Run the whole stage in this process, slice by slice. Raises: StageFailed."""
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
    """Raises: StageFailed if all, or too many, have failed."""
    if context.only is None and done.failed and len(done.failed) >= min(done.planned, MOST_FAILED):
        raise StageFailed(done.error or _UNEXPECTED)
    return slicing.finish(context, done)


def select_requested(context: StageContext, indices: Iterable[int]) -> list[int]:
    """Return those of ``indices`` that this run of the stage includes."""
    return [index for index in indices if context.only is None or index in context.only]


def do_each_page(context: StageContext, indices: Iterable[int], do: Callable[[int], Any]) -> dict[int, str]:
    """Call ``do`` for each page; return failed pages with a message. A failed page does not affect the others.

    Raises: Unavailable and the like, if AWS does not answer: not the page's fault, so the slice is retried.
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
            # The page is the error boundary: whatever a parser raises for one page, the document continues.
            log.exception("page failed", extra={"run": context.workflow_id, "page": index})
            failed[index] = _UNEXPECTED
        context.heartbeat()
    return failed


def describe_left_out(failed: Iterable[int]) -> str | None:
    """Describe the pages (0-based) missing in the result of a later stage; None for none.

    >>> describe_left_out([6, 2]), describe_left_out([0])
    ('2 pages could not be looked at and are left out: 3, 7.', '1 page could not be looked at and is left out: 1.')
    """
    pages = sorted(failed)
    if not pages:
        return None
    return count_sentence(
        "%(count)s page could not be looked at and is left out: %(pages)s.",
        "%(count)s pages could not be looked at and are left out: %(pages)s.",
        len(pages),
        pages=name_pages(pages, _NAMED),
    )


def name_pages(pages: Sequence[int], most: int) -> str:
    """Pages (0-based) as people count them, the first ``most`` of them.

    >>> name_pages([0, 4], 3), name_pages([0, 1, 2, 3], 3)
    ('1, 5', '1, 2, 3 and more')
    """
    named = ", ".join(str(index + 1) for index in pages[:most])
    return Sentence("%(pages)s and more").fill(pages=named) if len(pages) > most else named


def pack_ranges(indices: Iterable[int]) -> list[list[int]]:
    """Pack ascending indices into half-open ranges.

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
    """Invert ``pack_ranges``.

    >>> unpack_ranges([[0, 3], [7, 8]])
    [0, 1, 2, 7]
    """
    return [index for start, end in ranges for index in range(start, end)]
