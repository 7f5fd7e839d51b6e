"""Reads of second reviews: one Query or one strongly consistent call each."""

import datetime as dt
from typing import NamedTuple

from django.utils.translation import gettext

from config import table
from config.errors import NotFound
from config.item import Item, Page
from projects.documents.counting import EVERYTHING, Kind
from review.identity import ReviewRef, queue_to_store
from review.items.reviews import READABLE, Review
from review.quality.actions import check_key
from review.quality.figures import ReviewerFigures
from review.quality.items import QualityFigures, ReviewCheck

_CHECK_READABLE = sorted(attribute.attr_name for attribute in ReviewCheck.get_attributes().values())
_MOST_ROWS = 1000  # rows of one Query: reviewers times months


class Pair(NamedTuple):
    """The comparison row and the second review."""

    check: ReviewCheck
    second: Review


def list_disputes(site: str, queue_id: str = "", *, cursor: str | None = None) -> Page[ReviewCheck]:
    """Return a queue's differing reviews, oldest first: one Query. ``queue_id``: empty for the site's own."""
    return ReviewCheck.page(_disputes(site, queue_id), index="GSI1", cursor=cursor)


def count_disputes(site: str, queue_id: str, *, most: int) -> int:
    """Count the rows of ``list_disputes``, up to ``most``."""
    return ReviewCheck.count_rows(_disputes(site, queue_id), index="GSI1", limit=most)


def _disputes(site: str, queue_id: str) -> str:
    return table.REVIEW_CHECK.gsi1_partition(site, queue=queue_to_store(queue_id))


def dispute_ref(site: str, row: ReviewCheck) -> ReviewRef:
    """Return the first review's reference from the index row's keys."""
    return ReviewRef(site, row.document_id, row.SK.removeprefix(table.REVIEW.sort_prefix()).partition("#")[0])


def get_pair(ref: ReviewRef) -> Pair:
    """``ref``: the first review. Raises: NotFound, also if the document was deleted."""
    keys = [check_key(ref), ref.check.key]
    found = Item.together(keys, only=sorted({*_CHECK_READABLE, *READABLE}))
    if len(found) < len(keys):
        raise NotFound(gettext("Record not found."))
    pair = Pair(ReviewCheck.from_raw_data(found[keys[0]]), Review.from_raw_data(found[keys[1]]))
    if pair.second.hidden is not None:
        raise NotFound(gettext("The document for this review was deleted."))
    return pair


def list_figures(site: str, project_id: str, first: dt.date, last: dt.date, user_id: str = "") -> list[ReviewerFigures]:
    """Return figures of these months by reviewer, or one's own: one Query. ``project_id``: empty for the site."""
    kind, counted = (Kind.PROJECT, project_id) if project_id else (Kind.SITE, EVERYTHING)
    pk = table.QUALITY_FIGURES.partition_key(site, kind=kind.value, counted=counted)
    start, end = (table.QUALITY_FIGURES.sort_prefix(month=f"{day:%Y-%m}") for day in (first, last))
    months = QualityFigures.SK.between(start, f"{end}~")  # sorts after every user's id
    names: dict[str, str] = {}
    sums: dict[str, dict[str, int]] = {}
    for row in QualityFigures.page(pk, sk=months, limit=_MOST_ROWS).rows:
        if user_id in ("", row.user_id):
            names[row.user_id] = row.user_name or row.user_id
            mine = sums.setdefault(row.user_id, {})
            for name, number in row.numbers.items():
                mine[name] = mine.get(name, 0) + number
    found = [ReviewerFigures(one, names[one], numbers) for one, numbers in sums.items()]
    return sorted(found, key=lambda one: (one.name.casefold(), one.user_id))
