"""Pages of rulesets, rules and field mappings, under the settings."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from django.contrib import messages
from django.http import HttpResponse
from django.urls import reverse
from django.utils.translation import gettext
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from config.errors import ActionFailed, Conflict, NotFound, Unavailable
from config.phrase import Figure, Phrase
from projects.audit.events import actor_of
from projects.queues import queries as queue_queries
from projects.queues.actions import queue_id_from
from projects.schemas import queries as schema_queries
from projects.settings import queries as project_queries
from projects.settings.values import LANGUAGES
from projects.sites import access
from projects.templatetags.desk import within_sentence
from projects.web.http import DeskRequest, redirect_after_post, render_answer, version_in
from workflows.definitions.rules import NO_EFFECT, Effect, When
from workflows.publish import webhooks
from workflows.routing import actions, pinned_rules
from workflows.routing.actions import MappingDraft
from workflows.routing.forms.field_mappings import (
    MappingEditor,
    edit_posted_mapping,
    edit_rearranged_mapping,
    edit_stored_mapping,
    pair_rows,
)
from workflows.routing.forms.formsets import RowKind
from workflows.routing.forms.rules import (
    Choices,
    RuleEditor,
    RulesetForm,
    edit_posted_rule,
    edit_rearranged_rule,
    edit_stored_rule,
    new_editor,
    ruleset_form,
)
from workflows.routing.items import Ruleset, StoredMapping, StoredRule
from workflows.runs.items import ACTION_WORDS, ActionType

_BLANK = MappingDraft("", "", on=True, pairs=())


@require_safe
def list_mappings(request: DeskRequest) -> HttpResponse:
    access.check_can_govern(request)
    found = [(one, one.mapping) for one in pinned_rules.list_mappings(request.site)]
    return render_answer(
        request, "workflows/routing/mappings.html", None, {"mappings": found, "most": pinned_rules.MOST_MAPPINGS}
    )


@require_http_methods(["GET", "POST"])
def create_mapping(request: DeskRequest) -> HttpResponse:
    access.check_can_govern(request)
    kind, projects = _offer_choices(request)
    here = {"mapping_id": queue_id_from(request.POST.get("mapping_id", ""))}
    if request.method == "GET":
        return _mapping_page(request, edit_stored_mapping(_BLANK, kind, projects), here)
    if "rows" in request.POST:
        return _mapping_page(request, edit_rearranged_mapping(request.POST, kind, projects, stored="", version=0), here)
    editor = edit_posted_mapping(request.POST, kind, projects, stored="", version=0)
    if not editor.is_valid():
        return _mapping_page(request, editor, here, status=422)
    actions.create_mapping(request.site, editor.draft(), by=actor_of(request.user), **here)
    messages.success(request, gettext("Field mapping created. It applies to new documents."))
    return redirect_after_post(request, reverse("routing:list-mappings"))


@require_http_methods(["GET", "POST"])
def edit_mapping(request: DeskRequest, mapping_id: str) -> HttpResponse:
    access.check_can_govern(request)
    stored = pinned_rules.get_mapping(request.site, mapping_id)
    kind, projects = _offer_choices(request)
    if request.method == "GET":
        editor = edit_stored_mapping(actions.mapping_draft_of(stored), kind, projects, int(stored.version))
        return _mapping_page(request, editor, {"mapping": stored})
    seen: dict[str, Any] = {"stored": stored.project_id or "", "version": version_in(request.POST)}
    if "rows" in request.POST:
        return _mapping_page(
            request, edit_rearranged_mapping(request.POST, kind, projects, **seen), {"mapping": stored}
        )
    editor = edit_posted_mapping(request.POST, kind, projects, **seen)
    if not editor.is_valid():
        return _mapping_page(request, editor, {"mapping": stored}, status=422)
    return _save_mapping(request, stored, editor)


def _save_mapping(request: DeskRequest, stored: StoredMapping, editor: MappingEditor) -> HttpResponse:
    try:
        actions.update_mapping(
            request.site, stored.id, editor.draft(), version=editor.version, by=actor_of(request.user)
        )
    except Conflict as error:
        now = pinned_rules.get_mapping(request.site, stored.id)
        return _mapping_page(request, editor, {"mapping": now, "clash": str(error)}, status=409)
    messages.success(request, gettext("Field mapping saved. Started runs keep the earlier version."))
    return redirect_after_post(request, reverse("routing:list-mappings"))


def _offer_choices(request: DeskRequest) -> tuple[RowKind, dict[str, str]]:
    definitions = schema_queries.attribute_definitions(request.site)
    attributes = {one.key: f"{one.label} ({within_sentence(one.kind_label)})" for one in definitions}
    projects, _ = project_queries.list_projects(request.site, limit=project_queries.MOST)
    return pair_rows(attributes), {one.project_id: one.name for one in sorted(projects, key=lambda one: one.name)}


def _mapping_page(
    request: DeskRequest, editor: MappingEditor, more: Mapping[str, Any], *, status: int = 200
) -> HttpResponse:
    context = {"editor": editor, "form": editor.form, **more}
    return render_answer(
        request, "workflows/routing/mapping.html", "workflows/routing/_mapping_form.html", context, status=status
    )


@dataclass(frozen=True)
class RuleRow:
    """A rule in its ruleset's list: conditions and effects in words."""

    stored: StoredRule
    at_upload: bool
    conditions: tuple[str, ...]
    effects: tuple[str, ...]


