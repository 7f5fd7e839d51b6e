"""The pages of rulesets and rules: made, changed, moved about, refused beside what is wrong, and by whom."""

import pytest
from django.urls import reverse

from config import internet
from tests.each import each
from tests.factories import ROSA
from tests.html import one_line
from tests.people import alice, bob, charlie, signed_in
from tests.projects.make_queues import make_queue
from tests.pump import Pump
from tests.workflows.follow_ups import receiver
from tests.workflows.make_rules import SITE, is_pdf, make_rule, make_ruleset, says
from workflows.definitions import actions as definition_actions
from workflows.definitions.composition import Plan
from workflows.definitions.rules import Act, Condition, Effect, Operator, Source, When
from workflows.publish import webhooks
from workflows.routing import actions as routing_actions
from workflows.routing import pinned_rules

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("table")]
LIST = "/settings/rules/"


@pytest.fixture(autouse=True)
def names(monkeypatch):
    """Every name is known, and public."""
    monkeypatch.setattr(internet, "resolve_host", lambda *_: ["93.184.215.14"])


def text(response):
    return one_line(response.content)


def at(name, *ids):
    return reverse(f"routing:{name}", args=ids)


def typed(conditions=(), actions=(), **changes):
    """What a browser posts for a rule."""
    form = {"description": "To the payables", "priority": "10", "on": "on", "when": "analysis"} | changes
    for prefix, rows in (("conditions", conditions), ("actions", actions)):
        form |= {f"{prefix}-TOTAL_FORMS": str(len(rows)), f"{prefix}-INITIAL_FORMS": "0"}
        for i, row in enumerate(rows):
            form |= {f"{prefix}-{i}-{name}": value for name, value in row.items()}
    return form


def where(source, operator, value="", key=""):
    return {"source": source, "operator": operator, "value": value, "key": key}


def only(ruleset):
    (stored,) = pinned_rules.list_rules(SITE, ruleset.documentId)
    return routing_actions.rule_draft_of(stored)


@pytest.mark.parametrize("who", [bob, charlie])
def test_only_who_governs_sees_or_changes_rules(who):
    made = make_rule(make_ruleset())
    browser = signed_in(who())
    for url in (LIST, at("edit-ruleset", made.rulesetId), at("edit-rule", made.rulesetId, made.documentId)):
        assert browser.get(url).status_code == 403
    assert browser.post(at("create-ruleset"), {"description": "Mine", "priority": "1"}).status_code == 403
    assert browser.post(at("create-rule", made.rulesetId), typed()).status_code == 403


def test_without_rules_the_page_says_what_they_are_for():
    assert "No rulesets yet" in text(signed_in(alice()).get(LIST))


def test_a_ruleset_is_made_once_and_listed_in_order():
    browser = signed_in(alice())
    page = text(browser.get(at("create-ruleset")))
    form = {"ruleset_id": page.split('name="ruleset_id" value="')[1][:26], "description": " Bills  first "}
    for _ in range(2):
        answer = browser.post(at("create-ruleset"), form | {"priority": "20", "on": "on"})
    assert answer["Location"] == at("edit-ruleset", form["ruleset_id"])
    make_ruleset("Second", priority=30, on=False)
    page = text(browser.get(LIST))
    assert page.index("Bills first") < page.index("Second")
    assert "Off" in page
    assert 'value="40"' in text(browser.get(at("create-ruleset")))  # behind the last one


def test_what_cannot_be_a_ruleset_is_said_beside_it():
    answer = signed_in(alice()).post(at("create-ruleset"), {"description": "", "priority": "-1"})
    assert answer.status_code == 422
    assert "Enter a description" in text(answer)
    assert "whole number from 0 to 999,999" in text(answer)
    assert pinned_rules.list_rulesets(SITE) == []


def test_a_ruleset_that_somebody_changed_first_is_not_overwritten():
    ruleset, browser = make_ruleset(), signed_in(alice())
    url = at("edit-ruleset", ruleset.documentId)
    assert browser.post(url, {"description": "First", "priority": "5", "version": "1"})["Location"] == url
    answer = browser.post(url, {"description": "Second", "priority": "5", "version": "1"})
    assert answer.status_code == 409
    for words in ("Changed by another user", 'value="Second"', 'name="version" value="2"'):
        assert words in text(answer)
    assert not pinned_rules.get_ruleset(SITE, ruleset.documentId).is_on  # a box that is not ticked is not sent


