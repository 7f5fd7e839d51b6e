"""Versions are added and labels moved: nobody's version is lost, and of two who move a label one wins."""

from concurrent.futures import ThreadPoolExecutor

import pytest

from config.errors import Conflict, NotFound, Refused, Unavailable
from config.table import ENTITY_EVENT
from projects.audit.events import Actor
from projects.audit.items import EntityEvent
from projects.prompts import actions as prompt_actions
from projects.prompts import queries as prompt_queries
from projects.prompts.prompt import Prompt, get_shipped_prompt
from projects.prompts.queries import PromptRef
from tests.aws_faults import audit_refused, before_each, count_calls

ALICE = Actor("1", "Alice Novak")
BOB = Actor("2", "Bob Ito")
REF = PromptRef("default", "p1", "extract")
pytestmark = pytest.mark.usefixtures("table")


def text(words):
    return Prompt("extract", f"{words}\n", "{{page_text}}\n")


def save(words, *, ref=REF, by=ALICE, based_on=1, note=""):
    return prompt_actions.save_version(ref, text(words), based_on=based_on, note=note, by=by)


def events(ref=REF):
    pk = ENTITY_EVENT.partition_key(ref.site, entity_type="prompt", entity_id=ref.entity_id)
    return [(one.type, one.payload.as_dict()) for one in EntityEvent.page(pk, consistent=True).rows]


def head(ref=REF):
    found = prompt_queries.get_head(ref)
    return int(found.version), int(found.production), int(found.candidate), float(found.share or 0)


def test_a_project_begins_with_the_prompt_that_we_ship():
    assert head() == (1, 1, 0, 0)
    assert prompt_queries.get_version(REF, 1).prompt("extract") == get_shipped_prompt("extract")
    assert [int(one.version) for one in prompt_queries.list_versions(REF).rows] == [1]


def test_the_first_save_keeps_the_shipped_text_as_version_1_and_leaves_it_in_production():
    assert save("Mine", note="Shorter").version == 2
    assert head() == (2, 1, 0, 0)
    versions = prompt_queries.list_versions(REF).rows
    assert [int(one.version) for one in versions] == [2, 1]
    assert versions[1].prompt("extract") == get_shipped_prompt("extract")
    assert (versions[0].note, versions[0].user_name, versions[0].created_by) == ("Shorter", "Alice Novak", "1")
    assert events() == [("version_saved", {"version": 2, "note": "Shorter"})]


def test_saving_the_newest_text_again_adds_nothing():
    save("Mine")
    assert save("Mine").version == 2
    assert len(events()) == 1


def test_of_two_admins_both_get_a_version_and_the_second_is_told():
    save("First", by=ALICE)
    saved = save("Second", by=BOB, based_on=1)
    assert (saved.version, list(saved.since)) == (3, [2])
    assert prompt_queries.get_version(REF, 2).instructions == "First\n"


def test_only_versions_of_others_are_told():
    save("First", by=BOB)
    save("Second", by=ALICE)
    save("Third", by=BOB)
    saved = save("Fourth", by=ALICE, based_on=1)
    assert (saved.is_new, list(saved.since)) == (True, [2, 4])
    assert list(save("Fifth", by=ALICE, based_on=5).since) == []
    assert list(save("Sixth", by=ALICE, based_on=0).since) == [2, 4]  # a form that lost it has seen nothing


def test_who_saves_the_text_that_another_just_saved_is_told_of_it():
    save("Same", by=BOB)
    saved = save("Same", by=ALICE)
    assert (saved.version, saved.is_new, list(saved.since)) == (2, False, [2])


def test_of_four_at_once_none_is_lost():
    with ThreadPoolExecutor(4) as pool:
        made = list(pool.map(lambda number: save(f"Text {number}"), range(4)))
    assert sorted(one.version for one in made) == [2, 3, 4, 5]
    assert head()[0] == 5


def test_text_that_is_no_prompt_is_refused():
    with pytest.raises(Refused, match=r"Add \{\{page_text\}\}"):
        prompt_actions.save_version(REF, Prompt("extract", "x", "no text"), based_on=1, note="", by=ALICE)
    assert head() == (1, 1, 0, 0)


def test_a_version_that_cannot_be_audited_is_not_saved(monkeypatch):
    with audit_refused(), pytest.raises((Conflict, Unavailable)):
        save("Mine")
    assert head() == (1, 1, 0, 0)


def test_production_moves_with_a_reason():
    save("Mine")
    prompt_actions.move_production(REF, 2, expected=1, reason="Better on receipts", by=ALICE)
    assert head() == (2, 2, 0, 0)
    assert events()[-1] == ("production_moved", {"before": 1, "after": 2, "reason": "Better on receipts"})


