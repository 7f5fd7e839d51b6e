"""The gate for personal values: pages that do not mask them are closed to people who may not see them.

A URL that names a document or project and is in none of the lists below is closed. A new page either masks values and
is listed here, or stays closed (ADR 0041).
"""

from typing import Any

from django.http import HttpRequest, HttpResponse

from config.errors import CountersignError, NotAllowed
from projects.personal import access as personal_access
from projects.sites import access
from projects.sites.permissions import Permission
from projects.web.middleware import GetResponse, error_page

# They show values, and mask them themselves.
MASKED = frozenset(
    {
        "documents:show-document", "documents:show-activity",
        "workflows:show-run", "workflows:poll-run", "workflows:list-exports", "workflows:download-export",
        "workflows:create-export-schedule", "workflows:delete-export-schedule",
        "api:list_export_schedules", "api:create_export_schedule", "api:delete_export_schedule",
        "api:create_export", "api:list_exports", "api:show_export", "api:download_export",
        "workflows:show-result", "workflows:export-table", "workflows:export-workbook",
        "workflows:show-segment", "workflows:page-image",
        "workflows:show-about", "workflows:show-lineage",
        "api:show_result", "api:export_result", "api:show_document", "api:change_properties", "api:show_activity",
        "api:show_page",
    }
)  # fmt: skip
# They show no values.
WITHOUT_VALUES = frozenset(
    {
        "documents:show-deleted", "documents:change-hold", "documents:change-checkout",
        "documents:change-tags", "documents:change-metadata",
        "workflows:delete-document", "workflows:restore-document", "workflows:purge-document", "workflows:unpack-again",
        "workflows:show-work", "workflows:list-document-runs", "workflows:list-contents", "workflows:settle-document",
        "workflows:newest-run", "workflows:show-history",
        "workflows:open-review", "workflows:cancel-run", "workflows:resume-run", "workflows:retry-action",
        "workflows:show-reruns", "workflows:run-again", "workflows:analyse-again", "workflows:choose-result",
        "workflows:list-documents", "workflows:upload", "workflows:request-web-page", "workflows:create-batch",
        "workflows:show-thresholds", "workflows:collect-reviews", "workflows:save-thresholds",
        "workflows:show-calibration", "workflows:propose-calibration", "workflows:activate-calibration",
        "workflows:show-extractors", "workflows:train-extractor", "workflows:activate-extractor",
        "operations:show-project-costs", "folders:change-path", "cases:choose-case", "shares:share-document",
        "workflows:change-publication",
        "api:list_projects", "api:list_documents", "api:upload_document", "api:show_unpacking", "api:retry_unpacking",
        "api:prepare_upload", "api:complete_upload", "api:show_project", "api:change_project", "api:list_transitions",
        "api:delete_document", "api:check_out_document", "api:check_in_document",
        "api:show_run", "api:run_again", "api:analyse_again", "api:choose_result",
        "api:list_prompts", "api:show_prompt", "api:list_versions", "api:save_version", "api:show_version",
        "api:move_production", "api:set_candidate", "api:move_document",
        "api:attach_document", "api:detach_document", "api:share_document", "api:list_document_shares",
        "api:list_calibrations", "api:propose_calibration", "api:activate_calibration", "api:simulate_thresholds",
        "api:collect_reviews", "api:list_extractors", "api:train_extractor", "api:activate_extractor",
        "api:list_prompt_uses", "api:list_pages",
        "api:show_publication", "api:publish_document", "api:withdraw_document",
    }
)  # fmt: skip
_SETTINGS = ("projects", "prompts")  # whose pages have what admins write


def check_address(request: HttpRequest) -> None:
    """Raises: NotAllowed, NotFound, Unavailable."""
    match = request.resolver_match
    if match is None or match.view_name in MASKED | WITHOUT_VALUES or match.namespace in _SETTINGS:
        return
    names = {name: str(match.kwargs.get(name, "")) for name in ("document_id", "project_id")}
    if not any(names.values()) or access.can_see_personal(request):
        return
    if not access.can(request, Permission.READ) or not personal_access.is_there(request, names["document_id"]):
        return  # the view itself says so
    personal_access.check_can_see(request, **names)


class PersonalMiddleware:
    """Answers 403 instead of a page that would show personal values without permission."""

    def __init__(self, get_response: GetResponse) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        return self.get_response(request)

    def process_view(self, request: HttpRequest, *_: Any) -> HttpResponse | None:
        if not request.user.is_authenticated:
            return None  # asked to sign in, or a program, whose key is looked at later
        try:
            check_address(request)
        except NotAllowed as error:
            return error_page(request, error, 403)
        except CountersignError as error:
            return error_page(request, error, 503)
        return None
