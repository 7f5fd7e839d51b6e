"""The seed-000 system's table, in our own and in the form that system makes it: its indexes project everything."""

from collections.abc import Iterator

import pytest
from django.conf import settings

from config import aws
from tests.compat.seed_000 import Seed000, written
from tests.conftest import create_table, describe_table, empty_table


@pytest.fixture(autouse=True, scope="session")
def static_root() -> None:
    settings.STATIC_ROOT.mkdir(parents=True, exist_ok=True)  # WhiteNoise warns where it is missing


# Theirs project all that ours do and more: what can be read by ours can be read by theirs.
@pytest.fixture(params=["our indexes", pytest.param("their indexes", marks=pytest.mark.slow)])
def seed(request: pytest.FixtureRequest, table: str) -> Iterator[Seed000]:
    if request.param == "our indexes":
        yield written(table)
        return
    described = describe_table()
    theirs = [{**index, "Projection": {"ProjectionType": "ALL"}} for index in described["GlobalSecondaryIndexes"]]
    aws.dynamodb_client().delete_table(TableName=table)
    create_table({**described, "GlobalSecondaryIndexes": theirs})
    yield written(table)
    aws.dynamodb_client().delete_table(TableName=table)
    create_table(described)
    empty_table()
