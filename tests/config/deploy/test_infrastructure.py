import re
import subprocess
import sys
from pathlib import Path

import pytest
from django.conf import settings

from config import aws
from config.deploy import bootstrap, template
from config.table import FIRST_INDEX_ATTRIBUTES, INDEX_ATTRIBUTES

TEMPLATE = template.template_body()


def statements(role):
    """The actions that a role's inline and attached policies allow."""
    iam = aws.aws_client("iam")
    documents = [
        iam.get_role_policy(RoleName=role, PolicyName=name)["PolicyDocument"]
        for name in iam.list_role_policies(RoleName=role)["PolicyNames"]
    ]
    for attached in iam.list_attached_role_policies(RoleName=role)["AttachedPolicies"]:
        arn = attached["PolicyArn"]
        version = iam.get_policy(PolicyArn=arn)["Policy"]["DefaultVersionId"]
        documents.append(iam.get_policy_version(PolicyArn=arn, VersionId=version)["PolicyVersion"]["Document"])
    found = set()
    for document in documents:
        for statement in document["Statement"]:
            actions = statement["Action"]
            found |= {actions} if isinstance(actions, str) else set(actions)
    return found


def attributes(queue):
    sqs = aws.aws_client("sqs")
    url = sqs.get_queue_url(QueueName=queue)["QueueUrl"]
    return sqs.get_queue_attributes(QueueUrl=url, AttributeNames=["All"])["Attributes"]


@pytest.mark.wide
def test_the_template_passes_cfn_lint(tmp_path):
    laid = tmp_path / "countersign.yaml"
    laid.write_text(TEMPLATE)
    cfn_lint = Path(sys.executable).with_name("cfn-lint")  # as a process: imported, it breaks on warnings as errors
    lint = subprocess.run([cfn_lint, laid], capture_output=True, text=True, check=False)
    assert lint.returncode == 0, lint.stdout


def test_the_template_fits_into_a_request_with_room_for_another_queue():
    assert len(TEMPLATE.encode()) < 51_200 - 1_700


def test_every_parameter_is_passed_and_no_other():
    block = TEMPLATE.partition("Parameters:\n")[2].partition("\nConditions:")[0]
    assert set(re.findall(r"^ (\w+):", block, re.MULTILINE)) == set(bootstrap.template_parameters())


def test_both_indexes_project_what_lists_show_and_nothing_else(table):
    described = aws.dynamodb_client().describe_table(TableName=table)["Table"]
    assert len(INDEX_ATTRIBUTES) == len(FIRST_INDEX_ATTRIBUTES) <= 20
    assert {
        index["IndexName"]: tuple(index["Projection"]["NonKeyAttributes"])
        for index in described["GlobalSecondaryIndexes"]
    } == {"GSI1": FIRST_INDEX_ATTRIBUTES, "GSI2": INDEX_ATTRIBUTES}


def test_the_table_streams_expires_and_is_billed_by_request(aws_stack):
    client = aws.dynamodb_client()
    described = client.describe_table(TableName=settings.TABLE_NAME)["Table"]
    assert described["BillingModeSummary"]["BillingMode"] == "PAY_PER_REQUEST"
    assert described["StreamSpecification"]["StreamViewType"] == "NEW_AND_OLD_IMAGES"
    ttl = client.describe_time_to_live(TableName=settings.TABLE_NAME)["TimeToLiveDescription"]
    assert ttl == {"TimeToLiveStatus": "ENABLED", "AttributeName": "TimeToLive"}


def test_the_bucket_is_private_versioned_and_tells_eventbridge(aws_stack):
    s3 = aws.aws_client("s3")
    bucket = settings.BUCKET_NAME
    assert s3.get_bucket_versioning(Bucket=bucket)["Status"] == "Enabled"
    assert "EventBridgeConfiguration" in s3.get_bucket_notification_configuration(Bucket=bucket)
    assert all(s3.get_public_access_block(Bucket=bucket)["PublicAccessBlockConfiguration"].values())
    assert "aws:SecureTransport" in s3.get_bucket_policy(Bucket=bucket)["Policy"]


def test_a_message_that_keeps_failing_ends_in_the_dead_letter_queue(aws_stack):
    for queue in settings.QUEUE_URLS:
        found = attributes(queue)
        assert found["VisibilityTimeout"] == str(settings.QUEUE_VISIBILITY_SECONDS)
        assert '"maxReceiveCount":5' in found["RedrivePolicy"]
        assert f"{queue}-dead" in found["RedrivePolicy"]


def test_a_published_event_arrives_in_the_events_queue(table):
    aws.aws_client("events").put_events(
        Entries=[
            {
                "Source": settings.EVENT_SOURCE,
                "DetailType": "document.processed",
                "Detail": '{"document_id": "d"}',
                "EventBusName": settings.BUS_NAME,
            }
        ]
    )
    sqs = aws.aws_client("sqs")
    url = sqs.get_queue_url(QueueName=bootstrap.EVENTS_QUEUE)["QueueUrl"]
    messages = sqs.receive_message(QueueUrl=url, WaitTimeSeconds=5)["Messages"]
    assert len(messages) == 1
    assert '"document.processed"' in messages[0]["Body"]


def test_an_event_of_somebody_else_does_not(table):
    aws.aws_client("events").put_events(
        Entries=[{"Source": "other", "DetailType": "x", "Detail": "{}", "EventBusName": settings.BUS_NAME}]
    )
    assert attributes(bootstrap.EVENTS_QUEUE)["ApproximateNumberOfMessages"] == "0"


def test_the_web_process_may_not_answer_a_task_nor_take_work(aws_stack):
    web = statements(f"{settings.STACK}-web")
    assert "dynamodb:UpdateItem" in web
    assert not {action for action in web if action.startswith("states:SendTask")}
    assert "dynamodb:Scan" not in web
    own = aws.aws_client("iam").get_role_policy(RoleName=f"{settings.STACK}-web", PolicyName="web")["PolicyDocument"]
    received = [one for one in own["Statement"] if "sqs:ReceiveMessage" in one["Action"]]
    assert all(arn.endswith("-dead") for one in received for arn in one["Resource"])


def test_the_worker_may_redeem_and_publish(aws_stack):
    worker = statements(f"{settings.STACK}-worker")
    assert worker >= {"states:SendTaskSuccess", "states:SendTaskFailure", "sqs:ReceiveMessage", "events:PutEvents"}
