"""What a purge leaves of a document's activity: who did what and when, no value and no file name."""

import pytest

from projects.documents import queries
from projects.documents.actions.properties import add_tag
from projects.documents.activity import ActivityType
from projects.documents.removal_changes import LEFT
from tests.factories import SITE, ended_run
from tests.workflows.removing import ROSA
from workflows.documents.actions import removals
from workflows.exports.actions import KEPT_DAYS

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("table")]


def test_values_and_the_file_name_are_purged_with_the_document() -> None:
    run = ended_run()
    add_tag(SITE, run.document_id, "patient", "Olga Weber", by=ROSA)
    removals.delete_document(SITE, run.document_id, by=ROSA)
    removals.finish_removal(SITE, run.document_id)
    removals.purge_document(SITE, run.document_id, by=ROSA)
    removals.finish_removal(SITE, run.document_id)
    rows = queries.list_activities(SITE, run.document_id).rows
    assert {ActivityType.MODIFY, ActivityType.DELETE} <= {one.type for one in rows}
    assert not any(one.changes for one in rows)
    assert not any(one.name for one in rows)
    assert "the activity log: who did what and when, without names or values" in LEFT


def test_the_page_of_a_purge_says_how_long_exports_keep_values() -> None:
    assert f"its values in exports made before the purge, for {KEPT_DAYS} days after each export" in LEFT
