"""Create, update and verify the stack described in ``infrastructure/``; idempotent."""

import functools
import time
from collections.abc import Callable, Sequence
from typing import Any

from botocore.exceptions import ClientError
from django.conf import settings

from config import aws
from config.deploy import template
from config.errors import Misconfigured, Unavailable
from config.laptop.emulator import check_kept_port, is_answering
from config.table import FIRST_INDEX_ATTRIBUTES, INDEX_ATTRIBUTES, VERSIONS_INDEX_ATTRIBUTES

TTL_ATTRIBUTE = "TimeToLive"
EVENTS_QUEUE = settings.EVENTS_QUEUE
_POLL_SECONDS = 0.1 if settings.ON_LAPTOP else 5.0
_WAIT_SECONDS = 60 if settings.ON_LAPTOP else 1800
_DONE = {"CREATE_COMPLETE": "created", "UPDATE_COMPLETE": "changed", "DELETE_COMPLETE": "removed"}
_MISSING = {
    "ResourceNotFoundException",
    "NoSuchBucket",
    "NoSuchPublicAccessBlockConfiguration",
    "QueueDoesNotExist",
    "AWS.SimpleQueueService.NonExistentQueue",
}

Report = Callable[[str], None]


def template_parameters() -> dict[str, str]:
    """Return the template's parameters, taken from the settings and the key space."""
    return {
        "TableName": settings.TABLE_NAME,
        "IndexAttributes": ",".join(INDEX_ATTRIBUTES),
        "FirstIndexAttributes": ",".join(FIRST_INDEX_ATTRIBUTES),
        "VersionsTableName": settings.VERSIONS_TABLE_NAME,
        "VersionsIndexAttributes": ",".join(VERSIONS_INDEX_ATTRIBUTES),
        "BucketName": settings.BUCKET_NAME,
        "BusName": settings.BUS_NAME,
        "StepsQueueName": settings.STEPS_QUEUE,
        "DeskQueueName": settings.DESK_QUEUE,
        "EventSource": settings.EVENT_SOURCE,
        "VisibilitySeconds": str(settings.QUEUE_VISIBILITY_SECONDS),
        **settings.STACK_PARAMETERS,
    }


def deploy_stack(report: Report) -> None:
    """Create or update the stack, verify it, and report each resource that changed.

    Raises:
        Unavailable: the endpoint does not answer.
        Misconfigured: the stack failed or a resource differs from the template; the message names it.

    """
    endpoint = settings.AWS_ENDPOINT_URL
    if endpoint and not is_answering(endpoint):
        raise Unavailable(
            f"No embedded AWS is running at {endpoint}. Start it with `manage.py emulator`, then try again."
        )
    with aws.translate_aws_errors():
        changes = _apply()
        _verify()
        changes += _settle()
        for line in changes:
            report(line)
        if not changes:
            report(f"unchanged  stack {settings.STACK}, {len(_resources())} resources verified")


def _apply() -> list[str]:
    """Create or update the stack, wait for it, and return the outcome of each resource."""
    cloudformation = aws.aws_client("cloudformation")
    request: dict[str, Any] = {
        "StackName": settings.STACK,
        "TemplateBody": template.template_body(),
        "Capabilities": ["CAPABILITY_NAMED_IAM"],
    }
    stack = _wait()
    wanted = template_parameters() | _kept_parameters(stack)
    request["Parameters"] = [{"ParameterKey": name, "ParameterValue": value} for name, value in wanted.items()]
    if stack is None:
        if not settings.ON_LAPTOP:
            request["EnableTerminationProtection"] = True
        _order(cloudformation.create_stack, request)
        return _outcome(since=None)
    if stack["StackStatus"] in {"ROLLBACK_COMPLETE", "ROLLBACK_FAILED", "CREATE_FAILED", "DELETE_FAILED"}:
        raise Misconfigured(
            f"Stack {settings.STACK} is in {stack['StackStatus']}: {_first_failure()} Fix the cause, delete the "
            "stack (tables and bucket are kept) and run this again."
        )
    if not (differences := _differences(stack, request)):
        return []
    last = _events()[0]["EventId"]
    if not _order(cloudformation.update_stack, request):
        return []
    changes = _outcome(since=last)
    if settings.ON_LAPTOP:  # the emulator says of every resource that it was updated: only the rest is news
        changes = [line for line in changes if not line.startswith("changed")]
    return [f"changed    stack {settings.STACK}: {', '.join(differences)}", *changes]


