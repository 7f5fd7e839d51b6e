import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request
from pathlib import Path

import boto3
import pytest
from django.conf import settings

from config import aws
from config.errors import Misconfigured
from config.laptop import emulator

ACCOUNT = {"aws_access_key_id": "test", "aws_secret_access_key": "test", "region_name": "eu-central-1"}


@pytest.fixture
def port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def sqs(port):
    return boto3.client("sqs", endpoint_url=f"http://127.0.0.1:{port}", **ACCOUNT)


def queues(port):
    client = sqs(port)
    try:
        return [url.rpartition("/")[2] for url in client.list_queues().get("QueueUrls", [])]
    finally:
        client.close()


def make_queue(port, name):
    client = sqs(port)
    client.create_queue(QueueName=name)
    client.close()


def wait_for(condition, seconds=15):
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "it never came"
        time.sleep(0.05)


def test_it_answers_while_it_runs_and_only_then(tmp_path, port):
    with emulator.start_emulator(state_dir=tmp_path, port=port) as running:
        assert emulator.is_answering(running.endpoint)
    assert not emulator.is_answering(running.endpoint)


@pytest.mark.wide
def test_a_busy_emulator_is_waited_for(tmp_path, port):
    with emulator.start_emulator(state_dir=tmp_path, port=port) as running:
        running.process.send_signal(signal.SIGSTOP)
        threading.Timer(2.5, running.process.send_signal, [signal.SIGCONT]).start()
        assert emulator.is_answering(running.endpoint)


@pytest.mark.slow
def test_what_was_written_is_there_after_a_stop(tmp_path, port):
    with emulator.start_emulator(state_dir=tmp_path, port=port):
        make_queue(port, "kept")
    with emulator.start_emulator(state_dir=tmp_path, port=port):
        assert queues(port) == ["kept"]


@pytest.mark.slow
def test_what_was_saved_is_there_after_kill_9(tmp_path, port):
    running = emulator.start_emulator(state_dir=tmp_path, port=port, save_seconds=1)
    make_queue(port, "kept")
    wait_for((tmp_path / "state" / "sqs.json").exists)
    os.kill(running.process.pid, signal.SIGKILL)
    running.stop()
    with emulator.start_emulator(state_dir=tmp_path, port=port):
        assert queues(port) == ["kept"]


@pytest.mark.slow
def test_nothing_is_saved_where_nothing_was_written(tmp_path, port):
    with emulator.start_emulator(state_dir=tmp_path, port=port, save_seconds=1):
        for _ in range(5):
            queues(port)
            time.sleep(0.5)
        assert not (tmp_path / "state").exists()


@pytest.mark.slow
def test_it_ends_when_the_process_that_started_it_is_killed(tmp_path, port):
    code = (
        "import sys, time; from pathlib import Path; from config.laptop import emulator;"
        "emulator.start_emulator(state_dir=Path(sys.argv[1]), port=int(sys.argv[2]));"
        "print('up', flush=True); time.sleep(60)"
    )
    parent = subprocess.Popen(
        [sys.executable, "-c", code, str(tmp_path), str(port)], cwd=settings.BASE_DIR, stdout=subprocess.PIPE
    )
    with parent:
        assert parent.stdout.readline() == b"up\n"
        parent.kill()
    wait_for(lambda: not emulator.is_answering(f"http://127.0.0.1:{port}"))


def test_a_second_start_on_the_folder_names_the_first(tmp_path, port):
    with (
        emulator.start_emulator(state_dir=tmp_path, port=port) as running,
        pytest.raises(Misconfigured, match=f"process {running.process.pid}, port {port}"),
    ):
        emulator.start_emulator(state_dir=tmp_path, port=port + 1)


@pytest.mark.wide
def test_a_port_of_another_program_is_a_clear_sentence(tmp_path, port):
    with socket.socket() as other:
        other.bind(("127.0.0.1", port))
        other.listen()
        with pytest.raises(Misconfigured, match=f"Port {port} is in use by another program. Stop it, or set COUNTERSI"):
            emulator.start_emulator(state_dir=tmp_path, port=port)


def test_a_start_that_fails_tells_the_last_line_of_its_log(tmp_path, port, monkeypatch):
    monkeypatch.setattr(emulator, "emulator_command", lambda: [sys.executable, "-c", "raise SystemExit('no memory.')"])
    with pytest.raises(Misconfigured, match=r"did not start: no memory\. See .*emulator\.log"):
        emulator.start_emulator(state_dir=tmp_path, port=port)


def test_only_this_machine_reaches_it(aws_stack):
    with socket.socket() as client:
        assert client.connect_ex(("127.0.0.2", settings.EMULATOR_PORT)) != 0


