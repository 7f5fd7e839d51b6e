from typing import Any

from config import aws


def test_each_service_is_told_who_calls(aws_stack: list[str]) -> None:
    told: list[str] = []

    def note(request: Any, **_: Any) -> None:
        told.append(request.headers["User-Agent"].decode())

    for client in (aws.dynamodb_client(), aws.aws_client("s3"), aws.aws_client("sqs")):
        client.meta.events.register("before-send.*.*", note, unique_id="who-calls")
    aws.dynamodb_client().list_tables()
    aws.aws_client("s3").list_buckets()
    aws.aws_client("sqs").list_queues()
    for client in (aws.dynamodb_client(), aws.aws_client("s3"), aws.aws_client("sqs")):
        client.meta.events.unregister("before-send.*.*", unique_id="who-calls")
    assert len(told) == 3
    assert all(one.startswith("countersign Boto3/") for one in told)
