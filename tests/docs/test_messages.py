"""The catalogues have every text that templates and modules give, translated, and each translation fits its text."""

import re
from collections import Counter

import polib
import pytest

from tests.tools import messages

LANGUAGES = sorted(messages.PLURALS)


@pytest.fixture(scope="module")
def found():
    return messages.read_all()


@pytest.fixture(scope="module", params=LANGUAGES)
def catalogue(request):
    return polib.pofile(str(messages.path_of(request.param)))


def test_extraction_gives_nothing_new_and_nothing_is_left_of_the_old(found, catalogue):
    assert {messages.key_of(one) for one in catalogue} == set(found), "make messages"


def test_nothing_is_left_to_translate(catalogue):
    assert [one.msgid for one in catalogue if not one.translated() or one.fuzzy or one.obsolete] == []


def test_no_text_has_two_entries(catalogue):
    assert [one for one, count in Counter((each.msgctxt, each.msgid) for each in catalogue).items() if count > 1] == []


def test_sentences_and_scripts_are_those_of_the_code(catalogue):
    assert messages.SENTENCES.read_text() == messages.list_sentences(messages.read_sentences()), "make messages"
    language = catalogue.metadata["Language"]
    script = messages.SCRIPTS / f"said.{language}.js"
    assert script.read_text() == messages.write_script(catalogue, messages.read_scripts()), "make messages"


def names(text: str) -> Counter[str]:
    return Counter(re.findall(r"%\(\w+\)[sd]|\{\w*\}", text))


def test_values_and_elements_of_a_text_are_those_of_its_translation(catalogue):
    for one in catalogue:
        for translation in [one.msgstr, *one.msgstr_plural.values()]:
            if not translation:
                continue
            own = names(one.msgid_plural or one.msgid)
            assert set(names(translation)) <= set(own) | set(names(one.msgid)), one.msgid
            assert set(own) <= set(names(translation)) or one.msgid_plural, one.msgid
            assert sorted(re.findall(r"<[^>]*>", translation)) == sorted(re.findall(r"<[^>]*>", one.msgid)), one.msgid
            # It may stand in an attribute, whose quotes it would end.
            assert ('"' in translation) <= ('"' in one.msgid), one.msgid


def test_templates_and_modules_are_read(tmp_path):
    template = """{% load i18n %}{% translate 'Save' %} {{ x|default:_("None") }}
        {% blocktranslate trimmed count n=n with a=b.c %}{{ n }} page
          of {{ a }}{% plural %}{{ n }} pages of {{ a }}{% endblocktranslate %}{% translate "Open" context "state" %}"""
    assert set(messages.read_template(template)) == {
        messages.Message("Save"),
        messages.Message("None"),
        messages.Message("%(n)s page of %(a)s", "%(n)s pages of %(a)s"),
        messages.Message("Open", msgctxt="state"),
    }
    module = 'a = gettext("One " "two"), Phrase("Three"), gettext(name), ngettext("a %(n)s", "b %(n)s", n), _lazy("x")'
    assert set(messages.read_texts(module)) == {
        messages.Message("One two"),
        messages.Message("Three"),
        messages.Message("a %(n)s", "b %(n)s"),
    }


def test_refusals_and_scripts_are_read():
    module = """
class Late(Refused): ...
raise Late(f"{one.name} has {len(rows):,} rows, {1} % too many.")
raise Refused("Far too late." if late else f"{a} and {b.a} differ.")
raise ValueError("Not told.")
"""
    assert set(messages.read_refusals(messages.read_module(module), {"Refused", "Late"})) == {
        messages.Message("%(name)s has %(rows)s rows, %(value)s %% too many."),
        messages.Message("Far too late."),
        messages.Message("%(a)s and %(a_more)s differ."),
    }
    script = 'told(said("Speed %(rate)s", { rate })); said(seconds > 0 ? "Due" : "Overdue", {}); say("no");'
    assert [one.msgid for one in messages.read_script(script)] == ["Speed %(rate)s", "Due", "Overdue"]