@pytest.mark.parametrize(
    ("path", "host"),
    [("/_ministack/reset", None), ("/_ministack/config", None), ("/_ministack/health", "emulator.evil.example:80")],
)
def test_reset_configuration_and_foreign_host_names_are_refused(aws_stack, path, host):
    request = urllib.request.Request(f"{settings.AWS_ENDPOINT_URL}{path}", method="POST")
    if host:
        request.add_header("Host", host)
    with pytest.raises(urllib.error.HTTPError) as refused:
        urllib.request.urlopen(request)
    assert refused.value.code == 403
    refused.value.close()


def test_it_sees_nothing_of_the_shells_aws(tmp_path, monkeypatch):
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "real")
    seen = emulator.emulator_environment(state_dir=tmp_path, port=1)
    assert not [name for name in seen if name.startswith("AWS_")]
    assert "real" not in seen.values()


@pytest.mark.slow
def test_objects_whose_state_is_gone_are_set_aside_and_kept(tmp_path, port):
    orphan = tmp_path / "s3" / "000000000000" / "documents" / "a"
    orphan.parent.mkdir(parents=True)
    orphan.write_bytes(b"content")
    with emulator.start_emulator(state_dir=tmp_path, port=port):
        client = boto3.client("s3", endpoint_url=f"http://127.0.0.1:{port}", **ACCOUNT)
        assert client.list_buckets()["Buckets"] == []
        client.close()
    assert [path.read_bytes() for path in tmp_path.glob("s3-without-state-*/*/*/a")] == [b"content"]


@pytest.mark.slow
def test_the_command_runs_until_it_is_told_to_stop(tmp_path, port):
    env = os.environ | {"COUNTERSIGN_STATE_DIR": str(tmp_path), "COUNTERSIGN_EMULATOR_PORT": str(port)}
    env.pop("DJANGO_SETTINGS_MODULE")  # the command as a person runs it, with the settings of no test
    with subprocess.Popen(
        [sys.executable, "manage.py", "emulator"], cwd=settings.BASE_DIR, env=env, stdout=subprocess.PIPE
    ) as process:
        assert f"Embedded AWS on http://127.0.0.1:{port}".encode() in process.stdout.readline()
        wait_for(lambda: emulator.is_answering(f"http://127.0.0.1:{port}"))
        make_queue(port, "kept")
        process.terminate()
        assert process.wait(15) == 0
    assert "kept" in (tmp_path / "emulator" / "state" / "sqs.json").read_text()


@pytest.mark.wide
def test_a_task_may_time_out_after_what_its_input_says(aws_stack):
    sfn = aws.aws_client("stepfunctions")
    definition = {
        "QueryLanguage": "JSONata",
        "StartAt": "Wait",
        "States": {
            "Wait": {
                "Type": "Task",
                "Resource": "arn:aws:states:::sqs:sendMessage.waitForTaskToken",
                "TimeoutSeconds": "{% $states.input.seconds %}",
                "Arguments": {"QueueUrl": settings.QUEUE_URLS[settings.DESK_QUEUE], "MessageBody": "x"},
                "Catch": [{"ErrorEquals": ["States.Timeout"], "Next": "Late"}],
                "End": True,
            },
            "Late": {"Type": "Pass", "Output": "late", "End": True},
        },
    }
    machine = sfn.create_state_machine(
        name="timeouts",
        definition=json.dumps(definition),
        roleArn=f"arn:aws:iam::{settings.AWS_ACCOUNT_ID}:role/{settings.STACK}-machines",
    )["stateMachineArn"]
    try:
        run = sfn.start_execution(stateMachineArn=machine, input='{"seconds": 1}')["executionArn"]
        started = time.monotonic()
        wait_for(lambda: sfn.describe_execution(executionArn=run)["status"] != "RUNNING")
        assert json.loads(sfn.describe_execution(executionArn=run)["output"]) == "late"
        assert time.monotonic() - started > 0.8
    finally:
        sfn.delete_state_machine(stateMachineArn=machine)


def test_state_of_another_port_is_told_as_that(tmp_path: Path) -> None:
    url = "http://127.0.0.1:4566/000000000000/steps"
    emulator.check_kept_port(url, 4566, tmp_path)
    with pytest.raises(
        Misconfigured, match=r"created with COUNTERSIGN_EMULATOR_PORT=4566, which is now 4600\..+delete"
    ):
        emulator.check_kept_port(url, 4600, tmp_path)


@pytest.mark.parametrize(
    "module", ["config.laptop.emulator", "config.laptop.model_process", "workflows.intake.inspection_process"]
)
def test_programs_without_django_load_neither_celery_nor_boto(module: str) -> None:
    """Each of them would have 30 MB more, and start half a second later."""
    code = f"import sys, {module}; print(sorted({{'boto3', 'celery', 'django', 'kombu'}} & set(sys.modules)))"
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=settings.BASE_DIR, capture_output=True, text=True, check=True, timeout=60
    )
    assert done.stdout.strip() == "[]"
