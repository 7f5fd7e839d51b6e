"""Versions of definitions: published once, one active at a time, and who loses a race is told who was first."""

from dataclasses import replace

import pytest

from config import table as keys
from config.errors import Conflict, CountersignError, NotFound, Refused
from config.table import DEFAULT_SITE
from projects.audit.events import Actor
from projects.audit.items import EntityEvent
from tests.aws_faults import count_calls
from workflows.definitions import actions as definition_actions
from workflows.definitions import versions
from workflows.definitions.blueprint import DOCUMENT_ANALYSIS, DOCUMENT_APPROVAL, FIRST_ANALYSIS, SHIPPED
from workflows.definitions.blueprint import DefinitionStatus as S
from workflows.definitions.composition import Block, Plan
from workflows.definitions.items import Definition

pytestmark = pytest.mark.usefixtures("table")
BY = Actor("1", "Alice Novak")
FAMILY = DOCUMENT_ANALYSIS.name


def states(family: str = FAMILY) -> list[S | None]:
    """The newest version first."""
    return [one.status for one in versions.get_family(family).versions]


@pytest.fixture
def published(table: str) -> None:
    for definition in SHIPPED.values():
        assert definition_actions.publish_definition(definition)


@pytest.fixture
def draft(table: str, monkeypatch: pytest.MonkeyPatch) -> str:
    """A second version of the approval that no run gets yet."""
    definition_actions.publish_definition(DOCUMENT_APPROVAL)
    later = replace(DOCUMENT_APPROVAL, version=2, draft=True)
    monkeypatch.setitem(SHIPPED, later.id, later)
    assert definition_actions.publish_definition(later)
    return later.id


def test_before_anything_is_published_the_newest_known_is_used() -> None:
    assert versions.active_definition() is DOCUMENT_ANALYSIS
    assert versions.active_definition("gone") is DOCUMENT_ANALYSIS
    assert versions.active_definition("document-approval") is DOCUMENT_APPROVAL
    assert [one.active for one in versions.list_families()] == [0, 0]
    assert states() == [None, None]


@pytest.mark.usefixtures("published")
def test_the_last_one_published_is_active_and_the_one_before_it_archived() -> None:
    assert states() == [S.ACTIVE, S.ARCHIVED]
    assert states("document-approval") == [S.ACTIVE]
    with count_calls() as calls:
        assert [one.active for one in versions.list_families()] == [2, 1]
    assert calls.names() == ["dynamodb.Query", "dynamodb.BatchGetItem"]


@pytest.mark.usefixtures("published")
def test_the_head_says_what_its_active_version_says() -> None:
    """Published or activated: not what the family's first version once said."""
    for version, before in ((DOCUMENT_ANALYSIS, None), (FIRST_ANALYSIS, 2), (DOCUMENT_ANALYSIS, 1)):
        if before:
            definition_actions.activate_definition(version.id, instead_of=before, by=BY)
        head = definition_actions.head_of(FAMILY)
        assert head is not None
        assert (int(head.version), head.description) == (version.version, version.description)
    assert FIRST_ANALYSIS.description != DOCUMENT_ANALYSIS.description


@pytest.mark.usefixtures("published")
def test_published_again_it_changes_nothing_that_an_admin_decided() -> None:
    definition_actions.activate_definition(FIRST_ANALYSIS.id, instead_of=2, by=BY)
    assert not definition_actions.publish_definition(DOCUMENT_ANALYSIS)
    assert states() == [S.ARCHIVED, S.ACTIVE]
    assert versions.active_definition() is FIRST_ANALYSIS


def test_a_draft_is_given_to_no_run_until_it_is_activated(draft: str) -> None:
    assert states("document-approval") == [S.DRAFT, S.ACTIVE]
    assert versions.active_definition("document-approval") is DOCUMENT_APPROVAL
    definition_actions.activate_definition(draft, instead_of=1, by=BY)
    assert states("document-approval") == [S.ACTIVE, S.ARCHIVED]
    assert versions.active_definition("document-approval").id == draft


def test_a_draft_can_be_archived_and_activated_after_all(draft: str) -> None:
    definition_actions.archive_definition(draft, by=BY)
    assert states("document-approval") == [S.ARCHIVED, S.ACTIVE]
    with pytest.raises(Conflict, match="version 1 is active"):
        definition_actions.archive_definition(draft, by=BY)
    definition_actions.activate_definition(draft, instead_of=1, by=BY)
    assert versions.active_definition("document-approval").id == draft


