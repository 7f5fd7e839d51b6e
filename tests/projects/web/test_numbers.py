"""Numbers that browsers send: what is no number is none, and breaks no page."""

import pytest

from projects.web.http import read_number, version_in


@pytest.mark.parametrize(
    ("text", "number"),
    [("0", 0), ("12", 12), ("999999999", 999_999_999), ("٣", 3)]
    + [(text, 7) for text in ("²", "①", "-1", "1.5", "", " 1", "x", "1000000000", "9" * 5000, None)],
)
def test_what_is_no_number_is_the_other_one(text, number):
    assert read_number(text, otherwise=7) == number


@pytest.mark.parametrize(("sent", "version"), [({"version": "4"}, 4), ({"version": "²"}, -1), ({}, -1)])
def test_a_form_that_lost_its_version_is_based_on_nothing(sent, version):
    assert version_in(sent) == version


def test_the_version_of_a_row_has_a_name_of_its_own():
    assert version_in({"version-2": "3"}, "version-2") == 3
