"""The parent machine: what it reads, what it orders, and that it waits for nobody."""

import json

from django.conf import settings

from config import aws
from tests.flow.processes import wait_for
from tests.pump import Pump, receive
from workflows.batches import orders
from workflows.engine.machines import batch


def test_it_reads_parts_from_the_bucket_and_tolerates_each_that_is_not_ordered() -> None:
    every = json.loads(batch.compile_machine())["States"]["parts"]
    assert every["ItemReader"]["Parameters"] == {"Bucket": settings.BUCKET_NAME, "Key.$": "$.key"}
    assert every["ToleratedFailurePercentage"] == 100
    order = every["ItemProcessor"]["States"]["order"]
    assert not order["Resource"].endswith(("waitForTaskToken", "sync", "sync:2"))


def test_it_orders_every_part_once_whoever_starts_it_again(pump: Pump) -> None:
    orders.order_items("acme", "01H", 2, 3)
    for _ in range(2):
        orders.all_parts("acme", "01H", 2, 3)
    arn = f"arn:aws:states:{settings.AWS_REGION}:{settings.AWS_ACCOUNT_ID}:execution:{batch.name()}:acme-01H-2"
    found = []
    while len(found) < 3:
        found += receive(settings.STEPS_QUEUE)
    assert receive(settings.STEPS_QUEUE) == []
    assert {message.task for message in found} == {batch.TASK}
    assert sorted(message.kwargs["part"] for message in found) == [0, 1, 2]
    assert {tuple(sorted(message.kwargs.items()))[:2] for message in found} == {(("attempt", 2), ("batch_id", "01H"))}
    engine = aws.aws_client("stepfunctions")  # its last message is there before it has written its end
    wait_for(lambda: engine.describe_execution(executionArn=arn)["status"] == "SUCCEEDED", "its end", 10)
