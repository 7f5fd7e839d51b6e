"""The pages that delete, restore and purge, and what they say before and after."""

import pytest

from config.errors import NotFound
from projects.audit.events import actor_of
from projects.documents import queries as document_queries
from projects.documents.queries import get_removal
from tests.aws_faults import count_calls, crash_after, fail
from tests.factories import start_run
from tests.html import one_line
from tests.people import alice, bob, charlie, dora, signed_in
from workflows.documents.actions import removals

pytestmark = pytest.mark.django_db
SITE = "default"


def url(run, more=""):
    return f"/documents/{run.document_id}/{more}"


def gone(run):
    return f"/documents/deleted/{run.document_id}/"


def post(run, more, who=alice, **data):
    return signed_in(who()).post(url(run, more), data)


def test_only_who_may_delete_is_offered_it_and_may_do_it(client, run):
    assert url(run, "delete/") in one_line(signed_in(alice()).get(url(run)).content)
    for who in (bob, charlie, dora):
        for more in ("delete/", "restore/", "purge/"):
            assert post(run, more, who=who).status_code == 403
        for address in ("/documents/deleted/", gone(run)):
            assert signed_in(who()).get(address).status_code == 403
    assert url(run, "delete/") not in one_line(signed_in(bob()).get(url(run)).content)
    assert client.post(url(run, "delete/")).status_code == 302
    assert document_queries.get_document(SITE, run.document_id)


def test_a_document_is_deleted_and_comes_back(run):
    assert "can restore it" in one_line(signed_in(alice()).get(url(run, "delete/")).content)
    assert post(run, "delete/", reason="Sent <twice>")["Location"] == gone(run)
    page = one_line(signed_in(alice()).get(gone(run)).content)
    assert "Sent &lt;twice&gt;" in page
    assert "Alice Novak" in page
    assert gone(run) in one_line(signed_in(alice()).get("/documents/deleted/").content)
    assert signed_in(alice()).get(url(run))["Location"] == gone(run)
    assert "was deleted" in one_line(signed_in(charlie()).get(url(run)).content)
    assert signed_in(charlie()).get(f"/workflows/{run.document_id}/{run.workflow_id}/").status_code == 404
    assert post(run, "restore/")["Location"] == url(run)
    assert signed_in(charlie()).get(url(run)).status_code == 200
    assert signed_in(charlie()).get(f"/workflows/{run.document_id}/{run.workflow_id}/").status_code == 200


def test_of_a_deleted_document_who_may_not_delete_sees_neither_runs_nor_activity(run):
    both = ("runs/", "activity/")
    assert [signed_in(charlie()).get(url(run, more)).status_code for more in both] == [200, 200]
    post(run, "delete/")
    assert [signed_in(charlie()).get(url(run, more)).status_code for more in both] == [404, 404]
    assert [signed_in(alice()).get(url(run, more)).status_code for more in both] == [200, 200]
    post(run, "restore/")
    assert [signed_in(charlie()).get(url(run, more)).status_code for more in both] == [200, 200]


def test_of_a_deleted_document_who_may_not_delete_does_not_read_its_lineage(run):
    address = f"/workflows/{run.document_id}/{run.workflow_id}/lineage/"
    assert signed_in(charlie()).get(address).status_code == 200
    post(run, "delete/")
    assert signed_in(charlie()).get(address).status_code == 404
    assert signed_in(alice()).get(address).status_code == 200
    post(run, "restore/")
    assert signed_in(charlie()).get(address).status_code == 200


def test_while_a_run_is_under_way_the_page_says_why_not(table):
    moving = start_run()
    page = one_line(signed_in(alice()).get(url(moving, "delete/")).content)
    assert "in progress" in page
    assert "<form method" not in page.partition("<main")[2]
    answer = post(moving, "delete/")
    assert answer.status_code == 422
    assert "in progress" in one_line(answer.content)


def test_a_purge_asks_whether_one_is_sure_and_says_what_it_leaves(run):
    post(run, "delete/")
    page = one_line(signed_in(alice()).get(gone(run)).content)
    for word in (
        "Permanently deleted",
        "Kept",
        "all file versions, including the original object",
        "in the audit log: that it was purged, shared or added to a case, with the document ID only",
    ):
        assert word in page
    assert post(run, "purge/").status_code == 422
    assert get_removal(SITE, run.document_id).status == "deleted"
    assert post(run, "purge/", sure="yes")["Location"] == gone(run)
    assert "purging" in one_line(signed_in(alice()).get(gone(run)).content)
    removals.finish_removal(SITE, run.document_id)
    page = one_line(signed_in(alice()).get(gone(run)).content)
    assert "Purge record" in page
    assert "Purge document" not in page
    assert gone(run) in one_line(signed_in(alice()).get("/documents/deleted/?which=purged").content)
    assert gone(run) not in one_line(signed_in(alice()).get("/documents/deleted/").content)
    assert b"Purged by Alice Novak" in signed_in(alice()).get(url(run, "activity/")).content


def test_who_comes_second_is_told_who_was_first(run):
    post(run, "delete/")
    post(run, "purge/", sure="yes")
    answer = post(run, "restore/")
    assert answer.status_code == 409
    assert "Alice Novak has already purged this document" in one_line(answer.content)
    assert post(run, "purge/", sure="yes").status_code == 409


def test_a_queue_that_does_not_answer_leaves_the_purge_to_the_sweeper(run):
    post(run, "delete/")
    with fail("sqs", "SendMessage", error_code="connection", times=9):
        assert post(run, "purge/", sure="yes").status_code == 302
    assert get_removal(SITE, run.document_id).status == "purging"


def test_rows_that_could_not_follow_at_once_are_shown_as_on_their_way(run):
    with crash_after("dynamodb", "TransactWriteItems", 1):
        removals.delete_document(SITE, run.document_id, by=actor_of(alice()))
    assert "deleting" in one_line(signed_in(alice()).get(gone(run)).content)
    assert post(run, "restore/").status_code == 409


def test_the_lists_are_one_query_each(run):
    post(run, "delete/")
    browser = signed_in(alice())
    for which in ("deleted", "purged"):
        with count_calls() as calls:
            assert browser.get("/documents/deleted/", {"which": which}).status_code == 200
        assert calls.names() == ["dynamodb.Query"]


def test_a_document_that_is_live_or_unknown_has_no_removal(run):
    assert signed_in(alice()).get(gone(run)).status_code == 404
    assert post(run, "restore/").status_code == 404
    with pytest.raises(NotFound):
        get_removal(SITE, "nothing")


def test_deletion_is_offered_after_the_run_has_ended(run):
    link = f'href="{url(run, "delete/")}"'
    assert link in one_line(signed_in(alice()).get(url(run)).content)
    moving = start_run()
    assert f'href="{url(moving, "delete/")}"' not in one_line(signed_in(alice()).get(url(moving)).content)
