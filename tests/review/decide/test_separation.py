"""Nobody decides on what they uploaded or decided before, where the site's policy says so."""

from pathlib import Path

import pytest
from django.contrib.auth.models import User

from config.errors import Conflict
from projects.audit.events import actor_of
from projects.documents.actions.changes import DocumentChanges, change_document
from projects.sites import actions as site_actions
from projects.sites import directory
from projects.sites import queries as site_queries
from projects.sites.separation import Separation
from review.decide import claims, decisions
from review.decide.separation import find_barred
from review.items.reviews import Review
from review.status import Bar, Decision, ReviewStatus
from tests.each import each
from tests.factories import REVIEW, SITE, review_of, verdict
from tests.flow.approvals import asked, begin, decide
from tests.html import one_line
from tests.people import alice, bob, charlie, signed_in
from tests.pump import Pump
from tests.review.desk.pages import form
from tests.review.reviews import open_review, person, url
from workflows.definitions.blueprint import DOCUMENT_ANALYSIS, DOCUMENT_APPROVAL
from workflows.runs.items import Run

pytestmark = pytest.mark.usefixtures("desk")


def separate(policy: Separation) -> None:
    version = site_queries.get_site(SITE).version
    site_actions.set_separation(SITE, policy, version=version, by=actor_of(alice()))


@pytest.fixture(autouse=True)
def no_memory():
    directory.forget()
    yield
    directory.forget()


@pytest.mark.wide
def test_an_uploader_gives_neither_of_two_approvals(pump: Pump, tmp_path: Path) -> None:
    run = begin(tmp_path, "1500.00", by=actor_of(bob()))
    ref = asked(run, pump, "first_approval")
    with pytest.raises(Conflict):
        claims.claim_review(ref, run, by=person(bob()))
    assert claims.claim_next(SITE, by=person(bob())) is None
    page = one_line(signed_in(bob()).get(url("show-review", ref)).content)
    assert 'data-standing="barred"' in page
    assert "You uploaded this document" in page
    assert signed_in(bob()).post(url("claim", ref)).status_code == 409
    decide(run, ref, Decision.APPROVE, by=person(alice()))
    second = asked(run, pump, "second_approval")
    assert review_of(second).barred.as_dict() == {str(bob().pk): "uploaded", str(alice().pk): "decided"}
    for one in (alice(), bob()):
        with pytest.raises(Conflict):
            claims.claim_review(second, run, by=person(one))


def test_by_default_one_reviewer_may_decide_what_they_uploaded() -> None:
    run, ref = open_review(by=actor_of(bob()))
    claims.claim_review(ref, run, by=person(bob()))
    assert review_of(ref).holder == str(bob().pk)
    assert review_of(ref).barred is None


def test_a_site_may_say_so_of_all_reviews() -> None:
    separate(Separation.ALWAYS)
    run, ref = open_review(by=actor_of(bob()))
    with pytest.raises(Conflict):
        claims.claim_review(ref, run, by=person(bob()))
    claims.claim_review(ref, run, by=person(alice()))
    assert review_of(ref).holder == str(alice().pk)


def test_switched_off_the_second_approver_is_another_person_all_the_same() -> None:
    separate(Separation.NEVER)
    run, _ = open_review(by=actor_of(bob()))
    second, first = (DOCUMENT_APPROVAL.named(name) for name in ("second_approval", "first_approval"))
    assert find_barred(run, DOCUMENT_APPROVAL.id, second, ["7", "8"]) == dict.fromkeys("78", Bar.DECIDED)
    assert find_barred(run, DOCUMENT_APPROVAL.id, first) == {}
    assert find_barred(run, DOCUMENT_ANALYSIS.id, DOCUMENT_ANALYSIS.step(REVIEW), ["7"]) == {}


def test_a_decision_holds_the_rule_too() -> None:
    run, ref = open_review(by=actor_of(bob()))
    claims.claim_review(ref, run, by=person(bob()))
    chosen = verdict(ref)
    Review.change(ref.key, [Review.barred.set({str(bob().pk): "uploaded"})], Review.PK.exists())
    with pytest.raises(Conflict):
        decisions.decide_review(ref, run, chosen, by=person(bob()))
    assert review_of(ref).status == ReviewStatus.CLAIMED


