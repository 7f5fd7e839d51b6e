"""Everything that both tables and the bucket hold, as it is stored: a test may look at it, a request never does."""

from typing import Any

from django.conf import settings

from config import aws

Row = dict[str, Any]


def rows() -> dict[tuple[str, str, str], Row]:
    """Every row of both tables by table, PK and SK, on the wire's form."""
    found: dict[tuple[str, str, str], Row] = {}
    for name in (settings.TABLE_NAME, settings.VERSIONS_TABLE_NAME):
        for page in aws.dynamodb_client().get_paginator("scan").paginate(TableName=name, ConsistentRead=True):
            found |= {(name, row["PK"]["S"], row["SK"]["S"]): row for row in page["Items"]}
    return found


def indexed(text: str) -> list[tuple[str, str]]:
    """The rows that an index could find and that say ``text`` anywhere: (PK, SK)."""
    return [
        (pk, sk)
        for (_, pk, sk), row in rows().items()
        if text in str(row) and ("GSI1PK" in row or ("GSI2PK" in row and not row["GSI2PK"]["S"].startswith("DUE#")))
    ]


def objects(prefix: str) -> list[str]:
    """Every version and every marker under ``prefix``."""
    pages = aws.aws_client("s3").get_paginator("list_object_versions")
    return [
        f"{one['Key']} {one['VersionId']}"
        for page in pages.paginate(Bucket=settings.BUCKET_NAME, Prefix=prefix)
        for one in (*page.get("Versions", ()), *page.get("DeleteMarkers", ()))
    ]
