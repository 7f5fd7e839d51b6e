"""The second approval on the desk: it shows what the first one made of the document, to somebody else."""

import json
from pathlib import Path

import pytest

from review import queries
from review.status import Decision
from tests.flow.approvals import asked, begin, decide
from tests.people import alice, bob, signed_in
from tests.pump import Pump
from tests.review.reviews import person, url
from tests.review.views.pages import form
from workflows.storage import DocumentFiles

pytestmark = pytest.mark.usefixtures("desk")


@pytest.fixture
def second(pump: Pump, tmp_path: Path):
    """Bob gave the first approval, with a correction."""
    run = begin(tmp_path, "1500.00")
    decide(run, asked(run, pump, "first_approval"), Decision.APPROVE, by=person(bob()), total="2500.00")
    return run, asked(run, pump, "second_approval")


def test_who_gave_the_first_is_told_that_another_has_to_decide(second):
    _, ref = second
    page = signed_in(bob()).get(url("show-review", ref))
    assert 'data-standing="barred"' in page.content.decode()
    assert "The second is another person" in page.content.decode()
    refused = signed_in(bob()).post(url("claim", ref))
    assert refused.status_code == 409
    assert queries.review(ref).holder is None


def test_the_other_one_sees_what_was_corrected_and_decides_on_that(second):
    run, ref = second
    client = signed_in(alice())
    assert "Second approval: its total is 1,000 or more" in client.get(url("show-review", ref)).content.decode()
    client.post(url("claim", ref))
    posted = form(alice(), ref)
    assert posted["field-total"] == "2500.00"
    assert client.post(url("decide", ref), posted | {"field-company": "Acme"}).status_code == 302
    review = queries.review(ref)
    store = DocumentFiles(run.site, run.project_id, run.document_id)
    decided = json.loads(store.read_pinned(store.name_of(review.decision_uri), review.decision_sha256))
    assert decided["corrections"] == {"total": "2500.00", "company": "Acme"}
    assert decided["reviewer"]["id"] == str(alice().pk)
