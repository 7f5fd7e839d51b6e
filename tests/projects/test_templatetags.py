import datetime as dt

import pytest
from django.template.defaultfilters import filesizeformat
from django.utils import translation

from projects.templatetags.desk import as_lang, file_size, icon, initials, local_time, percent
from tests.each import each

AT = dt.datetime(2026, 11, 3, 9, 5, 7, tzinfo=dt.UTC)


def test_an_icon_is_decoration_and_its_name_is_escaped():
    drawn = '<use href="/static/icons.svg#i-check"/>'
    assert icon("check", "small") == f'<svg class="icon small" aria-hidden="true">{drawn}</svg>'
    assert '"><b' not in icon('x"><b')


@pytest.mark.parametrize(
    ("style", "words"),
    [
        ("moment", "3 Nov 2026, 09:05 UTC"),
        ("time", "09:05:07 UTC"),
        ("day", "3 Nov 2026"),
        ("ago", "3 Nov 2026, 09:05 UTC"),
    ],
)
def test_a_time_is_readable_without_a_script(style, words):
    assert local_time(AT, style) == f'<time datetime="2026-11-03T09:05:07+00:00" data-local="{style}">{words}</time>'


def test_a_time_is_taken_as_stored_too_and_none_is_nothing():
    assert local_time("2026-11-03T10:05:07.000000+01:00", "time") == local_time(AT, "time")
    assert local_time(None) == local_time("") == ""


@each(
    ("language", "days", "words"),
    [
        ("en", 0, "today, 09:05 UTC"),
        ("en", 1, "tomorrow, 09:05 UTC"),
        ("en", 2, "5 Nov 2026, 09:05 UTC"),
        ("en", -1, "2 Nov 2026, 09:05 UTC"),
        ("de", 1, "morgen, 09:05 UTC"),
        ("ja", 0, "今日 09:05 UTC"),
    ],
)
def test_a_near_time_is_said_as_today_or_tomorrow(language, days, words, monkeypatch):
    monkeypatch.setattr("config.clock.now", lambda: AT + dt.timedelta(hours=14))  # 23:05 of the same day
    with translation.override(language):
        assert f">{words}<" in local_time(AT + dt.timedelta(days=days), "near")


@each(
    ("value", "language"),
    [("فاتورة", ' lang="ar"'), ("Total", ' lang="en"'), (None, ' lang="en"'), ("", ' lang="en"')],
)
def test_a_value_in_another_script_has_a_language_of_its_own(value, language):
    assert as_lang("en", value) == language
    assert as_lang("en") == ' lang="en"'


@each(
    ("share", "words"),
    [(0.8, "80 %"), (0.799, "79 %"), (0.29, "29 %"), (1, "100 %"), (0, "0 %"), (None, "–"), (0.999, "99 %")],
)
def test_a_share_is_rounded_down(share, words):
    assert percent(share) == words


@pytest.mark.parametrize(
    ("name", "letters"), [("Ines Okafor", "IO"), ("bob", "B"), ("anna.maria van der Berg", "AB"), ("", "")]
)
def test_initials(name, letters):
    assert initials(name) == letters


@each("language", ["en", "de", "ja", "en"])
def test_a_size_is_written_in_the_readers_language(language):
    with translation.override(language):
        assert [file_size(size) for size in (0, 1, 1536, 5_000_000)] == [
            filesizeformat(size) for size in (0, 1, 1536, 5_000_000)
        ]


@each("language", ["en", "de", "ja", "en"])
def test_a_time_is_written_in_the_readers_language(language):
    with translation.override(language):
        words = {"en": "3 Nov 2026, 09:05 UTC", "de": "3. Nov. 2026, 09:05 UTC", "ja": "2026年11月3日 09:05 UTC"}
        assert words[language] in local_time(AT)
