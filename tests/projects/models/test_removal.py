"""A model that is chosen while it is removed: one of both wins, and the other is told."""

from dataclasses import replace

import pytest

from config.errors import NotFound, Refused
from projects.models import actions as model_actions
from projects.models.choice import choose_models
from projects.models.queries import get_model
from projects.settings import actions as project_actions
from projects.settings import queries as project_queries
from projects.settings.values import ProjectSettings
from tests.aws_faults import before_each
from tests.html import one_line
from tests.people import alice, signed_in
from tests.projects.models.catalogue import ADA, BEN, add_model
from tests.projects.projects import SITE, make_project, sealed, seen_of, typed

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("table")]


def remove(model_id="local", by=BEN):
    model_actions.remove_model(SITE, model_id, version=1, by=by)


def choose(project, model_id="local"):
    wanted = replace(project.settings, models={"extract": model_id})
    return project_actions.update_project(SITE, project.id, wanted, seen=seen_of(project), by=ADA)


def hand_over(spec, to="local"):
    model_actions.update_model(SITE, replace(spec, takeover=to), version=1, by=ADA)


def test_a_removal_that_a_project_overtakes_is_refused():
    add_model()
    project = make_project()
    with (
        before_each("dynamodb", "TransactWriteItems", lambda: choose(project)),
        pytest.raises(Refused, match="In use by Supplier invoices"),
    ):
        remove()
    assert choose_models(SITE, {"extract": "local"})["extract"].spec.id == "local"


def test_a_removal_that_another_model_overtakes_is_refused():
    add_model()
    cheap = add_model("cheap", name="Cheap one")
    with (
        before_each("dynamodb", "TransactWriteItems", lambda: hand_over(cheap)),
        pytest.raises(Refused, match="In use by Cheap one"),
    ):
        remove()
    assert get_model(SITE, "local")


def test_a_project_that_chooses_what_was_removed_at_that_moment_is_told():
    add_model()
    project = make_project()
    with (
        before_each("dynamodb", "TransactWriteItems", remove),
        pytest.raises(Refused, match="A model that you chose was removed"),
    ):
        choose(project)
    assert project_queries.get_project(SITE, project.id).version == 1
    with pytest.raises(NotFound):
        get_model(SITE, "local")
    with pytest.raises(Refused, match="A model that you chose was removed"):
        make_project("New", models={"extract": "local"})
    cheap = add_model("cheap")
    with pytest.raises(Refused, match="no longer in the catalogue"):
        hand_over(cheap)


def test_a_run_of_a_project_whose_model_is_gone_says_so():
    """As in a row of an older writer, which counted no choice."""
    with pytest.raises(Refused, match="The model gone is no longer in the catalogue"):
        choose_models(SITE, {"extract": "gone"})


def test_what_was_chosen_before_and_no_more_is_removed():
    add_model()
    project = choose(make_project())
    with pytest.raises(Refused, match="In use by"):
        remove()
    project_actions.update_project(
        SITE, project.id, replace(project.settings, models={}), seen=seen_of(project), by=ADA
    )
    remove()
    with pytest.raises(NotFound):
        get_model(SITE, "local")


@pytest.mark.wide
@pytest.mark.parametrize("new", [True, False])
def test_the_form_marks_the_model_that_is_gone(new):
    add_model()
    admin, project = signed_in(alice()), make_project()
    settings = ProjectSettings(name="New", models={"extract": "local"})
    chosen = replace(project.settings, models={"extract": "local"})
    form = typed(settings) if new else typed(chosen, seen=sealed(project))
    address = "/projects/new/" if new else f"/projects/{project.id}/edit/"
    with before_each("dynamodb", "TransactWriteItems", remove):
        refused = admin.post(address, form)
    assert refused.status_code == 422
    page = one_line(refused.content)
    assert 'id="id_model_extract_error"' in page
    assert f'value="{settings.name if new else project.settings.name}"' in page