def rule_rows(site: str, found: Iterable[StoredRule]) -> list[RuleRow]:
    rows = list(found)
    choices = choices_of(site) if rows else Choices()
    return [_row(one, choices) for one in rows]


def _row(stored: StoredRule, choices: Choices) -> RuleRow:
    found = stored.rule
    conditions = tuple(one.words for one in found.conditions)
    return RuleRow(stored, found.when == When.UPLOAD, conditions, tuple(effect_words(found.effect, choices)))


def effect_words(effect: Effect, choices: Choices) -> Iterable[str]:
    """``Reviews wait in Payables``, ``Send an email: a@example.org``."""
    named: Mapping[str, tuple[str, Mapping[str, str]]] = {
        "queue": (Phrase("Review queue"), choices.queues),
        "classification": (Phrase("Document type"), choices.classifications),
        "language": (Phrase("Language"), LANGUAGES),
        "definition": (Phrase("Workflow definition"), {}),
    }
    for name, (words, names) in named.items():
        if value := str(getattr(effect, name)):
            yield Phrase("%(setting)s: %(value)s").fill(setting=words, value=names.get(value, value))
    if effect.threshold is not None:
        yield Phrase("Review threshold: %(share)s").fill(share=Figure(f"{effect.threshold * 100:g} %"))
    for act in effect.actions:
        parameters = act.parameters
        queue = parameters.get("queue", "")
        target = choices.queues.get(queue, queue) or parameters.get("to") or parameters.get("url")
        words = ACTION_WORDS.get(act.type, act.type)
        yield Phrase("%(setting)s: %(value)s").fill(setting=words, value=target) if target else words


def choices_of(site: str, stored: Effect = NO_EFFECT) -> Choices:
    """Archived queues are omitted, unless already chosen."""
    chosen = {stored.queue, *(act.parameters.get("queue", "") for act in stored.actions)}
    queues = {one.id: one.name for one in queue_queries.all_queues(site) if not one.is_archived or one.id in chosen}
    classes = schema_queries.all_classifications(site)
    return Choices(queues, {one.id: one.name for one in classes if not one.archived})