def test_a_rule_is_made_with_all_that_it_can_ask_for():
    queue, ruleset = make_queue("Payables"), make_ruleset()
    conditions = [
        where("FIELD", "GE", "1,000.50", "total"),
        where("", "EQ", "left open"),
        where("TEXT", "CONTAINS", "Invoice #1"),
        where("BARCODE", "EXISTS", "not kept"),
    ]
    actions = [
        {"type": "QUEUE", "queue": queue.id, "target": "not kept"},
        {"type": "NOTIFY", "target": "a@example.org; b@example.org"},
        {"type": "WEBHOOK", "target": "https://example.org/hook?a=1"},
        {"type": "", "target": ""},
        {"type": "OCR"},
    ]
    answer = signed_in(alice()).post(at("create-rule", ruleset.documentId), typed(conditions, actions, queue=queue.id))
    assert answer["Location"] == at("edit-ruleset", ruleset.documentId)
    draft = only(ruleset)
    assert draft.conditions == (
        Condition(Source.FIELD, Operator.GE, "1000.50", "total"),
        Condition(Source.TEXT, Operator.CONTAINS, "Invoice #1"),
        Condition(Source.BARCODE, Operator.EXISTS),
    )
    acts = (
        Act("QUEUE", {"queue": queue.id}),
        Act("NOTIFY", {"to": "a@example.org, b@example.org"}),
        Act("WEBHOOK", {"url": "https://example.org/hook?a=1"}),
        Act("OCR"),
    )
    assert draft.effect == Effect(queue=queue.id, actions=acts)


def test_a_rule_at_the_upload_chooses_settings():
    ruleset = make_ruleset()
    form = typed([where("CONTENT_TYPE", "EQ", "application/pdf")], when="upload", language="de", threshold="85.5")
    signed_in(alice()).post(at("create-rule", ruleset.documentId), form | {"definition": "document-analysis"})
    draft = only(ruleset)
    assert draft.when == When.UPLOAD
    assert draft.effect == Effect(definition="document-analysis", language="de", threshold=0.855)


def test_each_workflow_definition_is_offered_by_its_name(pump: Pump):
    definition_actions.create_composed("plain", Plan(), by=ROSA)
    definition_actions.create_composed("told", Plan("Two of finance"), by=ROSA)
    page = text(signed_in(alice()).get(at("create-rule", make_ruleset().documentId)))
    assert '<option value="plain">plain</option>' in page
    assert '<option value="told">told: Two of finance</option>' in page
    assert ">document-analysis: All file types" in page


@pytest.mark.wide
@each(
    ("form", "words"),
    [
        (typed([where("FIELD", "EQ", "1", "Not A Name")]), "Enter its name from the project"),
        (typed([where("TEXT", "GT", "5")]), "This operator does not apply to text"),
        (typed([where("TEXT", "CONTAINS", " ")]), "Enter a value"),
        (typed([where("FIELD", "GT", "soon", "date")]), "Enter a number such as 1000.50"),
        (typed([where("TEXT", "CONTAINS", "x")], when="upload"), "only the file type is known"),
        (typed(language="de"), "Not available after the analysis"),
        (typed(threshold="50"), "Leave it empty"),
        (typed(actions=[{"type": "QUEUE"}]), "Choose a queue"),
        (typed(actions=[{"type": "NOTIFY", "target": "nobody"}]), "is not an email address"),
        (typed(actions=[{"type": "NOTIFY", "target": ""}]), "Enter one to 10 addresses"),
        (typed(actions=[{"type": "WEBHOOK", "target": "http://example.org/"}]), "starts with https://"),
        (typed(actions=[{"type": "WEBHOOK", "target": "https://user:pw@example.org/"}]), "no password"),
        (typed(actions=[{"type": "WEBHOOK", "target": "https://["}]), "starts with https://"),
        (typed([where("TEXT", "EXISTS")] * 11), "At most 10 rows"),
        (typed(description=""), "Enter a description"),
        (typed(when="never"), "Select a valid choice"),
    ],
)
def test_what_cannot_be_a_rule_is_said_beside_it_and_stays(form, words):
    ruleset = make_ruleset()
    answer = signed_in(alice()).post(at("create-rule", ruleset.documentId), form)
    assert answer.status_code == 422
    assert words in text(answer)
    assert pinned_rules.list_rules(SITE, ruleset.documentId) == []


def test_rows_are_added_moved_and_removed_without_saving():
    ruleset, browser = make_ruleset(), signed_in(alice())
    url = at("create-rule", ruleset.documentId)
    form = typed([where("TEXT", "CONTAINS", "one"), where("TEXT", "CONTAINS", "two")], [{"type": "OCR"}])
    assert text(browser.post(url, form | {"rows": "conditions-add"})).count('class="rule-row condition-row"') == 3
    page = text(browser.post(url, form | {"rows": "conditions-up-1"}))
    assert page.index('value="two"') < page.index('value="one"')
    page = text(browser.post(url, form | {"rows": "conditions-remove-0"}))
    assert 'value="one"' not in page
    assert text(browser.post(url, form | {"rows": "actions-add"})).count('class="rule-row action-row"') == 2
    for order in ("nothing", "conditions-up-99", "conditions-up-x", "actions-remove-5"):
        assert browser.post(url, form | {"rows": order}).status_code == 200
    assert pinned_rules.list_rules(SITE, ruleset.documentId) == []


