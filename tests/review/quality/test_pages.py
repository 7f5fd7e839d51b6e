"""Pages of quality: the list of second reviews, their differences, and how reviewers compare."""

import re

import pytest
from django.contrib.auth.models import User
from django.urls import reverse

from projects.audit.events import Actor
from projects.queues import actions as queue_actions
from review import queries
from review.quality import actions
from review.quality.forms import is_swapped
from review.status import CheckStatus, Decision
from tests.aws_faults import count_calls
from tests.factories import MARTA, ROSA
from tests.html import one_line
from tests.people import alice, bob, charlie, signed_in
from tests.projects.schemas.labels.make_labels import interface, label, speak
from tests.review.quality.checks import check_of, disputed, open_check, settle
from tests.review.reviews import person, url

pytestmark = pytest.mark.usefixtures("desk")


@pytest.fixture(autouse=True)
def ids_apart(db):
    """Whoever is not in ``tests.people`` has these ids: Alice and Bob have others."""
    for one in (ROSA, MARTA):
        User.objects.create(pk=int(one.id), username=one.name, first_name=one.name)


def test_differences_are_called_as_who_looks_does(monkeypatch):
    _, ref = disputed()
    label({interface("total"): "Gesamtbetrag"})
    speak(monkeypatch, "de")
    assert '<span lang="de" dir="auto">Gesamtbetrag</span></h2>' in text_of(signed_in(bob()), dispute_url(ref))


def dispute_url(ref):
    return reverse("review:show-dispute", args=[ref.document_id, ref.review_id])


def text_of(client, address, status=200, **kwargs):
    response = client.get(address, **kwargs)
    assert response.status_code == status
    return one_line(response.content)


def side_of(ref, which):
    """The letter that stands for the ``first`` or the ``second`` answer."""
    return "b" if (which == "second") != is_swapped(ref.review_id) else "a"


def test_second_reviews_have_their_own_list_whose_number_the_queue_shows():
    _, ref = open_check()
    page = text_of(signed_in(bob()), "/review/queues/checks.review/")
    assert "<h1>Second reviews</h1>" in page
    assert url("show-review", ref.check) in page
    nav = text_of(signed_in(bob(), htmx=True), "/review/views/")
    assert "Second reviews <b>1</b>" in nav
    assert "Team <b>0</b>" in nav
    assert "Differences" not in nav


def test_a_desk_without_second_reviews_is_not_shown_their_lists():
    nav = text_of(signed_in(bob(), htmx=True), "/review/views/")
    assert "Second reviews" not in nav
    assert "No second reviews" in text_of(signed_in(bob()), "/review/queues/checks.review/")


def test_the_second_reviewer_sees_the_extracted_value_and_nothing_of_the_first():
    _, ref = open_check(first={"total": "38.95"})
    client = signed_in(bob())
    assert client.post(url("claim", ref.check)).status_code == 302
    page = text_of(client, url("show-review", ref.check))
    assert 'value="33.90"' in page
    assert "38.95" not in page
    assert ROSA.name not in page
    assert "Second review: your answers are compared" in page


def test_the_queue_of_a_group_keeps_its_second_reviews_to_the_group():
    queue = queue_actions.create_queue(
        "default", "Board", ["admins"], by=Actor("1", "A"), queue_id="01HZZZZZZZZZZZZZZZZZZZZZZ7"
    )
    _, ref = open_check(queue=queue.id)
    assert signed_in(bob()).get(f"/review/queues/checks.{queue.id}/").status_code == 404
    assert signed_in(bob()).get(url("show-review", ref.check)).status_code == 404
    assert signed_in(alice()).get(f"/review/queues/checks.{queue.id}/").status_code == 200
    run = queries.run_of(ref, queries.get_review(ref))
    settle(run, ref, total="39.90")
    assert signed_in(bob()).get(dispute_url(ref)).status_code == 404
    assert signed_in(bob()).get(reverse("review:list-disputes"), {"queue": queue.id}).status_code == 404
    assert ref.document_id in text_of(signed_in(alice()), f"{reverse('review:list-disputes')}?queue={queue.id}")


def test_differences_show_both_answers_without_names_until_they_are_resolved():
    _, ref = disputed()
    listed = text_of(signed_in(bob()), reverse("review:list-disputes"))
    assert dispute_url(ref) in listed
    assert "Total" in listed
    page = text_of(signed_in(bob()), dispute_url(ref))
    assert "38.90" in page
    assert "39.90" in page
    assert ROSA.name not in page
    assert MARTA.name not in page
    assert '<svg class="excerpt"' in page
    client = signed_in(bob())
    sent = client.post(dispute_url(ref), {"choice-total": side_of(ref, "second")}, follow=True)
    after = one_line(sent.content)
    assert "Correct: <b" in after
    assert "39.90" in after
    assert ROSA.name in after
    assert MARTA.name in after
    assert "other values: Total." in after
    assert "Re-run…" in after


def test_the_second_reviews_own_page_does_not_say_who_decided_it():
    _, ref = disputed()
    page = text_of(signed_in(bob()), url("show-review", ref.check))
    assert "Another person approved this" in page
    assert "It is compared with the first decision." in page
    assert MARTA.name not in page


