"""Every AWS call that stands in our code is granted to one of the roles, also where no test's journey comes by."""

import functools
import re
from pathlib import Path

import boto3
import pytest
from django.conf import settings

from tests.config.test_policies import allowed

ROOT = Path(settings.BASE_DIR)
PACKAGES = ("config", "projects", "workflows", "review")
_CLIENT = re.compile(r"""(?<!provider_)client\("([a-z0-9-]+)"\)""")
_PROVIDER = re.compile(r"""provider_client\("([a-z0-9-]+)"[),]""")
_CALLED = (re.compile(r"\.([a-z_0-9]+)\b"), re.compile(r"get_paginator\(\"([a-z_0-9]+)\"\)"))
# botocore's name of a service → IAM's, where they differ.
_PREFIX = {
    "stepfunctions": "states",
    "bedrock-runtime": "bedrock",
    "bedrock-data-automation-runtime": "bedrock",
}
# botocore's operation → IAM's action, where they differ.
_ACTION = {
    "s3:ListObjectsV2": "s3:ListBucket",
    "s3:ListObjectVersions": "s3:ListBucketVersions",
    "s3:HeadObject": "s3:GetObject",
    "s3:GetPublicAccessBlock": "s3:GetBucketPublicAccessBlock",
    "s3:DeleteObjects": "s3:DeleteObject",
    "s3:DownloadFile": "s3:GetObject",
    "sqs:ChangeMessageVisibilityBatch": "sqs:ChangeMessageVisibility",
    "bedrock:Converse": "bedrock:InvokeModel",
}
# Only an administrator's first run does it.
NOBODYS = {"cloudformation:CreateStack"}


@functools.cache
def operations(service: str) -> dict[str, str]:
    """boto3's method → AWS's operation."""
    mapping: dict[str, str] = boto3.client(service, region_name="eu-central-1").meta.method_to_api_mapping
    return mapping


def calls() -> set[str]:
    """IAM actions of what a module names that asks for a client; a provider's client is handed to other modules."""
    sources = [path.read_text() for package in PACKAGES for path in (ROOT / package).rglob("*.py")]
    named = [{name for pattern in _CALLED for name in pattern.findall(text)} for text in sources]
    asked = [(service, names) for text, names in zip(sources, named, strict=True) for service in _CLIENT.findall(text)]
    asked += [(service, set().union(*named)) for text in sources for service in _PROVIDER.findall(text)]
    found = {
        f"{_PREFIX.get(service, service)}:{operations(service)[name]}"
        for service, names in asked
        for name in names & operations(service).keys()
    }
    return {_ACTION.get(action, action) for action in found}


@pytest.fixture(scope="module")
def found():
    return calls()


def test_the_search_sees_what_is_called(found):
    assert found >= {
        "states:SendTaskSuccess", "events:PutEvents", "s3:ListBucketVersions", "cloudformation:UpdateStack",
        "sqs:ChangeMessageVisibility", "textract:StartDocumentAnalysis", "bedrock:InvokeModel",
    }  # fmt: skip


def test_every_call_in_the_code_is_granted_to_a_role(found):
    granted = allowed("WebRole") | allowed("WorkerRole") | allowed("DeployerRole")
    assert sorted(found - granted - NOBODYS) == []