def test_a_stored_rule_is_shown_as_it_is_and_sent_back_changes_nothing():
    queue, ruleset = make_queue("Payables"), make_ruleset()
    made = make_rule(ruleset, says("Total <b>"), queue=queue.id, actions=(Act("NOTIFY", {"to": "a@example.org"}),))
    browser, url = signed_in(alice()), at("edit-rule", made.rulesetId, made.documentId)
    page = text(browser.get(url))
    for words in ('value="Total &lt;b&gt;"', 'value="a@example.org"', "Payables", 'name="version" value="1"'):
        assert words in page
    form = typed(
        [where("TEXT", "CONTAINS", "Total <b>")],
        [{"type": "NOTIFY", "target": "a@example.org"}],
        queue=queue.id,
        version="1",
    )
    assert browser.post(url, form).status_code == 302
    assert int(pinned_rules.get_rule(SITE, made.rulesetId, made.documentId).version) == 1


def test_who_saves_a_rule_second_keeps_what_was_typed_and_may_save_over_it():
    made = make_rule(make_ruleset(), is_pdf())
    browser, url = signed_in(alice()), at("edit-rule", made.rulesetId, made.documentId)
    browser.post(url, typed(description="First", version="1"))
    answer = browser.post(url, typed(description="Second", version="1"))
    assert answer.status_code == 409
    assert 'value="Second"' in text(answer)
    browser.post(url, typed(description="Second", version="2"))
    assert pinned_rules.get_rule(SITE, made.rulesetId, made.documentId).description == "Second"


def test_the_page_of_a_ruleset_says_its_rules_in_words():
    queue, ruleset = make_queue("Payables"), make_ruleset()
    make_rule(ruleset, says("urgent"), queue=queue.id, actions=(Act("QUEUE", {"queue": queue.id}),))
    make_rule(ruleset, when=When.UPLOAD, language="de", threshold=0.5, on=False, priority=5)
    page = text(signed_in(alice()).get(at("edit-ruleset", ruleset.documentId)))
    for words in (
        "Text contains “urgent”",
        "Review queue: Payables",
        "Add to a queue: Payables",
        "Every document",
        "Language: German",
        "Review threshold: 50 %",
        "on upload",
    ):
        assert words in page


def test_the_page_shows_the_key_that_a_receiver_checks_with():
    hook = Act("WEBHOOK", {"url": "https://erp.example.org/hook"})
    made = make_rule(make_ruleset(), actions=(hook,))
    page = text(signed_in(alice()).get(at("edit-rule", made.rulesetId, made.documentId)))
    assert webhooks.webhook_secret(SITE, "https://erp.example.org/") in page


def test_a_webhook_is_tested_from_its_rules_page_and_no_other_address_is(settings):
    settings.WEBHOOK_PRIVATE_ADDRESSES = True
    with receiver(503) as outside:
        made = make_rule(make_ruleset(), actions=(Act("WEBHOOK", {"url": outside.url}),))
        browser, page = signed_in(alice()), at("edit-rule", made.rulesetId, made.documentId)
        test = at("send-webhook-test", made.rulesetId, made.documentId)
        assert outside.url in text(browser.get(page))
        assert browser.post(test, {"url": "http://127.0.0.1:9/other"}).status_code == 404
        assert browser.post(test, {"url": outside.url})["Location"] == page
    assert len(outside.got) == 1
    assert "failed. The receiver returned 503." in text(browser.get(page))
    assert "The receiver returned 503." in text(browser.get(reverse("workflows:list-deliveries")))


def test_what_is_not_there_is_not_found():
    browser, ruleset = signed_in(alice()), make_ruleset()
    for url in (
        at("edit-ruleset", "none"),
        at("create-rule", "none"),
        at("edit-rule", ruleset.documentId, "none"),
        at("edit-rule", "none", "none"),
    ):
        assert browser.get(url).status_code == 404


def test_a_ruleset_that_is_full_takes_no_more(monkeypatch):
    ruleset = make_ruleset()
    monkeypatch.setattr(pinned_rules, "MOST_RULES", 0)
    answer = signed_in(alice()).post(at("create-rule", ruleset.documentId), typed())
    assert answer.status_code == 422
    assert "A ruleset can have up to" in text(answer)


def test_a_rule_is_deleted_from_its_page_and_one_that_was_changed_is_not():
    made = make_rule(make_ruleset())
    browser, url = signed_in(alice()), at("edit-rule", made.rulesetId, made.documentId)
    assert "Delete rule" in text(browser.get(url))
    assert browser.post(url, {"order": "delete", "version": "7"}).status_code == 409
    assert pinned_rules.list_rules(SITE, made.rulesetId)
    answer = browser.post(url, {"order": "delete", "version": "1"}, follow=True)
    assert "To the payables was deleted" in text(answer)
    assert pinned_rules.list_rules(SITE, made.rulesetId) == []
    assert browser.get(url).status_code == 404
    assert signed_in(bob()).post(url, {"order": "delete", "version": "1"}).status_code == 403
