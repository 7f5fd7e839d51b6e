"""A phrase is English to programs, and a page's language where a page shows it, with its values in it."""

import datetime as dt

from django.template import Context, Template
from django.utils.translation import override

from config.phrase import Figure, Phrase, count_phrase, write_day, write_full_day, write_moment


def on_page(words: str, language: str = "de") -> str:
    with override(language):
        return Template("{{ words }}").render(Context({"words": words}))


def test_values_of_a_phrase_are_filled_in_and_translated_where_they_are_phrases_as_well():
    done = Phrase("%(step)s completed").fill(step=Phrase("Assessment"))
    assert (done, on_page(done), on_page(done, "en")) == (
        "Assessment completed", "Bewertung abgeschlossen", "Assessment completed"
    )  # fmt: skip


def test_values_are_escaped():
    assert on_page(Phrase("%(step)s completed").fill(step="<b>")) == "&lt;b&gt; abgeschlossen"


def test_what_is_counted_has_the_plural_of_the_language():
    one, many = (count_phrase("%(count)s value", "%(count)s values", number) for number in (1, 1200))
    assert (one, many) == ("1 value", "1,200 values")
    assert (on_page(one), on_page(many)) == ("1 Wert", "1.200 Werte")


def test_numbers_have_the_separators_of_the_language():
    pages = Figure("1,234.5 s")
    assert (pages, on_page(pages), on_page(pages, "ja")) == ("1,234.5 s", "1.234,5 s", "1,234.5 s")
    said = Phrase("%(seconds)s s").fill(seconds=Figure("7.5"))
    assert (said, on_page(said)) == ("7.5 s", "7,5 s")


def test_days_are_written_as_the_language_does():
    at = dt.datetime(2026, 11, 5, 9, 30, 7, tzinfo=dt.UTC)
    assert (write_day(at), on_page(write_day(at)), on_page(write_day(at), "ja")) == (
        "5 Nov 2026", "5. Nov. 2026", "2026年11月5日"
    )  # fmt: skip
    assert (write_full_day(at), on_page(write_full_day(at)), on_page(write_full_day(at), "ja")) == (
        "5 November 2026", "5. November 2026", "2026年11月5日"
    )  # fmt: skip
    assert write_moment(at) == "5 Nov 2026, 09:30"
    assert on_page(write_moment(at, seconds=True)) == "5. Nov. 2026, 09:30:07"