def test_the_second_of_two_who_move_production_loses_and_learns_of_the_first():
    save("A")
    save("B")
    prompt_actions.move_production(REF, 2, expected=1, reason="A is good", by=BOB)
    with pytest.raises(Conflict, match="Bob Ito put version 2 into production"):
        prompt_actions.move_production(REF, 3, expected=1, reason="B is good", by=ALICE)
    assert head()[1] == 2


def test_production_cannot_move_to_a_version_that_is_not_there_or_without_a_reason():
    with pytest.raises(NotFound):
        prompt_actions.move_production(REF, 7, expected=1, reason="why", by=ALICE)
    save("A")
    with pytest.raises(Refused):
        prompt_actions.move_production(REF, 2, expected=1, reason="  ", by=ALICE)


def test_a_candidate_takes_a_share_until_it_is_production():
    save("A")
    prompt_actions.set_candidate(REF, 2, expected=0, percent=20, reason="Trial", by=ALICE)
    assert head() == (2, 1, 2, 0.2)
    prompt_actions.move_production(REF, 2, expected=1, reason="Good", by=ALICE)
    assert head() == (2, 2, 0, 0)
    with pytest.raises(Refused, match="already in production"):
        prompt_actions.set_candidate(REF, 2, expected=0, percent=20, reason="Trial", by=ALICE)


def labelled_by():
    return prompt_queries.get_head(REF).labelled_by


def test_who_moved_a_label_stays_known_when_others_save():
    save("A")
    assert labelled_by() is None
    prompt_actions.move_production(REF, 2, expected=1, reason="Good", by=BOB)
    save("B", by=ALICE)
    assert labelled_by() == "Bob Ito"
    with pytest.raises(Conflict, match="Bob Ito put version 2 into production"):
        prompt_actions.move_production(REF, 3, expected=1, reason="Better", by=ALICE)
    prompt_actions.set_candidate(REF, 3, expected=0, percent=5, reason="Trial", by=ALICE)
    assert labelled_by() == "Alice Novak"


def test_the_second_of_two_who_set_a_candidate_loses_and_learns_of_the_first():
    save("A")
    save("B")
    prompt_actions.set_candidate(REF, 2, expected=0, percent=20, reason="A", by=BOB)
    with pytest.raises(Conflict, match="Bob Ito made version 2 the candidate for 20 % of runs"):
        prompt_actions.set_candidate(REF, 3, expected=0, percent=50, reason="B", by=ALICE)
    assert head() == (3, 1, 2, 0.2)
    prompt_actions.set_candidate(REF, 2, expected=2, percent=0, reason="Enough", by=BOB)
    with pytest.raises(Conflict, match="Bob Ito ended the candidate's trial"):
        prompt_actions.set_candidate(REF, 2, expected=2, percent=50, reason="More", by=ALICE)


def test_of_two_who_change_the_share_at_once_one_wins():
    save("A")
    prompt_actions.set_candidate(REF, 2, expected=0, percent=20, reason="Trial", by=ALICE)

    def change_share() -> None:
        prompt_actions.set_candidate(REF, 2, expected=2, percent=30, reason="More", by=BOB)

    with (
        before_each("dynamodb", "TransactWriteItems", change_share),
        pytest.raises(Conflict, match="Bob Ito made version 2 the candidate for 30 % of runs"),
    ):
        prompt_actions.set_candidate(REF, 2, expected=2, percent=50, reason="Most", by=ALICE)
    assert head() == (2, 1, 2, 0.3)


def test_a_candidate_is_ended_by_no_share():
    save("A")
    prompt_actions.set_candidate(REF, 2, expected=0, percent=20, reason="Trial", by=ALICE)
    prompt_actions.set_candidate(REF, 2, expected=2, percent=0, reason="Enough", by=ALICE)
    assert head() == (2, 1, 0, 0)


def test_prompts_of_another_site_and_project_are_their_own():
    save("A")
    assert head(PromptRef("acme", "p1", "extract")) == (1, 1, 0, 0)
    assert head(PromptRef("default", "p2", "extract")) == (1, 1, 0, 0)


@pytest.mark.parametrize("purpose", ["nothing", "ex#tract"])
def test_a_purpose_that_is_not_there_is_not_found(purpose):
    with pytest.raises(NotFound):
        prompt_queries.get_head(PromptRef("default", "p1", purpose))


def test_a_prompt_with_200_versions_is_one_query_a_page():
    for number in range(30):
        save(f"Text {number}")
    with count_calls() as calls:
        page = prompt_queries.list_versions(REF)
    assert [int(one.version) for one in page.rows][:2] == [31, 30]
    assert page.next
    assert calls.names() == ["dynamodb.Query"]
