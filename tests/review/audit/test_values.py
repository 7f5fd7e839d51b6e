"""What the audit says of values: words of the settings' pages, not what is stored."""

import copy
import json
from decimal import Decimal

from django.utils import timezone, translation

from review.audit.values import tell_changes, tell_value
from tests.each import each


@each(
    ("kind", "name", "value", "words"),
    [
        ("attribute", "date_range", "around", "Past or future"),
        ("attribute", "kind", "amount", "Amount"),
        ("attribute", "personal", True, "Yes"),
        ("apikey", "permissions", ["READ"], "View projects, documents, runs and reviews"),
        ("sitegroup", "after", [], "none"),
        ("queue", "groups", ["finance", "night"], "finance, night"),
        ("project", "quorum", "2/3", "2 of 3 reviewers must agree"),
        ("project", "audit_share", Decimal("0.05"), "5 %"),
        ("project", "language", "de", "German"),
        ("project", "document_prompt", "a" * 201, f"{'a' * 200}…"),
        ("entity", "language", "Klingon", "Klingon"),
        ("rule", "effect", {"queue": "q-1", "tags": ["a", "b"], "hold": False}, "queue: q-1; tags: a, b"),
        ("batch", "lines", Decimal(7), "7"),
    ],
)
def test_a_value_is_said_in_words(kind, name, value, words):
    assert tell_value(kind, name, value) == words


def test_a_changed_field_says_what_of_it_changed():
    before = {"name": "total", "type": "amount", "required": False, "threshold": None, "date_range": ""}
    after = before | {"required": True, "threshold": 0.9}
    told = list(tell_changes("project", "fields.total", {"before": before, "after": after}))
    assert [(one["what"], one["before"], one["after"]) for one in told] == [
        ("fields.total.required", "No", "Yes"),
        ("fields.total.threshold", "none", "90 %"),
    ]
    (added,) = tell_changes("project", "fields.total", {"before": None, "after": after})
    assert (added["before"], added["after"]) == (
        None, "name: total; type: Amount; required: Yes; review threshold: 90 %",
    )  # fmt: skip


def test_what_is_empty_is_not_told():
    assert list(tell_changes("policy", "note", "")) == []
    (one,) = tell_changes("folder", "groups", {"before": [], "after": ["night"]})
    assert (one["before"], one["after"]) == ("none", "night")


def test_values_are_said_in_the_language_of_the_reader():
    with translation.override("de"):
        told = tell_value("attribute", "date_range", "around")
        assert told.translated() != "Past or future"
        assert tell_value("queue", "groups", ["Past or future"]) == "Past or future"  # a group's name
        assert type(tell_value("queue", "groups", ["Past or future"])) is str


def test_an_instant_is_said_in_the_readers_zone_and_language_and_stored_text_is_exported():
    stored = "2026-11-05T23:30:07.000000+00:00"
    (one,) = tell_changes("apikey", "expires", {"before": None, "after": stored})
    (part,) = tell_changes("prompt", "proposal", {"by": "Ada", "until": stored})
    assert json.loads(json.dumps(copy.deepcopy(one["after"]))) == stored
    with timezone.override("Asia/Tokyo"):
        assert one["after"].translated() == "6 Nov 2026, 08:30 JST"
        assert "until: 6 Nov 2026, 08:30 JST" in part["after"].translated()
        with translation.override("ja"):
            assert one["after"].translated() == "2026年11月6日 08:30 JST"
    assert tell_value("queue", "name", "on 2026-11-05T23:30:07Z") == "on 2026-11-05T23:30:07Z"
    assert tell_value("queue", "name", "2026-13-05T23:30:07Z") == "2026-13-05T23:30:07Z"
