from django.core.management import call_command

from review import queries as review_queries
from tests.aws_faults import count_calls
from workflows import queries


def test_filling_twice_leaves_as_many_rows_as_once(table: str) -> None:
    for _ in range(2):
        call_command("fill", documents=60, reviews=30, segments=60)
    first = queries.project_documents("default", "proj_fill")
    second = queries.project_documents("default", "proj_fill", cursor=first.next)
    third = queries.project_documents("default", "proj_fill", cursor=second.next)
    assert [len(page.rows) for page in (first, second, third)] == [25, 25, 10]
    assert len(queries.segments("default", "fill-run").rows) == 50


def test_the_last_page_costs_as_many_calls_as_the_first(table: str) -> None:
    call_command("fill", reviews=60)
    cursor: str | None = None
    for rows in (25, 25, 10):
        with count_calls() as calls:
            page = review_queries.queue("default", cursor=cursor)
        assert len(page.rows) == rows
        assert calls.names() == ["dynamodb.Query"]
        cursor = page.next
