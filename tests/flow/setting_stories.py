"""What admins do: sites, projects, schemas, rules, senders, calibrations and definitions."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

from django.contrib.auth.models import Group, User

from config import clock
from projects.accounts import access_requests
from projects.audit.events import Actor, actor_of
from projects.models import actions as model_actions
from projects.prompts import actions as prompt_actions
from projects.prompts import queries as prompt_queries
from projects.prompts.prompt import Prompt
from projects.prompts.prompt_file import FiledPrompt
from projects.prompts.queries import PromptRef
from projects.queues import actions as queue_actions
from projects.schemas import actions as schemas_actions
from projects.schemas.governing import AttributeDefinition, AttributeUse, Schema
from projects.schemas.labels import actions as label_actions
from projects.schemas.labels.actions import LabelChange
from projects.schemas.labels.keys import ItemType, LabelKey
from projects.settings import actions as project_actions
from projects.settings.values import ProjectSettings
from projects.sites import actions as sites_actions
from projects.sites import api_keys, sign_in
from projects.sites.actions import Grant
from projects.sites.permissions import Permission
from projects.sites.separation import Separation
from tests.factories import SITE
from tests.projects.models.catalogue import SPEC, add_model
from tests.projects.projects import seen_of
from tests.workflows import decided
from tests.workflows.learning.extractors import reviewed_orders
from tests.workflows.make_rules import draft
from workflows.definitions import actions as definition_actions
from workflows.definitions.blueprint import DOCUMENT_ANALYSIS, DOCUMENT_APPROVAL, FIRST_ANALYSIS
from workflows.definitions.composition import Plan
from workflows.experiments import actions as experiments
from workflows.experiments.actions import Draft
from workflows.experiments.items import Experiment
from workflows.exports import actions as exports
from workflows.exports.choice import Choice
from workflows.intake import bucket
from workflows.intake.items import IncomingFile
from workflows.learning import actions as learning_actions
from workflows.learning.extractors import actions as extractor_actions
from workflows.routing import actions
from workflows.routing.actions import MappingDraft, RulesetDraft
from workflows.testsets import actions as testset_actions
from workflows.testsets.cases import Case

BY = Actor("1", "Alice Novak")
# The function that is tried, and the call of it.
Step = tuple[Callable[..., Any], Callable[[], Any]]
Story = Callable[[], Iterator[Step]]


def site_story() -> Iterator[Step]:
    yield sites_actions.create_site, lambda: sites_actions.create_site("acme", "Acme", by=BY)
    yield sites_actions.rename_site, lambda: sites_actions.rename_site("acme", "Acme Ltd", version=1, by=BY)
    yield sites_actions.set_slots, lambda: sites_actions.set_slots("acme", 3, version=2, by=BY)
    yield sites_actions.close_site, lambda: sites_actions.close_site("acme", version=3, by=BY)
    yield sites_actions.reopen_site, lambda: sites_actions.reopen_site("acme", version=4, by=BY)
    yield sites_actions.set_second_person, lambda: sites_actions.set_second_person("acme", True, version=5, by=BY)
    yield (
        sites_actions.set_separation,
        lambda: sites_actions.set_separation("acme", Separation.ALWAYS, version=6, by=BY),
    )
    grants = [Grant("clerks", frozenset(), frozenset({Permission.READ}), 0)]
    yield sites_actions.save_grants, lambda: sites_actions.save_grants("acme", grants, by=BY)
    made = api_keys.create_api_key(SITE, "Scanner", [Permission.READ], by=BY)[0]
    yield api_keys.create_api_key, lambda: api_keys.create_api_key(SITE, "Other", [Permission.READ], by=BY)
    yield api_keys.revoke_api_key, lambda: api_keys.revoke_api_key(SITE, made.mask, by=BY)


def project_story() -> Iterator[Step]:
    wanted = ProjectSettings(name="Bills")
    made = project_actions.create_project(SITE, wanted, by=BY, project_id=project_actions.new_project_id())
    new_id = project_actions.new_project_id()
    yield project_actions.create_project, lambda: project_actions.create_project(SITE, wanted, by=BY, project_id=new_id)
    changed = ProjectSettings(name="Other bills")
    yield (
        project_actions.update_project,
        lambda: project_actions.update_project(SITE, made.id, changed, seen=seen_of(made), by=BY),
    )
    queue_id = clock.new_ulid()
    yield queue_actions.create_queue, lambda: queue_actions.create_queue(SITE, "Payables", [], by=BY, queue_id=queue_id)
    yield (
        queue_actions.update_queue,
        lambda: queue_actions.update_queue(SITE, queue_id, name="Bills", groups=[], version=1, by=BY),
    )
    yield queue_actions.archive_queue, lambda: queue_actions.archive_queue(SITE, queue_id, by=BY)
    yield queue_actions.restore_queue, lambda: queue_actions.restore_queue(SITE, queue_id, by=BY)


def schema_story() -> Iterator[Step]:
    for key in ("vendor", "spare"):
        define = AttributeDefinition(key, key.capitalize(), "text")
        yield (
            schemas_actions.create_definition,
            lambda define=define: schemas_actions.create_definition(SITE, define, by=BY),
        )
    yield (
        schemas_actions.change_definition,
        lambda: schemas_actions.change_definition(SITE, "vendor", "Sender", version=1, by=BY),
    )
    yield schemas_actions.delete_definition, lambda: schemas_actions.delete_definition(SITE, "spare", by=BY)
    one, made = Schema("Bill", (AttributeUse("vendor"),)), schemas_actions.new_classification_id()
    yield (
        schemas_actions.create_classification,
        lambda: schemas_actions.create_classification(SITE, one, by=BY, classification_id=made),
    )
    other = Schema("Bill", (AttributeUse("vendor", required=True),))
    yield (
        schemas_actions.save_classification,
        lambda: schemas_actions.save_classification(SITE, made, other, version=1, by=BY),
    )
    yield (
        schemas_actions.archive_classification,
        lambda: schemas_actions.archive_classification(SITE, made, archived=True, version=2, by=BY),
    )
    yield schemas_actions.save_site_schema, lambda: schemas_actions.save_site_schema(SITE, other, version=0, by=BY)


def routing_story() -> Iterator[Step]:
    a, b, c = clock.new_ulid(), clock.new_ulid(), clock.new_ulid()
    yield (
        actions.create_ruleset,
        lambda: actions.create_ruleset(SITE, RulesetDraft("Bills", 1, True), by=BY, ruleset_id=a),
    )
    yield (
        actions.update_ruleset,
        lambda: actions.update_ruleset(SITE, a, RulesetDraft("Other", 2, True), version=1, by=BY),
    )
    yield actions.create_rule, lambda: actions.create_rule(SITE, a, draft(), by=BY, rule_id=b)
    yield actions.update_rule, lambda: actions.update_rule(SITE, a, b, draft(description="Other"), version=1, by=BY)
    yield actions.delete_rule, lambda: actions.delete_rule(SITE, a, b, version=2, by=BY)
    pairs = MappingDraft("Totals", "", on=True, pairs=(("total", "amount"),))
    yield actions.create_mapping, lambda: actions.create_mapping(SITE, pairs, by=BY, mapping_id=c)
    other = MappingDraft("Sums", "", on=True, pairs=(("total", "amount"),))
    yield actions.update_mapping, lambda: actions.update_mapping(SITE, c, other, version=1, by=BY)


def incoming_story() -> Iterator[Step]:
    project = project_actions.create_project(
        SITE, ProjectSettings(name="Bills"), by=BY, project_id=project_actions.new_project_id()
    )
    yield bucket.add_tenant, lambda: bucket.add_tenant("acme", SITE, project, by=BY)
    yield bucket.remove_tenant, lambda: bucket.remove_tenant("acme", by=BY)
    now = clock.iso(clock.now())
    file = IncomingFile(*bucket.key_of("1" * 64), name="a.pdf", status="", siteId=SITE, file_size=1, created_at=now)
    yield bucket.quarantine, lambda: bucket.quarantine(file, "Nobody has it.")
    yield bucket.again, lambda: bucket.again(file, by=BY)
    yield bucket.discard, lambda: bucket.discard(file, by=BY)


def calibration_story() -> Iterator[Step]:
    learned, new = decided.reviewed_project(), decided.project()
    yield learning_actions.propose_calibration, lambda: learning_actions.propose_calibration(SITE, learned, by=BY)
    yield (
        learning_actions.activate_calibration,
        lambda: learning_actions.activate_calibration(SITE, learned, 1, seen=0, by=BY),
    )
    refused = learning_actions.propose_or_say_why
    yield refused, lambda: refused(SITE, new, by=BY, order="1")


def extractor_story() -> Iterator[Step]:
    learned, new = reviewed_orders.project_of_orders(12), decided.project()
    yield extractor_actions.train_extractor, lambda: extractor_actions.train_extractor(SITE, learned, by=BY)
    yield (
        extractor_actions.activate_extractor,
        lambda: extractor_actions.activate_extractor(SITE, learned, 1, seen=0, reason="Reads sponsors", by=BY),
    )
    refused = extractor_actions.train_or_say_why
    yield refused, lambda: refused(SITE, new, by=BY, order="1")


def definition_story() -> Iterator[Step]:
    for one in (FIRST_ANALYSIS, DOCUMENT_ANALYSIS, DOCUMENT_APPROVAL):
        definition_actions.publish_definition(one)
    yield (
        definition_actions.activate_definition,
        lambda: definition_actions.activate_definition(FIRST_ANALYSIS.id, instead_of=2, by=BY),
    )
    yield (
        definition_actions.archive_definition,
        lambda: definition_actions.archive_definition(DOCUMENT_APPROVAL.id, by=BY),
    )
    plan = Plan("Two of finance")
    yield definition_actions.create_composed, lambda: definition_actions.create_composed("rule", plan, by=BY)
    changed = replace(plan, summary=False)
    yield definition_actions.save_plan, lambda: definition_actions.save_plan("rule", changed, revision=1, by=BY)
    yield definition_actions.publish_plan, lambda: definition_actions.publish_plan("rule", revision=2, by=BY)
    yield definition_actions.mark_deployed, lambda: definition_actions.mark_deployed("rule.v1")


def model_story() -> Iterator[Step]:
    spec = add_model("first")
    other = replace(spec, id="other", name="Other")
    yield model_actions.create_model, lambda: model_actions.create_model(SITE, other, by=BY)
    changed = replace(other, temperature=0.5)
    yield model_actions.update_model, lambda: model_actions.update_model(SITE, changed, version=1, by=BY)
    yield model_actions.ask_test, lambda: model_actions.ask_test(SITE, changed, by=BY)
    yield model_actions.remove_model, lambda: model_actions.remove_model(SITE, "other", version=2, by=BY)


def prompt_story() -> Iterator[Step]:
    ref = PromptRef(SITE, "p", "extract")
    text = Prompt("extract", "Read.\n", "{{page_text}}\n")
    yield prompt_actions.save_version, lambda: prompt_actions.save_version(ref, text, based_on=1, note="", by=BY)
    yield (
        prompt_actions.set_candidate,
        lambda: prompt_actions.set_candidate(ref, 2, expected=0, percent=10, reason="Trial", by=BY),
    )
    yield (
        prompt_actions.move_production,
        lambda: prompt_actions.move_production(ref, 2, expected=1, reason="Better", by=BY),
    )
    answers = Prompt("answer", "Answer.\n", "{{page_text}} {{question}}\n")
    filed = [(PromptRef(SITE, "p", "answer"), FiledPrompt(answers))]
    bring = prompt_actions.import_prompts
    yield bring, lambda: bring(filed, based_on={}, by=BY)
    sites_actions.set_second_person(SITE, True, version=0, by=BY)
    move, decline, confirm = (
        prompt_actions.move_production,
        prompt_actions.decline_production,
        prompt_actions.confirm_production,
    )
    yield move, lambda: move(ref, 1, expected=2, reason="Back", by=BY)
    first = open_proposal(ref)
    yield decline, lambda: decline(ref, first, reason="No", by=BY)
    move(ref, 1, expected=2, reason="Back", by=BY)
    second = open_proposal(ref)
    yield confirm, lambda: confirm(ref, second, by=Actor("2", "Bob Ito"))


def experiment_story() -> Iterator[Step]:
    create, add, remove = testset_actions.create_test_set, testset_actions.add_cases, testset_actions.remove_case
    testset = create(SITE, "p", "Receipts", by=BY)
    cases = [Case(name, "0" * 64, "tuning", 1) for name in ("a", "b")]
    yield create, lambda: create(SITE, "p", "Others", by=BY)
    yield add, lambda: add(testset, cases, note="", by=BY)
    yield remove, lambda: remove(testset, "a", based_on=1, by=BY)
    yield testset_actions.seed_reviews, lambda: testset_actions.seed_reviews(testset, 0.1, by=BY)
    trial = Draft("Trial", testset.testset_id, (1,), (SPEC,))
    yield experiments.create_experiment, lambda: experiments.create_experiment(SITE, "p", trial, by=BY)
    made = experiments.create_experiment(SITE, "p", trial, by=BY)
    yield experiments.pause_experiment, lambda: experiments.pause_experiment(made, by=BY)
    yield experiments.resume_experiment, lambda: experiments.resume_experiment(made, by=BY)
    ended = [Experiment.status.set("done"), Experiment.failed.set(1)]
    Experiment.change(made.key, ended, Experiment.PK.exists())
    yield experiments.retry_experiment, lambda: experiments.retry_experiment(made, by=BY)
    yield experiments.stop_experiment, lambda: experiments.stop_experiment(made, by=BY)


def export_story() -> Iterator[Step]:
    schedule = exports.create_schedule(SITE, "p", Choice(), "day", "finance/daily", who=exports.Orderer(BY))
    delete = exports.delete_schedule
    yield delete, lambda: delete(SITE, "p", schedule.schedule_id, by=BY)


def label_story() -> Iterator[Step]:
    add, save, remove = label_actions.add_language, label_actions.save_labels, label_actions.remove_language
    summed = LabelChange(LabelKey(ItemType.INTERFACE, interface_key="total"), "Summe")
    yield add, lambda: add(SITE, "de", by=BY)
    yield save, lambda: save(SITE, "de", [summed], by=BY)
    yield remove, lambda: remove(SITE, "de", by=BY)


def open_proposal(ref: PromptRef) -> str:
    found = prompt_queries.get_head(ref).open_proposal
    assert found
    return found.id


def account_story() -> Iterator[Step]:
    user, group = User.objects.create_user("nora"), Group.objects.create(name="auditors")
    told = sign_in.record_account
    yield told, lambda: told(user, "created", by=BY, changes={})
    yield sign_in.record_factor, lambda: sign_in.record_factor(user, "passkey added", by=BY)
    ask, decline = access_requests.ask, access_requests.decline
    yield ask, lambda: ask(SITE, user, Permission.REVIEW, "", by=actor_of(user))
    yield decline, lambda: decline(SITE, user, by=BY)
    yield sign_in.record_group, lambda: sign_in.record_group(group, "created", by=BY, changes={})
