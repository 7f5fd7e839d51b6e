import datetime as dt
import unicodedata
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from config import table
from config.table import Key
from tests.each import each

TEXT = st.text(min_size=1, max_size=30)


def test_the_default_site_has_no_prefix_and_every_other_has() -> None:
    assert table.PROJECT.key("default", project_id="p1") == Key("PROJ#p1", "META")
    assert table.PROJECT.key("acme", project_id="p1") == Key("acme/PROJ#p1", "META")


def test_the_prefix_goes_on_partitions_and_never_on_sort_keys() -> None:
    index = table.REVIEW.gsi1("acme", queue="q", deadline="2026", review_id="r")
    assert index == {"GSI1PK": "acme/REVIEWS#q", "GSI1SK": "2026#r"}
    assert table.EXECUTION.gsi2("acme", shard=0, due_at="2026", execution_id="e")["GSI2SK"] == "2026#run#e"


def test_the_due_index_is_system_wide() -> None:
    due = table.due_index(table.REVIEW, "2026", review_id="r")
    assert due == {"GSI2PK": "DUE#0", "GSI2SK": "2026#review#r"}


@each("site", ["", "a/b", "A", "a#b", "-a", "x" * 41])
def test_a_site_that_would_break_keys_is_refused(site: str) -> None:
    with pytest.raises(table.InvalidKey):
        table.site_partition(site, "PROJ#p1")


@pytest.mark.wide
@given(TEXT)
def test_a_value_either_is_in_the_key_as_it_is_or_is_refused(value: str) -> None:
    try:
        key = table.PROJECT_DOCUMENT.key("default", project_id="p", document_id=value)
    except table.InvalidKey:
        assert "#" in value or "/" in value or not value.isprintable()
    else:
        assert key.sk == f"DOC#{value}"
        assert table.site_of(key.pk) == "default"


def test_the_site_of_a_stored_key_is_read_back() -> None:
    assert table.site_of(table.site_partition("acme", "DOC#d")) == "acme"
    assert table.site_of("DOC#d") == "default"


@given(st.text(max_size=200))
def test_what_people_name_is_found_again_whatever_it_holds(value: str) -> None:
    try:
        key = table.DOCUMENT_ATTRIBUTE.gsi1("acme", key=value or "k", value=value)
    except table.InvalidKey:
        half = any("\ud800" <= one <= "\udfff" for one in value)
        assert half or not value or len(value.encode("utf-8", "replace")) > 300
    else:
        assert table.decode_part(key["GSI1SK"]) == unicodedata.normalize("NFC", value)
        assert table.site_of(key["GSI1PK"]) == "acme"
        assert key["GSI1PK"].count("#") == 2
        assert "#" not in key["GSI1SK"]


def test_a_key_of_the_last_allowed_byte_is_taken_and_one_more_is_refused() -> None:
    head = len(table.DOCUMENT_ATTRIBUTE.sort_prefix(key="k"))
    assert len(table.DOCUMENT_ATTRIBUTE.key("default", document_id="d", key="k", value="x" * (1024 - head)).sk) == 1024
    with pytest.raises(table.InvalidKey, match="1024 bytes"):
        table.DOCUMENT_ATTRIBUTE.key("default", document_id="d", key="k", value="x" * (1025 - head))


def test_a_partition_key_counts_the_prefix_of_its_site() -> None:
    room = 2048 - len("acme/tag#k#")
    parts = {"tag_key": "k", "datetime": "2026", "document_id": "d"}
    assert len(table.DOCUMENT_TAG.gsi1("acme", tag_value="x" * room, **parts)["GSI1PK"]) == 2048
    with pytest.raises(table.InvalidKey, match="2048 bytes"):
        table.DOCUMENT_TAG.gsi1("acme", tag_value="x" * (room + 1), **parts)
    assert table.DOCUMENT_TAG.gsi1("default", tag_value="x" * (room + 5), **parts)


NUMBERS = st.decimals(allow_nan=False, allow_infinity=False, min_value=-(10**30), max_value=10**30, places=8)


@given(NUMBERS, NUMBERS)
def test_numbers_in_keys_sort_as_numbers(one: Decimal, other: Decimal) -> None:
    first, second = table.ordered_number(one), table.ordered_number(other)
    assert (first < second) == (one < other)
    assert (first == second) == (one == other)


def test_rows_read_before_a_site_is_known_have_no_prefix() -> None:
    assert table.SITE.key("acme", site_id="acme") == Key("sites", "sites#acme")
    assert table.API_KEY.gsi1("acme", site_id="acme", name="ci", api_key="h")["GSI1PK"] == "acme/apikeys#"


def test_several_values_are_one_part_without_losing_where_they_end() -> None:
    assert table.join_parts(["a#b", "c"]) != table.join_parts(["a", "b#c"])


def test_a_missing_part_is_an_error_and_not_a_hole_in_the_key() -> None:
    with pytest.raises(table.InvalidKey, match="document_id"):
        table.PROJECT_DOCUMENT.key("default", project_id="p")


def test_steps_sort_by_their_order_beyond_nine() -> None:
    keys = [table.DEFINITION_STEP.key("default", workflow_id="w", step_order=order).sk for order in (2, 10, 100)]
    assert keys == sorted(keys)


def test_segments_sort_by_index_beyond_ten_thousand() -> None:
    indices = [0, 9, 10, 999, 9_999, 10_000, 10_001, 123_456]
    keys = [table.segment_key("default", "w", index).sk for index in indices]
    assert keys == sorted(keys)
    prefix = table.SEGMENT.sort_prefix()
    assert all(key.startswith(prefix) for key in keys)


def test_a_negative_number_is_refused() -> None:
    with pytest.raises(table.InvalidKey):
        table.segment_key("default", "w", -1)


def test_prefixes_of_siblings_do_not_hold_each_other() -> None:
    decision = table.REVIEW_DECISION.sort_prefix(review_id="r1")
    other = table.REVIEW_DECISION.key("default", document_id="d", review_id="r10", decision_id="x").sk
    assert not other.startswith(decision)


def test_event_instants_carry_microseconds_in_utc() -> None:
    moment = dt.datetime(2026, 11, 21, 13, 0, 0, 1, tzinfo=dt.timezone(dt.timedelta(hours=1)))
    assert table.datetime_us(moment) == "2026-11-21T12:00:00.000001Z"


def test_nothing_secret_is_projected_into_an_index() -> None:
    assert len(table.INDEX_ATTRIBUTES) <= 20
    assert not {name for name in table.INDEX_ATTRIBUTES if "token" in name.lower() or "field_value" in name}
