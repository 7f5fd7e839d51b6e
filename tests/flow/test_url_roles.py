"""Every URL of the desk, asked by everybody: one table says what each is answered, on the main site and on a tenant's.

A URL that is not in the table fails the test: whoever adds one says here who may have it.
"""

from dataclasses import dataclass, field
from typing import Any

import pytest
from django.conf import settings
from django.contrib.auth.models import User
from django.http.response import HttpResponseBase
from django.test import Client

from projects.sites.permissions import DEFAULTS, EVERYTHING, Permission
from tests.flow.urls import Page, pages, world
from tests.people import alice, bob, charlie, person, signed_in
from tests.projects.make_sites import grant, make_site

pytestmark = pytest.mark.django_db
ROLES = ("anonymous", "stranger", "viewer", "reviewer", "admin", "superuser")
Answers = tuple[int, int, int, int, int, int]

# What each role is answered, in the order of ROLES; the stranger works on another site only.
VIEW: Answers = (302, 403, 200, 200, 200, 200)  # READ
WORK: Answers = (302, 403, 403, 200, 200, 200)  # WRITE
WORK_EMPTY: Answers = (302, 403, 403, 422, 422, 422)
DELETE: Answers = (302, 403, 403, 403, 200, 200)
SET_UP: Answers = (302, 403, 403, 403, 200, 200)  # ADMIN or GOVERN
SET_UP_EMPTY: Answers = (302, 403, 403, 403, 422, 422)  # a form without anything in it
SET_UP_NOTHING: Answers = (302, 403, 403, 403, 404, 404)  # a wish about what is not there
NO_REVIEW: Answers = (302, 403, 403, 404, 404, 404)  # REVIEW, of what is not there
EXPORT: Answers = (302, 403, 403, 403, 200, 200)  # EXPORT
EXPORTED: Answers = (302, 403, 403, 403, 302, 302)
SIGNED_IN: Answers = (302, 200, 200, 200, 200, 200)
OPEN: Answers = (200, 200, 200, 200, 200, 200)
EMPTY: Answers = (422, 422, 422, 422, 422, 422)
MOVED: Answers = (302, 302, 302, 302, 302, 302)
NOWHERE: Answers = (404, 404, 404, 404, 404, 404)
KEY: Answers = (401, 401, 401, 401, 401, 401)  # an API key; who is signed in is nobody
STAFF: Answers = (302, 302, 302, 302, 302, 200)  # Django's own admin
STAFF_MOVED: Answers = (302, 302, 302, 302, 302, 302)
STAFF_POST: Answers = (302, 302, 302, 302, 302, 403)

