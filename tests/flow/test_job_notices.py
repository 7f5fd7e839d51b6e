"""Textract says that its job has ended, and the step goes on at once; whatever becomes of the notice, the run ends."""

import json
from pathlib import Path
from typing import Any

import pytest
from celery.exceptions import Retry
from django.test import Client

from tests.flow.test_waiting import DONE, brisk, ocr_of, redeliver_last, reviewed, start, textract
from tests.pump import Pump
from tests.workflows.providers.test_sns import CERT, TOPIC, asked, sent, signed
from workflows.engine.job_notices import take_notice
from workflows.providers import sns
from workflows.runs import queries
from workflows.runs.items import Run

pytestmark = pytest.mark.django_db
__all__ = ["asked", "brisk"]
ROLE = "arn:aws:iam::123456789012:role/textract"
RUNNING = {"JobStatus": "IN_PROGRESS"}


@pytest.fixture(autouse=True)
def topic(settings: Any) -> None:
    settings.TEXTRACT_TOPIC_ARN, settings.TEXTRACT_ROLE_ARN = TOPIC, ROLE


def wait(pump: Pump, folder: Path) -> tuple[Run, str]:
    """A run whose job has begun, and its notice."""
    run = start(folder)
    with pytest.raises(Retry, match="60s"):  # its message comes back then, to poll
        pump.run(lambda: False)
    assert ocr_of(run)["waits_for"] == "textract"
    job = json.loads(str(queries.execution(run).job))["id"]
    return run, json.dumps({"JobId": job, "Status": "SUCCEEDED", "JobTag": f"{run.site}:{run.workflow_id}"})


@pytest.mark.wide
@pytest.mark.every_engine
def test_a_notice_lets_the_step_go_on_before_it_is_polled(pump: Pump, tmp_path: Path) -> None:
    with textract(DONE) as outside:
        run, notice = wait(pump, tmp_path)
        for _ in range(2):  # SNS delivers at least once
            answer = Client().post("/hooks/textract/", sent(signed(notice)), content_type="text/plain")
            assert answer.status_code == 204
        pump.run(lambda: reviewed(run))
        assert outside.count() == {"StartDocumentAnalysis": 1, "GetDocumentAnalysis": 1}
        assert not take_notice(notice)  # late: nothing waits for it any more
    (begun,) = (one for name, one in outside.asked if name == "StartDocumentAnalysis")
    assert begun["NotificationChannel"] == {"SNSTopicArn": TOPIC, "RoleArn": ROLE}


@pytest.mark.wide
@pytest.mark.every_engine
def test_a_lost_notice_is_made_up_for_by_polling(pump: Pump, tmp_path: Path) -> None:
    with textract(RUNNING, DONE) as outside:
        run, _ = wait(pump, tmp_path)
        with pytest.raises(Retry, match="60s"):
            redeliver_last(pump)
        redeliver_last(pump)
        pump.run(lambda: reviewed(run))
    assert outside.count() == {"StartDocumentAnalysis": 1, "GetDocumentAnalysis": 2}


@pytest.mark.wide
def test_a_notice_of_no_job_that_is_waited_for_changes_nothing(pump: Pump, tmp_path: Path) -> None:
    with textract(RUNNING):
        run, notice = wait(pump, tmp_path)
        told = json.loads(notice)
        for wrong in (
            "", "[]", "{}", json.dumps(told | {"JobId": "another"}), json.dumps(told | {"JobTag": "none:none"}),
            json.dumps(told | {"JobTag": "Not A Site"}),
        ):  # fmt: skip
            assert not take_notice(wrong)
        assert take_notice(notice)
    assert not reviewed(run)


def test_the_address_confirms_a_subscription_and_refuses_what_sns_did_not_sign(asked: list[str]) -> None:
    where = "https://sns.eu-central-1.amazonaws.com/?Action=ConfirmSubscription"
    message = signed(kind=sns.CONFIRMATION, SubscribeURL=where, Token="1")
    browser = Client()
    assert browser.post("/hooks/textract/", sent(message), content_type="text/plain").status_code == 204
    assert asked == [CERT, where]
    assert (
        browser.post("/hooks/textract/", sent(message | {"Token": "2"}), content_type="text/plain").status_code == 403
    )
    assert browser.get("/hooks/textract/").status_code == 405
