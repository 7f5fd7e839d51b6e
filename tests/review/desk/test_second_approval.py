"""The second approval on the desk: it shows what the first one made of the document, to somebody else."""

import csv
import io
import json
import re
from pathlib import Path

import pytest

from review import queries
from review.decide import claims
from review.status import Decision
from tests.aws_faults import count_calls
from tests.flow.approvals import asked, begin, decide, ended
from tests.html import one_line
from tests.people import alice, bob, signed_in
from tests.pump import Pump
from tests.review.desk.pages import form
from tests.review.reviews import open_review, person, result, url
from workflows.runs import queries as workflow_queries
from workflows.storage import files
from workflows.storage.objects import DocumentFiles

pytestmark = pytest.mark.usefixtures("desk")
AUDIT = "/settings/audit/"


@pytest.fixture
def second(pump: Pump, tmp_path: Path):
    """Bob gave the first approval, with a correction."""
    run = begin(tmp_path, "1500.00")
    decide(run, asked(run, pump, "first_approval"), Decision.APPROVE, by=person(bob()), total="2500.00")
    return run, asked(run, pump, "second_approval")


def shown(ref, user=None):
    return one_line(signed_in(user or alice()).get(url("show-review", ref)).content)


def part(text, field):
    """What the page says of one field."""
    return re.search(rf'<article class="exception[^"]*" id="f-{field}".*?</article>', text)[0]


def post(ref, **changes):
    return signed_in(alice()).post(url("decide", ref), form(alice(), ref, **changes))


def decided(run, ref):
    review = queries.get_review(ref)
    store = DocumentFiles(run.site, run.project_id, run.document_id)
    return json.loads(store.read_pinned(store.name_of(review.decision_uri), review.decision_sha256))


def test_who_gave_the_first_is_told_that_another_has_to_decide(second):
    _, ref = second
    page = signed_in(bob()).get(url("show-review", ref))
    assert 'data-standing="barred"' in one_line(page.content)
    assert "You have already decided. A second person must approve." in one_line(page.content)
    refused = signed_in(bob()).post(url("claim", ref))
    assert refused.status_code == 409
    assert queries.get_review(ref).holder is None


def test_the_other_one_sees_what_was_corrected_and_decides_on_that(second):
    run, ref = second
    client = signed_in(alice())
    assert "Second approval: its total is 1,000 or more" in one_line(client.get(url("show-review", ref)).content)
    client.post(url("claim", ref))
    posted = form(alice(), ref)
    assert posted["field-total"] == "2500.00"
    assert client.post(url("decide", ref), posted | {"field-company": "Acme"}).status_code == 302
    found = decided(run, ref)
    assert found["corrections"] == {"total": "2500.00", "company": "Acme"}
    assert found["reviewer"]["id"] == str(alice().pk)
    assert found["confirmed"] == {"total": "2500.00"}


def test_a_persons_change_is_an_exception_with_name_before_and_after_and_no_confidence(second):
    _, ref = second
    signed_in(alice()).post(url("claim", ref))
    total = part(shown(ref), "total")
    assert "changed by Bob Ito" in total
    assert '<dt>Before</dt><dd lang="en" dir="auto">1500.00</dd>' in total
    assert '<dt>After</dt><dd lang="en" dir="auto"><b>2500.00</b></dd>' in total
    assert 'class="field-crop"' in total
    assert "%" not in total
    assert "data-todo" in total
    assert 'name="seen-total"' in total
    assert shown(ref).index('id="f-total"') < shown(ref).index("High confidence")


def test_whoever_only_looks_sees_the_change_too(second):
    _, ref = second
    assert "changed by Bob Ito" in part(shown(ref, bob()), "total")


def test_the_change_has_to_be_checked_by_the_second(second):
    _, ref = second
    signed_in(alice()).post(url("claim", ref))
    refused = post(ref, tick=False)
    assert refused.status_code == 422
    assert "1 field not checked" in one_line(refused.content)
    assert post(ref).status_code == 302


def test_the_queue_says_whose_change_is_to_be_looked_at(second):
    _, ref = second
    review = queries.get_review(ref)
    assert review.reasons[1:] == ["Total changed by Bob Ito"]
    assert review.fields_unsure == 1
    assert "Total changed by Bob Ito" in one_line(signed_in(alice()).get("/review/").content)


def test_a_value_that_was_taken_away_is_an_exception_too(pump: Pump, tmp_path: Path):
    run = begin(tmp_path, "1500.00")
    decide(run, asked(run, pump, "first_approval"), Decision.APPROVE, by=person(bob()), currency=None)
    ref = asked(run, pump, "second_approval")
    currency = part(shown(ref), "currency")
    assert '<dt>Before</dt><dd lang="en" dir="auto">EUR</dd>' in currency
    assert '<dt>After</dt><dd dir="auto"><b>not on the document</b></dd>' in currency


