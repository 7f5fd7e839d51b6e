"""Models by the API: for admins' programs, without addresses and keys."""

from typing import Any

import pytest

from config.environment import ModelEndpoint
from projects.models.queries import get_model
from projects.models.spec import spec_from
from projects.sites.permissions import Permission
from tests.projects.models.catalogue import add_model
from tests.workflows.test_api import API, problem, program

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("table")]


def test_an_admins_program_lists_and_reads_models_of_its_site(settings: Any):
    settings.MODEL_ENDPOINTS = {"local": ModelEndpoint("http://127.0.0.1:9/v1", "very-secret")}
    spec = add_model("own", price_in=2)
    add_model("theirs", site="acme")
    client = program(Permission.ADMIN)
    answer = client.get(f"{API}/models")
    assert [(one["id"], one["version"]) for one in answer.json()["items"]] == [
        ("bedrock", 0), ("bedrock-strong", 0), ("embedded", 0), ("own", 1),
    ]  # fmt: skip
    shown = client.get(f"{API}/models/own").json()
    supports = dict.fromkeys(shown["supports"], True)
    assert (spec_from(shown | supports), shown["sha256"]) == (get_model("default", "own"), spec.sha256)
    assert b"very-secret" not in answer.content
    assert b"127.0.0.1" not in answer.content
    for gone in ("theirs", "a%23b"):
        problem(client.get(f"{API}/models/{gone}"), 404)


def test_other_programs_see_no_models():
    client = program(Permission.READ, Permission.WRITE)
    for path in ("/models", "/models/bedrock"):
        problem(client.get(f"{API}{path}"), 403)
