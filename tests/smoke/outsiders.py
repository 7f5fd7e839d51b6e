"""Who brings files: a person with a browser's session, a program with a key, another system with the bucket."""

import datetime as dt
import html
import json
import re
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import boto3
from django.core.files.base import ContentFile
from django.test.client import BOUNDARY, MULTIPART_CONTENT, encode_multipart

from tests.flow.visitor import Visitor

BUCKET = "countersign-documents"


class Person(Visitor):
    """Pages and their forms, over HTTP."""

    def send_form(self, path: str, fields: Mapping[str, Any], accept: str = "*/*") -> tuple[int, str]:
        """``fields``: values, or files as paths, as an HTML form sends them."""
        self.get(path)  # the form, and with it the token
        return self._send(path, body_of(fields), {"Content-Type": MULTIPART_CONTENT, "Accept": accept})

    def make_key(self) -> str:
        status, page = self.send_form("/settings/keys/", {"name": "Smoke", "may": ["READ", "WRITE"]})
        assert status == 201, status
        found = re.search(r"data-secret>\s*(\S+?)\s*<", page)
        assert found
        return found[1]

    def own_folder(self, name: str, project_id: str) -> None:
        status, page = self.send_form("/settings/incoming/folders/new/", {"name": name, "project_id": project_id})
        assert (status, name in page) == (200, True)

    def text(self, path: str) -> str:
        """What a page says, a line for each element."""
        status, page = self.get(path)
        assert status == 200, (path, status)
        lines = re.sub(r"<(script|style).*?</\1>", "", page, flags=re.DOTALL)
        words = (html.unescape(re.sub(r"<[^>]*>", "\n", lines))).splitlines()
        return "\n".join(line.strip() for line in words if line.strip())


class Program:
    """A key of the API, and nothing else."""

    def __init__(self, web: str, key: str) -> None:
        self.at, self.head = f"{web}/api/v1", {"Authorization": f"Bearer {key}"}
        self.opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))

    def get(self, path: str) -> Any:
        status, answer = self._send(path, None, {})
        assert status == 200, (path, answer)
        return answer

    def post(self, path: str, wish: Any) -> tuple[int, Any]:
        return self._send(path, json.dumps(wish).encode(), {"Content-Type": "application/json"})

    def send_file(self, project_id: str, file: Path) -> tuple[int, Any]:
        body = body_of({"file": file})
        return self._send(f"/projects/{project_id}/documents", body, {"Content-Type": MULTIPART_CONTENT})

    def documents(self) -> Iterator[dict[str, Any]]:
        """Of every project."""
        for project in self._items("/projects"):
            yield from self._items(f"/projects/{project['id']}/documents")

    def _items(self, path: str) -> Iterator[dict[str, Any]]:
        after = ""
        while True:
            page = self.get(path + (f"?after={after}" if after else ""))
            yield from page["items"]
            if not (after := page["next"]):
                return

    def _send(self, path: str, body: bytes | None, headers: Mapping[str, str]) -> tuple[int, Any]:
        request = urllib.request.Request(self.at + path, body, {**self.head, **headers})
        try:
            with self.opener.open(request, timeout=60) as answer:
                return answer.status, json.load(answer)
        except urllib.error.HTTPError as refused:
            with refused:
                return refused.code, json.load(refused)


def body_of(fields: Mapping[str, Any]) -> bytes:
    return encode_multipart(BOUNDARY, {name: _sent(value) for name, value in fields.items()})


def _sent(value: Any) -> Any:
    if isinstance(value, list):
        return [_sent(one) for one in value]
    return ContentFile(value.read_bytes(), name=value.name) if isinstance(value, Path) else value


class OtherSystem:
    """Another part of the company, with its own access to the account."""

    def __init__(self, endpoint: str) -> None:
        self.endpoint = endpoint

    def client(self, service: str) -> Any:
        return boto3.client(
            service, endpoint_url=self.endpoint, region_name="eu-central-1", aws_access_key_id="test",
            aws_secret_access_key="test",
        )  # fmt: skip

    def put_raw(self, folder: str, file: Path) -> None:
        self.put(f"raw/{dt.datetime.now(dt.UTC):%Y/%m/%d}/{folder}/{file.name}", file)

    def put(self, key: str, file: Path) -> None:
        self.client("s3").put_object(Bucket=BUCKET, Key=key, Body=file.read_bytes())

    def ask_the_desk(self, question: Mapping[str, Any]) -> str:
        """Publish a machine that asks ``desk-intake`` as docs/review-requests.md says, and start it: its execution."""
        sfn = self.client("stepfunctions")
        known = {one["name"]: one["stateMachineArn"] for one in sfn.list_state_machines()["stateMachines"]}
        state = {
            "Type": "Task",
            "Resource": "arn:aws:states:::states:startExecution.waitForTaskToken",
            "Parameters": {
                "StateMachineArn": known["countersign-desk-intake"],
                "Input": {
                    "token.$": "$$.Task.Token",
                    "AWS_STEP_FUNCTIONS_STARTED_BY_EXECUTION_ID.$": "$$.Execution.Id",
                    **question,
                },
            },
            "TimeoutSeconds": 1800,
            "End": True,
        }
        machine = sfn.create_state_machine(
            name="smoke-caller", definition=json.dumps({"StartAt": "Ask", "States": {"Ask": state}}),
            roleArn="arn:aws:iam::000000000000:role/smoke",
        )  # fmt: skip
        return str(sfn.start_execution(stateMachineArn=machine["stateMachineArn"], input="{}")["executionArn"])

    def answer_to(self, execution: str) -> tuple[str, Any]:
        """Its status, and what the desk answered."""
        found = self.client("stepfunctions").describe_execution(executionArn=execution)
        return str(found["status"]), json.loads(found.get("output") or "null")
