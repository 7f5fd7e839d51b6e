"""The page of a document, and what people hang on it there."""

import pytest

from projects.audit.events import Actor
from projects.documents import queries as document_queries
from projects.documents.actions import properties
from tests.aws_faults import count_calls, fail
from tests.factories import SITE, start_run
from tests.html import one_line
from tests.people import bob, charlie, dora, signed_in
from tests.projects.make_schemas import make_attributes

pytestmark = pytest.mark.django_db
ROSA = Actor("1", "Rosa Marin")


@pytest.fixture
def document_id(table):
    make_attributes()
    return start_run().document_id


def read(browser, url, **data):
    return one_line(browser.get(url, data).content)


def sent(document_id, panel, who=bob, htmx=True, **data):
    return signed_in(who(), htmx=htmx).post(f"/documents/{document_id}/{panel}/", data)


def values(document_id):
    return {(row.tag_key, row.tagValue) for row in document_queries.list_tags(SITE, document_id)}


def test_pages_ask_for_a_sign_in_and_for_a_permission(client, document_id):
    for url in ("/documents/", f"/documents/{document_id}/", f"/documents/{document_id}/activity/"):
        assert client.get(url)["Location"] == f"/login/?next={url}"
        assert signed_in(dora()).get(url).status_code == 403
        assert signed_in(charlie()).get(url).status_code == 200


@pytest.mark.parametrize("panel", ["tags", "attributes", "metadata"])
def test_who_may_only_look_changes_nothing_and_is_offered_nothing(document_id, panel):
    assert sent(document_id, panel, who=charlie, key="k", value="v", before="").status_code == 403
    assert not values(document_id)
    page = read(signed_in(charlie()), f"/documents/{document_id}/")
    assert f"/{panel}/" not in page


def test_the_page_is_three_queries_however_much_hangs_on_it(document_id):
    for number in range(5):
        properties.add_tag(SITE, document_id, f"k{number}", "v", by=ROSA)
    browser = signed_in(bob())
    with count_calls() as calls:
        page = read(browser, f"/documents/{document_id}/")
    assert calls.of_page() == ["dynamodb.Query", "dynamodb.Query", "dynamodb.Query"]  # one of them for its activity
    assert page.count('hx-trigger="load"') == 1
    for attribute in ("hx-get", "href"):
        assert f'{attribute}="/documents/{document_id}/work/"' in page


def test_another_sites_document_and_none_are_not_found(document_id):
    browser = signed_in(charlie())
    assert browser.get("/documents/nothing/").status_code == 404
    assert browser.get(f"/documents/{document_id}x/").status_code == 404


def test_a_tag_is_given_and_taken_away_with_and_without_a_script(document_id):
    fragment = sent(document_id, "tags", key="customer", value="<b>Acme</b>").content.decode()
    assert "&lt;b&gt;Acme&lt;/b&gt;" in fragment
    assert "<html" not in fragment
    plain = sent(document_id, "tags", htmx=False, op="change", key="customer", before="<b>Acme</b>", value="Globex")
    assert plain["Location"] == f"/documents/{document_id}/#tags"
    assert values(document_id) == {("customer", "Globex")}
    sent(document_id, "tags", op="remove", key="customer", value="Globex")
    assert not values(document_id)


def test_what_is_refused_comes_back_with_what_was_typed(document_id):
    answer = sent(document_id, "tags", key="k", value="v" * 300)
    assert answer.status_code == 422
    assert "Use at most 250 characters" in answer.content.decode()
    assert "v" * 300 in answer.content.decode()
    answer = sent(document_id, "attributes", key="total", value="a lot", htmx=False)
    assert answer.status_code == 422
    assert "not a valid value for Total" in answer.content.decode()
    assert 'value="a lot"' in answer.content.decode()
    assert "<html" in answer.content.decode()
    assert sent(document_id, "attributes", key="", value="x").status_code == 422
    assert sent(document_id, "tags", key="k", value="\x01" * 250 + "x").status_code == 422


def test_who_saw_an_older_value_is_told_the_one_that_is_there(document_id):
    properties.set_attribute(SITE, document_id, "vendor", ["Globex"], by=ROSA)
    answer = sent(document_id, "attributes", key="vendor", value="Initech", expected="Acme")
    assert answer.status_code == 409
    assert "Current value: Globex" in answer.content.decode()
    first = sent(document_id, "attributes", key="vendor", value="Initech", expected="Globex")
    assert first.status_code == 200
    assert "Initech" in first.content.decode()


def test_several_values_are_lines_and_an_attribute_can_be_taken_away(document_id):
    sent(document_id, "attributes", key="vendor", value="b\r\n\r\n a \r\n")
    page = read(signed_in(bob()), f"/documents/{document_id}/")
    assert "b, a" in page
    assert ">b\na</textarea>" in page
    answer = signed_in(bob()).post(
        f"/documents/{document_id}/attributes/", {"op": "remove", "key": "vendor", "expected": ["b", "a"]}
    )
    assert answer.status_code == 302
    assert not document_queries.list_attributes(SITE, document_id)


def test_types_are_shown_as_people_read_them(document_id):
    for key, value in (("total", "1299"), ("paid", "yes"), ("urgent", "")):
        sent(document_id, "attributes", key=key, value=value)
    page = read(signed_in(charlie()), f"/documents/{document_id}/")
    assert "1,299.00" in page
    assert "Yes" in page


def test_entries_keep_what_they_were(document_id):
    sent(document_id, "metadata", key="shelf", value="1", before="")
    assert sent(document_id, "metadata", key="shelf", value="3", before="2").status_code == 409
    sent(document_id, "metadata", key="shelf", value="2", before="1")
    assert document_queries.get_document(SITE, document_id).metadata.as_dict() == {"md#shelf": "2"}
    sent(document_id, "metadata", op="remove", key="shelf", before="2")
    told = [row for row in document_queries.list_activities(SITE, document_id).rows if row.type == "MODIFY"]
    assert [row.versionSk is None for row in told] == [False, False, True]


def test_the_activity_tells_who_changed_what(document_id):
    sent(document_id, "tags", key="customer", value="Acme")
    page = read(signed_in(charlie(), htmx=True), f"/documents/{document_id}/activity/")
    assert "Changed by Bob Ito" in page
    assert "tag customer" in page
    assert "Received by test" in page


def test_a_table_that_does_not_answer_changes_nothing(document_id):
    with fail("dynamodb", "TransactWriteItems", times=9):
        assert sent(document_id, "tags", key="k", value="v").status_code == 503
    assert not values(document_id)
