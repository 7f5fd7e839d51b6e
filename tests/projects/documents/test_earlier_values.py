"""What metadata and attributes said before: kept by each change, listed, and put back."""

import pytest

from config.errors import NotFound
from projects.documents.actions import properties
from projects.documents.actions.properties import metadata_of
from projects.documents.earlier_values import list_earlier, restore_earlier
from projects.documents.queries import document_rows, get_document
from tests.factories import SITE, start_run
from tests.people import bob, charlie, signed_in
from tests.projects.make_schemas import make_attributes
from tests.projects.make_sites import BY
from tests.workflows.test_api import API, program

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("machines", "table")]


@pytest.fixture
def document_id() -> str:
    make_attributes()
    one = start_run().document_id
    for value in ("1", "2"):
        properties.set_metadata(SITE, one, "shelf", value, by=BY)
        properties.set_attribute(SITE, one, "total", [f"{value}0"], by=BY)
    return one


def totals(document_id: str) -> list[str]:
    return [str(row.value) for row in document_rows(SITE, document_id).attributes if row.key_ == "total"]


def test_each_change_keeps_what_it_replaced_and_restoring_it_is_a_change_too(document_id: str) -> None:
    found = {one.kind: one for one in list_earlier(SITE, document_id)}
    assert found["metadata"].values == {"shelf": ["1"]}
    assert found["attribute"].values == {"total": ["10"]}
    restore_earlier(SITE, document_id, "attribute", "total", found["attribute"].at, by=BY)
    assert totals(document_id) == ["10"]
    properties.set_metadata(SITE, document_id, "from", "Rosa", by=BY)
    restore_earlier(SITE, document_id, "metadata", "", found["metadata"].at, by=BY)
    assert metadata_of(get_document(SITE, document_id)) == {"shelf": "1"}
    assert {"shelf": ["2"], "from": ["Rosa"]} in [one.values for one in list_earlier(SITE, document_id)]
    with pytest.raises(NotFound):
        restore_earlier(SITE, document_id, "metadata", "", "2020-01-01T00:00:00Z", by=BY)


def test_the_page_lists_them_and_contributors_restore(document_id: str) -> None:
    path = f"/documents/{document_id}/earlier/"
    text = signed_in(charlie()).get(path).content.decode()
    assert "shelf: 1" in text
    assert "Restore" not in text.partition("Earlier values</h1>")[2].partition("<tbody>")[2]
    at = next(one.at for one in list_earlier(SITE, document_id) if one.kind == "metadata")
    client = signed_in(bob())
    assert client.post(path, {"kind": "metadata", "key": "", "at": at}).status_code == 302
    assert metadata_of(get_document(SITE, document_id)) == {"shelf": "1"}
    assert client.post(path, {}).status_code == 422


def test_the_api_lists_and_restores(document_id: str) -> None:
    client, url = program(), f"{API}/documents/{document_id}/earlier-values"
    items = client.get(url).json()["items"]
    one = next(row for row in items if row["kind"] == "attribute")
    assert one["values"] == {"total": ["10"]}
    wish = {"kind": "attribute", "key": "total", "until": one["until"]}
    assert client.post(f"{url}/restore", wish, content_type="application/json").status_code == 200
    assert totals(document_id) == ["10"]
    wrong = {"kind": "none", "until": "x"}
    assert client.post(f"{url}/restore", wrong, content_type="application/json").status_code == 404
