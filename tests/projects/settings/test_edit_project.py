from dataclasses import replace

import pytest

from projects.audit.events import actor_of
from projects.settings import actions as project_actions
from projects.settings import queries as project_queries
from projects.settings.values import DEFAULT_FIELDS
from tests.each import each
from tests.html import one_line
from tests.people import alice, bob, charlie, signed_in
from tests.projects.projects import SITE, make_project, sealed, seen_of, typed

pytestmark = pytest.mark.django_db


def url(project):
    return f"/projects/{project.id}/edit/"


def send(browser, project, settings=None, **changes):
    form = typed(settings or project.settings, **({"seen": sealed(project)} | changes))
    return browser.post(url(project), form)


def stored(project):
    return project_queries.get_project(SITE, project.id)


def test_the_page_shows_what_is_saved(table):
    project = make_project(description="A & B", document_prompt="Read it.", default_threshold=0.855)
    page = one_line(signed_in(alice()).get(url(project)).content)
    for text in ("A &amp; B", "Read it.", 'value="85.5"', f'name="seen" value="{sealed(project)}"', "Settings"):
        assert text in page


def test_beside_the_prompt_stands_that_the_built_in_rules_ignore_it(table, settings):
    browser, project = signed_in(alice()), make_project()
    note = '<a href="#id_analyzer">Select a model</a>'
    page = one_line(browser.get(url(project)).content)
    assert note in page
    assert note in one_line(browser.get("/projects/new/").content)
    assert "rules-by-default" in page  # what the style sheet hides the note by
    settings.ANALYZER = "model"
    assert "model-by-default" in one_line(browser.get(url(project)).content)


def test_a_page_sent_back_as_it_was_changes_nothing(table):
    project = make_project(fields=(replace(DEFAULT_FIELDS[0], threshold=0.925), *DEFAULT_FIELDS[1:]))
    assert send(signed_in(alice()), project).status_code == 302
    assert (stored(project).settings, stored(project).version) == (project.settings, 1)


def test_what_models_are_told_of_a_field_is_saved_with_it(table):
    project = make_project()
    told = replace(DEFAULT_FIELDS[3], description="The amount  due, with tax.", examples="33.90")
    fields = (*DEFAULT_FIELDS[:3], told, *DEFAULT_FIELDS[4:])
    assert send(signed_in(alice()), project, replace(project.settings, fields=fields)).status_code == 302
    kept = stored(project).settings.fields[3]
    assert (kept.description, kept.examples) == ("The amount due, with tax.", "33.90")
    assert 'value="The amount due, with tax."' in one_line(signed_in(alice()).get(url(project)).content)
    long = replace(project.settings, fields=(replace(told, description="x" * 201),))
    refused = send(signed_in(alice()), stored(project), long, seen=sealed(stored(project)))
    assert refused.status_code == 422
    assert "Use at most 200 characters" in one_line(refused.content)


def test_an_admin_saves_and_lands_on_the_project(table):
    project = make_project()
    answer = send(signed_in(alice()), project, name="Renamed", language="de", use_textline_orientation="on")
    assert (answer.status_code, answer["Location"]) == (302, f"/projects/{project.id}/")
    settings = stored(project).settings
    assert (settings.name, settings.language, settings.ocr_options) == (
        "Renamed",
        "de",
        {"use_textline_orientation": True},
    )


def test_options_and_models_of_another_writer_stay(table):
    project = make_project(ocr_model="paddleocr-vl", ocr_options={"lang": "korean"}, language="uk")
    send(signed_in(alice()), project, name="Renamed")
    settings = stored(project).settings
    assert (settings.ocr_model, settings.language) == ("paddleocr-vl", "uk")
    assert settings.ocr_options == {"lang": "korean"}


@pytest.mark.parametrize("who", [bob, charlie])
def test_only_an_admin_may(table, who):
    project = make_project()
    browser = signed_in(who())
    assert browser.get(url(project)).status_code == 403
    assert send(browser, project, name="Taken").status_code == 403
    assert stored(project).settings.name == "Supplier invoices"


def test_somebody_unknown_is_asked_to_sign_in(client, table):
    project = make_project()
    assert send(client, project, name="Taken")["Location"] == "/login/?next=/"
    assert stored(project).settings.name == "Supplier invoices"


def test_an_unknown_project_is_not_found(table):
    browser = signed_in(alice())
    assert browser.get("/projects/proj_none/edit/").status_code == 404
    assert browser.post("/projects/proj_none/edit/", {"name": "x"}).status_code == 404


