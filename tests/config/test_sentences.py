"""Sentences that were stored in English are known again by their words, and said in the reader's language."""

import copy
import json
import pickle
import re
import time

import pytest
from django.utils import translation

from config.phrase import _SENTENCES, Phrase, Sentence, _patterns, count_sentence, join_phrases, tell_sentence
from projects.templatetags.desk import translated


def say(text: str, language: str = "de") -> str:
    with translation.override(language):
        return tell_sentence(text).translated()


@pytest.mark.parametrize(
    ("stored", "german"),
    [
        ("The run has ended.", "Der Lauf ist beendet."),
        ("Cancelled by Ada.", "Von Ada abgebrochen."),
        ("2 of 9 pages failed: pages 1, 7.", "2 von 9 Seiten fehlgeschlagen: Seiten 1, 7."),
        ("1 of 9 pages failed: page 3.", "1 von 9 Seiten fehlgeschlagen: Seite 3."),
        (
            "Ada saved this on 15 Nov 2026 at 09:30:07 UTC.",
            "Ada hat dies am 15. Nov. 2026 um 09:30:07 UTC gespeichert.",
        ),
        ("Sent to 1 address.", "An 1 Adresse gesendet."),
        (
            "Goes to review: threshold 80 %, error limit 1 %.",
            "Geht zur Prüfung: Schwelle 80 %, Fehlergrenze 1 %.",
        ),
        (
            "Amazon Bedrock is not responding (Throttling). The run resumes automatically.",
            "Amazon Bedrock antwortet nicht (Throttling). Der Lauf wird automatisch fortgesetzt.",
        ),
        (
            "12 of its lines are wrong, says Ada",  # what a person wrote stays so
            "12 of its lines are wrong, says Ada",
        ),
        ("", ""),
    ],
)
def test_a_stored_sentence_is_said_in_the_language_of_the_reader(stored, german):
    assert str(tell_sentence(stored)) == stored
    assert say(stored) == german
    assert say(stored, "en") == stored


def test_a_value_that_is_a_sentence_is_said_too():
    assert say("No files were unpacked. This archive contains no files. Upload the documents individually.") == (
        "Es wurden keine Dateien entpackt. Dieses Archiv enthält keine Dateien. Laden Sie die Dokumente einzeln hoch."
    )


def test_the_label_of_a_field_is_not_translated_inside_a_sentence():
    assert say("Date is required. Enter it or reject the document.").startswith("Date ist erforderlich.")


def test_each_sentence_is_found_by_its_own_words():
    """No other sentence takes its words first."""
    for _, _, _, one, many, number in _patterns()[1]:
        said = one if number == 1 else many
        names = set(messages_names(said))
        text = said % {name: f"‹{name}›" for name in names}
        told = tell_sentence(text)
        assert type(told) is not Phrase, said
        with translation.override("de"):
            assert told.translated() != text or said % dict.fromkeys(names, "") == translation.gettext(
                said
            ) % dict.fromkeys(names, "")


def messages_names(said: str) -> list[str]:
    return re.findall(r"%\((\w+)\)[sd]", said)


def test_no_sentence_is_so_short_that_it_takes_what_people_write():
    for one, many in json.loads(_SENTENCES.read_text()):
        for said in filter(None, (one, many)):
            assert sum(letter.isalpha() for letter in said) >= 4, said


def test_a_filled_phrase_is_copied_and_sent_between_processes_with_its_language():
    told = count_sentence("%(count)s page read", "%(count)s pages read", 2)
    for one in (pickle.loads(pickle.dumps(told)), copy.deepcopy(told)):
        assert (str(one), one.values) == ("2 pages read", told.values)


def test_lists_are_joined_as_a_language_does():
    with translation.override("ja"):
        assert join_phrases(["a", Phrase("failed")]).translated() == "a、" + translation.gettext("failed")


def test_what_a_template_shows_of_a_refusal_is_translated():
    with translation.override("de"):
        assert translated(Sentence("Cancelled by %(name)s.").fill(name="Ada")) == "Von Ada abgebrochen."
        assert translated(None) == ""


@pytest.mark.parametrize(
    "text",
    [
        "tag " * 490,  # a fact in a fact in a fact
        "Row 1 has 2 cells; " * 100,
        "Row 1: “a” is not a percentage, for example 19" * 40,
    ],
)
def test_what_a_person_wrote_costs_no_more_than_its_length(text: str):
    before = time.process_time()
    assert str(tell_sentence(text)) == text
    assert time.process_time() - before < 0.5