def test_a_first_version_may_be_a_draft(monkeypatch: pytest.MonkeyPatch) -> None:
    first = replace(DOCUMENT_APPROVAL, name="trial", draft=True)
    monkeypatch.setitem(SHIPPED, first.id, first)
    definition_actions.publish_definition(first)
    with pytest.raises(NotFound):
        versions.get_family("trial")  # no run can get it: none is offered
    definition_actions.activate_definition(first.id, instead_of=0, by=BY)
    assert definition_actions.head_of("trial").status == S.ACTIVE  # type: ignore[union-attr]


@pytest.mark.usefixtures("published")
def test_who_saw_another_version_as_active_is_told() -> None:
    definition_actions.activate_definition(FIRST_ANALYSIS.id, instead_of=2, by=BY)
    with pytest.raises(Conflict, match="version 1 is active now"):
        definition_actions.activate_definition(DOCUMENT_ANALYSIS.id, instead_of=2, by=BY)
    assert states() == [S.ARCHIVED, S.ACTIVE]


@pytest.mark.usefixtures("published")
def test_of_two_who_activate_at_once_one_loses(monkeypatch: pytest.MonkeyPatch) -> None:
    head = definition_actions.head_of(FAMILY)
    definition_actions.activate_definition(FIRST_ANALYSIS.id, instead_of=2, by=BY)
    seen = iter([head])
    read = definition_actions.head_of
    monkeypatch.setattr(definition_actions, "head_of", lambda family: next(seen, None) or read(family))
    later = replace(DOCUMENT_ANALYSIS, version=3)
    monkeypatch.setitem(SHIPPED, later.id, later)
    Definition(
        *versions.definition_key(later.id), workflowId=later.id, name=FAMILY, version=3, status=S.DRAFT,
        createdAt="2026", updatedAt="2026",
    ).save()  # fmt: skip
    with pytest.raises(Conflict, match="version 1 is active now"):
        definition_actions.activate_definition(later.id, instead_of=2, by=BY)
    assert states() == [S.DRAFT, S.ARCHIVED, S.ACTIVE]


def test_of_two_families_published_at_once_both_are_there(monkeypatch: pytest.MonkeyPatch) -> None:
    """The head moved between reading and writing: it is read again."""
    definition_actions.publish_definition(FIRST_ANALYSIS)
    read, seen = definition_actions.head_of, iter([None])
    monkeypatch.setattr(definition_actions, "head_of", lambda family: next(seen, read(family)))
    assert definition_actions.publish_definition(DOCUMENT_ANALYSIS)
    assert states() == [S.ACTIVE, S.ARCHIVED]
    monkeypatch.setattr(definition_actions, "head_of", lambda _family: None)
    with pytest.raises(CountersignError, match="Run bootstrap again"):
        definition_actions.publish_definition(replace(DOCUMENT_ANALYSIS, version=3))


@pytest.mark.usefixtures("published")
def test_an_archived_family_begins_no_run() -> None:
    definition_actions.archive_definition(DOCUMENT_APPROVAL.id, by=BY)
    assert states("document-approval") == [S.ARCHIVED]
    with pytest.raises(Refused, match="No version of document-approval is active"):
        versions.active_definition("document-approval")
    with pytest.raises(Conflict, match="no version is active"):
        definition_actions.activate_definition(DOCUMENT_APPROVAL.id, instead_of=1, by=BY)
    definition_actions.activate_definition(DOCUMENT_APPROVAL.id, instead_of=0, by=BY)
    assert versions.active_definition("document-approval") is DOCUMENT_APPROVAL


@pytest.mark.usefixtures("published")
def test_the_analysis_of_every_document_is_not_archived_and_an_active_one_not_activated() -> None:
    with pytest.raises(Refused, match="Activate another version"):
        definition_actions.archive_definition(DOCUMENT_ANALYSIS.id, by=BY)
    with pytest.raises(Refused, match="already active"):
        definition_actions.activate_definition(DOCUMENT_ANALYSIS.id, instead_of=2, by=BY)
    with pytest.raises(NotFound):
        definition_actions.activate_definition("document-analysis.v99", instead_of=2, by=BY)


def test_what_is_not_published_cannot_be_activated() -> None:
    with pytest.raises(NotFound):
        definition_actions.activate_definition(DOCUMENT_APPROVAL.id, instead_of=0, by=BY)


def test_what_cannot_be_run_is_not_published() -> None:
    broken = replace(DOCUMENT_APPROVAL, steps=DOCUMENT_APPROVAL.steps[:-1])
    with pytest.raises(CountersignError, match=r"document-approval\.v1 cannot be published"):
        definition_actions.publish_definition(broken)