def test_an_open_second_review_has_no_page_of_differences_to_read_the_first_answers_on():
    run, ref = open_check(first={"total": "38.95"})
    assert signed_in(bob()).get(dispute_url(ref)).status_code == 404
    settle(run, ref, total="38.95")
    assert signed_in(bob()).get(dispute_url(ref)).status_code == 404


def test_what_is_missing_is_said_and_what_was_typed_stays():
    _, ref = disputed()
    client = signed_in(bob())
    missing = client.post(dispute_url(ref), {})
    assert missing.status_code == 422
    assert "Choose A, B or another value." in one_line(missing.content)
    odd = client.post(dispute_url(ref), {"choice-total": "other", "other-total": "much"})
    assert odd.status_code == 422
    assert 'value="much"' in one_line(odd.content)
    assert client.post(dispute_url(ref), {"choice-total": "other", "other-total": "40,00"}).status_code == 302
    row = check_of(ref)
    assert actions.read_object(ref, row.project_id, row.outcome_uri, row.outcome_sha256)["chosen"] == {"total": "40.00"}


def test_the_second_to_resolve_is_told_who_was_first():
    _, ref = disputed()
    choice = {"choice-total": side_of(ref, "first")}
    assert signed_in(alice()).post(dispute_url(ref), choice).status_code == 302
    late = signed_in(bob()).post(dispute_url(ref), choice)
    assert late.status_code == 409
    assert "Already resolved by Alice Novak" in one_line(late.content)
    assert check_of(ref).judge_name == "Alice Novak"


def test_who_reviewed_it_or_may_only_look_cannot_resolve_it():
    run, ref = open_check()
    settle(run, ref, by=person(bob()), total="39.90")
    page = text_of(signed_in(bob()), dispute_url(ref))
    assert "You reviewed this document. Another person must resolve it." in page
    assert 'type="radio"' not in page
    assert signed_in(bob()).post(dispute_url(ref), {"choice-total": "a"}).status_code == 409
    assert 'type="radio"' not in text_of(signed_in(charlie()), dispute_url(ref))
    assert signed_in(charlie()).post(dispute_url(ref), {"choice-total": "a"}).status_code == 403
    assert check_of(ref).status == CheckStatus.DISPUTED


def test_an_approval_against_a_rejection_is_one_choice():
    run, ref = open_check()
    settle(run, ref, decision=Decision.REJECT)
    page = text_of(signed_in(bob()), dispute_url(ref))
    assert ">Approve</b>" in page
    assert ">Reject</b>" in page
    assert signed_in(bob()).post(dispute_url(ref), {}).status_code == 422
    sent = signed_in(bob()).post(dispute_url(ref), {"choice-decision": side_of(ref, "second")}, follow=True)
    assert "another outcome." in one_line(sent.content)


def test_lists_of_decisions_tell_second_reviews_apart():
    run, ref = open_check()
    settle(run, ref, by=person(bob()))
    assert "Second review: Approved" in text_of(signed_in(bob()), reverse("review:list-decided"))
    assert "Second review: Approved" in text_of(signed_in(alice()), "/settings/audit/")
    told = text_of(signed_in(alice()), reverse("workflows:show-lineage", args=[ref.document_id, run.workflow_id]))
    assert "Second review agrees" in told


def test_each_sees_their_own_figures_and_admins_all_by_name():
    run, ref = open_check(first={"total": "38.90"})
    settle(run, ref, by=person(bob()), total="38.90")
    mine = text_of(signed_in(bob()), reverse("review:show-quality"))
    assert "Bob Ito" in mine
    assert ROSA.name not in mine
    assert "100 % (21–100 %)" in mine
    everybody = text_of(signed_in(alice()), reverse("review:show-quality"))
    assert everybody.index("Bob Ito") < everybody.index(ROSA.name)
    fields = re.search(r'<h2 id="h-fields">.*?</table>', everybody)[0]
    assert re.search(r'<th scope="row">Total</th><td[^>]*>1</td><td[^>]*>0</td>', fields)
    lines = b"".join(signed_in(alice()).get(reverse("review:export-quality")).streaming_content).decode().splitlines()
    assert lines[0].startswith("reviewer,documents,agreed,agreement")
    assert lines[1].startswith("Bob Ito,1,1,1.0000,0.2065,1.0000,1,0,0,0")
    own = b"".join(signed_in(bob()).get(reverse("review:export-quality")).streaming_content).decode()
    assert ROSA.name not in own
    assert "No second reviews in this period" in text_of(signed_in(charlie()), reverse("review:show-quality"))
    assert signed_in(alice()).get(reverse("review:show-quality"), {"project": "none"}).status_code == 404


def test_the_pages_of_figures_cost_three_calls_and_a_differences_page_one_and_its_objects():
    _, ref = disputed()
    client, address = signed_in(alice()), dispute_url(ref)
    client.get(reverse("review:show-quality"))
    client.get(address)
    with count_calls() as calls:
        client.get(reverse("review:show-quality"))
    assert len(calls.names()) <= 5
    with count_calls() as calls:
        client.get(address)
    assert [one for one in calls.names() if one.startswith("s3")] == ["s3.GetObject"] * 3


def test_another_sites_people_have_no_figures_here():
    disputed(site="acme")
    assert "No second reviews in this period" in text_of(signed_in(alice()), reverse("review:show-quality"))
