"""A deleted document's second reviews and differences are in no list, come back with it, and go with a purge."""

import pytest

from config import clock
from config.errors import Conflict, NotFound
from projects.documents.queries import count_waiting_by_queue
from review import queries
from review.identity import Person
from review.quality import actions
from review.quality import queries as quality
from review.status import CheckStatus
from tests.factories import MARTA, ROSA
from tests.review.quality.checks import check_of, decide, disputed, end_run, open_check, settle
from tests.review.reviews import open_review
from tests.workflows import stored
from tests.workflows.removing import is_trail
from workflows.documents.actions import removals

pytestmark = pytest.mark.usefixtures("desk")
CHECKS = "checks.review"


def test_an_open_second_review_leaves_its_list_and_comes_back():
    run, ref = open_check()
    removals.delete_document(ref.site, ref.document_id, by=ROSA)
    assert queries.list_queue(ref.site, CHECKS).rows == []
    assert count_waiting_by_queue(ref.site).get(CHECKS, 0) == 0
    with pytest.raises(NotFound):
        queries.get_review(ref.check)
    removals.restore_document(ref.site, ref.document_id, by=ROSA)
    assert len(queries.list_queue(ref.site, CHECKS).rows) == 1
    assert count_waiting_by_queue(ref.site)[CHECKS] == 1
    assert settle(run, ref).status == CheckStatus.AGREED


def test_one_that_waits_for_its_run_is_not_opened_while_its_document_is_deleted():
    run, ref = open_review(check_share=1.0)
    decide(run, ref)
    end_run(run, ref)
    read = check_of(ref)
    removals.delete_document(ref.site, ref.document_id, by=ROSA)
    assert not check_of(ref).is_scheduled
    with pytest.raises(Conflict):  # by a sweeper that had read it before
        actions.open_check(ref.site, read)
    assert queries.list_queue(ref.site, CHECKS).rows == []
    removals.restore_document(ref.site, ref.document_id, by=ROSA)
    actions.open_check(ref.site, check_of(ref))
    assert len(queries.list_queue(ref.site, CHECKS).rows) == 1


def test_differences_leave_their_list_and_come_back():
    _, ref = disputed()
    removals.delete_document(ref.site, ref.document_id, by=ROSA)
    assert quality.list_disputes(ref.site).rows == []
    with pytest.raises(NotFound):
        quality.get_pair(ref)
    removals.restore_document(ref.site, ref.document_id, by=ROSA)
    assert len(quality.list_disputes(ref.site).rows) == 1
    assert quality.get_pair(ref).check.status == CheckStatus.DISPUTED


def test_a_purge_leaves_nothing_of_them_but_the_sums():
    run, ref = disputed()
    removals.delete_document(ref.site, ref.document_id, by=ROSA)
    removals.purge_document(ref.site, ref.document_id, by=Person("9", "Ines Roth"))
    removals.finish_removal(ref.site, ref.document_id)
    left = {key for key, row in stored.rows().items() if ref.document_id in str(row) or run.workflow_id in str(row)}
    assert {sk for _, _, sk in left if not is_trail(("", "", sk))} == {"removal"}
    numbers = [one.numbers for one in quality.list_figures(ref.site, "", *_today())]
    assert [one["documents|differed"] for one in numbers] == [1, 1]
    assert MARTA.name in {one.name for one in quality.list_figures(ref.site, "", *_today())}


def _today():
    return clock.now().date(), clock.now().date()