def _kept_parameters(stack: dict[str, Any] | None) -> dict[str, str]:
    """Return what GSI1 was made with: a change would have the index made anew, and lists empty meanwhile."""
    deployed = {entry["ParameterKey"]: entry["ParameterValue"] for entry in (stack or {}).get("Parameters", ())}
    first = deployed.get("FirstIndexAttributes", deployed.get("IndexAttributes"))
    return {"FirstIndexAttributes": first} if first else {}


def _differences(stack: dict[str, Any], request: dict[str, Any]) -> list[str]:
    """Return what an update would change: parameters one by one, the template as a whole."""
    cloudformation = aws.aws_client("cloudformation")
    deployed = {entry["ParameterKey"]: entry["ParameterValue"] for entry in stack.get("Parameters", ())}
    wanted = {entry["ParameterKey"]: entry["ParameterValue"] for entry in request["Parameters"]}
    found = [
        f"{name} {deployed.get(name, 'unset')} → {wanted.get(name, 'unset')}"
        for name in sorted(deployed | wanted)
        if deployed.get(name) != wanted.get(name)
    ]
    body = cloudformation.get_template(StackName=settings.STACK, TemplateStage="Original")["TemplateBody"]
    if body != request["TemplateBody"]:
        found.append("template")
    return found


def _order(call: Callable[..., Any], request: dict[str, Any]) -> bool:
    """Request the change; return whether there is anything to do.

    Raises:
        Misconfigured: the template or a setting is refused before anything is touched.

    """
    try:
        call(**request)
    except ClientError as error:
        message = error.response["Error"]["Message"]
        if "No updates are to be performed" in message:
            return False
        if error.response["Error"]["Code"] in {"ValidationError", "AccessDenied", "InsufficientCapabilitiesException"}:
            raise Misconfigured(f"AWS rejected stack {settings.STACK}; nothing was changed: {message}") from error
        raise
    return True


def _wait() -> dict[str, Any] | None:
    """Wait until no operation is in progress and return the stack; None if there is none.

    Raises:
        Unavailable: the operation did not end in time.

    """
    deadline = time.monotonic() + _WAIT_SECONDS
    while time.monotonic() < deadline:
        try:
            stack: dict[str, Any] = aws.aws_client("cloudformation").describe_stacks(StackName=settings.STACK)[
                "Stacks"
            ][0]
        except ClientError as error:
            if "does not exist" in str(error):
                return None
            raise
        if not stack["StackStatus"].endswith("_IN_PROGRESS"):
            return stack
        time.sleep(_POLL_SECONDS)
    raise Unavailable(f"Stack {settings.STACK} is still being updated. Run this again when the update has finished.")


def _outcome(since: str | None) -> list[str]:
    """Wait, then return what happened to each resource since ``since``.

    Raises:
        Misconfigured: the stack did not reach the wanted state.

    """
    stack = _wait()
    if stack is None or stack["StackStatus"] not in {"CREATE_COMPLETE", "UPDATE_COMPLETE"}:
        raise Misconfigured(f"Stack {settings.STACK} could not be deployed: {_first_failure()}")
    lines = []
    for event in _events():
        if event["EventId"] == since:
            break
        what = _DONE.get(event["ResourceStatus"])
        if what and event["ResourceType"] != "AWS::CloudFormation::Stack":
            lines.append(f"{what:10} {event['ResourceType'].removeprefix('AWS::')} {event['PhysicalResourceId']}")
    return lines[::-1]


def _events() -> list[dict[str, Any]]:
    """The stack's events, newest first."""
    pages = aws.aws_client("cloudformation").get_paginator("describe_stack_events").paginate(StackName=settings.STACK)
    return [event for page in pages for event in page["StackEvents"]]


def _first_failure() -> str:
    failed = [event for event in _events() if event["ResourceStatus"].endswith("_FAILED")]
    if not failed:
        return "its events give no reason."
    first = failed[-1]  # the later ones are its consequences
    return f"{first['LogicalResourceId']}: {first.get('ResourceStatusReason', 'no reason given').rstrip('.')}."


def _resources() -> list[dict[str, Any]]:
    client = aws.aws_client("cloudformation")
    found: list[dict[str, Any]] = client.describe_stack_resources(StackName=settings.STACK)["StackResources"]
    return found