@pytest.mark.parametrize("htmx", [False, True])
def test_the_loser_of_two_saves_hears_who_was_first_and_keeps_what_was_typed(table, htmx):
    project = make_project()
    project_actions.update_project(
        SITE, project.id, replace(project.settings, name="Bob's"), seen=seen_of(project), by=actor_of(bob())
    )
    answer = send(signed_in(alice(), htmx=htmx), project, name="Alice's", description="Long & dear")
    page = one_line(answer.content)
    assert answer.status_code == 409
    assert "Bob Ito changed <b>Name</b> on " in page
    assert "Current value: “Bob&#x27;s”" in page
    assert "<b>Description</b>" not in page
    assert "Alice&#x27;s" in page
    assert "Long &amp; dear" in page
    assert ("<html" in page) != htmx
    assert stored(project).settings.name == "Bob's"


def test_saving_again_after_a_conflict_is_a_decision_and_counts(table):
    project = make_project()
    project_actions.update_project(
        SITE, project.id, replace(project.settings, name="Bob's"), seen=seen_of(project), by=actor_of(bob())
    )
    browser = signed_in(alice())
    lost = send(browser, project, name="Alice's")
    assert b"Overwrite with my changes" in lost.content
    assert f'name="seen" value="{sealed(stored(project))}"'.encode() in lost.content
    assert send(browser, stored(project), name="Alice's").status_code == 302
    assert (stored(project).settings.name, stored(project).version) == ("Alice's", 3)


@pytest.mark.parametrize("seen", [None, "", "soon", "another project's"])
def test_a_form_that_lost_what_it_had_seen_never_overwrites(table, seen):
    project = make_project()
    seen = sealed(make_project("Other")) if seen == "another project's" else seen
    answer = send(signed_in(alice()), project, name="Blind", seen=seen)
    assert answer.status_code == 409
    assert "Another user changed <b>Name</b>. Current value: “Supplier invoices”" in one_line(answer.content)
    assert stored(project).settings.name == "Supplier invoices"


def test_mistakes_are_told_and_nothing_is_saved(table):
    project = make_project()
    answer = send(signed_in(alice()), project, name="", **{"fields-3-threshold": "900"})
    assert answer.status_code == 422
    assert b"Not saved. Fix 2 marked entries and save again." in answer.content
    assert stored(project).version == 1


@pytest.mark.wide
@each(
    ("order", "names", "focus"),
    [
        ("up-1", ["date", "company", "address", "total", "invoice_number", "currency"], "down-0"),
        ("up-3", ["company", "date", "total", "address", "invoice_number", "currency"], "up-2"),
        ("down-0", ["date", "company", "address", "total", "invoice_number", "currency"], "down-1"),
        ("down-4", ["company", "date", "address", "total", "currency", "invoice_number"], "up-5"),
        ("up-0", ["company", "date", "address", "total", "invoice_number", "currency"], "down-0"),
        ("to-3-1", ["company", "total", "date", "address", "invoice_number", "currency"], "up-1"),
        ("to-0-99", ["date", "address", "total", "invoice_number", "currency", "company"], "up-5"),
        ("remove-0", ["date", "address", "total", "invoice_number", "currency"], "remove-0"),
        ("remove-5", ["company", "date", "address", "total", "invoice_number"], "remove-4"),
        ("add", ["company", "date", "address", "total", "invoice_number", "currency", ""], "label-6"),
        ("remove-77", ["company", "date", "address", "total", "invoice_number", "currency"], "add"),
        ("nonsense", ["company", "date", "address", "total", "invoice_number", "currency"], "add"),
    ],
)
def test_rows_are_moved_as_typed_and_not_saved(table, order, names, focus):
    project = make_project()
    browser = signed_in(alice(), htmx=True)
    answer = send(
        browser, project, rows=order, **{"fields-1-label": "Date of <b>issue</b>", "fields-3-threshold": "not yet"}
    )
    assert answer.status_code == 200
    editor = answer.context["editor"]
    assert [row.initial.get("name", "") for row in editor.rows.forms] == names
    assert editor.focus == focus
    page = one_line(answer.content)
    assert page.startswith('<div id="fields">')
    assert page.count("autofocus") == 1
    assert "Date of &lt;b&gt;issue&lt;/b&gt;" in page
    assert 'value="not yet"' in page
    assert stored(project).version == 1


def test_rows_are_moved_without_a_script_too_and_the_rest_stays_typed(table):
    project = make_project()
    page = one_line(send(signed_in(alice()), project, rows="add", name="Typed already").content)
    assert "<html" in page
    assert 'value="Typed already"' in page
    assert 'name="fields-6-label"' in page
    assert f'name="seen" value="{sealed(project)}"' in page
    assert "aria-invalid" not in page


def test_the_last_row_can_be_removed(table):
    project = make_project(fields=DEFAULT_FIELDS[:1])
    answer = send(signed_in(alice(), htmx=True), project, rows="remove-0")
    assert b"No fields. Nothing is extracted" in answer.content
    assert answer.context["editor"].focus == "add"
