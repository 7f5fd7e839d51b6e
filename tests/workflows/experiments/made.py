"""Documents that a run has read, many from one, a test set of them, and an experiment on it."""

import uuid
from collections.abc import Sequence
from decimal import Decimal
from typing import Any
from unittest import mock

from django.conf import settings

from config import aws, table
from config.table import Key
from projects.audit.events import Actor
from projects.models.spec import ModelSpec
from projects.prompts import actions as prompt_actions
from projects.prompts.prompt import Prompt
from projects.prompts.queries import PromptRef
from tests.projects.models.catalogue import SPEC
from tests.workflows.experiments.counting_server import CAREFUL, RIGHT
from workflows.experiments import actions, lanes, queries
from workflows.experiments.actions import Draft
from workflows.experiments.items import Experiment
from workflows.experiments.queries import ExperimentRef
from workflows.runs.items import Run
from workflows.storage.objects import DocumentFiles
from workflows.testsets import actions as testset_actions
from workflows.testsets.cases import KnownAnswers, KnownField
from workflows.testsets.queries import SetRef

SITE, BY = "default", Actor("1", "Ada Admin")
MODEL: ModelSpec = SPEC
PRICED = {"price_in": Decimal(1), "price_out": Decimal(10)}
_OWN = ("runs/", "answers/", "experiments/", "truths/")


def copy_document(run: Run, number: int) -> str:
    """Another document that was read like this one, with a word of its own; its id."""
    new = str(uuid.uuid4())
    for key in (
        table.DOCUMENT.key(run.site, document_id=run.document_id),
        table.PROJECT_DOCUMENT.key(run.site, project_id=run.project_id, document_id=run.document_id),
        table.DOCUMENT_WORKFLOW.key(run.site, document_id=run.document_id, workflow_id=run.workflow_id),
    ):
        _copy_row(key, run.document_id, new)
    s3, root = aws.aws_client("s3"), DocumentFiles(run.site, run.project_id, run.document_id).root
    found = s3.list_objects_v2(Bucket=settings.BUCKET_NAME, Prefix=root)["Contents"]
    for name in (one["Key"] for one in found):
        if name.removeprefix(root).startswith(_OWN):
            continue
        body = s3.get_object(Bucket=settings.BUCKET_NAME, Key=name)["Body"].read()
        if name.endswith(".json"):
            body = body.replace(run.document_id.encode(), new.encode()).replace(
                b"Drawing", f"Draw{number:04d}".encode()
            )
        s3.put_object(Bucket=settings.BUCKET_NAME, Key=name.replace(run.document_id, new), Body=body)
    return new


def _copy_row(key: Key, old: str, new: str) -> None:
    client = aws.dynamodb_client()
    row = client.get_item(TableName=settings.TABLE_NAME, Key={"PK": {"S": key.pk}, "SK": {"S": key.sk}})["Item"]
    client.put_item(TableName=settings.TABLE_NAME, Item=_renamed(row, old, new))


def _renamed(value: Any, old: str, new: str) -> Any:
    if isinstance(value, str):
        return value.replace(old, new)
    if isinstance(value, dict):
        return {name: _renamed(one, old, new) for name, one in value.items()}
    return [_renamed(one, old, new) for one in value] if isinstance(value, list) else value


def make_set(project_id: str, documents: Sequence[str]) -> SetRef:
    """Of documents whose answers are those of the sample, by turns in one half and the other."""
    ref = testset_actions.create_test_set(SITE, project_id, "Receipts", by=BY)
    known = [
        (
            document,
            KnownAnswers(tuple(KnownField(name, name.title(), _kind(name), value) for name, value in RIGHT.items())),
        )
        for document in documents
    ]
    cases = testset_actions.collect_cases(SITE, project_id, known)
    spread = [
        type(one)(one.document_id, one.sha256, "tuning" if number % 2 else "held_back", one.fields)
        for number, one in enumerate(cases)
    ]
    testset_actions.add_cases(ref, spread, note="", by=BY)
    return ref


def _kind(name: str) -> str:
    return {"total": "amount", "date": "date"}.get(name, "text")


def save_prompt(project_id: str, words: str) -> int:
    prompt = Prompt("extract", f"{words}\n", "{{page_text}}\n")
    ref = PromptRef(SITE, project_id, "extract")
    return prompt_actions.save_version(ref, prompt, based_on=1, note="", by=BY).version


def make_experiment(ref: SetRef, prompts: Sequence[int], *, lanes: int = 2, **wanted: Any) -> ExperimentRef:
    draft = Draft(
        **{"name": "Trial", "testset_id": ref.testset_id, "prompts": tuple(prompts), "models": (MODEL,), **wanted}
    )
    with mock.patch.object(settings, "EXPERIMENT_LANES", lanes):
        return actions.create_experiment(SITE, ref.project_id, draft, by=BY)


def two_prompts(project_id: str) -> tuple[int, int]:
    """One that the counting server answers wrongly, and a careful one."""
    return save_prompt(project_id, "Read the page."), save_prompt(project_id, CAREFUL)


def work(ref: ExperimentRef, lane: int = 0) -> str:
    """Go along a lane as a worker does whom its message has reached; the order of the next one."""
    return lanes.work_lane(ref, lane, order_id=str(queries.get_lane(ref, lane).order_id), keep=lambda: None)


def work_all(ref: ExperimentRef) -> Experiment:
    """Go along every lane; the head as it is then."""
    for lane in range(int(queries.get_experiment(ref).lanes)):
        while work(ref, lane):
            pass
    return queries.get_experiment(ref)
