"""Two admins at the same project: what they change in different places is all kept, in both of two ways to save."""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest

from config import aws
from config.errors import Conflict
from config.table import ENTITY_EVENT
from projects.audit.events import Actor, actor_of
from projects.audit.items import EntityEvent
from projects.settings import actions as project_actions
from projects.settings import queries as project_queries
from projects.settings.values import FieldSetting
from tests.aws_faults import before_each, count_calls
from tests.examples import at_most
from tests.html import one_line
from tests.people import alice, person, signed_in
from tests.projects.projects import SITE, make_project, sealed, seen_of, typed

pytestmark = pytest.mark.django_db
ROUNDS = at_most(100)


def bea():
    return person("bea", "Adler", "admins")


def events(project):
    pk = ENTITY_EVENT.partition_key(SITE, entity_type="project", entity_id=project.id)
    return list(EntityEvent.page(pk, consistent=True, limit=1000).rows)


def stored(project):
    return project_queries.get_project(SITE, project.id)


@pytest.mark.examples
def test_changes_of_two_admins_at_once_are_all_there(table):
    project = make_project()

    def work(name: str) -> None:
        for i in range(ROUNDS):
            shown = stored(project)
            settings = shown.settings
            wanted = replace(settings, ocr_options={**settings.ocr_options, f"{name}-{i}": i})
            wanted = replace(wanted, **{"name" if name == "alice" else "description": f"{name} {i}"})
            project_actions.update_project(SITE, project.id, wanted, seen=seen_of(shown), by=Actor(name, name))

    with ThreadPoolExecutor(2) as pool:
        list(pool.map(work, ("alice", "bea")))

    after = stored(project)
    assert after.version == 2 * ROUNDS + 1
    assert after.settings.ocr_options == {f"{name}-{i}": i for name in ("alice", "bea") for i in range(ROUNDS)}
    assert (after.settings.name, after.settings.description) == (f"alice {ROUNDS - 1}", f"bea {ROUNDS - 1}")
    written = events(project)
    assert [event.payload.as_dict()["version"] for event in written] == list(range(1, 2 * ROUNDS + 2))
    for event in written[1:]:
        changes = event.payload.as_dict()["changes"]
        place = next(iter(changes.keys() - {"name", "description"}))
        assert place.startswith(f"ocr_options.{event.userId}-")
        assert changes[place] == {"before": None, "after": int(place.rpartition("-")[2])}
        assert changes.keys() - {place} == {"name" if event.userId == "alice" else "description"}


def test_forms_that_were_opened_before_everything_else_still_lose_nothing(table):
    project = make_project(fields=tuple(FieldSetting(f"f{i}", f"F{i}", "text") for i in range(16)))

    def save(i: int) -> None:
        fields = tuple(replace(one, threshold=0.5) if one.name == f"f{i}" else one for one in project.settings.fields)
        wanted = replace(project.settings, fields=fields)
        project_actions.update_project(SITE, project.id, wanted, seen=seen_of(project), by=Actor(str(i), "x"))

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(save, range(16)))
    after = stored(project)
    assert after.version == 17
    assert [one.threshold for one in after.settings.fields] == [0.5] * 16
    assert after.data.as_dict()["review_policy"]["thresholds"] == {f"f{i}": 0.5 for i in range(16)}


@pytest.mark.wide
@pytest.mark.examples
def test_two_sessions_save_forms_that_both_were_opened_first(table):
    project = make_project()
    hers, others = signed_in(alice()), signed_in(bea(), htmx=True)
    url = f"/projects/{project.id}/edit/"
    times = at_most(20)
    for i in range(times):
        forms = []
        for browser in (hers, others):
            editor = browser.get(url).context["editor"]
            forms.append(typed(stored(project).settings, seen=editor.seen))
        forms[0] |= {"name": f"Alice {i}", "fields-0-label": f"Company {i}"}
        forms[1] |= {"description": f"Bea {i}", "fields-3-threshold": str(i)}
        assert hers.post(url, forms[0]).status_code == 302
        assert others.post(url, forms[1])["HX-Redirect"] == f"/projects/{project.id}/"
    after = stored(project)
    assert (after.version, len(events(project))) == (2 * times + 1, 2 * times + 1)
    assert (after.settings.name, after.settings.description) == (f"Alice {times - 1}", f"Bea {times - 1}")
    assert (after.settings.fields[0].label, after.settings.fields[3].threshold) == (
        f"Company {times - 1}",
        (times - 1) / 100,
    )