@require_http_methods(["GET", "POST"])
def create_rule(request: DeskRequest, ruleset_id: str) -> HttpResponse:
    access.check_can_govern(request)
    ruleset, choices = pinned_rules.get_ruleset(request.site, ruleset_id), choices_of(request.site)
    rule_id = queue_id_from(request.POST.get("rule_id", ""))
    here = {"ruleset": ruleset, "rule_id": rule_id}
    if request.method == "GET":
        priority = 10 + max((int(one.priority) for one in pinned_rules.list_rules(request.site, ruleset_id)), default=0)
        return _rule_page(request, new_editor(choices, priority), here)
    if order := request.POST.get("rows"):
        return _rule_page(request, edit_rearranged_rule(request.POST, choices, NO_EFFECT, 0, order=order), here)
    editor = edit_posted_rule(request.POST, choices, NO_EFFECT, 0)
    if not editor.is_valid():
        return _rule_page(request, editor, here, status=422)
    actions.create_rule(request.site, ruleset_id, editor.draft(), by=actor_of(request.user), rule_id=rule_id)
    messages.success(request, gettext("Rule created. It applies to new documents."))
    return redirect_after_post(request, reverse("routing:edit-ruleset", args=[ruleset_id]))


@require_http_methods(["GET", "POST"])
def edit_rule(request: DeskRequest, ruleset_id: str, rule_id: str) -> HttpResponse:
    access.check_can_govern(request)
    ruleset = pinned_rules.get_ruleset(request.site, ruleset_id)
    stored = pinned_rules.get_rule(request.site, ruleset_id, rule_id)
    draft = actions.rule_draft_of(stored)
    here = {"ruleset": ruleset, "rule": stored, "secrets": _secrets(request.site, draft.effect)}
    here["webhooks"] = list_webhooks(draft.effect)
    choices, version = choices_of(request.site, draft.effect), version_in(request.POST)
    if request.method == "GET":
        return _rule_page(request, edit_stored_rule(stored, draft, choices), here)
    if order := request.POST.get("rows"):
        return _rule_page(
            request, edit_rearranged_rule(request.POST, choices, draft.effect, version, order=order), here
        )
    if request.POST.get("order") == "delete":
        return _delete(request, stored, version)
    editor = edit_posted_rule(request.POST, choices, draft.effect, version)
    if not editor.is_valid():
        return _rule_page(request, editor, here, status=422)
    return _save_rule(request, ruleset, stored, editor)


@require_POST
def send_webhook_test(request: DeskRequest, ruleset_id: str, rule_id: str) -> HttpResponse:
    """Call a webhook of the rule, and show its response."""
    access.check_can_govern(request)
    url = request.POST.get("url", "")
    stored = pinned_rules.get_rule(request.site, ruleset_id, rule_id)
    if url not in list_webhooks(actions.rule_draft_of(stored).effect):
        raise NotFound(gettext("This rule has no such webhook. Save the rule first."))
    host = urlsplit(url).hostname
    try:
        status = webhooks.send_test(request.site, url)
    except (ActionFailed, Unavailable) as error:
        messages.error(request, gettext("Test to %(host)s failed. %(error)s") % {"host": host, "error": error})
    else:
        messages.success(
            request, gettext("Test sent: %(host)s returned %(status)s.") % {"host": host, "status": status}
        )
    return redirect_after_post(request, reverse("routing:edit-rule", args=[ruleset_id, rule_id]))


def list_webhooks(effect: Effect) -> list[str]:
    urls = [act.parameters.get("url", "") for act in effect.actions if act.type == ActionType.WEBHOOK]
    return list(dict.fromkeys(one for one in urls if one))


def _delete(request: DeskRequest, stored: StoredRule, version: int) -> HttpResponse:
    actions.delete_rule(request.site, stored.rulesetId, stored.documentId, version=version, by=actor_of(request.user))
    messages.success(
        request, gettext("%(description)s was deleted. Started runs keep it.") % {"description": stored.description}
    )
    return redirect_after_post(request, reverse("routing:edit-ruleset", args=[stored.rulesetId]))


def _secrets(site: str, effect: Effect) -> dict[str, str]:
    """Map hosts to the keys that sign their calls, for whoever sets up the receiver."""
    return {str(urlsplit(url).hostname): webhooks.webhook_secret(site, url) for url in list_webhooks(effect)}