def edit(run: Run, *, by: User, what: str) -> None:
    changes = (
        DocumentChanges(metadata={"Cost centre": "4711"})
        if what == "metadata"
        else DocumentChanges(tags={"seen": ["yes"]})
    )
    assert change_document(SITE, run.document_id, changes, by=actor_of(by))


@pytest.mark.wide
def test_who_has_edited_the_document_decides_nothing_of_it(pump: Pump, tmp_path: Path) -> None:
    run = begin(tmp_path, "1500.00", by=actor_of(alice()))
    edit(run, by=bob(), what="metadata")
    ref = asked(run, pump, "first_approval")
    assert review_of(ref).barred.as_dict() == {str(alice().pk): "uploaded", str(bob().pk): "edited"}
    page = one_line(signed_in(bob()).get(url("show-review", ref)).content)
    assert "You edited this document. This site separates editing and review." in page
    with pytest.raises(Conflict):
        claims.claim_review(ref, run, by=person(bob()))


@each(("policy", "what", "status"), [
    (Separation.ALWAYS, "metadata", ReviewStatus.PENDING),
    (Separation.ALWAYS, "tag", ReviewStatus.DECIDED),
    (Separation.NEVER, "metadata", ReviewStatus.DECIDED),
])  # fmt: skip
def test_who_edits_the_document_while_it_waits_does_not_decide_it(
    policy: Separation, what: str, status: ReviewStatus
) -> None:
    separate(policy)
    run, ref = open_review(by=actor_of(alice()))
    claims.claim_review(ref, run, by=person(bob()))
    browser, typed = signed_in(bob()), form(bob(), ref)
    edit(run, by=bob(), what=what)
    told = "release it, or assign it" in one_line(browser.get(url("show-review", ref)).content)
    assert told == (status == ReviewStatus.PENDING)
    answer = browser.post(url("decide", ref), typed)
    assert (answer.status_code, review_of(ref).status) == (409 if status == ReviewStatus.PENDING else 302, status)
    if status == ReviewStatus.PENDING:
        assert "You edited this document. This site separates editing and review." in one_line(answer.content)
        claims.claim_review(ref, run, by=person(charlie()))


def test_who_has_edited_the_document_since_it_waits_is_led_past_it() -> None:
    separate(Separation.ALWAYS)
    run, edited = open_review("edited.pdf", by=actor_of(alice()), timeout=70_000)
    _, following = open_review("following.pdf", by=actor_of(alice()), timeout=80_000)
    edit(run, by=bob(), what="metadata")
    assert claims.claim_next(SITE, by=person(bob())) == following
    assert review_of(edited).barred.as_dict()[str(bob().pk)] == Bar.EDITED
    assert claims.claim_next(SITE, by=person(charlie())) == edited


def test_who_has_edited_the_document_is_told_before_they_claim_it() -> None:
    separate(Separation.ALWAYS)
    run, ref = open_review(by=actor_of(alice()))
    edit(run, by=bob(), what="metadata")
    for one, barred in ((bob(), True), (charlie(), False)):
        page = one_line(signed_in(one).get(url("show-review", ref)).content)
        assert ('data-standing="barred"' in page) == barred
        assert ("You edited this document." in page) == barred
        assert ('data-standing="free"' in page) != barred


def test_the_policy_is_set_on_the_sites_page() -> None:
    browser = signed_in(alice())
    page = "/settings/sites/default/"
    assert '<option value="four_eyes" selected>' in one_line(browser.get(page).content)
    form = {"version": "0", "order": "separation", "separation": "always"}
    assert "separation of duties set to “All reviews”" in one_line(browser.post(page, form, follow=True).content)
    assert '<option value="always" selected>' in one_line(browser.get(page).content)
    assert browser.post(page, form | {"version": "1", "separation": "odd"}).status_code == 422
    assert browser.post(page, form).status_code == 409
    assert site_queries.get_site(SITE).separation == "always"
