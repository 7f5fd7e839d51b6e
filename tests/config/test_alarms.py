import json

from django.conf import settings

from config import aws
from tests.config import parsed


def alarms():
    return parsed.resources("CloudWatch::Alarm")


def watched(metric):
    """The logical names of the queues that an alarm on ``metric`` watches."""
    return {
        alarm["Dimensions"][0]["Value"]["GetAtt"].removesuffix(".QueueName")
        for alarm in alarms().values()
        if alarm["MetricName"] == metric
    }


def test_every_alarm_tells_people_when_it_begins_and_when_it_ends_and_says_what_to_do():
    for name, alarm in alarms().items():
        assert alarm["AlarmActions"] == alarm["OKActions"] == [{"Ref": "AlarmTopic"}], name
        assert alarm["AlarmDescription"], name
        assert alarm["TreatMissingData"] in {"breaching", "notBreaching"}, name


def test_every_work_queue_is_watched_for_its_age_and_every_dead_letter_queue_for_letters():
    queues = parsed.resources("SQS::Queue")
    work = {name for name, queue in queues.items() if "VisibilityTimeout" in queue}
    dead = {queues[name]["RedrivePolicy"]["deadLetterTargetArn"]["GetAtt"].removesuffix(".Arn") for name in work}
    for rule in parsed.resources("Events::Rule").values():
        dead |= {target["DeadLetterConfig"]["Arn"]["GetAtt"].removesuffix(".Arn") for target in rule["Targets"]}
    assert watched("ApproximateAgeOfOldestMessage") == work
    assert watched("ApproximateNumberOfMessagesVisible") == dead


def test_what_is_counted_in_the_log_is_what_an_alarm_reads():
    filters = parsed.resources("Logs::MetricFilter").values()
    counted = {
        (one["MetricNamespace"]["Sub"], one["MetricName"]) for made in filters for one in made["MetricTransformations"]
    }
    own = {
        (alarm["Namespace"]["Sub"], alarm["MetricName"])
        for alarm in alarms().values()
        if isinstance(alarm["Namespace"], dict)
    }
    assert counted == own


def test_silence_of_the_sweeper_is_an_alarm():
    (alarm,) = [alarm for alarm in alarms().values() if alarm["MetricName"] == "Sweeps"]
    assert (alarm["TreatMissingData"], alarm["ComparisonOperator"]) == ("breaching", "LessThanThreshold")


def test_they_are_deployed_with_the_thresholds_of_the_settings(aws_stack):
    found = aws.aws_client("cloudwatch").describe_alarms(AlarmNamePrefix=f"{settings.STACK}-")["MetricAlarms"]
    assert len(found) == len(alarms())
    thresholds = {alarm["AlarmName"].removeprefix(f"{settings.STACK}-"): alarm["Threshold"] for alarm in found}
    assert thresholds["executions-ended-badly"] == float(settings.STACK_PARAMETERS["FailedExecutions"])
    assert thresholds["decisions-wait"] == float(settings.STACK_PARAMETERS["DecisionWaitSeconds"])


def test_an_execution_that_fails_is_told_of_by_its_name_and_never_with_its_data(table):
    sfn, sqs = aws.aws_client("stepfunctions"), aws.aws_client("sqs")
    url = sqs.get_queue_url(QueueName=f"{settings.STACK}-ended-badly")["QueueUrl"]
    sqs.purge_queue(QueueUrl=url)
    role = f"arn:aws:iam::{settings.AWS_ACCOUNT_ID}:role/{settings.STACK}-machines"
    ends = {"bad": {"Type": "Fail", "Error": "Oh"}, "good": {"Type": "Succeed"}}
    for name, end in ends.items():
        body = json.dumps({"StartAt": "End", "States": {"End": end}})
        machine = sfn.create_state_machine(name=f"{settings.STACK}-{name}", definition=body, roleArn=role)
        sfn.start_execution(stateMachineArn=machine["stateMachineArn"], name="e", input='{"file_name": "secret.pdf"}')
    messages = sqs.receive_message(QueueUrl=url, WaitTimeSeconds=5, MaxNumberOfMessages=10)["Messages"]
    for name in ends:
        sfn.delete_state_machine(
            stateMachineArn=f"arn:aws:states:{settings.AWS_REGION}:{settings.AWS_ACCOUNT_ID}:stateMachine:{settings.STACK}-{name}"
        )
    (told,) = [json.loads(message["Body"]) for message in messages]
    assert told["execution"].endswith(f"{settings.STACK}-bad:e")
    assert told["status"] == "FAILED"
    assert set(told) == {"execution", "status", "at"}