# name of the URL (its path, where it has none) → method → answers. "none" in the arguments: what is not there.
TABLE: dict[str, dict[str, Answers]] = {
    "login": {"GET": (200, 302, 302, 302, 302, 302)},
    "logout": {"GET": (405, 405, 405, 405, 405, 405), "POST": (302, 302, 302, 302, 302, 302)},
    "change-password": {"GET": SIGNED_IN, "POST": (302, 422, 422, 422, 422, 422)},  # a form without anything in it
    "choose-site": {"GET": SIGNED_IN},
    # second factors, sessions, a forgotten password, the provider of single sign-on
    "account_login": {"GET": (200, 302, 302, 302, 302, 302)},
    "mfa_authenticate": {"GET": MOVED},
    "mfa_login_webauthn": {"GET": MOVED},
    "reset-password": {"GET": OPEN, "POST": EMPTY},
    "set-password": {"GET": OPEN},
    "socialaccount_login_cancelled": {"GET": MOVED},
    "socialaccount_signup": {"GET": MOVED},
    "openid_connect_login": {"GET": NOWHERE},  # while none is set up
    "openid_connect_callback": {"GET": NOWHERE},
    "account_reauthenticate": {"GET": SIGNED_IN},
    "mfa_reauthenticate": {"GET": MOVED},  # on to what the person has
    "mfa_reauthenticate_webauthn": {"GET": MOVED},
    "list-sessions": {"GET": SIGNED_IN},
    "end-sessions": {"POST": MOVED},
    "ask-for-access": {"GET": SIGNED_IN, "POST": (302, 422, 422, 422, 422, 422)},
    "choose-preferences": {"GET": SIGNED_IN, "POST": MOVED},
    "mfa_index": {"GET": SIGNED_IN},
    "mfa_activate_totp": {"GET": MOVED},  # the password first
    "mfa_deactivate_totp": {"GET": (302, 404, 404, 404, 404, 404)},  # of who has none
    "mfa_view_recovery_codes": {"GET": (302, 404, 404, 404, 404, 404)},
    "mfa_generate_recovery_codes": {"GET": MOVED},
    "mfa_list_webauthn": {"GET": MOVED},
    "mfa_add_webauthn": {"GET": MOVED},
    "mfa_edit_webauthn": {"GET": MOVED},
    "mfa_remove_webauthn": {"GET": MOVED},
    "admin-login": {"GET": (200, 403, 403, 403, 403, 302)},  # before Django's own addresses below
    "admin-logout": {"POST": STAFF_MOVED},
    "admin-password": {"GET": STAFF_MOVED},
    "workflows:take-job-notice": {"POST": (403, 403, 403, 403, 403, 403)},  # not signed by SNS
    "workflows:healthz": {"GET": OPEN},
    "workflows:readyz": {"GET": OPEN},
    "workflows:metrics": {"GET": OPEN},
    "workflows:load-practice": {"POST": (302, 403, 403, 403, 302, 302)},
    # projects
    "projects:list-projects": {"GET": VIEW},
    "projects:show-project": {"GET": VIEW},
    "projects:create-project": {"GET": SET_UP, "POST": SET_UP_EMPTY},
    "projects:edit-project": {"GET": SET_UP, "POST": SET_UP_EMPTY},
    # what models are told
    "prompts:list-prompts": {"GET": SET_UP},
    "prompts:choose-type": {"GET": SET_UP_NOTHING},  # without saying which
    "prompts:export-prompts": {"GET": SET_UP},
    "prompts:export-version": {"GET": SET_UP},
    "prompts:import-prompts": {"GET": SET_UP, "POST": SET_UP_EMPTY},
    "prompts:copy-prompts": {"GET": SET_UP, "POST": SET_UP_NOTHING},
    "prompts:edit-prompt": {"GET": SET_UP, "POST": SET_UP_EMPTY},
    "prompts:check-prompt": {"POST": SET_UP},
    "prompts:show-version": {"GET": SET_UP},
    "prompts:move-production": {"POST": SET_UP_EMPTY},
    "prompts:set-candidate": {"POST": SET_UP_EMPTY},
    "workflows:choose-sample": {"GET": SET_UP, "POST": SET_UP},  # of a draft with problems it says so
    "workflows:start-trial": {"POST": SET_UP_EMPTY},
    "workflows:upload-sample": {"POST": SET_UP_EMPTY},
    "workflows:show-trial": {"GET": SET_UP_NOTHING},
    "workflows:choose-readers": {"GET": SET_UP},
    "workflows:choose-reading-project": {"GET": (302, 403, 403, 403, 302, 302)},  # on to the only project
    "workflows:start-reading": {"POST": SET_UP_EMPTY},
    "workflows:show-reading": {"GET": SET_UP_NOTHING},
    "prompts:confirm-production": {"POST": (302, 403, 403, 403, 409, 409)},  # before one is proposed
    "prompts:decline-production": {"POST": SET_UP_EMPTY},
    # documents with known answers, and what is measured on them
    "workflows:list-exports": {"GET": EXPORT, "POST": SET_UP_EMPTY},
    "workflows:create-export-schedule": {"POST": SET_UP_EMPTY},
    "workflows:delete-export-schedule": {"POST": EXPORTED},
    "workflows:download-export": {"GET": SET_UP_NOTHING},
    "api:list_exports": {"GET": KEY},
    "api:create_export": {"POST": KEY},
    "api:show_export": {"GET": KEY},
    "api:download_export": {"GET": KEY},
    "workflows:list-test-sets": {"GET": SET_UP},
    "workflows:create-test-set": {"GET": SET_UP, "POST": SET_UP_EMPTY},
    "workflows:show-test-set": {"GET": SET_UP},
    "workflows:add-to-test-set": {"POST": SET_UP_EMPTY},
    "workflows:change-seeding": {"POST": SET_UP_EMPTY},
    "workflows:remove-from-test-set": {"POST": (302, 403, 403, 403, 409, 409)},  # without the version that was shown
    "workflows:list-experiments": {"GET": SET_UP},
    "workflows:create-experiment": {"GET": SET_UP, "POST": SET_UP_EMPTY},
    "workflows:show-experiment": {"GET": SET_UP},
    "workflows:pause-experiment": {"POST": (302, 403, 403, 403, 302, 409)},  # once
    "workflows:resume-experiment": {"POST": SET_UP_EMPTY},
    "workflows:retry-experiment": {"POST": SET_UP_EMPTY},
    "workflows:stop-experiment": {"POST": (302, 403, 403, 403, 302, 409)},  # once
    "workflows:promote-variant": {"POST": SET_UP_EMPTY},
    "workflows:list-experiment-answers": {"GET": SET_UP},
    "workflows:list-experiment-differences": {"GET": SET_UP},
    "workflows:compare-experiment-document": {"GET": SET_UP},
    # documents and runs
    "documents:list-documents": {"GET": VIEW},
    "documents:show-document": {"GET": VIEW},
    "documents:show-activity": {"GET": VIEW},
    "documents:list-deleted": {"GET": DELETE},
    "documents:show-deleted": {"GET": (302, 403, 403, 403, 404, 404)},  # of a document that is not deleted
    "workflows:delete-document": {"GET": DELETE, "POST": (302, 403, 403, 403, 422, 422)},  # its run is under way
    "workflows:import-documents": {"POST": (302, 403, 403, 302, 302, 302)},
    "workflows:restore-document": {"POST": (302, 403, 403, 403, 404, 404)},
    "workflows:purge-document": {"POST": (302, 403, 403, 403, 422, 422)},  # without being sure
    "folders:list-folders": {"GET": VIEW},
    "folders:show-folder": {"GET": VIEW},
    "folders:create-folder": {"POST": WORK_EMPTY},
    "folders:move-entries": {"POST": WORK_EMPTY},
    "folders:change-path": {"GET": WORK, "POST": (302, 403, 403, 302, 302, 302)},  # as it is
    "folders:edit-folder": {"GET": WORK, "POST": WORK_EMPTY},
    "folders:delete-folder": {"POST": WORK_EMPTY},  # it is not empty
    # shares; what a link opens is for whoever has it
    "shares:list-shares": {"GET": VIEW},
    "shares:list-mine": {"GET": VIEW},
    "shares:share-document": {"GET": WORK, "POST": WORK_EMPTY},
    "shares:share-folder": {"GET": WORK, "POST": WORK_EMPTY},
    "shares:revoke-share": {"POST": (302, 403, 403, 302, 404, 404)},  # once
    "links:open-link": {"GET": OPEN, "POST": MOVED},
    "links:show-shared": {"GET": NOWHERE},  # before the link was opened
    "links:show-shared-document": {"GET": NOWHERE},
    "links:shared-image": {"GET": NOWHERE},
    "links:download-shared": {"GET": NOWHERE},
    "workflows:change-publication": {"GET": WORK, "POST": WORK_EMPTY},  # it has no result yet
    "published:show-publication": {"GET": NOWHERE},
    "published:published-image": {"GET": NOWHERE},
    "published:download-publication": {"GET": NOWHERE},
    "documents:list-earlier-values": {"GET": VIEW, "POST": WORK_EMPTY},
    "documents:change-checkout": {"GET": WORK, "POST": WORK_EMPTY},
    "documents:change-type": {"GET": WORK, "POST": (302, 403, 403, 302, 302, 302)},  # of none
    "documents:change-hold": {"GET": SET_UP, "POST": SET_UP_EMPTY},
    "documents:change-tags": {"POST": WORK_EMPTY},
    "documents:change-attributes": {"POST": WORK_EMPTY},
    "documents:change-metadata": {"POST": WORK_EMPTY},
    "workflows:show-work": {"GET": VIEW},
    "workflows:list-document-runs": {"GET": VIEW},
    "workflows:cancel-run": {"POST": WORK_EMPTY},  # it waits for a person
    "workflows:resume-run": {"POST": WORK_EMPTY},  # without saying how
    "workflows:unpack-again": {"POST": (302, 403, 403, 404, 404, 404)},  # WRITE, of what is no archive
    "workflows:show-reruns": {"GET": WORK},
    "workflows:run-again": {"POST": WORK_EMPTY},  # it waits for a person
    "workflows:analyse-again": {"POST": WORK_EMPTY},
    "workflows:choose-result": {"POST": WORK_EMPTY},
    "workflows:compare-runs": {"GET": VIEW},
    "workflows:show-history": {"GET": VIEW},
    "workflows:open-review": {"GET": (302, 403, 302, 302, 302, 302)},  # leads to the review, which asks again
    "workflows:list-contents": {"GET": VIEW, "POST": WORK_EMPTY},
    "workflows:download-content": {"GET": (302, 403, 404, 404, 404, 404)},  # of a second that has none
    "workflows:overview": {"GET": VIEW},
    "workflows:show-insight": {"GET": VIEW},
    "workflows:show-wall": {"GET": VIEW},
    "workflows:export-insight": {"GET": VIEW},
    "workflows:list-failures": {"GET": (302, 403, 404, 404, 404, 404)},  # without saying of what
    "workflows:search": {"GET": VIEW},
    "workflows:list-runs": {"GET": VIEW},
    "workflows:list-documents": {"GET": VIEW},
    "workflows:show-project-graph": {"GET": VIEW},
    "workflows:show-calibration": {"GET": SET_UP},
    "workflows:show-extractors": {"GET": SET_UP},
    "workflows:train-extractor": {"POST": (302, 403, 403, 403, 302, 302)},
    "workflows:activate-extractor": {"POST": SET_UP_EMPTY},  # without a reason
    "workflows:show-thresholds": {"GET": SET_UP},
    "workflows:collect-reviews": {"POST": (302, 403, 403, 403, 302, 302)},
    "workflows:save-thresholds": {"POST": SET_UP_EMPTY},
    "workflows:propose-calibration": {"POST": (302, 403, 403, 403, 302, 302)},
    "workflows:activate-calibration": {"POST": (302, 403, 403, 403, 404, 404)},  # of one that is not there
    "workflows:choose-upload-project": {"GET": (302, 403, 403, 302, 302, 302)},  # on to the only project
    "workflows:upload": {"GET": WORK, "POST": WORK_EMPTY},
    "workflows:request-web-page": {"POST": WORK_EMPTY},
    "workflows:page-image": {"GET": VIEW},
    # batches
    "workflows:list-batches": {"GET": VIEW},
    "workflows:create-batch": {"GET": WORK, "POST": WORK_EMPTY},
    "workflows:show-batch": {"GET": VIEW},
    "workflows:export-report": {"GET": VIEW},
    "workflows:retry-batch": {"POST": WORK_EMPTY},  # nothing of it failed
    "workflows:change-slots": {"POST": WORK_EMPTY},
    "workflows:continue-batch": {"POST": WORK_EMPTY},  # all of it was begun
    "workflows:cancel-batch": {"POST": (302, 403, 403, 302, 422, 422)},  # once
    "workflows:newest-run": {"GET": (302, 403, 302, 302, 302, 302)},
    "workflows:show-run": {"GET": VIEW},
    "workflows:poll-run": {"GET": VIEW},
    "workflows:show-lineage": {"GET": VIEW},
    "workflows:show-result": {"GET": VIEW},
    "workflows:show-personal": {"POST": (302, 403, 403, 200, 200, 200)},  # PERSONAL
    "workflows:export-table": {"GET": (302, 403, 404, 404, 404, 404)},  # of a field that is no table
    "workflows:export-workbook": {"GET": (302, 403, 404, 404, 404, 404)},  # the same
    "workflows:show-model-calls": {"GET": SET_UP_NOTHING},
    "workflows:show-about": {"GET": VIEW},
    "workflows:show-segment": {"GET": VIEW},
    "workflows:show-questions": {"GET": VIEW},
    "workflows:ask-question": {"POST": WORK_EMPTY},
    "workflows:ask-question-again": {"POST": WORK_EMPTY},  # without saying which answer
    "workflows:delete-question": {"POST": (302, 403, 403, 404, 404, 404)},  # WRITE, of what is not there
    "workflows:list-actions": {"GET": VIEW},
    "workflows:show-follow-up": {"GET": VIEW},
    "workflows:retry-action": {"POST": (302, 403, 403, 404, 404, 404)},  # WRITE, of what is not there
    "workflows:list-syncs": {"GET": VIEW},
    "workflows:ask-sync-again": {"POST": (302, 403, 403, 404, 404, 404)},  # WRITE, of what is not there
    "workflows:list-queued": {"GET": (302, 403, 404, 200, 200, 200)},  # by the queue's groups
    "workflows:settle-document": {"POST": NO_REVIEW},
    # executions without a document
    "workflows:list-executions": {"GET": VIEW},
    "workflows:start-execution": {"GET": WORK, "POST": WORK_EMPTY},
    "workflows:show-execution": {"GET": VIEW},
    "workflows:cancel-execution": {"POST": (302, 403, 403, 302, 409, 409)},  # once
    "workflows:purge-execution": {"POST": (302, 403, 403, 403, 422, 422)},  # without being sure
    # reviews
    "review:queue": {"GET": VIEW},
    "review:list-queues": {"GET": VIEW},
    "review:list-views": {"GET": VIEW},
    "review:list-reasons": {"GET": VIEW},
    "review:show-waiting": {"GET": VIEW},
    "review:prepare-selected": {"POST": (302, 403, 403, 302, 302, 302)},
    "review:assign-selected": {"POST": (302, 403, 403, 302, 302, 302)},
    "review:postpone-selected": {"POST": (302, 403, 403, 302, 302, 302)},
    "review:approve-selected": {"POST": (302, 403, 403, 302, 302, 302)},
    "review:list-mine": {"GET": VIEW},
    "review:save-view": {"POST": (302, 403, 302, 302, 302, 302)},
    "review:delete-view": {"POST": (302, 403, 302, 302, 302, 302)},
    "review:list-asked": {"GET": VIEW},
    "review:list-postponed": {"GET": VIEW},
    "review:list-decided": {"GET": VIEW},
    "review:list-disputes": {"GET": VIEW},
    "review:show-dispute": {"GET": (302, 403, 404, 404, 404, 404), "POST": NO_REVIEW},  # while no two differ
    "review:show-load": {"GET": SET_UP},
    "review:show-quality": {"GET": VIEW},
    "review:export-quality": {"GET": VIEW},
    "review:show-position": {"GET": VIEW},
    "review:show-queue": {"GET": (302, 403, 404, 200, 200, 200)},  # by the queue's groups
    "review:show-review": {"GET": VIEW},
    "review:show-page": {"GET": (302, 403, 404, 404, 404, 404)},  # a document's own are elsewhere
    "review:claim-next": {"POST": (302, 403, 403, 302, 302, 302)},
    "review:list-words": {"GET": VIEW},
    "review:read-region": {"GET": (302, 403, 403, 404, 409, 409), "POST": NO_REVIEW},  # only its holder may ask
    "review:read-again": {"GET": (302, 403, 403, 200, 409, 409), "POST": NO_REVIEW},
    "review:play-recording": {"GET": (302, 403, 404, 404, 404, 404)},  # of what is no recording
    "review:list-notifications": {"GET": VIEW},
    "review:read-notifications": {"POST": (302, 403, 302, 302, 302, 302)},
    "review:choose-notifications": {"GET": VIEW, "POST": (302, 403, 302, 302, 302, 302)},
    "review:edit-chat": {"GET": SET_UP, "POST": (302, 403, 403, 403, 302, 302)},
    "review:change-undo-window": {"POST": (302, 403, 403, 302, 302, 302)},
    "review:peek-next": {"GET": (302, 403, 403, 200, 200, 200)},
    "review:claim": {"POST": NO_REVIEW},
    "review:watch-claim": {"GET": (302, 403, 403, 409, 409, 409)},  # of a page that has not claimed it
    "review:watch-free": {"GET": (302, 403, 403, 200, 204, 204)},  # of what the reviewer holds
    "review:renew": {"POST": NO_REVIEW},
    "review:release": {"POST": NO_REVIEW},
    "review:leave": {"POST": NO_REVIEW},
    "review:skip": {"GET": (302, 403, 403, 200, 409, 409), "POST": NO_REVIEW},  # only its holder may
    "review:postpone": {"GET": (302, 403, 403, 200, 409, 409), "POST": NO_REVIEW},
    "review:assign": {"GET": (302, 403, 403, 200, 200, 200), "POST": NO_REVIEW},  # what another holds: admins only
    "review:split": {"GET": (302, 403, 403, 422, 409, 409), "POST": NO_REVIEW},  # of one page
    "review:ask": {"GET": (302, 403, 403, 200, 409, 409), "POST": NO_REVIEW},  # only its holder may
    "review:escalate": {"GET": (302, 403, 403, 200, 409, 409), "POST": NO_REVIEW},
    "review:answer": {"POST": (302, 403, 404, 404, 404, 404)},  # READ, of what is not there
    "review:take-asked": {"POST": NO_REVIEW},
    "review:comment": {"GET": VIEW, "POST": (302, 403, 404, 404, 404, 404)},
    "review:resume": {"POST": NO_REVIEW},
    "review:save-draft": {"POST": NO_REVIEW},
    "review:check-fields": {"POST": NO_REVIEW},
    "review:decide": {"POST": NO_REVIEW},
    "review:undo": {"POST": NO_REVIEW},
    "review:list-undoable": {"GET": (302, 403, 403, 200, 200, 200)},
    # suppliers, customers and others
    "entities:list-types": {"GET": VIEW, "POST": SET_UP_EMPTY},
    "entities:edit-type": {"GET": SET_UP, "POST": SET_UP_EMPTY},
    "entities:delete-type": {"POST": SET_UP_EMPTY},  # without the confirmation
    "entities:list-entities": {"GET": VIEW},
    "entities:suggest-entities": {"GET": VIEW},
    "entities:create-entity": {"GET": WORK, "POST": WORK_EMPTY},
    "entities:import-entities": {"GET": WORK, "POST": WORK_EMPTY},
    "entities:show-entity": {"GET": VIEW, "POST": WORK_EMPTY},
    "entities:merge-entity": {"POST": WORK_EMPTY},  # without saying which
    "entities:delete-entity": {"POST": WORK_EMPTY},  # without the confirmation
    # cases
    "cases:list-cases": {"GET": VIEW},
    "cases:list-tasks": {"GET": VIEW},
    "cases:create-case": {"POST": WORK_EMPTY},
    "cases:choose-case": {"GET": VIEW, "POST": (302, 403, 403, 404, 404, 404)},  # without saying which
    "cases:show-case": {"GET": VIEW},
    "cases:edit-case": {"GET": WORK, "POST": WORK_EMPTY},
    "cases:settle-case": {"POST": WORK_EMPTY},  # something is open
    "cases:attach-document": {"POST": WORK_EMPTY},
    "cases:add-item": {"POST": WORK_EMPTY},
    "cases:settle-item": {"POST": (302, 403, 403, 404, 404, 404)},  # WRITE, of a kind that is not there
    # settings
    "settings:show-settings": {"GET": SET_UP},
    "settings:count-settings": {"GET": SET_UP},
    "settings:list-sites": {"GET": SET_UP},
    "settings:create-site": {"GET": SET_UP, "POST": SET_UP_EMPTY},
    "settings:edit-site": {"GET": SET_UP, "POST": SET_UP_EMPTY},
    "settings:list-people": {"GET": SET_UP, "POST": SET_UP_EMPTY},
    "settings:answer-access": {"POST": SET_UP_NOTHING},
    "settings:edit-person": {"GET": SET_UP_NOTHING, "POST": SET_UP_NOTHING},  # who is not of this site
    "settings:edit-groups": {"GET": SET_UP, "POST": (302, 403, 403, 403, 302, 302)},
    "settings:edit-keys": {"GET": SET_UP, "POST": SET_UP_EMPTY},
    "settings:revoke-key": {"POST": SET_UP_NOTHING},
    "settings:edit-tokens": {"GET": VIEW, "POST": (302, 403, 422, 422, 422, 422)},
    "settings:revoke-token": {"POST": (302, 403, 404, 404, 404, 404)},  # READ, of what is not there
    "schemas:list-classifications": {"GET": SET_UP},
    "schemas:create-classification": {"GET": SET_UP, "POST": SET_UP_EMPTY},
    "schemas:edit-classification": {"GET": SET_UP, "POST": SET_UP_EMPTY},
    "schemas:archive-classification": {"POST": SET_UP_NOTHING},
    "schemas:edit-site-schema": {"GET": SET_UP, "POST": SET_UP_EMPTY},
    "schemas:list-languages": {"GET": SET_UP, "POST": SET_UP_EMPTY},
    "schemas:edit-labels": {"GET": SET_UP, "POST": (302, 403, 403, 403, 302, 302)},  # nothing typed, nothing saved
    "schemas:remove-language": {"POST": SET_UP_NOTHING},
    "schemas:export-labels": {"GET": SET_UP},
    "schemas:import-labels": {"GET": SET_UP, "POST": SET_UP_EMPTY},
    "schemas:list-attributes": {"GET": SET_UP, "POST": SET_UP_EMPTY},
    "schemas:edit-attribute": {"GET": SET_UP, "POST": SET_UP_EMPTY},
    "schemas:delete-attribute": {"POST": SET_UP_NOTHING},
    "definitions:list-definitions": {"GET": SET_UP},
    "definitions:show-definition": {"GET": SET_UP},
    "definitions:activate-definition": {"POST": SET_UP_NOTHING},  # before it is published
    "definitions:archive-definition": {"POST": SET_UP_NOTHING},
    "definitions:create-definition": {"GET": SET_UP, "POST": SET_UP_EMPTY},
    "definitions:deploy-definition": {"POST": (302, 403, 403, 403, 302, 302)},
    "definitions:list-documents": {"GET": SET_UP_NOTHING},  # of a definition that is not there
    "definitions:edit-plan": {"GET": SET_UP_NOTHING, "POST": SET_UP_NOTHING},
    "services:list-providers": {"GET": SET_UP},
    "operations:show-costs": {"GET": SET_UP},
    "operations:export-costs": {"GET": SET_UP},
    "operations:show-project-costs": {"GET": SET_UP},
    "audit:show-audit": {"GET": SET_UP, "POST": SET_UP},  # with personal values
    "audit:export-audit": {"GET": SET_UP},
    "models:list-models": {"GET": SET_UP},
    "models:create-model": {"GET": SET_UP, "POST": SET_UP_EMPTY},
    "models:edit-model": {"GET": SET_UP, "POST": SET_UP_EMPTY},
    "models:remove-model": {"POST": SET_UP_NOTHING},
    "models:test-model": {"GET": SET_UP, "POST": SET_UP_NOTHING},
    "policies:list-versions": {"GET": SET_UP, "POST": SET_UP_EMPTY},
    "policies:deactivate-policy": {"POST": (302, 403, 403, 403, 302, 302)},  # none is active
    "policies:show-version": {"GET": SET_UP},
    "policies:try-version": {"POST": SET_UP_EMPTY},
    "policies:activate-version": {"POST": SET_UP_EMPTY},  # before it was tried
    "queues:list-queues": {"GET": SET_UP},
    "queues:create-queue": {"GET": SET_UP, "POST": SET_UP_EMPTY},
    "queues:edit-queue": {"GET": SET_UP, "POST": SET_UP_EMPTY},
    "queues:archive-queue": {"POST": SET_UP_NOTHING},
    "queues:restore-queue": {"POST": SET_UP_NOTHING},
    "operations:show-operations": {"GET": SET_UP},
    "operations:hurry-repair": {"POST": SET_UP_NOTHING},
    "operations:order-sweep": {"POST": (302, 403, 403, 403, 302, 302)},
    "operations:retry-provider": {"POST": SET_UP_NOTHING},
    "operations:list-dead-letters": {"GET": SET_UP},
    "operations:settle-dead-letter": {"POST": SET_UP_NOTHING},
    "incoming:list-incoming": {"GET": SET_UP},
    "incoming:settle-incoming": {"POST": SET_UP_NOTHING},
    "incoming:create-tenant": {"GET": SET_UP, "POST": SET_UP_EMPTY},
    "incoming:remove-tenant": {"POST": SET_UP_EMPTY},
    "routing:list-mappings": {"GET": SET_UP},
    "routing:create-mapping": {"GET": SET_UP, "POST": SET_UP_EMPTY},
    "routing:edit-mapping": {"GET": SET_UP, "POST": SET_UP_EMPTY},
    "routing:list-rulesets": {"GET": SET_UP},
    "routing:create-ruleset": {"GET": SET_UP, "POST": SET_UP_EMPTY},
    "routing:edit-ruleset": {"GET": SET_UP, "POST": SET_UP_EMPTY},
    "routing:create-rule": {"GET": SET_UP, "POST": SET_UP_EMPTY},
    "routing:edit-rule": {"GET": SET_UP, "POST": SET_UP_EMPTY},
    "routing:send-webhook-test": {"POST": SET_UP_NOTHING},  # of a webhook that the rule has not
    "workflows:list-deliveries": {"GET": SET_UP},
    # programs
    "console:show-console": {"GET": VIEW},
    "api:openapi-json": {"GET": OPEN},
    "api:api-root": {"GET": (404, 404, 404, 404, 404, 404)},
    "api:list_models": {"GET": KEY},
    "api:show_model": {"GET": KEY},
    "api:list_ocr_models": {"GET": KEY},
    "api:show_ocr_model": {"GET": KEY},
    "api:list_projects": {"GET": KEY},
    "api:create_project": {"POST": KEY},
    "api:show_project": {"GET": KEY},
    "api:change_project": {"PATCH": KEY},
    "api:list_attributes": {"GET": KEY},
    "api:create_attribute": {"POST": KEY},
    "api:show_attribute": {"GET": KEY},
    "api:change_attribute": {"PATCH": KEY},
    "api:delete_attribute": {"DELETE": KEY},
    "api:show_site_schema": {"GET": KEY},
    "api:save_site_schema": {"PUT": KEY},
    "api:list_document_types": {"GET": KEY},
    "api:create_document_type": {"POST": KEY},
    "api:show_document_type": {"GET": KEY},
    "api:save_document_type": {"PUT": KEY},
    "api:archive_document_type": {"PUT": KEY},
    "api:show_notification_choices": {"GET": KEY},
    "api:choose_notifications": {"PUT": KEY},
    "api:show_chat_webhook": {"GET": KEY},
    "api:save_chat_webhook": {"PUT": KEY},
    "api:remove_chat_webhook": {"DELETE": KEY},
    "api:show_account": {"GET": KEY},
    "api:change_account": {"PATCH": KEY},
    "api:list_access_requests": {"GET": KEY},
    "api:list_export_schedules": {"GET": KEY},
    "api:create_export_schedule": {"POST": KEY},
    "api:delete_export_schedule": {"DELETE": KEY},
    "api:list_costs": {"GET": KEY},
    "api:list_services": {"GET": KEY},
    "api:show_operations": {"GET": KEY},
    "api:list_bucket_folders": {"GET": KEY},
    "api:assign_bucket_folder": {"POST": KEY},
    "api:remove_bucket_folder": {"DELETE": KEY},
    "api:list_quarantine": {"GET": KEY},
    "api:retry_quarantined": {"POST": KEY},
    "api:discard_quarantined": {"DELETE": KEY},
    "api:list_calibrations": {"GET": KEY},
    "api:propose_calibration": {"POST": KEY},
    "api:activate_calibration": {"PUT": KEY},
    "api:simulate_thresholds": {"GET": KEY},
    "api:collect_reviews": {"POST": KEY},
    "api:list_extractors": {"GET": KEY},
    "api:train_extractor": {"POST": KEY},
    "api:activate_extractor": {"PUT": KEY},
    "api:list_prompt_uses": {"GET": KEY},
    "api:list_pages": {"GET": KEY},
    "api:show_page": {"GET": KEY},
    "api:list_questions": {"GET": KEY},
    "api:ask_question": {"POST": KEY},
    "api:ask_question_again": {"POST": KEY},
    "api:delete_question": {"DELETE": KEY},
    "api:show_figures": {"GET": KEY},
    "api:list_failures": {"GET": KEY},
    "api:show_quality": {"GET": KEY},
    "api:list_disputes": {"GET": KEY},
    "api:list_audit": {"GET": KEY},
    "api:try_prompt": {"POST": KEY},
    "api:show_trial": {"GET": KEY},
    "api:read_page_anew": {"POST": KEY},
    "api:show_reading": {"GET": KEY},
    "api:list_calls": {"GET": KEY},
    "api:list_documents": {"GET": KEY},
    "api:upload_document": {"POST": KEY},
    "api:list_cases": {"GET": KEY},
    "api:list_my_tasks": {"GET": KEY},
    "api:create_case": {"POST": KEY},
    "api:show_case": {"GET": KEY},
    "api:settle_case": {"PUT": KEY},
    "api:add_task": {"POST": KEY},
    "api:add_nigo": {"POST": KEY},
    "api:settle_task": {"PUT": KEY},
    "api:settle_nigo": {"PUT": KEY},
    "api:attach_document": {"PUT": KEY},
    "api:detach_document": {"DELETE": KEY},
    "api:list_entity_types": {"GET": KEY},
    "api:create_entity_type": {"POST": KEY},
    "api:rename_entity_type": {"PATCH": KEY},
    "api:delete_entity_type": {"DELETE": KEY},
    "api:list_entities": {"GET": KEY},
    "api:create_entity": {"POST": KEY},
    "api:show_entity": {"GET": KEY},
    "api:update_entity": {"PUT": KEY},
    "api:import_entities": {"POST": KEY},
    "api:merge_entities": {"POST": KEY},
    "api:delete_entity": {"DELETE": KEY},
    "api:list_locales": {"GET": KEY},
    "api:add_locale": {"POST": KEY},
    "api:delete_locale": {"DELETE": KEY},
    "api:list_resource_items": {"GET": KEY},
    "api:add_resource_item": {"POST": KEY},
    "api:show_resource_item": {"GET": KEY},
    "api:set_resource_item": {"PUT": KEY},
    "api:delete_resource_item": {"DELETE": KEY},
    "api:list_folder": {"GET": KEY},
    "api:create_folder": {"POST": KEY},
    "api:show_folder": {"GET": KEY},
    "api:restrict_folder": {"PUT": KEY},
    "api:move_folder": {"PUT": KEY},
    "api:delete_folder": {"DELETE": KEY},
    "api:move_document": {"PUT": KEY},
    "api:list_shares": {"GET": KEY},
    "api:list_document_shares": {"GET": KEY},
    "api:share_document": {"POST": KEY},
    "api:share_folder": {"POST": KEY},
    "api:revoke_share": {"DELETE": KEY},
    "api:show_publication": {"GET": KEY},
    "api:publish_document": {"PUT": KEY},
    "api:withdraw_document": {"DELETE": KEY},
    "api:check_out_document": {"PUT": KEY},
    "api:check_in_document": {"DELETE": KEY},
    "api:prepare_upload": {"POST": KEY},
    "api:complete_upload": {"POST": KEY},
    "api:show_document": {"GET": KEY},
    "api:change_properties": {"PATCH": KEY},
    "api:delete_document": {"DELETE": KEY},
    "api:list_deleted_documents": {"GET": KEY},
    "api:restore_document": {"POST": KEY},
    "api:purge_document": {"DELETE": KEY},
    "api:show_activity": {"GET": KEY},
    "api:show_ocr": {"GET": KEY},
    "api:set_document_type": {"PUT": KEY},
    "api:list_file_versions": {"GET": KEY},
    "api:download_file": {"GET": KEY},
    "api:export_result": {"GET": KEY},
    "api:show_run": {"GET": KEY},
    "api:show_project_graph": {"GET": KEY},
    "api:show_result": {"GET": KEY},
    "api:run_again": {"POST": KEY},
    "api:import_documents": {"POST": KEY},
    "api:analyse_again": {"POST": KEY},
    "api:choose_result": {"POST": KEY},
    "api:show_unpacking": {"GET": KEY},
    "api:retry_unpacking": {"POST": KEY},
    "api:search": {"GET": KEY},
    "api:list_workflows": {"GET": KEY},
    "api:create_workflow": {"POST": KEY},
    "api:save_workflow_draft": {"PUT": KEY},
    "api:list_document_deliveries": {"GET": KEY},
    "api:send_document_again": {"POST": KEY},
    "api:list_earlier_values": {"GET": KEY},
    "api:restore_earlier_values": {"POST": KEY},
    "api:list_rulesets": {"GET": KEY},
    "api:show_ruleset": {"GET": KEY},
    "api:list_mappings": {"GET": KEY},
    "api:show_mapping": {"GET": KEY},
    "api:list_api_keys": {"GET": KEY},
    "api:list_policy_versions": {"GET": KEY},
    "api:save_policy_version": {"POST": KEY},
    "api:show_policy_version": {"GET": KEY},
    "api:try_policy_version": {"POST": KEY},
    "api:activate_policy_version": {"POST": KEY},
    "api:deactivate_policy": {"DELETE": KEY},
    "api:revoke_api_key": {"DELETE": KEY},
    "api:list_saved_views": {"GET": KEY},
    "api:list_workflow_documents": {"GET": KEY},
    "api:check_workflow_plan": {"POST": KEY},
    "api:try_workflow_plan": {"POST": KEY},
    "api:show_workflow_draft": {"GET": KEY},
    "api:publish_workflow": {"POST": KEY},
    "api:activate_workflow_version": {"PUT": KEY},
    "api:archive_workflow_version": {"POST": KEY},
    "api:show_workflow": {"GET": KEY},
    "api:list_executions": {"GET": KEY},
    "api:start_execution": {"POST": KEY},
    "api:show_execution": {"GET": KEY},
    "api:list_execution_transitions": {"GET": KEY},
    "api:cancel_execution": {"POST": KEY},
    "api:purge_execution": {"DELETE": KEY},
    "api:list_transitions": {"GET": KEY},
    "api:list_events": {"GET": KEY},
    "api:list_deliveries": {"GET": KEY},
    "api:test_webhook": {"POST": KEY},
    "api:list_queues": {"GET": KEY},
    "api:list_notifications": {"GET": KEY},
    "api:read_notification": {"POST": KEY},
    "api:list_reviews": {"GET": KEY},
    "api:open_review": {"GET": KEY},
    "api:claim_review": {"POST": KEY},
    "api:release_review": {"POST": KEY},
    "api:save_draft": {"PUT": KEY},
    "api:decide_review": {"POST": KEY},
    "api:split_document": {"POST": KEY},
    "api:undo_decision": {"POST": KEY},
    "api:create_batch": {"POST": KEY},
    "api:list_batches": {"GET": KEY},
    "api:show_batch": {"GET": KEY},
    "api:list_lines": {"GET": KEY},
    "api:retry_batch": {"POST": KEY},
    "api:cancel_batch": {"POST": KEY},
    "api:continue_batch": {"POST": KEY},
    "api:change_batch_slots": {"PUT": KEY},
    "api:list_prompts": {"GET": KEY},
    "api:show_prompt": {"GET": KEY},
    "api:list_versions": {"GET": KEY},
    "api:save_version": {"POST": KEY},
    "api:show_version": {"GET": KEY},
    "api:move_production": {"PUT": KEY},
    "api:set_candidate": {"PUT": KEY},
    "api:list_test_sets": {"GET": KEY},
    "api:create_test_set": {"POST": KEY},
    "api:show_test_set": {"GET": KEY},
    "api:change_test_set": {"PATCH": KEY},
    "api:list_test_set_versions": {"GET": KEY},
    "api:list_experiments": {"GET": KEY},
    "api:create_experiment": {"POST": KEY},
    "api:show_experiment": {"GET": KEY},
    "api:show_results": {"GET": KEY},
    "api:pause_experiment": {"POST": KEY},
    "api:resume_experiment": {"POST": KEY},
    "api:retry_experiment": {"POST": KEY},
    "api:stop_experiment": {"POST": KEY},
    "api:promote_variant": {"POST": KEY},
    "api:ask_for_review": {"POST": KEY},
    "api:show_review": {"GET": KEY},
    # Django's own admin
    "admin:index": {"GET": STAFF},
    "admin:login": {"GET": (200, 403, 403, 403, 403, 302)},
    "admin:logout": {"POST": STAFF_MOVED},
    "admin:password_change": {"GET": STAFF_MOVED},
    "admin:password_change_done": {"GET": STAFF},
    "admin:autocomplete": {"GET": STAFF_POST},
    "admin:jsi18n": {"GET": STAFF},
    "admin:view_on_site": {"GET": (302, 302, 302, 302, 302, 404)},
    "admin:auth_group_changelist": {"GET": STAFF},
    "admin:auth_group_add": {"GET": STAFF},
    "admin:auth_group_history": {"GET": STAFF},
    "admin:auth_group_delete": {"GET": STAFF},
    "admin:auth_group_change": {"GET": STAFF},
    "admin/auth/group/<path:object_id>/": {"GET": STAFF_MOVED},
    "admin:auth_user_password_change": {"GET": STAFF},
    "admin:auth_user_changelist": {"GET": STAFF},
    "admin:auth_user_add": {"GET": STAFF},
    "admin:auth_user_history": {"GET": STAFF},
    "admin:auth_user_delete": {"GET": STAFF},
    "admin:auth_user_change": {"GET": STAFF},
    "admin/auth/user/<path:object_id>/": {"GET": STAFF_MOVED},
    "admin:app_list": {"GET": STAFF},
    "admin/(?P<url>.*)$": {"GET": (302, 302, 302, 302, 302, 404)},
}
# On a tenant's site there are no sites to manage.
ON_NO_TENANT = (
    "settings:list-sites",
    "settings:create-site",
    "settings:edit-site",
    "definitions:activate-definition",
    "definitions:archive-definition",
    "definitions:create-definition",
    "definitions:deploy-definition",
    "definitions:edit-plan",
    "operations:show-operations",
    "operations:hurry-repair",
    "operations:order-sweep",
    "operations:retry-provider",
    "operations:list-dead-letters",
    "operations:settle-dead-letter",
    "incoming:create-tenant",
    "incoming:remove-tenant",
)
WISHES = (
    "review:",
    "settings:revoke-key",
    "models:remove-model",
    "models:test-model",
    "queues:archive-queue",
    "queues:restore-queue",
    "schemas:archive-classification",
    "schemas:delete-attribute",
    "schemas:remove-language",
)


