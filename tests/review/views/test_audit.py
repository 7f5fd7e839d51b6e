import csv
import io
import json

import pytest

from projects import actions
from projects.audit import Actor, actor
from projects.schema import ProjectSettings
from tests.people import alice, bob, signed_in

URL = "/settings/audit/"
pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("table")]


def project(name: str, by: Actor) -> str:
    return actions.projects.create(
        "default", ProjectSettings(name), by=by, project_id=actions.projects.new_project_id()
    ).id


def text(url: str) -> str:
    return signed_in(alice()).get(url).content.decode()


def exported(form: str, query: str = "") -> str:
    response = signed_in(alice()).get(f"{URL}export/{form}/{query}")
    assert response.status_code == 200
    return b"".join(response.streaming_content).decode()


def test_an_empty_history_says_what_will_come() -> None:
    assert "Nothing is recorded" in text(URL)


def test_a_person_is_chosen_by_the_sign_in_name() -> None:
    project("Hers", actor(alice()))
    his = project("His", actor(bob()))
    page = text(f"{URL}?person=bob")
    assert his in page
    assert page.count("Project created") == 1
    assert "Nobody here signs in by this name" in text(f"{URL}?person=nobody")


def test_a_document_s_id_that_is_none_is_no_error() -> None:
    assert "Nothing here has such an id" in text(f"{URL}?document=a%23b")
    assert "Nothing is recorded for this choice" in text(f"{URL}?document=none")


def test_a_list_goes_on_with_its_filter() -> None:
    for number in range(30):
        project(f"P{number}", actor(alice()))
    project("His", actor(bob()))
    response = signed_in(alice()).get(f"{URL}?user={alice().pk}")
    following = response.context["next_cursor"]
    assert len(response.context["rows"]) == 25
    rest = signed_in(alice()).get(URL, {"user": alice().pk, "after": following}).context
    assert len(rest["rows"]) == 5
    assert rest["next_cursor"] is None


def test_the_export_is_every_page_of_the_chosen_list() -> None:
    for number in range(30):
        project(f"P{number}", actor(alice()))
    project("=1+1", actor(bob()))
    rows = json.loads(exported("json"))
    assert len(rows) == 31
    assert rows[0]["who"] == "Bob Ito"
    lines = list(csv.DictReader(io.StringIO(exported("csv", f"?user={alice().pk}"))))
    assert len(lines) == 30
    assert {line["user_id"] for line in lines} == {str(alice().pk)}


def test_what_a_spreadsheet_would_run_is_text() -> None:
    project("Plain", Actor("9", "=HYPERLINK(1)"))
    (line,) = csv.DictReader(io.StringIO(exported("csv")))
    assert line["who"] == "'=HYPERLINK(1)"


def test_an_empty_export_is_still_a_file() -> None:
    assert json.loads(exported("json")) == []
    assert exported("csv").strip() == "at,kind,who,user_id,words,what,document_id,changes"


def test_another_form_than_those_two_is_not_there() -> None:
    assert signed_in(alice()).get(f"{URL}export/xml/").status_code == 404
