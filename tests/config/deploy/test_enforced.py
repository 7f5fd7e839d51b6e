"""The roles on an embedded AWS that refuses what no policy allows; that of the other tests refuses nothing."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import boto3
import pytest
from botocore.config import Config
from botocore.exceptions import ClientError
from django.conf import settings

from config.deploy import template
from config.deploy.bootstrap import template_parameters
from config.laptop import emulator
from tests.commands.desk import free_port

ACCOUNT = "900000009999"
BY_KEY = {"KeyConditionExpression": "GSI1PK = :pk", "ExpressionAttributeValues": {":pk": {"S": "PROJECTS"}}}
KEY = {"PK": {"S": "PROJ#p"}, "SK": {"S": "META"}}


class Desk:
    """Clients of an emulator that asks who calls."""

    def __init__(self, endpoint: str) -> None:
        self.endpoint = endpoint

    def client(self, service: str, key: str = ACCOUNT, secret: str = "test") -> Any:
        return boto3.client(
            service,
            region_name=settings.AWS_REGION,
            endpoint_url=self.endpoint,
            aws_access_key_id=key,
            aws_secret_access_key=secret,
            config=Config(s3={"addressing_style": "path"}, retries={"total_max_attempts": 1}),
        )

    def becomes(self, role: str) -> dict[str, str]:
        """A user with the policies of a role: its trust admits machines of AWS only, and no test is one."""
        iam = self.client("iam")
        iam.create_user(UserName=role)
        for number, attached in enumerate(iam.list_attached_role_policies(RoleName=role)["AttachedPolicies"]):
            version = iam.get_policy(PolicyArn=attached["PolicyArn"])["Policy"]["DefaultVersionId"]
            found = iam.get_policy_version(PolicyArn=attached["PolicyArn"], VersionId=version)
            self._put(iam, role, f"attached-{number}", found["PolicyVersion"]["Document"])
        for name in iam.list_role_policies(RoleName=role)["PolicyNames"]:
            self._put(iam, role, name, iam.get_role_policy(RoleName=role, PolicyName=name)["PolicyDocument"])
        made = iam.create_access_key(UserName=role)["AccessKey"]
        return {"key": made["AccessKeyId"], "secret": made["SecretAccessKey"]}

    def _put(self, iam: Any, user: str, name: str, document: Any) -> None:
        iam.put_user_policy(UserName=user, PolicyName=name, PolicyDocument=json.dumps(document))


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Desk]:
    with pytest.MonkeyPatch.context() as patch:
        usual = emulator.emulator_environment
        patch.setattr(emulator, "emulator_environment", lambda **given: usual(**given) | {"AUTH": "true"})
        folder: Path = tmp_path_factory.mktemp("enforced")
        running = emulator.start_emulator(state_dir=folder, port=int(free_port()), persistent=False)
    with running:
        found = Desk(running.endpoint)
        wanted = template_parameters() | {"BucketName": "countersign-enforced"}
        found.client("cloudformation").create_stack(
            StackName=settings.STACK,
            TemplateBody=template.template_body(),
            Capabilities=["CAPABILITY_NAMED_IAM"],
            Parameters=[{"ParameterKey": name, "ParameterValue": value} for name, value in wanted.items()],
        )
        found.client("cloudformation").get_waiter("stack_create_complete").wait(
            StackName=settings.STACK, WaiterConfig={"Delay": 1}
        )
        yield found


def refusal(call: Any, **wanted: Any) -> str:
    """The error's code, empty where it was carried out."""
    try:
        call(**wanted)
    except ClientError as error:
        return str(error.response["Error"]["Code"])
    return ""


DENIED = {"AccessDenied", "AccessDeniedException"}


def test_the_web_process_works_on_rows_and_files_and_answers_no_task(desk: Desk) -> None:
    web = desk.becomes(f"{settings.STACK}-web")
    table, sfn = (desk.client(name, **web) for name in ("dynamodb", "stepfunctions"))
    assert refusal(table.put_item, TableName=settings.TABLE_NAME, Item=KEY) == ""
    assert refusal(table.query, TableName=settings.TABLE_NAME, IndexName="GSI1", **BY_KEY) == ""
    assert refusal(table.scan, TableName=settings.TABLE_NAME) in DENIED
    assert refusal(table.delete_table, TableName=settings.TABLE_NAME) in DENIED
    assert refusal(sfn.send_task_success, taskToken="t", output="{}") in DENIED
    assert refusal(sfn.send_task_failure, taskToken="t") in DENIED


def test_a_worker_answers_tasks_and_comes_to_bucket_and_queue_by_tls_only(desk: Desk) -> None:
    worker = desk.becomes(f"{settings.STACK}-worker")
    sfn, iam = desk.client("stepfunctions", **worker), desk.client("iam", **worker)
    assert refusal(sfn.send_task_success, taskToken="t", output="{}") not in DENIED | {""}  # there is no such task
    assert refusal(iam.list_roles) in DENIED
    s3, sqs = desk.client("s3", **worker), desk.client("sqs", **worker)  # its role allows both; this is plain HTTP
    assert refusal(s3.put_object, Bucket="countersign-enforced", Key="k", Body=b"") in DENIED
    assert refusal(sqs.get_queue_url, QueueName=settings.STEPS_QUEUE) in DENIED


def test_a_deployer_reads_its_stack_and_changes_no_role(desk: Desk) -> None:
    deployer = desk.becomes(f"{settings.STACK}-deployer")
    table, iam = desk.client("dynamodb", **deployer), desk.client("iam", **deployer)
    definition = {"PK": {"S": "WORKFLOW#document-analysis"}, "SK": {"S": "#METADATA"}}
    assert refusal(table.put_item, TableName=settings.TABLE_NAME, Item=definition) == ""
    assert refusal(table.delete_table, TableName=settings.TABLE_NAME) in DENIED
    stacks = desk.client("cloudformation", **deployer)
    assert refusal(stacks.describe_stacks, StackName=settings.STACK) == ""
    assert refusal(stacks.delete_stack, StackName=settings.STACK) in DENIED
    assert refusal(iam.put_role_policy, RoleName="x", PolicyName="x", PolicyDocument="{}") in DENIED
