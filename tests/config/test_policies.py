"""Who may do what, read from the template: every statement of every policy in it."""

from collections.abc import Iterator
from typing import Any

from tests.config import parsed

# Where a policy cannot name what it is about. Each is here with its reason, and no other.
EVERYWHERE = {
    ("Key", "Account"): "a key's policy is about this key; without it nobody could change the policy",
    ("Key", "EventsToQueuesAndAlarmsToTopics"): "a key's policy is about this key",
    ("Key", "Logs"): "a key's policy is about this key",
    ("StateMachineRole", "Logs"): "the delivery of logs is no resource",
    ("WorkerRole", "Redeem"): "a token names its machine itself",
    ("WorkerRole", "Read"): "Textract knows no resources",
}
EVERY_ACTION = {("Key", "Account")}


def listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]


def statements(*kinds: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """The name of the resource and the statement; of every policy, or of those of some types of resource."""
    for name, resource in parsed.laid()["Resources"].items():
        if kinds and resource["Type"].removeprefix("AWS::") not in kinds:
            continue
        properties = parsed.plain(resource.get("Properties", {}))
        documents = [properties.get("PolicyDocument"), properties.get("KeyPolicy")]
        documents += [policy["PolicyDocument"] for policy in properties.get("Policies", ())]
        for document in filter(None, documents):
            for statement in document["Statement"]:
                yield name, statement


def allowed(role: str) -> set[str]:
    """The actions of a role, its attached policies among them."""
    attached = [policy["Ref"] for policy in parsed.resources("IAM::Role")[role].get("ManagedPolicyArns", ())]
    return {
        action
        for name, statement in statements()
        if name in {role, *attached} and statement["Effect"] == "Allow"
        for action in listed(statement["Action"])
    }


def test_every_statement_says_what_it_is_for():
    assert [name for name, statement in statements() if "Sid" not in statement] == []


def test_nothing_is_allowed_on_everything_but_what_is_listed_with_its_reason():
    found = {
        (name, statement["Sid"])
        for name, statement in statements()
        if statement["Effect"] == "Allow" and "*" in listed(statement["Resource"])
    }
    assert found == set(EVERYWHERE)


def test_no_statement_allows_actions_by_a_pattern():
    found = {
        (name, statement["Sid"])
        for name, statement in statements()
        if statement["Effect"] == "Allow" and any("*" in action for action in listed(statement["Action"]))
    }
    assert found == EVERY_ACTION


def test_nobody_but_the_worker_answers_a_task():
    for role in parsed.resources("IAM::Role"):
        answers = {action for action in allowed(role) if action.startswith("states:SendTask")}
        assert bool(answers) == (role == "WorkerRole"), role


def test_the_web_process_takes_no_work_and_reads_no_whole_table():
    web = allowed("WebRole")
    assert "dynamodb:UpdateItem" in web
    assert not web & {"dynamodb:Scan", "s3:DeleteObject"}
    taken = [
        reference["GetAtt"]
        for name, statement in statements()
        if name in {"WebRole", "DeskPolicy"} and "sqs:ReceiveMessage" in listed(statement["Action"])
        for reference in listed(statement["Resource"])
    ]
    assert all(queue.endswith("DeadQueue.Arn") for queue in taken)  # what failed, for an admin to look at
    assert not {action for action in web if action.split(":")[0] in {"textract", "transcribe", "bedrock"}}


def test_a_worker_makes_machines_but_changes_and_ends_none():
    made = {action for action in allowed("WorkerRole") if "StateMachine" in action}
    assert made == {"states:CreateStateMachine", "states:DescribeStateMachine"}
    assert not {action for action in allowed("WebRole") if "StateMachine" in action}


def test_a_machine_orders_work_and_logs_and_does_nothing_else():
    actions = allowed("StateMachineRole")
    assert {action.split(":")[0] for action in actions} == {"sqs", "kms", "logs", "s3", "states"}
    assert "sqs:ReceiveMessage" not in actions
    # A batch's Distributed Map: it reads the list of parts, and its items are executions of its own machine.
    assert {action for action in actions if action.startswith("s3:")} == {"s3:GetObject"}
    assert not {action for action in actions if action.startswith("states:SendTask")}


def test_the_deployer_changes_no_role_no_key_and_no_row_but_definitions_and_their_events():
    deployer = allowed("DeployerRole")
    assert {action for action in deployer if action.startswith("iam:")} == {"iam:PassRole"}
    assert not deployer & {"dynamodb:DeleteTable", "s3:DeleteBucket", "kms:PutKeyPolicy", "states:StartExecution"}
    rows = [
        statement
        for name, statement in statements("IAM::ManagedPolicy")
        if name == "DeployerPolicy" and "dynamodb:PutItem" in statement["Action"]
    ]
    assert [statement["Condition"] for statement in rows] == [
        {"ForAllValues:StringLike": {"dynamodb:LeadingKeys": ["WORKFLOW#*", "*/WORKFLOW#*"]}},
        {"ForAllValues:StringLike": {"dynamodb:LeadingKeys": ["entityevent#definition#*", "audit#*"]}},
    ]


def test_only_a_worker_tells_senders_and_only_on_their_topic():
    found = [
        (name, statement["Resource"])
        for name, statement in statements("IAM::Role", "IAM::ManagedPolicy")
        if "sns:Publish" in listed(statement["Action"])
    ]
    assert found == [("WorkerRole", {"Ref": "SendersTopicArn"})]


def test_nobody_comes_in_without_tls():
    covered: set[str] = set()
    for properties in (
        *parsed.resources("SQS::QueuePolicy").values(),
        *parsed.resources("S3::BucketPolicy").values(),
        *parsed.resources("SNS::TopicPolicy").values(),
    ):
        denied = [
            statement
            for statement in properties["PolicyDocument"]["Statement"]
            if statement["Effect"] == "Deny"
            and statement["Principal"] == "*"
            and statement["Condition"] == {"Bool": {"aws:SecureTransport": "false"}}
        ]
        assert denied, properties
        about = properties.get("Queues") or properties.get("Topics") or [properties["Bucket"]]
        covered |= {reference["Ref"] for reference in about}
    kept = {*parsed.resources("SQS::Queue"), *parsed.resources("S3::Bucket"), *parsed.resources("SNS::Topic")}
    assert covered == kept


def test_a_role_is_for_a_service_of_ours_or_for_people_of_this_account():
    for role, properties in parsed.resources("IAM::Role").items():
        for statement in properties["AssumeRolePolicyDocument"]["Statement"]:
            principal = parsed.plain(statement["Principal"])
            assert principal in (
                {"Service": "states.amazonaws.com"},
                {"Service": "events.amazonaws.com"},
                {"Service": ["ec2.amazonaws.com", "ecs-tasks.amazonaws.com"]},
                {"AWS": {"Ref": "DeployerArn"}},
            ), role
