"""The quick parser against botocore's own, on the same answers."""

import json

import botocore.session
import pytest
from botocore.exceptions import ClientError
from botocore.parsers import create_parser

from config import aws
from config.aws_answers import AnswerParserFactory
from config.item import Item
from config.table import Key
from tests.conftest import describe_table
from tests.each import each
from workflows.runs.items import ProjectDocument

MODEL = botocore.session.get_session().get_service_model("dynamodb")
VALUES = {
    "S": "Straße „12“ \\ / \u0000 🧾",
    "N": "123456789012345678901234567890.5",
    "BOOL": True,
    "NULL": True,
    "SS": ["a", "b"],
    "NS": ["1", "2.5"],
    "L": [{"S": "x"}, {"M": {"deep": {"L": []}}}],
    "M": {},
}


def both(operation: str, body: object) -> tuple[object, object]:
    shape = MODEL.operation_model(operation).output_shape
    response = {"body": json.dumps(body).encode(), "headers": {"x-amzn-requestid": "1"}, "status_code": 200}
    ours = AnswerParserFactory().create_parser("json").parse(response, shape)
    return ours, create_parser("json").parse(response, shape)


@each("kind", VALUES)
def test_every_kind_of_value_is_what_botocore_makes_of_it(kind: str) -> None:
    item = {"PK": {"S": "p"}, "value": {kind: VALUES[kind]}}
    ours, theirs = both("Query", {"Items": [item, {}], "Count": 2, "ScannedCount": 2, "LastEvaluatedKey": item})
    assert ours == theirs


@pytest.mark.parametrize("binary", [{"B": "aGVsbG8="}, {"BS": ["aGVsbG8="]}, {"M": {"deep": {"B": "aGVsbG8="}}}])
def test_binary_values_are_decoded(binary: dict[str, object]) -> None:
    ours, theirs = both("GetItem", {"Item": {"value": binary}})
    assert ours == theirs
    assert "hello" in str(ours)


def test_a_text_that_looks_like_a_binary_value_stays_a_text() -> None:
    ours, theirs = both("GetItem", {"Item": {"value": {"S": '{"B": "aGVsbG8="}'}}})
    assert ours == theirs


@pytest.mark.parametrize("body", [b'{"Item": {"value": {"S": "half: \\ud83d"}}}', b"<html>", b""])
def test_what_the_fast_parser_refuses_is_what_botocore_makes_of_it(body: bytes) -> None:
    shape = MODEL.operation_model("GetItem").output_shape
    response = {"body": body, "headers": {"x-amzn-requestid": "1"}, "status_code": 200}
    ours = AnswerParserFactory().create_parser("json").parse(response, shape)
    assert ours == create_parser("json").parse(response, shape)


def test_what_is_said_of_tables_has_instants(table: str) -> None:
    assert describe_table()["CreationDateTime"].tzinfo is not None


def test_items_come_through_the_shared_connection_as_they_were_put(table: str) -> None:
    key = Key("p", "s")
    ProjectDocument(*key, data={"n": 1, "list": ["x", {"y": None}]}, name="ß", created_at="1", updated_at="1").save()
    assert ProjectDocument.load(key).data.as_dict() == {"n": 1, "list": ["x", {"y": None}]}
    assert Item.page("p").rows[0].SK == "s"


def test_errors_keep_their_codes_and_reasons(table: str) -> None:
    taken = {"PK": {"S": "p"}, "SK": {"S": "s"}}
    put = {"Put": {"TableName": table, "Item": taken, "ConditionExpression": "attribute_exists(PK)"}}
    with pytest.raises(ClientError) as caught:
        aws.dynamodb_client().transact_write_items(TransactItems=[put])
    assert caught.value.response["Error"]["Code"] == "TransactionCanceledException"
    assert [reason["Code"] for reason in caught.value.response["CancellationReasons"]] == ["ConditionalCheckFailed"]
