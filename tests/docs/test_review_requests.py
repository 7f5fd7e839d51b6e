"""The page for callers against the shape that is taken and the answer that is sent."""

import fnmatch
import json
import re
from pathlib import Path

from django.conf import settings

from review.handovers import actions as handover_actions
from review.handovers import delivery, question
from review.handovers.question import FieldAsked, MachineQuestion, Policy
from review.identity import ReviewRef
from workflows.engine.machines import desk_intake
from workflows.storage import files
from workflows.storage.objects import DocumentFiles

PAGE = (Path(settings.BASE_DIR) / "docs/review-requests.md").read_text()


def blocks() -> list[str]:
    return re.findall(r"```json\n(.*?)```", PAGE, re.DOTALL)


def test_the_table_names_every_entry_and_no_other() -> None:
    rows = re.findall(r"^\| (`.+?) \|", PAGE.partition("## Request")[2].partition("## Response")[0], re.MULTILINE)
    named = {name for row in rows for name in re.findall(r"`(\w+)`", row)}
    assert named == {one.alias or name for name, one in MachineQuestion.model_fields.items()}


def test_fields_policy_limits_and_errors_are_told() -> None:
    for shape in (FieldAsked, Policy):
        assert [name for name in shape.model_fields if f"`{name}`" not in PAGE] == []
    assert f"up to {question.MOST_FIELDS}:" in PAGE
    assert f"up to {question.MOST_FILES} files" in PAGE
    assert f"{question.LONGEST_TEXT:,} characters" in PAGE
    assert f"from {question.SHORTEST_SECONDS} seconds to {settings.REVIEW_DRAFT_SECONDS // 86_400} days" in PAGE
    for name in (handover_actions.REFUSED, delivery.EXPIRED, delivery.DECIDED_EVENT, delivery.EXPIRED_EVENT):
        assert f"`{name}`" in PAGE


def test_the_example_is_taken_as_it_stands() -> None:
    state = json.loads(f"{{{blocks()[0]}}}")["Ask the desk"]
    sent = {name.removesuffix(".$"): value for name, value in state["Parameters"]["Input"].items()}
    fields = [{name.removesuffix(".$"): value for name, value in one.items()} for one in sent["fields"]]
    fields[0] |= {"value": 12, "confidence": 0.5}
    arn = "arn:aws:states:eu-central-1:111122223333:execution:them:1"
    sent |= {"token": "t", "fields": fields, "AWS_STEP_FUNCTIONS_STARTED_BY_EXECUTION_ID": arn}
    assert question.read_machine_question(sent).machine == "them"
    assert state["TimeoutSeconds"] >= sent["deadline_seconds"] + 300
    assert state["Parameters"]["StateMachineArn"].endswith(f":{desk_intake.name()}")


def test_the_rights_that_it_names_are_enough_to_read_an_answer_and_no_document() -> None:
    start, read = json.loads(blocks()[1])
    assert start["Action"] == "states:StartExecution"
    may = read["Resource"].partition(":::")[2].partition("/")[2]
    decision = files.decision("desk-1", "01H", "0" * 64)
    for site in ("default", "acme"):
        ref: ReviewRef = handover_actions.ref_of(site, "1")
        assert fnmatch.fnmatchcase(DocumentFiles(site, files.QUESTIONS, ref.document_id).root + decision, may)
        assert not fnmatch.fnmatchcase(DocumentFiles(site, "proj_a", "7b0cf3d5").root + decision, may)
        result = DocumentFiles(site, files.QUESTIONS, ref.document_id).root + files.result("desk-1")
        assert not fnmatch.fnmatchcase(result, may)