@pytest.mark.usefixtures("published")
def test_a_version_with_its_steps_is_one_query() -> None:
    with count_calls() as calls:
        row, steps = versions.get_published_version(DOCUMENT_APPROVAL.id)
    assert calls.names() == ["dynamodb.Query"]
    assert (row.name, [int(step.stepOrder) for step in steps]) == ("document-approval", list(range(1, 19)))
    step = steps[10]
    assert (step.name, step.type, step.timeoutMin) == ("First Approval", "approval", 7 * 24 * 60)
    assert step.config.as_dict()["next"] == {"approve": 12, "default": 18}
    with pytest.raises(NotFound):
        versions.get_published_version("document-approval.v9")


@pytest.mark.usefixtures("published")
def test_what_was_published_before_versions_were_archived_reads_as_archived() -> None:
    Definition.change(
        versions.definition_key(FIRST_ANALYSIS.id), [Definition.status.set(S.ACTIVE)], Definition.PK.exists()
    )
    assert states() == [S.ACTIVE, S.ARCHIVED]


@pytest.mark.usefixtures("published")
def test_a_version_of_newer_code_leaves_the_newest_that_is_known() -> None:
    Definition.change(
        versions.definition_key(FAMILY), [Definition.version.set(9)], Definition.PK.exists()
    )  # fmt: skip
    versions.directory.forget()
    assert versions.active_definition() is DOCUMENT_ANALYSIS
    with pytest.raises(NotFound):
        versions.get_family(FAMILY).version(9)


@pytest.mark.usefixtures("published")
def test_the_audit_says_who_activated_what() -> None:
    definition_actions.activate_definition(FIRST_ANALYSIS.id, instead_of=2, by=BY)
    pk = keys.ENTITY_EVENT.partition_key(DEFAULT_SITE, entity_type="definition", entity_id=FAMILY)
    events = EntityEvent.page(pk).rows
    assert [(one.type, one.userId) for one in events] == [
        ("published", "system"), ("published", "system"), ("activated", "1"),
    ]  # fmt: skip


PLAN = Plan("Two of finance", (Block("approval", "Finance", approvers=2, queue="Finance"),))


def test_a_composed_definition_is_published_deployed_and_activated() -> None:
    definition_actions.create_composed("two-of-finance", Plan(), by=BY)
    assert definition_actions.save_plan("two-of-finance", PLAN, revision=1, by=BY) == 2
    assert definition_actions.save_plan("two-of-finance", PLAN, revision=2, by=BY) == 2  # nothing new
    published = definition_actions.publish_plan("two-of-finance", revision=2, by=BY)
    assert versions.find_definition(published.id) == replace(published, draft=False)
    with pytest.raises(Refused, match="not deployed yet"):
        definition_actions.activate_definition(published.id, instead_of=0, by=BY)
    with pytest.raises(Refused, match="No version of two-of-finance is active"):
        versions.active_definition("two-of-finance")
    definition_actions.mark_deployed(published.id)
    definition_actions.mark_deployed(published.id)
    definition_actions.activate_definition(published.id, instead_of=0, by=BY)
    assert versions.active_definition("two-of-finance").id == "two-of-finance.v1"
    pk = keys.ENTITY_EVENT.partition_key(DEFAULT_SITE, entity_type="definition", entity_id="two-of-finance")
    kinds = [one.type for one in EntityEvent.page(pk).rows]
    assert sorted(kinds) == ["activated", "created", "deployed", "edited", "published"]


def test_who_saved_or_published_second_is_told_who_was_first() -> None:
    definition_actions.create_composed("rule", Plan(), by=BY)
    definition_actions.save_plan("rule", PLAN, revision=1, by=Actor("2", "Bob Stone"))
    with pytest.raises(Conflict, match="Changed by Bob Stone"):
        definition_actions.save_plan("rule", replace(PLAN, graph=False), revision=1, by=BY)
    with pytest.raises(Conflict, match="Changed by Bob Stone"):
        definition_actions.publish_plan("rule", revision=1, by=BY)
    assert versions.get_family("rule").versions == ()


def test_a_name_is_taken_once() -> None:
    definition_actions.create_composed("rule", Plan(), by=BY)
    for taken in ("rule", DOCUMENT_ANALYSIS.name):
        with pytest.raises(Conflict, match="already exists"):
            definition_actions.create_composed(taken, Plan(), by=BY)
    for bad in ("Rule", "rule.v1", "a--b", "x" * 41, ""):
        with pytest.raises(Refused, match="lowercase"):
            definition_actions.create_composed(bad, Plan(), by=BY)
