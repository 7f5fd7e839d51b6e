"""Pages speak the person's language: chosen, else the browser's, else English; programs are told English."""

import datetime as dt

import pytest
from django.utils import timezone, translation

from config.phrase import Phrase
from projects.templatetags.desk import grouped, local_time, within_sentence
from tests.each import each
from tests.html import one_line
from tests.people import PASSWORD, charlie, signed_in

pytestmark = pytest.mark.django_db
URL = "/account/preferences/"
AT = dt.datetime(2026, 11, 25, 23, 30, tzinfo=dt.UTC)


@each(
    ("accepted", "language", "words"),
    [
        ("", "en", "Language and time zone"),
        ("fr,en;q=0.5", "en", "Language and time zone"),
        ("de-AT,de;q=0.9,en;q=0.8", "de", "Sprache und Zeitzone"),
        ("ja", "ja", "言語とタイムゾーン"),
    ],
)
def test_the_browser_says_it_until_the_person_chooses(accepted, language, words, table):
    browser = signed_in(charlie())
    answer = browser.get(URL, headers={"accept-language": accepted})
    assert f'<html lang="{language}" dir="ltr">' in one_line(answer.content)
    assert words in one_line(answer.content)
    assert answer["Content-Language"] == language
    assert "Accept-Language" in answer["Vary"]


def test_who_has_not_signed_in_is_spoken_to_in_the_browsers_language(table, client):
    answer = client.get("/login/", headers={"accept-language": "ja"})
    assert '<html lang="ja" dir="ltr">' in one_line(answer.content)
    assert "sessionid" not in answer.cookies


def test_a_choice_holds_whatever_the_browser_says_and_in_the_next_session(table, client):
    browser = signed_in(user := charlie())
    assert browser.post(URL, {"language": "de", "time_zone": "Asia/Tokyo"}).status_code == 302
    page = browser.get(URL, headers={"accept-language": "ja"})
    assert "Einstellungen gespeichert." in one_line(page.content)
    assert '<option value="de" selected>Deutsch</option>' in one_line(page.content)
    assert "Accept-Language" not in page["Vary"]
    client.post("/login/", {"username": user.username, "password": PASSWORD})
    page = one_line(client.get(URL).content)
    assert '<html lang="de" dir="ltr">' in page
    assert 'data-zone="Asia/Tokyo"' in page
    browser.post(URL, {"language": "", "time_zone": ""})
    assert '<html lang="ja"' in one_line(browser.get(URL, headers={"accept-language": "ja"}).content)


def test_a_language_that_is_none_is_refused(table):
    answer = signed_in(charlie()).post(URL, {"language": "tlh", "time_zone": ""})
    assert answer.status_code == 422
    assert "Select a language from the list." in one_line(answer.content)


def test_programs_are_told_english(table):
    browser = signed_in(charlie())
    browser.post(URL, {"language": "de", "time_zone": ""})
    answer = browser.get("/api/v1/documents", headers={"accept-language": "de"})
    assert answer.json()["detail"].isascii()


@each(
    ("language", "moment", "day", "number"),
    [
        ("en", "25 Nov 2026, 23:30 UTC", "25 Nov 2026", "1,234,567"),
        ("de", "25. Nov. 2026, 23:30 UTC", "25. Nov. 2026", "1.234.567"),
        ("ja", "2026年11月25日 23:30 UTC", "2026年11月25日", "1,234,567"),
    ],
)
def test_days_and_numbers_are_written_as_the_language_does(language, moment, day, number):
    with translation.override(language), timezone.override("UTC"):
        assert f">{moment}</time>" in local_time(AT)
        assert f">{day}</time>" in local_time(AT, "day")
        assert grouped(1_234_567) == number


@each(("language", "words"), [("en", "past only"), ("de", "Nur Vergangenheit"), ("ja", "過去のみ")])
def test_a_label_within_a_sentence_begins_small_in_english_only(language, words):
    with translation.override(language):
        assert within_sentence(Phrase("Past only")) == words
