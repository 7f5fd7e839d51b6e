"""Rows of segments come in the order of pages, also where text order and number order part ways."""

from unittest import mock

import pytest

from tests.factories import PROJECT_ID, SITE
from workflows.runs import queries
from workflows.runs.actions import segments
from workflows.runs.items import Run

RUN = Run(SITE, PROJECT_ID, "long-document", "long-run")


def listed(page_size: int) -> list[int]:
    found: list[int] = []
    cursor: str | None = None
    with mock.patch.object(queries, "SEGMENTS_A_PAGE", page_size):
        while True:
            page = queries.segments(SITE, RUN.workflow_id, cursor=cursor)
            found += [int(row.data["segment_index"]) for row in page.rows]
            cursor = page.next
            if cursor is None:
                return found


@pytest.mark.wide
def test_twelve_thousand_segments_are_listed_in_order(table: str) -> None:
    segments.write(RUN, 12_000)
    assert listed(2_500) == list(range(12_000))


def test_pages_of_the_list_go_on_across_the_ten_thousandth(table: str) -> None:
    segments.write_some(RUN, range(9_980, 10_030), {})
    assert listed(7) == list(range(9_980, 10_030))


def test_a_failed_segments_row_has_its_sentence_until_it_is_written_again(table: str) -> None:
    segments.write_some(RUN, range(3), {1: "The page is torn."})
    first = queries.segments(SITE, RUN.workflow_id).rows
    assert [row.data.as_dict().get("error") for row in first] == [None, "The page is torn.", None]
    segments.write_some(RUN, [1], {})
    assert "error" not in queries.segments(SITE, RUN.workflow_id).rows[1].data