def test_a_value_that_nobody_found_before_is_not_said_to_be_absent_from_the_document(pump: Pump, tmp_path: Path):
    run = begin(tmp_path, "1500.00")
    decide(run, asked(run, pump, "first_approval"), Decision.APPROVE, by=person(bob()), invoice_number="RE-17")
    number = part(shown(asked(run, pump, "second_approval")), "invoice_number")
    assert '<dt>Before</dt><dd dir="auto">no value</dd>' in number
    assert '<dt>After</dt><dd lang="en" dir="auto"><b>RE-17</b></dd>' in number


@pytest.mark.wide
def test_each_change_stands_in_decision_run_page_audit_and_export(second, pump: Pump):
    run, ref = second
    signed_in(alice()).post(url("claim", ref))
    assert post(ref, **{"field-total": "2600.00"}).status_code == 302
    chain = [(one["by"]["name"], one["label"], one["before"], one["after"]) for one in decided(run, ref)["changes"]]
    assert chain == [("Bob Ito", "Total", "1500.00", "2500.00"), ("Alice Novak", "Total", "2500.00", "2600.00")]
    pump.run(lambda: ended(run))
    store = DocumentFiles(run.site, run.project_id, run.document_id)
    published = json.loads(store.read(files.output(run.workflow_id)))
    assert [one["after"] for one in published["decision"]["changes"]] == ["2500.00", "2600.00"]
    client, base = signed_in(alice()), f"/workflows/{run.document_id}/{run.workflow_id}"
    panel = one_line(client.get(f"{base}/result/").content)
    assert "1500.00 → <b>2500.00</b>, Bob Ito" in panel
    assert "2500.00 → <b>2600.00</b>, Alice Novak" in panel
    history = one_line(client.get(f"{base}/lineage/").content)
    assert '<small>Total: <span class="lines">1500.00</span> → <b class="lines">2500.00</b></small>' in history
    assert '<small>Total: <span class="lines">2500.00</span> → <b class="lines">2600.00</b></small>' in history
    for query in ("", f"?document={run.document_id}", f"?user={bob().pk}"):
        page = one_line(client.get(AUDIT + query).content)
        assert 'Total: <span class="lines">1500.00</span> → <b class="lines">2500.00</b>' in page, query
    exported = json.loads(b"".join(client.get(f"{AUDIT}export/json/").streaming_content))
    change = {"what": "Total", "before": "1500.00", "after": "2500.00"}
    assert [row["who"] for row in exported if change in row["changes"]] == ["Bob Ito"]
    table = io.StringIO(b"".join(client.get(f"{AUDIT}export/csv/").streaming_content).decode())
    assert sum("Total: 1500.00 → 2500.00" in row["changes"] for row in csv.DictReader(table)) == 1


def test_the_page_of_a_decided_review_keeps_before_and_after(second):
    _, ref = second
    signed_in(alice()).post(url("claim", ref))
    post(ref, **{"field-total": "2600.00"})
    total = part(shown(ref), "total")
    assert "changed by Alice Novak" in total
    assert '<dt>Before</dt><dd lang="en" dir="auto">2500.00</dd>' in total
    assert '<dt>After</dt><dd lang="en" dir="auto"><b>2600.00</b></dd>' in total


def test_another_type_chosen_by_the_first_is_checked_by_the_second():
    kind = {
        "id": "receipt", "name": "Receipt", "version": 1, "confidence": 0.9, "threshold": 0.8, "required": False,
        "source": "rules",
        "candidates": [{"id": "invoice", "name": "Invoice", "version": 1, "confidence": 0.1, "fields": []}],
    }  # fmt: skip
    run, ref = open_review(found={**result(), "type": kind})
    claims.claim_review(ref, run, by=person(alice()))
    client = signed_in(alice())
    chosen = form(alice(), ref, **{"field-#type": "invoice", "show-type": "1"})
    assert client.post(url("save-draft", ref), chosen).status_code == 302
    assert post(ref, **{"field-#type": "invoice"}).status_code == 302
    (change,) = decided(run, ref)["changes"]
    assert (change["label"], change["before"], change["after"]) == ("Document type", "Receipt", "Invoice")
    kept = shown(ref)
    assert '<dt>Before</dt><dd dir="auto">Receipt</dd>' in kept
    assert '<dt>After</dt><dd dir="auto"><b>Invoice</b></dd>' in kept


def test_the_values_go_with_a_purge_and_the_lineage_has_none(second):
    run, _ = second
    facts = [row.facts.as_dict() for row in workflow_queries.lineage(run.site, run.document_id).rows if row.facts]
    assert "2500.00" not in json.dumps(facts, default=str)


def test_a_history_without_decisions_costs_no_more():
    run, _ = open_review()
    with count_calls() as calls:
        signed_in(alice()).get(f"/workflows/{run.document_id}/{run.workflow_id}/lineage/")
    assert "dynamodb.BatchGetItem" not in calls.names()
