"""Which IAM action, on which resource, an AWS call of ours needs, and whether a deployed role grants it."""

import fnmatch
import json
import re
from collections.abc import Iterator
from typing import Any, NamedTuple

from django.conf import settings

from config import aws
from tests.aws_faults import Call

_TRANSACT = {"Put": "PutItem", "Update": "UpdateItem", "Delete": "DeleteItem", "ConditionCheck": "ConditionCheckItem"}
_S3 = {
    "ListObjectsV2": "ListBucket",
    "ListObjectVersions": "ListBucketVersions",
    "HeadObject": "GetObject",
    "GetPublicAccessBlock": "GetBucketPublicAccessBlock",
    "HeadBucket": "ListBucket",
}
_SERVICE = {"stepfunctions": "states"}


class Need(NamedTuple):
    """``context``: what a statement's condition may ask about."""

    action: str
    resource: str
    context: tuple[tuple[str, tuple[str, ...]], ...] = ()


def _arn(service: str, name: str) -> str:
    return f"arn:aws:{service}:{settings.AWS_REGION}:{settings.AWS_ACCOUNT_ID}:{name}"


def needs(call: Call) -> Iterator[Need]:
    """Source: AWS, "Actions, resources, and condition keys" of each service."""
    service, operation, params = call
    if service == "dynamodb":
        yield from _of_table(operation, params)
    elif service == "s3":
        yield from _of_bucket(operation, params)
    elif service == "sqs":
        name = params["QueueUrl"].rpartition("/")[2] if "QueueUrl" in params else params["QueueName"]
        yield Need(f"sqs:{operation.removesuffix('Batch')}", _arn("sqs", name))
    elif service == "events":
        for entry in params.get("Entries", ()):
            context = (("events:source", (entry["Source"],)),)
            yield Need("events:PutEvents", _arn("events", f"event-bus/{entry['EventBusName']}"), context)
        if "Name" in params:
            yield Need(f"events:{operation}", _arn("events", f"rule/{params['EventBusName']}/{params['Name']}"))
    else:
        resource = params.get("stateMachineArn") or params.get("executionArn")
        if service == "cloudformation":
            resource = _arn(service, f"stack/{params['StackName']}/0")
        if operation == "CreateStateMachine":
            resource = _arn("states", f"stateMachine:{params['name']}")
            yield Need("iam:PassRole", params["roleArn"], (("iam:PassedToService", ("states.amazonaws.com",)),))
        yield Need(f"{_SERVICE.get(service, service)}:{operation}", resource or "*")


def _of_table(operation: str, params: dict[str, Any]) -> Iterator[Need]:
    def need(action: str, table: str, *keys: dict[str, Any]) -> Need:
        leading = tuple(key["PK"]["S"] for key in keys)
        return Need(f"dynamodb:{action}", _arn("dynamodb", f"table/{table}"), (("dynamodb:LeadingKeys", leading),))

    if operation == "TransactWriteItems":
        for change in params["TransactItems"]:
            ((kind, what),) = change.items()
            yield need(_TRANSACT[kind], what["TableName"], what.get("Key") or what["Item"])
    elif "RequestItems" in params:
        for table in params["RequestItems"]:
            yield need(operation, table)
    else:
        index = f"/index/{params['IndexName']}" if "IndexName" in params else ""
        keys = [params["Key"]] if "Key" in params else [params["Item"]] if "Item" in params else []
        yield need(operation, params["TableName"] + index, *keys)


def _of_bucket(operation: str, params: dict[str, Any]) -> Iterator[Need]:
    bucket = f"arn:aws:s3:::{params['Bucket']}"
    if operation == "DeleteObjects":
        for one in params["Delete"]["Objects"]:
            yield Need(f"s3:DeleteObject{'Version' if 'VersionId' in one else ''}", f"{bucket}/{one['Key']}")
        return
    version = "Version" if "VersionId" in params and operation in {"GetObject", "DeleteObject", "HeadObject"} else ""
    resource = f"{bucket}/{params['Key']}" if "Key" in params else bucket
    yield Need(f"s3:{_S3.get(operation, operation)}{version}", resource)
    if "Tagging" in params:
        yield Need("s3:PutObjectTagging", resource)


def policies(role: str) -> list[dict[str, Any]]:
    """Every statement of a deployed role, its names filled in."""
    iam = aws.aws_client("iam")
    documents = [
        iam.get_role_policy(RoleName=role, PolicyName=name)["PolicyDocument"]
        for name in iam.list_role_policies(RoleName=role)["PolicyNames"]
    ]
    for attached in iam.list_attached_role_policies(RoleName=role)["AttachedPolicies"]:
        version = iam.get_policy(PolicyArn=attached["PolicyArn"])["Policy"]["DefaultVersionId"]
        found = iam.get_policy_version(PolicyArn=attached["PolicyArn"], VersionId=version)
        documents.append(found["PolicyVersion"]["Document"])
    read = [json.loads(document) if isinstance(document, str) else document for document in documents]
    return [statement for document in read for statement in document["Statement"]]


def grants(statements: list[dict[str, Any]], need: Need) -> bool:
    return any(
        statement["Effect"] == "Allow"
        and need.action in _listed(statement["Action"])
        and any(_matches(pattern, need.resource) for pattern in _listed(statement["Resource"]))
        and _holds(statement.get("Condition", {}), dict(need.context))
        for statement in statements
    )


def _holds(condition: dict[str, Any], context: dict[str, tuple[str, ...]]) -> bool:
    """Only what our statements ask: every value is one of, or like one of, those listed."""
    return all(
        all(any(_matches(pattern, value) for pattern in _listed(wanted)) for value in context.get(key, ("",)))
        for asked in condition.values()
        for key, wanted in asked.items()
    )


def _matches(pattern: str, value: str) -> bool:
    return re.fullmatch(fnmatch.translate(pattern.replace("[", "[[]")), value) is not None


def _listed(value: Any) -> list[str]:
    return value if isinstance(value, list) else [value]
