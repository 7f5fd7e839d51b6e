import re
import time

import pytest
from django.conf import settings

from config import aws
from config.deploy import bootstrap, template
from config.errors import Misconfigured, Unavailable
from tests.aws_faults import count_calls, fail
from tests.conftest import create_table, describe_table

WRITING = ("Create", "Delete", "Put", "Set", "Tag")


def deploy():
    lines = []
    bootstrap.deploy_stack(lines.append)
    return lines


def described_kinds():
    """The types of the template's resources, but of those whose condition does not hold on a laptop."""
    resources = template.template_body().partition("\nResources:\n")[2].partition("\nOutputs:\n")[0]
    blocks = re.split(r"^ (?=\w+:$)", resources, flags=re.MULTILINE)[1:]
    return [re.search(r"Type: (\S+)", block)[1] for block in blocks if "Condition: HasAlarmEmail" not in block]


def unchanged():
    return [f"unchanged  stack {settings.STACK}, {len(described_kinds())} resources verified"]


def test_the_first_run_says_what_it_made(aws_stack):
    assert f"created    DynamoDB::Table {settings.TABLE_NAME}" in aws_stack
    assert f"created    S3::Bucket {settings.BUCKET_NAME}" in aws_stack
    made = [line.split()[1] for line in aws_stack if line.startswith("created ")]
    assert sorted(made) == sorted(f"{kind.removeprefix('AWS::')}" for kind in described_kinds())


def test_what_the_emulators_cloudformation_leaves_out_is_done_by_its_api(aws_stack):
    assert aws_stack[-1] == f"changed    DynamoDB::Table {settings.TABLE_NAME}, expiry by TimeToLive enabled"


def test_the_second_run_changes_nothing_says_so_and_is_quick(aws_stack):
    started = time.monotonic()
    with count_calls() as counted:
        lines = deploy()
    assert time.monotonic() - started < 2
    assert lines == unchanged()
    assert not [call for call in counted.calls if call.operation.startswith(WRITING)]
    assert "cloudformation.UpdateStack" not in counted.names()


def test_a_changed_setting_changes_the_resource_in_place(table, settings):
    sqs = aws.aws_client("sqs")
    url = settings.QUEUE_URLS[settings.DESK_QUEUE]
    sqs.send_message(QueueUrl=url, MessageBody="kept")
    usual, settings.QUEUE_VISIBILITY_SECONDS = settings.QUEUE_VISIBILITY_SECONDS, 99
    assert deploy() == [f"changed    stack {settings.STACK}: VisibilitySeconds {usual} → 99"]
    found = sqs.get_queue_attributes(QueueUrl=url, AttributeNames=["VisibilityTimeout", "ApproximateNumberOfMessages"])
    assert found["Attributes"] == {"VisibilityTimeout": "99", "ApproximateNumberOfMessages": "1"}
    settings.QUEUE_VISIBILITY_SECONDS = usual
    deploy()


@pytest.mark.wide
def test_a_changed_template_is_deployed_once_and_reports_no_resource_that_was_left_alone(aws_stack, monkeypatch):
    changed = template.template_body().replace("345600", "345601")
    with monkeypatch.context() as patch:
        patch.setattr(template, "template_body", lambda: changed)
        assert deploy() == [f"changed    stack {settings.STACK}: template"]
        assert deploy() == unchanged()
    deploy()


def test_a_refused_setting_is_named_and_nothing_is_changed(aws_stack, settings):
    settings.QUEUE_VISIBILITY_SECONDS = 5
    with pytest.raises(Misconfigured, match=r"nothing was changed: .*VisibilitySeconds"):
        deploy()


def test_a_table_that_somebody_deleted_is_noticed(table):
    described = describe_table()
    aws.dynamodb_client().delete_table(TableName=table)
    try:
        with pytest.raises(Misconfigured, match=f"table {table} differs from the template"):
            deploy()
    finally:
        create_table(described)


def test_a_bucket_without_versions_is_noticed(aws_stack):
    s3 = aws.aws_client("s3")
    s3.put_bucket_versioning(Bucket=settings.BUCKET_NAME, VersioningConfiguration={"Status": "Suspended"})
    try:
        with pytest.raises(Misconfigured, match=f"bucket {settings.BUCKET_NAME} is missing, unversioned"):
            deploy()
    finally:
        s3.put_bucket_versioning(Bucket=settings.BUCKET_NAME, VersioningConfiguration={"Status": "Enabled"})


