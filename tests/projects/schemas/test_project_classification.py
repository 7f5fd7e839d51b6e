"""A project that names a classification: chosen in its settings, summed up on its page, governing its uploads."""

import pytest

from projects.schemas import actions as schema_actions
from projects.schemas.governing import AttributeUse, Schema
from projects.settings import queries as project_queries
from projects.settings.values import FieldSetting
from tests.html import one_line
from tests.people import alice, bob, signed_in
from tests.projects.make_schemas import ALICE, SITE, make_attributes, make_classification
from tests.projects.projects import make_project, sealed, typed

pytestmark = pytest.mark.django_db


@pytest.fixture
def owner(table):
    make_attributes()
    return make_classification()


def page(project, path="edit/", who=alice):
    return one_line(signed_in(who()).get(f"/projects/{project.id}/{path}").content)


def archive(owner):
    schema_actions.archive_classification(SITE, owner, archived=True, version=1, by=ALICE)


def test_it_is_chosen_in_the_settings(owner):
    project = make_project()
    assert f'<option value="{owner}">Supplier invoice</option>' in page(project)
    form = typed(project.settings, seen=sealed(project), classification_id=owner)
    assert signed_in(alice()).post(f"/projects/{project.id}/edit/", form).status_code == 302
    assert project_queries.get_project(SITE, project.id).settings.classification_id == owner


def test_one_that_is_archived_or_unknown_is_no_choice(owner):
    archive(owner)
    project = make_project()
    assert owner not in page(project)
    form = typed(project.settings, seen=sealed(project), classification_id=owner)
    answer = signed_in(alice()).post(f"/projects/{project.id}/edit/", form)
    assert answer.status_code == 422
    assert b"Select an option from the list." in answer.content


def test_one_that_is_chosen_already_stays_one(owner):
    project = make_project(classification_id=owner)
    archive(owner)
    assert f'<option value="{owner}" selected>Supplier invoice</option>' in page(project)
    form = typed(project.settings, seen=sealed(project), name="Renamed")
    assert signed_in(alice()).post(f"/projects/{project.id}/edit/", form).status_code == 302
    assert project_queries.get_project(SITE, project.id).settings.classification_id == owner


def test_a_project_whose_type_asks_for_nothing_is_warned_on_its_page(owner):
    empty = make_classification(Schema("Letter"))
    told = 'class="message warn" data-asks-nothing'
    assert told in page(make_project(classification_id=empty), path="")
    assert told not in page(make_project(classification_id=owner), path="")
    assert told not in page(make_project(fields=()), path="")  # whose own fields are a choice


def test_the_projects_page_shows_what_the_next_run_reads(owner):
    site = Schema("Site schema", (AttributeUse("paid", required=True),))
    schema_actions.save_site_schema(SITE, site, version=0, by=ALICE)
    fields = (FieldSetting("vendor", "Seller", "text", threshold=0.95), FieldSetting("own", "Own one", "text"))
    project = make_project(classification_id=owner, fields=fields)
    text = page(project, "")
    for words in ("Supplier invoice", "Text · 95 %", "Amount · 80 %", "3 values", "Yes/No · 80 %"):
        assert words in text
    assert "Own one" not in text
    assert f"/schemas/classifications/{owner}/" in text
    assert f"/schemas/classifications/{owner}/" not in page(project, "", bob)
    assert "Own one" in page(make_project(fields=fields), "")


def test_a_classification_that_is_gone_is_told_and_takes_no_document(table):
    project = make_project(classification_id="gone")
    assert "Select another in the settings" in page(project, "")


def test_it_may_be_left_to_what_is_found_on_each_document(owner):
    project = make_project()
    assert '<option value=":found">' in page(project)
    form = typed(project.settings, seen=sealed(project), classification_id=":required")
    assert signed_in(alice()).post(f"/projects/{project.id}/edit/", form).status_code == 302
    kept = project_queries.get_project(SITE, project.id).settings
    assert (kept.typing, kept.classification_id) == ("required", "")
    assert '<option value=":required" selected>' in page(project)
    assert "if no document type matches" in page(project, "")
    fixed = typed(kept, seen=sealed(project_queries.get_project(SITE, project.id)), classification_id=owner)
    assert signed_in(alice()).post(f"/projects/{project.id}/edit/", fixed).status_code == 302
    kept = project_queries.get_project(SITE, project.id).settings
    assert (kept.typing, kept.classification_id) == ("", owner)