def _save_rule(request: DeskRequest, ruleset: Ruleset, stored: StoredRule, editor: RuleEditor) -> HttpResponse:
    where = (request.site, ruleset.documentId, stored.documentId)
    try:
        actions.update_rule(*where, editor.draft(), version=editor.version, by=actor_of(request.user))
    except Conflict as error:
        now = pinned_rules.get_rule(*where)
        choices = choices_of(request.site, now.rule.effect)
        again = edit_posted_rule(request.POST, choices, now.rule.effect, int(now.version))
        return _rule_page(request, again, {"ruleset": ruleset, "rule": now, "clash": str(error)}, status=409)
    messages.success(request, gettext("Rule saved. Started runs keep the earlier version."))
    return redirect_after_post(request, reverse("routing:edit-ruleset", args=[ruleset.documentId]))


def _rule_page(request: DeskRequest, editor: RuleEditor, more: Mapping[str, Any], *, status: int = 200) -> HttpResponse:
    context = {"editor": editor, "form": editor.form, **more}
    return render_answer(request, "workflows/routing/rule.html", "workflows/routing/_rule.html", context, status=status)


STEP = 10  # between consecutive new rules, to leave room for others


@require_safe
def list_rulesets(request: DeskRequest) -> HttpResponse:
    access.check_can_govern(request)
    context = {"rulesets": pinned_rules.list_rulesets(request.site), "most": pinned_rules.MOST_RULESETS}
    return render_answer(request, "workflows/routing/rulesets.html", None, context)


@require_http_methods(["GET", "POST"])
def create_ruleset(request: DeskRequest) -> HttpResponse:
    access.check_can_govern(request)
    ruleset_id = queue_id_from(request.POST.get("ruleset_id", ""))
    if request.method == "GET":
        priority = STEP + max((int(one.priority) for one in pinned_rules.list_rulesets(request.site)), default=0)
        form = RulesetForm(initial={"priority": priority, "on": True})
        return _ruleset_page(request, form, {"ruleset_id": ruleset_id})
    form = RulesetForm(request.POST)
    if not form.is_valid():
        return _ruleset_page(request, form, {"ruleset_id": ruleset_id}, status=422)
    actions.create_ruleset(request.site, form.draft(), by=actor_of(request.user), ruleset_id=ruleset_id)
    messages.success(request, gettext("Ruleset created. Add a rule to it."))
    return redirect_after_post(request, reverse("routing:edit-ruleset", args=[ruleset_id]))


@require_http_methods(["GET", "POST"])
def edit_ruleset(request: DeskRequest, ruleset_id: str) -> HttpResponse:
    access.check_can_govern(request)
    ruleset = pinned_rules.get_ruleset(request.site, ruleset_id)
    if request.method == "GET":
        return _ruleset_page(request, ruleset_form(ruleset), _with_rules(request, ruleset))
    form = RulesetForm(request.POST)
    if not form.is_valid():
        return _ruleset_page(request, form, _with_rules(request, ruleset), status=422)
    try:
        actions.update_ruleset(
            request.site, ruleset_id, form.draft(), version=version_in(request.POST), by=actor_of(request.user)
        )
    except Conflict as error:
        now = pinned_rules.get_ruleset(request.site, ruleset_id)
        return _ruleset_page(request, form, _with_rules(request, now) | {"clash": str(error)}, status=409)
    messages.success(request, gettext("Ruleset saved. Started runs keep the earlier version."))
    return redirect_after_post(request, reverse("routing:edit-ruleset", args=[ruleset_id]))


def _with_rules(request: DeskRequest, ruleset: Ruleset) -> dict[str, Any]:
    found = pinned_rules.list_rules(request.site, ruleset.documentId)
    return {"ruleset": ruleset, "rules": rule_rows(request.site, found), "most": pinned_rules.MOST_RULES}


def _ruleset_page(request: DeskRequest, form: RulesetForm, more: dict[str, Any], *, status: int = 200) -> HttpResponse:
    return render_answer(
        request,
        "workflows/routing/ruleset.html",
        "workflows/routing/_ruleset.html",
        {"form": form, **more},
        status=status,
    )