def people(stranger: User) -> dict[str, User | None]:
    root = person("root", "R")
    root.is_staff = root.is_superuser = True
    root.save()
    return dict(zip(ROLES, (None, stranger, charlie(), bob(), alice(), root), strict=True))


@dataclass
class Browsers:
    """New ones for each request; who is signed in stays so until an answer ends the session or begins another."""

    sessions: dict[str, str] = field(default_factory=dict)

    def open(self, user: User | None) -> Client:
        client = Client()
        if user:
            if user.username not in self.sessions:
                self.sessions[user.username] = signed_in(user).cookies[settings.SESSION_COOKIE_NAME].value
            client.cookies[settings.SESSION_COOKIE_NAME] = self.sessions[user.username]
        return client

    def told(self, user: User | None, response: HttpResponseBase) -> None:
        if user and settings.SESSION_COOKIE_NAME in response.cookies:
            del self.sessions[user.username]


def answer(page: Page, method: str, user: User | None, root: str, known: dict[str, Any], *, browsers: Browsers) -> int:
    client = browsers.open(user)
    none = dict.fromkeys(("review_id", "queue_id", "classification_id", "key", "model_id", "locale"), "none")
    missing = none if method == "POST" and page.name.startswith(WISHES) else {}
    path = f"{root}{page.path(known | missing)}"
    response = client.generic(method, path, content_type="application/x-www-form-urlencoded")
    if response.streaming:
        b"".join(response)  # to its end: closing it here would close the test's database too
    browsers.told(user, response)
    return response.status_code


