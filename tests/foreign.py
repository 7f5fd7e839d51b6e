"""What belongs to other systems: a bucket that the desk may read some of."""

import contextlib
import io

from django.conf import settings
from PIL import Image

from config import aws
from tests.settings import WORKER

BUCKET = f"their-scans-{WORKER}"


def make_bucket() -> None:
    s3 = aws.aws_client("s3")
    with contextlib.suppress(s3.exceptions.BucketAlreadyOwnedByYou):
        s3.create_bucket(Bucket=BUCKET, CreateBucketConfiguration={"LocationConstraint": settings.AWS_REGION})


def put(key: str, body: bytes) -> str:
    aws.aws_client("s3").put_object(Bucket=BUCKET, Key=key, Body=body)
    return f"s3://{BUCKET}/{key}"


def picture(width: int = 60, kind: str = "PNG", **more) -> bytes:
    body = io.BytesIO()
    Image.new("RGB", (width, 40), "white").save(body, kind, **more)
    return body.getvalue()
