"""The page of the API: each operation with a form, and examples that the API itself accepts."""

import json
from typing import Any

import pytest
from django.test import Client

from projects.audit.events import actor_of
from projects.sites.api_keys import create_api_key
from projects.sites.permissions import EVERYTHING
from review.console import find_example, list_groups
from tests.flow.test_api_description import described, known
from tests.html import one_line
from tests.people import alice, charlie, signed_in

pytestmark = pytest.mark.django_db
# What an example cannot name, since it is made by what goes before: these are read, and found wanting for that alone.
LATER = {
    "decide_review": 422, "save_draft": 422, "undo_decision": 404, "complete_upload": 404, "test_webhook": 404,
    "create_experiment": 404, "promote_variant": 422, "resume_experiment": 409, "retry_experiment": 409,
    "create_batch": 404, "set_prompt_candidate": 422, "move_prompt_production": 422, "run_again": 422,
    "analyse_again": 422, "merge_entities": 404, "settle_nigo": 404, "move_folder": 409, "settle_case": 422,
    "split_document": 422, "save_workflow_draft": 404, "activate_workflow_version": 404, "restore_earlier_values": 404,
    "try_prompt": 404, "read_page_anew": 404, "save_document_type": 422, "add_locale": 409, "set_resource_item": 404,
    "save_chat_webhook": 422, "save_policy_version": 409, "try_policy_version": 422, "assign_bucket_folder": 404,
    "ask_question": 404, "ask_question_again": 404,
}  # fmt: skip


@pytest.mark.wide
def test_the_page_has_each_operation_and_asks_for_a_role(table: str) -> None:
    page = one_line(signed_in(charlie()).get("/developers/").content)
    operations = [one for _, group in list_groups() for one in group]
    assert len(operations) == sum(len(path) for path in described()["paths"].values())
    assert all(f'id="{one.id}"' in page for one in operations)
    assert 'data-path="/api/v1/documents/{document_id}"' in page
    assert next(one.curl for one in operations if one.id == "show_document") == (
        'curl -H "Authorization: Bearer $KEY" "$DESK/api/v1/documents/{document_id}"'
    )


@pytest.mark.wide
def test_every_body_has_an_example_that_is_accepted(table: str) -> None:
    ids = {name: values[0] for name, values in known().items()}
    _, key = create_api_key("default", "Examples", EVERYTHING, by=actor_of(alice()), personal=True)
    client, wrong = Client(headers={"Authorization": f"Bearer {key}"}), []
    for path, operations in described()["paths"].items():
        for method, one in operations.items():
            schema = one.get("requestBody", {}).get("content", {}).get("application/json", {}).get("schema")
            if schema is None:
                continue
            body: Any = find_example(described(), schema)
            ids |= {"upload_id": "01M89RES7JCGYS7T4S8WHAJW46"}
            answer = client.generic(
                method.upper(), path.format(**ids), json.dumps(body), content_type="application/json"
            )
            if not body or answer.status_code not in (200, 201, LATER.get(one["operationId"])):
                wrong.append(f"{one['operationId']}: {answer.status_code} {answer.json().get('detail')}")
    assert not wrong, "\n".join(wrong)
