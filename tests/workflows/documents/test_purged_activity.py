"""What a purge leaves of a document's activity: who did what and when, and no value."""

import pytest

from projects.documents import queries
from projects.documents.actions.properties import add_tag
from projects.documents.activity import ActivityType
from tests.factories import SITE, ended_run
from tests.workflows.removing import ROSA
from workflows.documents.actions import removals

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("table")]


def test_the_values_of_changes_are_purged_with_the_document() -> None:
    run = ended_run()
    add_tag(SITE, run.document_id, "patient", "Olga Weber", by=ROSA)
    removals.delete_document(SITE, run.document_id, by=ROSA)
    removals.finish_removal(SITE, run.document_id)
    removals.purge_document(SITE, run.document_id, by=ROSA)
    removals.finish_removal(SITE, run.document_id)
    rows = queries.list_activities(SITE, run.document_id).rows
    assert {ActivityType.MODIFY, ActivityType.DELETE} <= {one.type for one in rows}
    assert not any(one.changes for one in rows)
