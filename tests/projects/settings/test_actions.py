from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest

from config.errors import Conflict, NotFound, Unavailable
from config.table import ENTITY_EVENT, PROJECT
from projects.audit.events import Actor
from projects.audit.items import EntityEvent
from projects.settings import actions as project_actions
from projects.settings import queries as project_queries
from projects.settings.items import Project
from projects.settings.values import DEFAULT_FIELDS, FieldSetting, ProjectSettings
from tests.aws_faults import Crash, crash_before, fail
from tests.projects.projects import seen_of

SITE = "default"
ALICE = Actor("1", "Alice Novak")
BOB = Actor("2", "Bob Ito")
WANTED = ProjectSettings(
    "Rechnungen für Wien 発注書",
    description="Two\nlines",
    language="de",
    document_prompt="Read the total.",
    ocr_options={"use_textline_orientation": True},
    fields=(*DEFAULT_FIELDS, FieldSetting("net", "Net", "amount", required=True, threshold=0.925)),
    default_threshold=0.855,
)


def create(settings=WANTED, **kwargs):
    return project_actions.create_project(
        SITE, settings, **({"by": ALICE, "project_id": project_actions.new_project_id()} | kwargs)
    )


def events(project_id):
    pk = ENTITY_EVENT.partition_key(SITE, entity_type="project", entity_id=project_id)
    return list(EntityEvent.page(pk, consistent=True).rows)


def test_what_was_made_is_read_back_as_it_was(table):
    made = create()
    found = project_queries.get_project(SITE, made.id)
    assert found.settings == WANTED
    assert (found.version, found.created_by, found.updated_by) == (1, "1", "Alice Novak")


def test_the_stored_item_has_the_names_of_the_older_system(table):
    stored = project_queries.get_project(SITE, create().id)
    data = stored.data.as_dict()
    assert {"project_id", "name", "description", "status", "created_by", "language", "document_prompt"} < data.keys()
    assert (data["ocr_model"], data["ocr_options"]) == ("pp-ocrv5", {"use_textline_orientation": True})
    assert data["review_policy"]["thresholds"] == {"net": 0.925}
    assert (stored.name, stored.status, stored.GSI1PK, stored.GSI1SK) == (
        WANTED.name, "active", "PROJECTS", stored.updated_at,
    )  # fmt: skip


def test_the_same_form_sent_twice_makes_one_project(table):
    project_id = project_actions.new_project_id()
    with ThreadPoolExecutor(4) as pool:
        made = list(pool.map(lambda _: create(project_id=project_id), range(4)))
    assert {one.id for one in made} == {project_id}
    assert len(project_queries.list_projects(SITE)[0]) == 1
    assert [event.type for event in events(project_id)] == ["created"]


def test_an_id_of_somebody_elses_project_is_not_taken_over(table):
    made = create()
    with pytest.raises(Conflict):
        create(replace(WANTED, name="Mine now"), by=BOB, project_id=made.id)
    assert project_queries.get_project(SITE, made.id).settings == WANTED


def test_a_save_changes_the_settings_and_tells_the_audit_what(table):
    made = create()
    wanted = replace(WANTED, name="Renamed", fields=())
    saved = project_actions.update_project(SITE, made.id, wanted, seen=seen_of(made), by=BOB)
    assert (saved.settings, saved.version, saved.updated_by) == (wanted, 2, "Bob Ito")
    last = events(made.id)[-1]
    assert (last.type, last.userId, last.metadata.as_dict()) == ("updated", "2", {"name": "Bob Ito"})
    payload = last.payload.as_dict()
    assert payload["version"] == 2
    assert payload["changes"]["name"] == {"before": WANTED.name, "after": "Renamed"}
    net = {"name": "net", "label": "Net", "type": "amount", "required": True, "threshold": 0.925}
    net |= {"date_range": "", "description": "", "examples": "", "columns": "", "personal": False}
    assert payload["changes"]["fields.net"] == {"before": net, "after": None}
    assert len(payload["changes"]) == 1 + len(WANTED.fields)


