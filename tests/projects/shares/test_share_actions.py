"""Shares as the table keeps them: once with each, opened exactly as often as they may be, and gone at once."""

import datetime as dt
from concurrent.futures import ThreadPoolExecutor

import pytest

from config import clock
from config.errors import Conflict, NotFound, Refused
from projects.folders import actions as folder_actions
from projects.folders.items import EntryType
from projects.folders.queries import ROOT
from projects.shares import actions, queries
from projects.shares.actions import LinkDraft, Target, find_target
from projects.shares.items import PrincipalType
from projects.shares.queries import Principal
from tests.each import each
from tests.factories import SITE, ended_run, start_run
from tests.workflows.removing import ROSA
from workflows.documents.actions import removals

pytestmark = pytest.mark.usefixtures("table")
STAFF = Principal(PrincipalType.GROUP, "staff")


def document() -> Target:
    return find_target(SITE, EntryType.FILE, start_run().document_id)


def link(target: Target, **wanted: object) -> actions.NewLink:
    return actions.create_link(SITE, target, LinkDraft(**{"name": "Auditors", "days": 7, **wanted}), by=ROSA)


def test_a_document_is_shared_with_each_once_and_revoked_once() -> None:
    target = document()
    share = actions.share_with(SITE, target, STAFF, "staff", by=ROSA)
    with pytest.raises(Conflict, match="already shared with staff"):
        actions.share_with(SITE, target, STAFF, "staff", by=ROSA)
    assert queries.find_granted(SITE, [STAFF], [target.id, "other"]) == {target.id}
    assert [one.name for one in queries.list_shares_of(SITE, target.id)] == ["staff"]
    assert [one.share_id for one in queries.list_shares(SITE).rows] == [share.share_id]
    assert [one.share_id for one in queries.list_shares_named(SITE, "staff").rows] == [share.share_id]
    assert [one.documentId for one in queries.list_shares_with(SITE, STAFF).rows] == [target.id]
    actions.revoke_share(SITE, share.share_id, by=ROSA)
    assert queries.find_granted(SITE, [STAFF], [target.id]) == frozenset()
    with pytest.raises(NotFound):
        actions.revoke_share(SITE, share.share_id, by=ROSA)


def test_of_two_who_revoke_a_share_one_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    share = actions.share_with(SITE, document(), STAFF, "staff", by=ROSA)
    actions.revoke_share(SITE, share.share_id, by=ROSA)
    monkeypatch.setattr(queries, "get_share", lambda *_: share)  # read before the other wrote
    with pytest.raises(Conflict, match="already revoked"):
        actions.revoke_share(SITE, share.share_id, by=ROSA)


def test_what_is_gone_is_not_shared() -> None:
    gone = Target(EntryType.FILE, "00000000-0000-0000-0000-000000000000", "bill.pdf")
    with pytest.raises(NotFound, match="deleted or moved"):
        actions.share_with(SITE, gone, STAFF, "staff", by=ROSA)
    assert queries.list_shares(SITE).rows == []


@each(
    "wanted",
    [{"name": " "}, {"name": "x" * 81}, {"days": 0}, {"days": 367}, {"max_openings": -1}, {"password": "short"}],
)
def test_no_link_is_made_that_cannot_be(wanted: dict[str, object]) -> None:
    with pytest.raises(Refused):
        link(Target(EntryType.FILE, "d", "d"), **wanted)


def test_a_link_is_kept_as_hashes_and_found_by_its_secret_only() -> None:
    made = link(document(), password="a long word")
    stored = queries.get_share(SITE, made.share.share_id)
    assert made.secret not in str(stored.attribute_values)
    assert "a long word" not in str(stored.attribute_values)
    found = actions.find_link(SITE, stored.share_id, made.secret)
    assert found is not None
    assert actions.is_password(found, "a long word")
    assert not actions.is_password(found, "another word")
    assert not actions.is_password(found, "")
    for share_id, secret in ((stored.share_id, made.secret[:-1]), (stored.share_id, ""), ("none", made.secret)):
        assert actions.find_link(SITE, share_id, secret) is None
    shared = actions.share_with(SITE, document(), STAFF, "staff", by=ROSA)
    assert actions.find_link(SITE, shared.share_id, "") is None


def test_the_same_form_makes_one_link() -> None:
    target, draft, one = document(), LinkDraft("Auditors", 7), clock.new_ulid()
    actions.create_link(SITE, target, draft, by=ROSA, share_id=one)
    with pytest.raises(Conflict, match="already been created"):
        actions.create_link(SITE, target, draft, by=ROSA, share_id=one)


def test_of_many_openings_at_once_as_many_count_as_may() -> None:
    made = link(document(), max_openings=3)

    def attempt(_: int) -> bool:
        try:
            actions.open_link(SITE, made.share)
        except Refused:
            return False
        return True

    with ThreadPoolExecutor(4) as pool:
        assert sum(pool.map(attempt, range(8))) == 3
    stored = queries.get_share(SITE, made.share.share_id)
    assert (stored.openings, queries.is_over(stored)) == (3, "used up")


def test_a_link_opens_until_it_expires_or_is_revoked(monkeypatch: pytest.MonkeyPatch) -> None:
    made = link(document(), days=1)
    assert actions.open_link(SITE, made.share).openings == 1
    late = clock.now() + dt.timedelta(days=1, seconds=1)
    with monkeypatch.context() as later:
        later.setattr(clock, "now", lambda: late)
        with pytest.raises(Refused, match="has expired"):
            actions.open_link(SITE, made.share)
    actions.revoke_share(SITE, made.share.share_id, by=ROSA)
    with pytest.raises(NotFound):
        actions.open_link(SITE, made.share)


def test_a_purged_document_and_a_deleted_folder_leave_no_share() -> None:
    run = ended_run()
    folder = folder_actions.create_folder(SITE, ROOT, "Inbox", by=ROSA)
    targets = [
        find_target(SITE, EntryType.FILE, run.document_id),
        find_target(SITE, EntryType.FOLDER, folder.folder_id),
    ]
    for target in targets:
        actions.share_with(SITE, target, STAFF, "staff", by=ROSA)
        link(target)
    removals.delete_document(SITE, run.document_id, by=ROSA)
    assert len(queries.list_shares(SITE).rows) == 4  # it may come back
    removals.purge_document(SITE, run.document_id, by=ROSA)
    removals.finish_removal(SITE, run.document_id)
    folder_actions.delete_folder(SITE, folder.folder_id, by=ROSA)
    assert queries.list_shares(SITE).rows == []
    assert queries.list_shares_with(SITE, STAFF).rows == []