def test_the_second_of_two_keeps_what_was_typed_beside_what_the_first_changed_elsewhere(table):
    project = make_project()
    first = replace(project.settings, name="Bea's", language="fr", fields=project.settings.fields[1:])
    project_actions.update_project(SITE, project.id, first, seen=seen_of(project), by=actor_of(bea()))
    url = f"/projects/{project.id}/edit/"
    browser = signed_in(alice())
    changes = {"name": "Alice's", "document_prompt": "Mine", "fields-0-label": "Seller"}
    seen = {"seen": browser.get(url).context["editor"].seen}
    lost = browser.post(url, typed(project.settings, **changes, seen=sealed(project)))
    page = one_line(lost.content)
    assert lost.status_code == 409
    assert "Bea Adler changed <b>Name</b> on " in page
    assert "Bea Adler changed <b>Fields: Seller</b> on " in page
    assert "Current value: removed" in page
    form = lost.context["editor"].form.initial
    assert (form["name"], form["document_prompt"], form["language"]) == ("Alice's", "Mine", "fr")
    assert lost.context["editor"].seen == seen["seen"]
    merged = replace(
        first,
        name="Alice's",
        document_prompt="Mine",
        fields=(replace(project.settings.fields[0], label="Seller"), *first.fields),
    )
    assert browser.post(url, typed(merged, **seen)).status_code == 302
    assert stored(project).settings == merged


def test_only_the_paths_that_changed_are_written(table):
    project = make_project(ocr_options={"lang": "german"})
    fields = (replace(project.settings.fields[0], threshold=0.9), *project.settings.fields[1:])
    wanted = replace(project.settings, fields=fields, ocr_options={"use_textline_orientation": True})
    with count_calls() as calls:
        project_actions.update_project(SITE, project.id, wanted, seen=seen_of(project), by=actor_of(alice()))
    (call,) = calls.of("dynamodb", "TransactWriteItems")
    update = call.params["TransactItems"][0]["Update"]
    names = update["ExpressionAttributeNames"]
    text = update["UpdateExpression"]
    for short, name in sorted(names.items(), key=lambda one: -len(one[0])):
        text = text.replace(short, name)
    parts = {
        part.split(" = ")[0]
        for half in text.replace("SET ", "|").replace("REMOVE ", "|").split("|")
        for part in half.strip().split(", ")
    }
    assert parts - {""} == {
        "data.review_policy.thresholds.company",
        "data.ocr_options.use_textline_orientation",
        "data.ocr_options.lang",
        "data.version",
        "data.updated_by",
        "name",
        "updated_at",
        "GSI1PK",
        "GSI1SK",
    }


def test_what_another_writer_keeps_beside_ours_stays(table):
    project = make_project()
    aws.dynamodb_client().update_item(
        TableName=table,
        Key={"PK": {"S": project.PK}, "SK": {"S": project.SK}},
        UpdateExpression="SET #d.color = :c, #d.ocr_options.lang = :l",
        ExpressionAttributeNames={"#d": "data"},
        ExpressionAttributeValues={":c": {"N": "3"}, ":l": {"S": "korean"}},
    )
    wanted = replace(project.settings, name="New", ocr_options={"use_textline_orientation": True})
    project_actions.update_project(SITE, project.id, wanted, seen=seen_of(project), by=actor_of(alice()))
    data = stored(project).data.as_dict()
    assert (data["color"], data["ocr_options"]) == (3, {"lang": "korean", "use_textline_orientation": True})


@pytest.mark.parametrize("clashing", [False, True])
def test_the_loser_of_the_version_merges_with_the_winner_or_hears_of_it(table, clashing):
    project = make_project()

    def win() -> None:
        wanted = replace(project.settings, description="Between", **({"name": "Between"} if clashing else {}))
        project_actions.update_project(SITE, project.id, wanted, seen=seen_of(project), by=actor_of(bea()))

    def save() -> None:
        wanted = replace(project.settings, name="Late")
        project_actions.update_project(SITE, project.id, wanted, seen=seen_of(project), by=actor_of(alice()))

    with before_each("dynamodb", "TransactWriteItems", win):
        if clashing:
            with pytest.raises(Conflict, match=r"^Bea Adler changed Name on "):
                save()
        else:
            save()
    after = stored(project)
    assert (after.version, after.settings.name) == ((2, "Between") if clashing else (3, "Late"))
    assert after.settings.description == "Between"
    assert len(events(project)) == after.version


@pytest.mark.wide
def test_somebody_who_loses_again_and_again_is_told_to_save_again(table):
    project = make_project()

    def win() -> None:
        shown = stored(project)
        wanted = replace(shown.settings, description=f"Version {shown.version}")
        project_actions.update_project(SITE, project.id, wanted, seen=seen_of(shown), by=actor_of(bea()))

    browser = signed_in(alice())
    with before_each("dynamodb", "TransactWriteItems", win, times=99):
        answer = browser.post(
            f"/projects/{project.id}/edit/", typed(project.settings, name="Mine", seen=sealed(project))
        )
    assert answer.status_code == 409
    assert "Changes not saved" in one_line(answer.content)
    editor = answer.context["editor"]
    assert editor.form.initial["name"] == "Mine"
    assert editor.form.initial["description"].startswith("Version ")
    assert stored(project).settings.name == "Supplier invoices"
