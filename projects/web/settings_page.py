"""The page that leads to everything an admin sets on a site."""

from collections.abc import Callable
from typing import NamedTuple

from django.http import HttpResponse
from django.views.decorators.http import require_safe

from config.table import DEFAULT_SITE
from projects.sites import access
from projects.web.http import DeskRequest, render_answer


class Way(NamedTuple):
    """A line of the page. ``url``: the name of its address, which may be of an app to the right."""

    icon: str
    url: str
    label: str
    words: str
    is_open: Callable[[DeskRequest], bool]


def _on_main_site(request: DeskRequest) -> bool:
    return request.site == DEFAULT_SITE


def _configures(request: DeskRequest) -> bool:
    return access.abilities(request).configure


def _governs(request: DeskRequest) -> bool:
    return access.abilities(request).govern


def _operates(request: DeskRequest) -> bool:
    return _configures(request) and _on_main_site(request)


def _manages_accounts(request: DeskRequest) -> bool:
    return _operates(request) and bool(request.user.is_staff)


_GROUPS: dict[str, tuple[Way, ...]] = {
    "Documents": (
        Way("tag", "schemas:list-classifications", "Schemas", "Fields, attributes and document types.", _governs),
        Way("inbox", "queues:list-queues", "Queues", "Where reviews go, and which groups see them.", _governs),
        Way("split", "routing:list-rulesets", "Rules", "Which workflow, queue and actions a document gets.", _governs),
        Way("bolt", "workflows:list-deliveries", "Webhook deliveries", "What receivers answered.", _governs),
        Way("tag", "routing:list-mappings", "Field mappings", "Copy extracted fields to attributes.", _governs),
        Way("users", "entities:list-types", "Suppliers and customers", "Whom documents name.", _governs),
        Way("upload", "incoming:list-incoming", "Ingestion", "Bucket folders and quarantined files.", _configures),
    ),
    "Processing": (
        Way("text", "models:list-models", "Models", "Language and OCR models, limits and prices.", _configures),
        Way("gauge", "services:list-providers", "Connections", "Services in use, and their health.", _configures),
        Way("branch", "definitions:list-definitions", "Workflow definitions", "The steps of runs.", _configures),
        Way("sum", "operations:show-costs", "Costs", "By month, project and model.", _configures),
    ),
    "Access": (
        Way("user", "admin:index", "Users and roles", "Accounts, passwords and groups.", _manages_accounts),
        Way("user", "settings:list-people", "People", "Invite, give groups, deactivate.", _configures),
        Way("users", "settings:edit-groups", "Groups and permissions", "What each group can do.", _configures),
        Way("key", "settings:edit-keys", "API keys", "For programs that send and fetch documents.", _configures),
        Way("branch", "settings:list-sites", "Sites", "Tenants, each with its own documents and users.", _operates),
        Way("comment", "review:edit-chat", "Chat messages", "Messages about reviews to a chat tool.", _configures),
        Way("history", "audit:show-audit", "Audit log", "Who changed, decided and viewed what.", _configures),
    ),
    "Operations": (
        Way("play", "operations:show-operations", "Operations", "Queues, workers, stuck work, storage.", _operates),
        Way("alert", "operations:list-dead-letters", "Dead letters", "Messages that kept failing.", _operates),
    ),
}  # fmt: skip


@require_safe
def show_settings(request: DeskRequest) -> HttpResponse:
    access.check_can_set_up(request)
    open_ways = {name: [way for way in ways if way.is_open(request)] for name, ways in _GROUPS.items()}
    context = {"groups": [(name, ways) for name, ways in open_ways.items() if ways]}
    return render_answer(request, "projects/web/settings.html", None, context)
