"""Pages of the rules of a ruleset, under the settings."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from django.contrib import messages
from django.http import HttpResponse
from django.urls import reverse
from django.views.decorators.http import require_http_methods

from config.errors import Conflict
from projects.audit.events import actor_of
from projects.queues import queries as queue_queries
from projects.queues.actions import queue_id_from
from projects.schemas import queries as schema_queries
from projects.settings.values import LANGUAGES
from projects.sites import access
from projects.web.http import DeskRequest, redirect_after_post, render_answer, version_in
from workflows.publish import webhooks
from workflows.routing import pinned_rules
from workflows.routing.actions import rules
from workflows.routing.forms.rules import (
    Choices,
    RuleEditor,
    edit_posted_rule,
    edit_rearranged_rule,
    edit_stored_rule,
    new_editor,
)
from workflows.routing.items import Ruleset, StoredRule
from workflows.rules.routing import NO_EFFECT, Effect, When
from workflows.runs.run import ACTION_WORDS, ActionType


@dataclass(frozen=True)
class RuleRow:
    """A rule as its ruleset's page lists it: what it asks and what it asks for, in words."""

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
        "queue": ("Review queue", choices.queues),
        "classification": ("Document type", choices.classifications),
        "language": ("Language", LANGUAGES),
        "definition": ("Workflow definition", {}),
    }
    for name, (words, names) in named.items():
        if value := str(getattr(effect, name)):
            yield f"{words} {names.get(value, value)}"
    if effect.threshold is not None:
        yield f"Review threshold {effect.threshold * 100:g} %"
    for act in effect.actions:
        parameters = act.parameters
        queue = parameters.get("queue", "")
        target = choices.queues.get(queue, queue) or parameters.get("to") or parameters.get("url")
        words = ACTION_WORDS.get(act.type, act.type)
        yield f"{words}: {target}" if target else words


def choices_of(site: str, stored: Effect = NO_EFFECT) -> Choices:
    """An archived queue is no choice any more, unless it is chosen already."""
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
        return _page(request, new_editor(choices, priority), here)
    if order := request.POST.get("rows"):
        return _page(request, edit_rearranged_rule(request.POST, choices, NO_EFFECT, 0, order=order), here)
    editor = edit_posted_rule(request.POST, choices, NO_EFFECT, 0)
    if not editor.is_valid():
        return _page(request, editor, here, status=422)
    rules.create_rule(request.site, ruleset_id, editor.draft(), by=actor_of(request.user), rule_id=rule_id)
    messages.success(request, "Rule created. It applies to new documents.")
    return redirect_after_post(request, reverse("routing:edit-ruleset", args=[ruleset_id]))


@require_http_methods(["GET", "POST"])
def edit_rule(request: DeskRequest, ruleset_id: str, rule_id: str) -> HttpResponse:
    access.check_can_govern(request)
    ruleset = pinned_rules.get_ruleset(request.site, ruleset_id)
    stored = pinned_rules.get_rule(request.site, ruleset_id, rule_id)
    draft = rules.draft_of(stored)
    here = {"ruleset": ruleset, "rule": stored, "secrets": _secrets(request.site, draft.effect)}
    choices, version = choices_of(request.site, draft.effect), version_in(request.POST)
    if request.method == "GET":
        return _page(request, edit_stored_rule(stored, draft, choices), here)
    if order := request.POST.get("rows"):
        return _page(request, edit_rearranged_rule(request.POST, choices, draft.effect, version, order=order), here)
    if request.POST.get("order") == "delete":
        return _delete(request, stored, version)
    editor = edit_posted_rule(request.POST, choices, draft.effect, version)
    if not editor.is_valid():
        return _page(request, editor, here, status=422)
    return _save(request, ruleset, stored, editor)


def _delete(request: DeskRequest, stored: StoredRule, version: int) -> HttpResponse:
    rules.delete_rule(request.site, stored.rulesetId, stored.documentId, version=version, by=actor_of(request.user))
    messages.success(request, f"{stored.description} was deleted. Started runs keep it.")
    return redirect_after_post(request, reverse("routing:edit-ruleset", args=[stored.rulesetId]))


def _secrets(site: str, effect: Effect) -> dict[str, str]:
    """Host → the key that its calls are signed with, for whoever sets up the receiver."""
    urls = [act.parameters.get("url", "") for act in effect.actions if act.type == ActionType.WEBHOOK]
    return {str(urlsplit(url).hostname): webhooks.webhook_secret(site, url) for url in urls}


def _save(request: DeskRequest, ruleset: Ruleset, stored: StoredRule, editor: RuleEditor) -> HttpResponse:
    where = (request.site, ruleset.documentId, stored.documentId)
    try:
        rules.update_rule(*where, editor.draft(), version=editor.version, by=actor_of(request.user))
    except Conflict as error:
        now = pinned_rules.get_rule(*where)
        choices = choices_of(request.site, now.rule.effect)
        again = edit_posted_rule(request.POST, choices, now.rule.effect, int(now.version))
        return _page(request, again, {"ruleset": ruleset, "rule": now, "clash": str(error)}, status=409)
    messages.success(request, "Rule saved. Started runs keep the earlier version.")
    return redirect_after_post(request, reverse("routing:edit-ruleset", args=[ruleset.documentId]))


def _page(request: DeskRequest, editor: RuleEditor, more: Mapping[str, Any], *, status: int = 200) -> HttpResponse:
    context = {"editor": editor, "form": editor.form, **more}
    return render_answer(request, "workflows/routing/rule.html", "workflows/routing/_rule.html", context, status=status)
