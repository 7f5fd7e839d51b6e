"""Every AWS call of a request, of a task and of a deployment is one that the process's own role may make."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from unittest import mock

import pytest
from django.conf import settings
from django.test import Client

from config import clock
from config.due import sweeper
from projects.settings import actions as project_actions
from projects.settings.values import ProjectSettings
from review.identity import ReviewRef
from tests import pump as pumping
from tests.aws_faults import Call, Calls, count_calls
from tests.config import grants
from tests.factories import PROJECT_ID, SITE, sample_files, start_run, waiting_run
from tests.flow.test_url_roles import TABLE, Browsers, answer
from tests.flow.urls import pages, world
from tests.flow.visitor import form_of
from tests.html import one_line
from tests.people import person, signed_in
from tests.pump import Pump
from tests.tools.samples import write_due_invoice
from tests.workflows import removing
from workflows.operations import deployment
from workflows.runs import queries

pytestmark = pytest.mark.django_db


class Roles:
    """What each role called; who acts is known by where the call comes from."""

    def __init__(self) -> None:
        self.called: dict[str, list[Call]] = {"web": [], "worker": [], "deployer": []}

    @contextmanager
    def acting(self, role: str) -> Iterator[Calls]:
        with count_calls() as counted:
            yield counted
        self.called[role] += counted.calls

    def as_(self, role: str, inner: Any) -> Any:
        def act(*args: Any, **kwargs: Any) -> Any:
            with self.acting(role):
                return inner(*args, **kwargs)

        return act

    def actions(self, role: str) -> set[str]:
        return {need.action for call in self.called[role] for need in grants.needs(call)}

    def refused(self, role: str) -> list[grants.Need]:
        statements = grants.policies(f"{settings.STACK}-{role}")
        needed = {need for call in self.called[role] for need in grants.needs(call)}
        return sorted(need for need in needed if not grants.grants(statements, need))


@pytest.fixture
def roles(pump: Pump) -> Iterator[Roles]:
    found = Roles()
    with (
        mock.patch.object(Client, "request", found.as_("web", Client.request)),
        mock.patch.object(Pump, "redeliver", found.as_("worker", Pump.redeliver)),
        mock.patch.object(pumping, "receive", found.as_("worker", pumping.receive)),
        mock.patch.object(sweeper, "sweep", found.as_("worker", sweeper.sweep)),
        mock.patch.object(deployment, "deploy_desk", found.as_("deployer", deployment.deploy_desk)),
    ):
        yield found


def root() -> Any:
    user = person("root", "R")
    user.is_staff = user.is_superuser = True
    user.save()
    return user


@pytest.mark.wide
def test_every_page_and_every_form(roles: Roles, pump: Pump) -> None:
    known, user, browsers = world("default"), root(), Browsers()
    for page in pages():
        for method in TABLE[page.name]:
            answer(page, method, user, "", known, browsers=browsers)
    assert roles.actions("web") >= {"dynamodb:Query", "s3:GetObject"}
    assert roles.refused("web") == []


@pytest.mark.wide
def test_a_document_from_its_upload_to_its_purge(roles: Roles, pump: Pump, tmp_path: Path) -> None:
    project_actions.create_project(SITE, ProjectSettings(name="Receipts"), by=removing.ROSA, project_id=PROJECT_ID)
    browser, invoice = signed_in(root()), sample_files()[0]
    with invoice.open("rb") as file:
        assert browser.post(f"/workflows/projects/{PROJECT_ID}/upload/", {"files": file}).status_code < 400
    pump.run(idle=0.6)
    run, ref = waiting_run(pump)
    decide(browser, ref)
    pump.run(lambda: queries.execution(run).status != "running")
    sweeper.sweep()
    assert queries.execution(run).outcome == "published"
    anew(browser, pump, write_due_invoice(tmp_path, clock.now().date()))
    document = f"/documents/{run.document_id}/"
    for wish in ("delete", "restore", "delete", "purge"):
        assert browser.post(f"{document}{wish}/", {"sure": "yes"}).status_code == 302
        pump.run(idle=0.6)
    sweeper.sweep()
    assert removing.files_of(run) == []
    assert roles.refused("web") == []
    assert roles.refused("worker") == []
    assert roles.actions("worker") >= {"states:SendTaskSuccess", "events:PutEvents", "s3:DeleteObjectVersion"}
    assert roles.actions("web") >= {"states:StartExecution", "s3:PutObjectTagging", "sqs:SendMessage"}


def anew(browser: Client, pump: Pump, file: Path) -> None:
    """A document gets another content, and what was made of the one before is taken away."""
    run = start_run(file)
    pump.run(lambda: queries.execution(run).status != "running")
    with sample_files()[1].open("rb") as newer:
        assert browser.post(f"/documents/{run.document_id}/contents/", {"file": newer}).status_code < 400
    pump.run(idle=0.6)
    assert len(queries.document_workflows(run.site, run.document_id).rows) == 2


def decide(browser: Client, ref: ReviewRef) -> None:
    url = f"/review/{ref.document_id}/{ref.review_id}/"
    page = one_line(browser.post(f"{url}claim/", follow=True).content)
    assert browser.post(f"{url}draft/", form_of(page, {"total": "12.34"})).status_code < 400
    page = one_line(browser.get(url).content)
    answered = browser.post(f"{url}decide/", {**form_of(page, {"total": "12.34"}), "decision": "approve"})
    assert answered.status_code < 400


def test_a_release(roles: Roles, pump: Pump) -> None:
    deployment.deploy_desk(lambda _line: None)
    deployment.deploy_desk(lambda _line: None)
    assert roles.refused("deployer") == []
    assert roles.actions("deployer") >= {"cloudformation:DescribeStacks", "dynamodb:PutItem"}
