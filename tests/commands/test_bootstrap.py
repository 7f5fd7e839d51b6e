import pytest
from django.core.management import CommandError, call_command

from config import aws
from config import table as keys
from config.table import DEFAULT_SITE
from tests.aws_faults import count_calls
from workflows.definitions import actions as definition_actions
from workflows.definitions import asl
from workflows.definitions.blueprint import DOCUMENT_ANALYSIS
from workflows.definitions.items import Definition, DefinitionStep
from workflows.engine.machines import desk_intake
from workflows.runs import executions

WRITING = ("Create", "Delete", "Put", "Set", "Tag")
UPDATES = {"cloudformation.UpdateStack", "dynamodb.UpdateItem", "dynamodb.UpdateTimeToLive"}


def bootstrap(capsys: pytest.CaptureFixture[str]) -> list[str]:
    call_command("bootstrap")
    return capsys.readouterr().out.splitlines()


def test_it_publishes_the_definition_with_its_steps_and_its_machine(
    table: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert f"created    definition {DOCUMENT_ANALYSIS.id}" in bootstrap(capsys)
    for name in (DOCUMENT_ANALYSIS.id, DOCUMENT_ANALYSIS.name):
        stored = Definition.load(keys.DEFINITION.key(DEFAULT_SITE, workflow_id=name))
        assert (int(stored.version), stored.status) == (DOCUMENT_ANALYSIS.version, "active")
    steps = [
        DefinitionStep.load(
            keys.DEFINITION_STEP.key(DEFAULT_SITE, workflow_id=DOCUMENT_ANALYSIS.id, step_order=step.order)
        )
        for step in DOCUMENT_ANALYSIS.steps
    ]
    assert [step.name for step in steps] == [step.label for step in DOCUMENT_ANALYSIS.steps]


@pytest.mark.wide
def test_a_second_run_changes_nothing_and_says_so(table: str, capsys: pytest.CaptureFixture[str]) -> None:
    bootstrap(capsys)
    head = Definition.load(keys.DEFINITION.key(DEFAULT_SITE, workflow_id=DOCUMENT_ANALYSIS.name))
    with count_calls() as counted:
        lines = bootstrap(capsys)
    assert all(line.startswith("unchanged  ") for line in lines)
    assert {line.split()[1] for line in lines} == {"stack", "state", "definition"}
    assert not [call for call in counted.calls if call.operation.startswith(WRITING)]
    assert not UPDATES & set(counted.names())
    again = Definition.load(head.key)
    assert again.updatedAt == head.updatedAt


def test_publishing_twice_at_once_has_one_winner(table: str) -> None:
    assert definition_actions.publish_definition(DOCUMENT_ANALYSIS)
    assert not definition_actions.publish_definition(DOCUMENT_ANALYSIS)


def test_a_published_machine_that_differs_from_its_code_is_refused(
    table: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    bootstrap(capsys)
    monkeypatch.setattr(asl, "compile_definition", lambda _definition: '{"StartAt": "Other"}')
    with pytest.raises(CommandError, match="Give the change a new version"):
        call_command("bootstrap")


def test_the_machine_that_others_start_is_changed_in_place(
    table: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    bootstrap(capsys)
    body = desk_intake.compile_machine().replace("docs/review-requests.md", "docs/older.md")
    with monkeypatch.context() as older:
        older.setattr(desk_intake, "compile_machine", lambda: body)
        assert f"changed    state machine {desk_intake.name()}" in bootstrap(capsys)
    assert f"changed    state machine {desk_intake.name()}" in bootstrap(capsys)
    assert f"unchanged  state machine {desk_intake.name()}" in bootstrap(capsys)


def test_it_fails_with_one_sentence(settings: object) -> None:
    settings.AWS_ENDPOINT_URL = "http://127.0.0.1:1"  # type: ignore[attr-defined]
    with pytest.raises(CommandError, match="No embedded AWS is running"):
        call_command("bootstrap")


def test_machines_log_errors_without_data_and_what_was_changed_by_hand_is_put_right(
    table: str, capsys: pytest.CaptureFixture[str]
) -> None:
    bootstrap(capsys)
    sfn = aws.aws_client("stepfunctions")
    machine = executions.machine_name(DOCUMENT_ANALYSIS)
    arn = next(
        found["stateMachineArn"] for found in sfn.list_state_machines()["stateMachines"] if found["name"] == machine
    )
    before = sfn.describe_state_machine(stateMachineArn=arn)
    assert before["loggingConfiguration"]["level"] == "ERROR"
    assert before["loggingConfiguration"]["includeExecutionData"] is False
    group = before["loggingConfiguration"]["destinations"][0]["cloudWatchLogsLogGroup"]["logGroupArn"]
    groups = aws.aws_client("logs").describe_log_groups(logGroupNamePrefix="/aws/vendedlogs/states/")["logGroups"]
    assert group in {f"{found['arn'].removesuffix(':*')}:*" for found in groups}
    sfn.update_state_machine(stateMachineArn=arn, loggingConfiguration={"level": "OFF"})
    assert f"changed    state machine {machine}: its logging" in bootstrap(capsys)
    after = sfn.describe_state_machine(stateMachineArn=arn)
    assert (after["definition"], after["loggingConfiguration"]) == (
        before["definition"],
        before["loggingConfiguration"],
    )
    assert f"unchanged  state machine {machine}" in bootstrap(capsys)