@pytest.mark.parametrize("opened", [None, "RestrictPublicBuckets"])
def test_a_bucket_that_somebody_opened_is_noticed(aws_stack, opened):
    s3 = aws.aws_client("s3")
    closed = s3.get_public_access_block(Bucket=settings.BUCKET_NAME)["PublicAccessBlockConfiguration"]
    if opened:
        s3.put_public_access_block(Bucket=settings.BUCKET_NAME, PublicAccessBlockConfiguration=closed | {opened: False})
    else:
        s3.delete_public_access_block(Bucket=settings.BUCKET_NAME)
    try:
        with pytest.raises(Misconfigured, match="unversioned or not private"):
            deploy()
    finally:
        s3.put_public_access_block(Bucket=settings.BUCKET_NAME, PublicAccessBlockConfiguration=closed)


def test_where_nobody_answers_it_says_how_to_start_the_emulator(settings):
    settings.AWS_ENDPOINT_URL = "http://127.0.0.1:1"
    with pytest.raises(Unavailable, match=r"Start it with `manage.py emulator`"):
        deploy()


def test_a_throttled_answer_is_not_taken_for_a_missing_resource(aws_stack):
    with fail("dynamodb", "DescribeTable", error_code="ThrottlingException"), pytest.raises(Unavailable):
        deploy()


@pytest.mark.wide
def test_an_environment_of_its_own_has_aws_keys_other_alarms_and_a_reader_of_them(table, settings):
    usual = settings.STACK_PARAMETERS
    settings.STACK_PARAMETERS = usual | {"CustomerKey": "false", "AlarmEmail": "desk@example.com", "LogDays": "365"}
    try:
        (line, *_) = deploy()
        assert "AlarmEmail  → desk@example.com" in line
        assert "CustomerKey true → false" in line
        sqs, logs, sns = (aws.aws_client(name) for name in ("sqs", "logs", "sns"))
        url = settings.QUEUE_URLS[settings.DESK_QUEUE]
        found = sqs.get_queue_attributes(QueueUrl=url, AttributeNames=["All"])["Attributes"]
        assert (found.get("KmsMasterKeyId"), found["SqsManagedSseEnabled"]) == (None, "true")
        groups = logs.describe_log_groups(logGroupNamePrefix=f"/{settings.STACK}/")["logGroups"]
        assert [group["retentionInDays"] for group in groups] == [365]
        assert "desk@example.com" in {one["Endpoint"] for one in sns.list_subscriptions()["Subscriptions"]}
        assert deploy()[0].startswith("unchanged")
    finally:
        settings.STACK_PARAMETERS = usual
        deploy()
    found = sqs.get_queue_attributes(QueueUrl=url, AttributeNames=["All"])["Attributes"]
    assert found["KmsMasterKeyId"]


def test_a_table_whose_indexes_hold_whole_items_is_accepted(table):
    described = describe_table()
    whole = [{**index, "Projection": {"ProjectionType": "ALL"}} for index in described["GlobalSecondaryIndexes"]]
    aws.dynamodb_client().delete_table(TableName=table)
    create_table({**described, "GlobalSecondaryIndexes": whole})
    try:
        assert bootstrap._projects(describe_table(), bootstrap.FIRST_INDEX_ATTRIBUTES, bootstrap.INDEX_ATTRIBUTES)
    finally:
        aws.dynamodb_client().delete_table(TableName=table)
        create_table(described)


def test_a_table_keeps_the_first_index_that_it_was_made_with():
    before = {"Parameters": [{"ParameterKey": "IndexAttributes", "ParameterValue": "name,currentStep"}]}
    assert bootstrap._kept_parameters(None) == {}
    assert bootstrap._kept_parameters(before) == {"FirstIndexAttributes": "name,currentStep"}
    before["Parameters"] += [{"ParameterKey": "FirstIndexAttributes", "ParameterValue": "name,data"}]
    assert bootstrap._kept_parameters(before) == {"FirstIndexAttributes": "name,data"}
