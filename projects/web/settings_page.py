"""The index of a site's settings."""

from collections.abc import Callable
from typing import NamedTuple

from django.http import HttpResponse
from django.views.decorators.http import require_safe

from config.phrase import Phrase
from config.table import DEFAULT_SITE
from projects.sites import access
from projects.web.http import DeskRequest, render_answer
from projects.web.settings_numbers import SettingsNumber, read_number


class Way(NamedTuple):
    """A line of the page. ``url``: a URL name, possibly of a later app, as is who reads its number."""

    icon: str
    url: str
    label: str
    words: str
    is_open: Callable[[DeskRequest], bool]


class Line(NamedTuple):
    """A way with its number, if that was read and there is one."""

    way: Way
    number: SettingsNumber | None = None

    @property
    def number_id(self) -> str:
        """The number's place on the page."""
        return f"number-{self.way.url.replace(':', '-')}"


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
    Phrase("Documents"): (
        Way(
            "tag",
            "schemas:list-classifications",
            Phrase("Document types"),
            Phrase("The fields of each, and the site’s attributes."),
            _governs,
        ),
        Way(
            "inbox",
            "queues:list-queues",
            Phrase("Queues"),
            Phrase("Where reviews go, and which groups see them."),
            _governs,
        ),
        Way(
            "split",
            "routing:list-rulesets",
            Phrase("Rules"),
            Phrase("Which workflow, queue and actions a document gets."),
            _governs,
        ),
        Way(
            "bolt",
            "workflows:list-deliveries",
            Phrase("Webhook deliveries"),
            Phrase("What receivers answered."),
            _governs,
        ),
        Way(
            "tag",
            "routing:list-mappings",
            Phrase("Field mappings"),
            Phrase("Copy extracted fields to attributes."),
            _governs,
        ),
        Way(
            "users", "entities:list-types", Phrase("Suppliers and customers"), Phrase("Whom documents name."), _governs
        ),
        Way(
            "upload",
            "incoming:list-incoming",
            Phrase("Ingestion"),
            Phrase("Bucket folders and quarantined files."),
            _configures,
        ),
    ),
    Phrase("Processing"): (
        Way(
            "text",
            "models:list-models",
            Phrase("Models"),
            Phrase("Language and OCR models, limits and prices."),
            _configures,
        ),
        Way(
            "gauge",
            "services:list-providers",
            Phrase("Connections"),
            Phrase("Services in use, and their health."),
            _configures,
        ),
        Way(
            "branch",
            "definitions:list-definitions",
            Phrase("Workflow definitions"),
            Phrase("The steps of runs."),
            _configures,
        ),
        Way("sum", "operations:show-costs", Phrase("Costs"), Phrase("By month, project and model."), _configures),
    ),
    Phrase("Access"): (
        Way("user", "settings:list-people", Phrase("People"), Phrase("Invite, give groups, deactivate."), _configures),
        Way(
            "users",
            "settings:edit-groups",
            Phrase("Groups and permissions"),
            Phrase("What each group can do."),
            _configures,
        ),
        Way(
            "gear",
            "admin:index",
            Phrase("Administration"),
            Phrase("Accounts and groups of all sites, passwords, scheduled tasks."),
            _manages_accounts,
        ),
        Way(
            "lock",
            "policies:list-versions",
            Phrase("Access policy"),
            Phrase("Rules that hide documents from groups."),
            _configures,
        ),
        Way(
            "key",
            "settings:edit-keys",
            Phrase("API keys"),
            Phrase("For programs that send and fetch documents."),
            _configures,
        ),
        Way(
            "branch",
            "settings:list-sites",
            Phrase("Sites"),
            Phrase("Tenants, each with its own documents and users."),
            _operates,
        ),
        Way(
            "comment",
            "review:edit-chat",
            Phrase("Chat messages"),
            Phrase("Messages about reviews to a chat tool."),
            _configures,
        ),
        Way(
            "history",
            "audit:show-audit",
            Phrase("Audit log"),
            Phrase("Who changed, decided and viewed what."),
            _configures,
        ),
    ),
    Phrase("Operations"): (
        Way(
            "play",
            "operations:show-operations",
            Phrase("Operations"),
            Phrase("Queues, workers, stuck work, storage."),
            _operates,
        ),
        Way(
            "alert",
            "operations:list-dead-letters",
            Phrase("Dead letters"),
            Phrase("Messages that kept failing."),
            _operates,
        ),
    ),
}


@require_safe
def show_settings(request: DeskRequest) -> HttpResponse:
    access.check_can_set_up(request)
    context = {"groups": _list_groups(request, Line)}
    return render_answer(request, "projects/web/settings.html", None, context)


@require_safe
def count_settings(request: DeskRequest) -> HttpResponse:
    """Show the numbers beside the lines; loaded after the page, as most are a Query each."""
    access.check_can_set_up(request)
    context = {"groups": _list_groups(request, lambda way: Line(way, read_number(way.url, request.site)))}
    return render_answer(request, "projects/web/settings.html", "projects/web/_settings_numbers.html", context)


def _list_groups(request: DeskRequest, make_line: Callable[[Way], Line]) -> list[tuple[str, list[Line]]]:
    found = {name: [make_line(way) for way in ways if way.is_open(request)] for name, ways in _GROUPS.items()}
    return [(name, lines) for name, lines in found.items() if lines]