def _settle() -> list[str]:
    """Do what the emulator's CloudFormation ignores; in AWS each check finds it done already."""
    dynamodb = aws.aws_client("dynamodb")
    answer = dynamodb.describe_time_to_live(TableName=settings.TABLE_NAME)
    if answer["TimeToLiveDescription"]["TimeToLiveStatus"] in {"ENABLED", "ENABLING"}:
        return []
    dynamodb.update_time_to_live(
        TableName=settings.TABLE_NAME,
        TimeToLiveSpecification={"AttributeName": TTL_ATTRIBUTE, "Enabled": True},
    )
    return [f"changed    DynamoDB::Table {settings.TABLE_NAME}, expiry by {TTL_ATTRIBUTE} enabled"]


def _verify() -> None:
    """Check each resource with its own service, since the stack does not know of changes made outside it.

    Raises:
        Misconfigured: something is missing or differs; the message says what to do.

    """
    wrong = [
        text
        for text, good in (
            (f"table {settings.TABLE_NAME} differs from the template", _table_is_good()),
            (f"table {settings.VERSIONS_TABLE_NAME} differs from the template", _versions_are_good()),
            (f"bucket {settings.BUCKET_NAME} is missing, unversioned or not private", _bucket_is_good()),
            ("a queue is missing or its URL differs from the settings", _queues_are_good()),
            (f"event bus {settings.BUS_NAME} or one of its rules is missing", _bus_is_good()),
        )
        if not good
    ]
    if wrong:
        found = _answers(functools.partial(aws.aws_client("sqs").get_queue_url, QueueName=settings.STEPS_QUEUE))
        if settings.ON_LAPTOP and found:
            check_kept_port(found["QueueUrl"], settings.EMULATOR_PORT, settings.STATE_DIR / "emulator")
        raise Misconfigured(
            f"Stack {settings.STACK} has drifted: {'; '.join(wrong)}. Revert the manual change, or deploy under "
            "another name with COUNTERSIGN_STACK."
        )


def _answers(call: Callable[[], Any]) -> Any:
    """Return the answer, or None if the resource does not exist."""
    try:
        return call()
    except ClientError as error:
        if error.response["Error"]["Code"] in _MISSING:
            return None
        raise


def _table_is_good() -> bool:
    table = _describe_table(settings.TABLE_NAME)
    stream = table.get("StreamSpecification", {}).get("StreamViewType")
    good = any(_projects(table, first, INDEX_ATTRIBUTES) for first in (FIRST_INDEX_ATTRIBUTES, INDEX_ATTRIBUTES))
    return good and stream == "NEW_AND_OLD_IMAGES"


def _versions_are_good() -> bool:
    return _projects(_describe_table(settings.VERSIONS_TABLE_NAME), *[VERSIONS_INDEX_ATTRIBUTES] * 2)


def _describe_table(name: str) -> dict[str, Any]:
    """Describe the table; empty if there is none."""
    answer = _answers(lambda: aws.aws_client("dynamodb").describe_table(TableName=name))
    return dict(answer["Table"]) if answer else {}


def _projects(table: dict[str, Any], first: Sequence[str], second: Sequence[str]) -> bool:
    """Return True if both indexes project what lists show, or everything, as tables of the seed-000 system do."""
    wanted = {"GSI1": set(first), "GSI2": set(second)}
    indexes = {
        index["IndexName"]: wanted.get(index["IndexName"])
        if index["Projection"]["ProjectionType"] == "ALL"
        else set(index["Projection"].get("NonKeyAttributes", ()))
        for index in table.get("GlobalSecondaryIndexes", ())
    }
    return indexes == wanted


def _bucket_is_good() -> bool:
    s3 = aws.aws_client("s3")
    versioning = _answers(lambda: s3.get_bucket_versioning(Bucket=settings.BUCKET_NAME))
    closed = _answers(lambda: s3.get_public_access_block(Bucket=settings.BUCKET_NAME))
    if versioning is None or closed is None:
        return False
    return versioning.get("Status") == "Enabled" and all(closed["PublicAccessBlockConfiguration"].values())


def _queues_are_good() -> bool:
    sqs = aws.aws_client("sqs")
    for name in (*settings.QUEUE_URLS, EVENTS_QUEUE):
        answer = _answers(functools.partial(sqs.get_queue_url, QueueName=name))
        # Workers use the URLs of the settings without asking, so those must be the real ones.
        if answer is None or answer["QueueUrl"] != settings.QUEUE_URLS.get(name, answer["QueueUrl"]):
            return False
    return True


def _bus_is_good() -> bool:
    events = aws.aws_client("events")
    rules = (EVENTS_QUEUE, settings.SEARCH_QUEUE)  # each is named as the queue that it fills
    asked = [functools.partial(events.describe_rule, Name=name, EventBusName=settings.BUS_NAME) for name in rules]
    return all(_answers(one) is not None for one in asked)
