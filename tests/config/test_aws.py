import io
from typing import Any

from django.conf import settings

from config import aws
from config.celery import app


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


def test_a_small_body_is_sent_with_its_headers_and_a_large_one_after_it_was_asked_for(aws_stack: list[str]) -> None:
    sent: list[tuple[str | None, bytes]] = []

    def note(request: Any, **_: Any) -> None:
        sent.append((request.headers.get("Expect"), request.headers["x-amz-checksum-crc32"]))

    ours, theirs = aws.aws_client("s3"), aws._session().client("s3", endpoint_url=settings.AWS_ENDPOINT_URL)
    small, large = b"{}", b"x" * (1 << 17)
    for client in (ours, theirs):
        client.meta.events.register("before-send.s3.PutObject", note, unique_id="expects")
        for body in (small, large, io.BytesIO(small)):
            client.put_object(Bucket=settings.BUCKET_NAME, Key="expects", Body=body)
            kept = client.get_object(Bucket=settings.BUCKET_NAME, Key="expects")["Body"].read()
            assert kept == (small if isinstance(body, io.BytesIO) else body)
        client.meta.events.unregister("before-send.s3.PutObject", unique_id="expects")
    asked = [expect for expect, _ in sent]
    assert asked == [None, b"100-continue", None, *[b"100-continue"] * 3]
    assert [sums for _, sums in sent[:3]] == [sums for _, sums in sent[3:]]  # checked all the same


def test_sessions_share_what_was_parsed_of_the_services(aws_stack: list[str]) -> None:
    """Each would parse its own otherwise, and so would each queue's client of Celery and each copy of a process."""
    sessions = [
        aws._session()._session,
        aws.dynamodb_connection().session,
        aws.DocumentStorage()._create_session()._session,
    ]
    with app.connection_for_read() as connection:
        channel: Any = connection.channel()
        clients = [channel.sqs(queue) for queue in (settings.STEPS_QUEUE, settings.DESK_QUEUE)]
    aws.forget_clients()
    sessions.append(aws._session()._session)
    assert len({id(one.get_component("data_loader")) for one in sessions}) == 1
    parsed = sessions[0].get_component("data_loader").load_service_model("sqs", "service-2")
    assert all(one.meta.service_model._service_description is parsed for one in clients)
    assert clients[0].meta.endpoint_url == settings.AWS_ENDPOINT_URL
    assert (
        clients[0].meta.config.read_timeout == settings.CELERY_BROKER_TRANSPORT_OPTIONS["client-config"]["read_timeout"]
    )
