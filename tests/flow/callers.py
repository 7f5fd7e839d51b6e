"""Other people's state machines on the emulator: their ASL as its authors wrote it, started, looked at, stopped.

Services that the emulator lacks answer through a queue: a state that calls one waits at a token instead, its arguments
are held against botocore's model of the operation, and so is what the test answers.
"""

import json
import re
import time
import uuid
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import boto3
from botocore import xform_name
from botocore.validate import validate_parameters
from django.conf import settings

from config import aws
from review.handovers.actions import ref_of
from review.identity import ReviewRef
from review.items.reviews import Review
from review.queries import list_queue
from tests.pump import Pump
from workflows.engine.machines import desk_intake

EXAMPLES = Path(settings.BASE_DIR) / "docs" / "examples"
_SDK = re.compile(r"arn:aws:states:::(?:aws-sdk:)?(textract|s3|bedrockruntime):(\w+)")
_SERVICES = {"bedrockruntime": "bedrock-runtime"}
Answer = Callable[[dict[str, Any]], dict[str, Any]]


def machine_arn(name: str) -> str:
    return f"arn:aws:states:{settings.AWS_REGION}:{settings.AWS_ACCOUNT_ID}:stateMachine:{name}"


def example(name: str, **more: str) -> dict[str, Any]:
    """An example with its substitutions, as CloudFormation's DefinitionSubstitutions make them."""
    known = {"DeskIntakeArn": machine_arn(desk_intake.name()), "EventBusName": settings.BUS_NAME, **more}
    text = re.sub(r"\$\{(\w+)\}", lambda found: known[found[1]], (EXAMPLES / f"{name}.asl.json").read_text())
    definition: dict[str, Any] = json.loads(text)
    return definition


@dataclass(frozen=True)
class Caller:
    """A machine of somebody else's. ``answers``: operation → what the service answers to these arguments."""

    name: str
    answers: Mapping[str, Answer]

    @property
    def queue(self) -> str:
        return f"{settings.STACK}-{self.name}"

    def start(self, given: Mapping[str, Any]) -> "Started":
        answer = aws.aws_client("stepfunctions").start_execution(
            stateMachineArn=machine_arn(self.name), name=str(uuid.uuid4()), input=json.dumps(dict(given))
        )
        return Started(self, answer["executionArn"])

    def serve(self) -> None:
        """Answer what its states ask of services that the emulator lacks."""
        sqs = aws.aws_client("sqs")
        if not self.answers:
            return
        url = sqs.get_queue_url(QueueName=self.queue)["QueueUrl"]
        for message in sqs.receive_message(QueueUrl=url, MaxNumberOfMessages=10).get("Messages", ()):
            sqs.delete_message(QueueUrl=url, ReceiptHandle=message["ReceiptHandle"])
            asked = json.loads(message["Body"])
            output = json.dumps(self._answer(asked["operation"], asked["arguments"]), default=str)
            aws.aws_client("stepfunctions").send_task_success(taskToken=asked["token"], output=output)

    def _answer(self, operation: str, arguments: dict[str, Any]) -> dict[str, Any]:
        service, name = operation.split(":")
        client = boto3.client(_SERVICES.get(service, service), region_name="eu-central-1")
        known = {xform_name(one): one for one in client.meta.service_model.operation_names}
        model = client.meta.service_model.operation_model(known[xform_name(name)])
        validate_parameters(_renamed(arguments, model.input_shape, up=False), model.input_shape)
        answer = self.answers[operation](arguments)
        if service == "s3":  # its body is a stream there, and text here, as Step Functions has it
            return answer
        validate_parameters(answer, model.output_shape)
        renamed: dict[str, Any] = _renamed(answer, model.output_shape, up=True)
        return renamed


def _renamed(value: Any, shape: Any, *, up: bool) -> Any:
    """Step Functions has every name in PascalCase, some services do not (AWS: "SDK service integrations")."""
    if shape.type_name == "structure" and isinstance(value, dict):
        names = {one[:1].upper() + one[1:]: one for one in shape.members}
        back = {own: pascal for pascal, own in names.items()}
        pairs = [(name, back[name] if up else names.get(name, name)) for name in value]
        members = {to: shape.members[name if up else to] for name, to in pairs if (name if up else to) in shape.members}
        return {to: _renamed(value[name], members[to], up=up) if to in members else value[name] for name, to in pairs}
    if shape.type_name == "list" and isinstance(value, list):
        return [_renamed(one, shape.member, up=up) for one in value]
    return value


@dataclass(frozen=True)
class Started:
    caller: Caller
    arn: str

    def status(self) -> dict[str, Any]:
        found: dict[str, Any] = aws.aws_client("stepfunctions").describe_execution(executionArn=self.arn)
        return found

    def ended(self) -> bool:
        self.caller.serve()
        return bool(self.status()["status"] != "RUNNING")

    def output(self) -> Any:
        found = self.status()
        assert found["status"] == "SUCCEEDED", found
        return json.loads(found["output"])

    def review(self, pump: Pump) -> ReviewRef:
        """The question that it waits with, once the desk has it."""
        found: list[Review] = []

        def asked() -> bool:
            self.caller.serve()
            rows = [Review.load(row.key) for row in list_queue("default").rows]
            found[:] = [row for row in rows if row.execution_arn == self.arn]
            return bool(found)

        pump.run(asked)
        return ref_of("default", found[0].reviewId)

    def end(self, pump: Pump) -> None:
        pump.run(self.ended)


def publish(name: str, definition: Mapping[str, Any], answers: Mapping[str, Answer] | None = None) -> Caller:
    """Create the machine; where it calls a service of ``answers``, that state waits for the test instead."""
    caller, sfn = Caller(name, answers or {}), aws.aws_client("stepfunctions")
    body = json.loads(json.dumps(definition))
    if answers:
        url = aws.aws_client("sqs").create_queue(QueueName=caller.queue)["QueueUrl"]
        aws.aws_client("sqs").purge_queue(QueueUrl=url)
        _stand_in(body, url, answers)
    arn = machine_arn(name)
    try:
        sfn.delete_state_machine(stateMachineArn=arn)
    except sfn.exceptions.ClientError:
        time.sleep(0)
    role = f"arn:aws:iam::{settings.AWS_ACCOUNT_ID}:role/them"
    sfn.create_state_machine(name=name, definition=json.dumps(body), roleArn=role)
    return caller


def _stand_in(machine: dict[str, Any], url: str, answers: Mapping[str, Answer]) -> None:
    for state in machine["States"].values():
        found = _SDK.match(state.get("Resource", ""))
        if found and f"{found[1]}:{found[2]}" in answers:
            sent = {
                "token": "{% $states.context.Task.Token %}",
                "operation": f"{found[1]}:{found[2]}",
                "arguments": state["Arguments"],
            }
            state["Resource"] = "arn:aws:states:::sqs:sendMessage.waitForTaskToken"
            state["Arguments"] = {"QueueUrl": url, "MessageBody": sent}