def test_a_saved_project_comes_first_in_the_list(table):
    first, second = create(), create()
    project_actions.update_project(SITE, first.id, replace(WANTED, name="Touched"), seen=seen_of(first), by=ALICE)
    assert [row.project_id for row in project_queries.list_projects(SITE)[0]] == [first.id, second.id]
    assert project_queries.list_projects(SITE)[0][0].name == "Touched"


def test_saving_what_is_there_already_writes_nothing(table):
    made = create()
    assert project_actions.update_project(SITE, made.id, WANTED, seen=seen_of(made), by=BOB).version == 1
    assert len(events(made.id)) == 1


def test_the_loser_of_two_saves_is_told_who_was_first_and_changes_nothing(table):
    made = create()
    project_actions.update_project(SITE, made.id, replace(WANTED, name="First"), seen=seen_of(made), by=BOB)
    with pytest.raises(Conflict, match=r"^Bob Ito changed Name on \d\d \w+ \d{4} at [\d:]+ UTC\.$"):
        project_actions.update_project(SITE, made.id, replace(WANTED, name="Second"), seen=seen_of(made), by=ALICE)
    assert project_queries.get_project(SITE, made.id).settings.name == "First"
    assert [event.type for event in events(made.id)] == ["created", "updated"]


def test_of_eight_saves_at_once_one_wins(table):
    made = create()

    def save(i):
        try:
            return project_actions.update_project(
                SITE, made.id, replace(WANTED, name=f"Number {i}"), seen=seen_of(made), by=Actor(str(i), "x")
            )
        except Conflict:
            return None

    with ThreadPoolExecutor(8) as pool:
        won = [one for one in pool.map(save, range(8)) if one]
    assert len(won) == 1
    stored = project_queries.get_project(SITE, made.id)
    assert (stored.version, stored.settings.name) == (2, won[0].settings.name)
    assert len(events(made.id)) == 2


def test_a_save_that_cannot_be_audited_is_not_made(table):
    made = create()
    with crash_before("dynamodb", "TransactWriteItems"), pytest.raises(Crash):
        project_actions.update_project(SITE, made.id, replace(WANTED, name="Lost"), seen=seen_of(made), by=BOB)
    with fail("dynamodb", "TransactWriteItems", error_code="InternalServerError", times=9), pytest.raises(Unavailable):
        project_actions.update_project(SITE, made.id, replace(WANTED, name="Lost"), seen=seen_of(made), by=BOB)
    assert project_queries.get_project(SITE, made.id).settings == WANTED
    assert len(events(made.id)) == 1


def test_a_project_of_an_older_writer_is_read_and_saved(table):
    key = PROJECT.key(SITE, project_id="proj_old")
    old = {"project_id": "proj_old", "name": "Old one", "color": 3, "ocr_model": "paddleocr-vl"}
    times = {"created_at": "2025-01-01T00:00:00+00:00", "updated_at": "2025-01-02T00:00:00+00:00"}
    Project(key.pk, key.sk, data=old, **times, **PROJECT.gsi1(SITE, updated_at=times["updated_at"])).save()
    found = project_queries.get_project(SITE, "proj_old")
    assert (found.id, found.version, found.settings.fields) == ("proj_old", 0, DEFAULT_FIELDS)
    assert project_queries.list_projects(SITE)[0][0].project_id == "proj_old"
    saved = project_actions.update_project(
        SITE, "proj_old", replace(found.settings, name="New name"), seen=seen_of(found), by=ALICE
    )
    assert (saved.version, saved.settings.ocr_model, saved.data.as_dict()["color"]) == (1, "paddleocr-vl", 3)
    with pytest.raises(Conflict):
        project_actions.update_project(SITE, "proj_old", WANTED, seen=seen_of(found), by=BOB)


def test_a_project_of_another_site_is_not_found(table):
    made = create()
    with pytest.raises(NotFound):
        project_queries.get_project("acme", made.id)
    with pytest.raises(NotFound):
        project_queries.get_project(SITE, "proj#META/../x")