def wrong_answers(root: str, stranger: User, known: dict[str, Any], expected: Any) -> list[str]:
    who, browsers = people(stranger), Browsers()
    return [
        f"{method} {root}/{page.route} ({page.name}) as {role}: {got}, not {wanted}"
        for page in pages()
        for method, answers in TABLE.get(page.name, {}).items()
        for role, wanted in zip(ROLES, expected(page.name, answers), strict=True)
        if (got := answer(page, method, who[role], root, known, browsers=browsers)) != wanted
    ]


@pytest.fixture
def desk(machines: None, table: str) -> None:
    make_site("acme")
    for group, permissions in DEFAULTS.items():
        grant("acme", group, *permissions)
    grant("acme", "tenants", *EVERYTHING)
    grant("default", "locals", Permission.READ)


def test_every_url_is_in_the_table_and_nothing_else_is() -> None:
    names = [page.name for page in pages()]
    assert sorted(set(names) - TABLE.keys()) == [], "a new URL: say in the table who may have it"
    assert sorted(TABLE.keys() - set(names)) == []


@pytest.mark.wide
def test_who_gets_what_on_the_main_site(desk: None) -> None:
    assert wrong_answers("", person("tess", "T", "tenants"), world("default"), lambda _name, answers: answers) == []


@pytest.mark.wide
def test_who_gets_what_on_a_tenants_site(desk: None) -> None:
    assert wrong_answers("/s/acme", person("lou", "L", "locals"), world("acme"), on_a_tenants_site) == []


def on_a_tenants_site(name: str, answers: Answers) -> Answers:
    """Nobody is told anything before signing in, and who works on another site finds nothing at all."""
    if name.startswith("api:"):
        return (404, 404, 404, 404, 404, 404)
    if name.startswith(("links:", "published:")):
        return answers
    _, _, viewer, reviewer, admin, root = answers
    if name in ON_NO_TENANT:
        viewer = reviewer = admin = root = 404
    return (302, 404, viewer, reviewer, admin, root)


@pytest.mark.wide
def test_a_site_that_is_not_there_answers_as_one_of_others(desk: None) -> None:
    """The same for everybody but superusers, address by address."""
    known, who, browsers = world("default"), people(person("lou", "L", "locals")), Browsers()
    for page in pages():
        for role in ("anonymous", "stranger"):
            method = next(iter(TABLE[page.name]))
            there, nowhere = (
                answer(page, method, who[role], f"/s/{site}", known, browsers=browsers) for site in ("acme", "nowhere")
            )
            assert there == nowhere, f"{page.route} as {role}"
