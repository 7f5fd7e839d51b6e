"""Each way to list documents costs on every page what it costs on the first, however long the list."""

import pytest
from django.conf import settings

from projects.documents import queries as browse_queries
from projects.documents.index_queries import QueryPlan
from tests.aws_faults import count_calls
from tests.factories import SITE
from tests.metering import metered
from tests.projects import many

COUNT = 300


@pytest.mark.wide
@pytest.mark.parametrize("name", many.WAYS)
def test_every_page_of_a_list_is_one_query_of_the_same_units(table: str, name: str) -> None:
    many.write(COUNT)
    way, cursor, costs, found = many.WAYS[name], None, [], []
    while True:
        with metered() as meter, count_calls() as calls:
            page = browse_queries.list_documents(SITE, way, cursor=cursor)
        costs.append((meter.calls, meter.reads))
        (call,) = calls.of("dynamodb", "Query")
        (answer,) = calls.answers
        assert answer is not None
        assert answer["ScannedCount"] == answer["Count"] == len(page.rows)
        assert "FilterExpression" not in call.params
        found += [row.document_id for row in page.rows]
        cursor = page.next
        if not cursor:
            break
    assert len(found) == len(set(found)) == COUNT
    full = [cost for cost, size in zip(costs, _sizes(len(costs)), strict=True) if size]
    assert full == [costs[0]] * len(full)
    assert costs[0][0] == ["dynamodb.Query"]


def _sizes(pages: int) -> list[bool]:
    """Whether a page is full: the index may need one more call to learn that the list has ended."""
    return [i < COUNT // settings.PAGE_SIZE for i in range(pages)]


def test_a_second_site_with_the_same_ids_sees_none_of_them(table: str) -> None:
    many.write(30)

    def listed(site: str, way: QueryPlan) -> int:
        return len(browse_queries.list_documents(site, way).rows)

    for way in many.WAYS.values():
        assert (listed(SITE, way), listed("acme", way)) == (25, 0)
    many.write(3, site="acme")
    for way in many.WAYS.values():
        assert (listed(SITE, way), listed("acme", way)) == (25, 3)
