from concurrent.futures import ThreadPoolExecutor

import pytest
from botocore.exceptions import ClientError, ConnectionClosedError
from django.conf import settings

from config import aws
from tests.aws_faults import count_calls, crash_after, crash_before, fail


def put(name, **kwargs):
    aws.dynamodb_client().put_item(
        TableName=settings.TABLE_NAME, Item={"PK": {"S": name}, "SK": {"S": "META"}}, **kwargs
    )


def exists(name):
    key = {"PK": {"S": name}, "SK": {"S": "META"}}
    answer = aws.dynamodb_client().get_item(TableName=settings.TABLE_NAME, Key=key, ConsistentRead=True)
    return "Item" in answer


def test_a_crash_before_the_call_leaves_nothing(table):
    with crash_before("dynamodb", "PutItem"):
        put("a")
    assert not exists("a")


def test_a_crash_after_the_call_leaves_it_done(table):
    with crash_after("dynamodb", "PutItem"):
        put("a")
    assert exists("a")


def test_a_crash_is_not_an_exception_that_code_may_swallow(table):
    swallowed = []
    with crash_before("dynamodb", "PutItem"):
        try:
            put("a")
        except Exception:  # noqa: BLE001 - what the tested code must not be able to do
            swallowed.append("a")
    assert not swallowed


def test_only_the_nth_call_crashes(table):
    with crash_before("dynamodb", "PutItem", nth=2):
        put("a")
        put("b")
    assert exists("a")
    assert not exists("b")


def test_a_crash_that_never_comes_fails_the_test(table):
    with pytest.raises(AssertionError, match="was called 1 times"), crash_after("dynamodb", "PutItem", nth=2):
        put("a")


def test_a_crash_of_an_outer_fault_passes_through_the_inner_one(table):
    with crash_before("dynamodb", "PutItem"), crash_after("dynamodb", "GetItem"):
        put("a")
    assert not exists("a")


def test_a_refused_call_has_awss_own_error_and_the_next_one_works(table):
    with fail("dynamodb", "PutItem", error_code="ThrottlingException", times=2):
        for _ in range(2):
            with pytest.raises(ClientError) as error:
                put("a")
            assert error.value.response["Error"]["Code"] == "ThrottlingException"
        put("a")
    assert exists("a")


def test_a_refused_call_has_the_services_own_class(table):
    sfn = aws.aws_client("stepfunctions")
    arn = f"arn:aws:states:{settings.AWS_REGION}:{settings.AWS_ACCOUNT_ID}:stateMachine:none"
    with (
        fail("stepfunctions", "StartExecution", error_code="ExecutionAlreadyExists"),
        pytest.raises(sfn.exceptions.ExecutionAlreadyExists),
    ):
        sfn.start_execution(stateMachineArn=arn)


def test_a_lost_answer_leaves_the_call_done(table):
    with fail("dynamodb", "PutItem", error_code="connection", after=True), pytest.raises(ConnectionClosedError):
        put("a")
    assert exists("a")


def test_calls_are_counted_in_order_with_their_parameters_and_answers(table):
    with count_calls() as counted:
        put("a")
        exists("a")
        with pytest.raises(ClientError):
            put("a", ConditionExpression="attribute_not_exists(PK)")
    assert counted.names() == ["dynamodb.PutItem", "dynamodb.GetItem", "dynamodb.PutItem"]
    assert counted.of("dynamodb", "GetItem")[0].params["Key"]["PK"] == {"S": "a"}
    assert [answer is None for answer in counted.answers] == [False, False, True]


def test_calls_of_other_threads_and_other_clients_are_counted_too(table):
    with count_calls() as counted, ThreadPoolExecutor(8) as pool:
        list(pool.map(put, "abcdefgh"))
        aws.aws_client("sqs").get_queue_url(QueueName=settings.DESK_QUEUE)
        aws.DocumentStorage().exists("nothing")
    assert len(counted.of("dynamodb")) == 8
    assert [call.service for call in counted.calls[8:]] == ["sqs", "s3"]


def test_nothing_is_counted_outside(table):
    with count_calls() as counted:
        pass
    put("a")
    assert counted.calls == []
