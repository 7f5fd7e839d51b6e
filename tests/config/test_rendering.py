"""Bound templates say what Django's own say, to the letter, also where something is missing or goes wrong."""

import datetime as dt
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, NamedTuple, NoReturn

import pytest
from django.core.exceptions import ObjectDoesNotExist
from django.template import Context, Engine
from django.test import override_settings
from django.urls import set_script_prefix
from django.utils import timezone, translation
from django.utils.functional import SimpleLazyObject
from django.utils.safestring import mark_safe
from django.utils.translation import trans_real

from config.phrase import Phrase
from config.rendering import Loader

_PARTS = {
    "base.html": "<{% block title %}base{% endblock %}|{% block body %}{% endblock %}>",
    "part.html": "[{{ label }}{{ outer }}{{ forloop.counter }}]",
    "tree.html": "{{ node.name }}{% for node in node.under %}({% include 'tree.html' %}){% endfor %}",
}
CASES = [
    "{{ text }} {{ safe }} {{ number }} {{ big }} {{ share }} {{ sum }} {{ yes }} {{ none }} {{ day }} {{ lazy }}",
    "{{ lazy_word }}",
    "{% autoescape off %}{{ text }} {{ lazy }} {{ number }}{% if yes %}{{ text }}{% endif %}{% endautoescape %}",
    "{{ missing }}|{{ missing.more }}|{{ row.missing }}|{{ entry.missing }}|{{ many.9 }}|{{ text.0 }}|{{ none.more }}",
    "{{ row.name }} {{ entry.name }} {{ entry.items }} {{ many.1 }} {{ many.0.name }} {{ row.method }} {{ row.own }}",
    "{{ call }} {{ row.needs_more }} {{ row.delete }} {{ row.silent }} {{ row.Kept }} {{ both.name }} {{ both.size }}",
    "{{ text|upper }} {{ safe|lower }} {{ text|default:'<b>' }} {{ missing|default:'<b>' }} {{ none|default:text }}",
    "{{ day|date:'Y' }} {{ many|join:', ' }} {{ text|safe }} {{ text|force_escape }} {{ number|add:2 }} {{ 'a<b' }}",
    "{% if row.name and missing %}a{% elif not missing %}b{% else %}c{% endif %}{% if missing %}d{% endif %}",
    "{% if number > 2 and number <= 3 or yes %}a{% endif %}{% if text < number %}b{% else %}c{% endif %}",
    "{% if 'a' in none %}a{% endif %}{% if 'a' not in none %}b{% endif %}{% if 2 in numbers %}c{% endif %}",
    "{% if none is None %}a{% endif %}{% if yes is not True %}b{% endif %}{% if number != 3 %}c{% endif %}",
    "{% if text|default:missing %}a{% else %}b{% endif %}{% if not text|default:missing %}c{% else %}d{% endif %}",
    "{% if number == 3 and not missing == 1 %}a{% endif %}{% if number|add:'x' == '' %}b{% endif %}",
    "{% for one in many %}{{ forloop.counter }}{{ forloop.revcounter0 }}{% if forloop.last %}!{% endif %}{% endfor %}",
    "{% for one in nothing %}{% empty %}none{{ forloop.counter }}{% endfor %}{% for one in missing %}x{% endfor %}",
    "{% for a, b in pairs %}{{ a }}{% for c in many reversed %}{{ forloop.parentloop.last }}{% endfor %}{% endfor %}",
    "{% for one in stream %}{% cycle 'x' 'y' %}{% ifchanged one %}!{% endifchanged %}{% endfor %}{{ one }}",
    "{% with a=row.name b=missing %}{{ a }}{{ b }}{% with a=2 %}{{ a }}{% endwith %}{{ a }}{% endwith %}{{ a }}",
    "{% for one in many %}{% include 'part.html' with label=one.name outer=text %}{% endfor %}",
    "{% include 'part.html' %}{% include 'part.html' with label=missing %}",
    "{% include 'part.html' with label='x' only %}{% include part %}{% include missing_name %}",
    "{% include 'tree.html' %}",
    "{% extends 'base.html' %}{% block title %}{{ text }} {{ block.super }}{% endblock %}",
    "{% extends 'base.html' %}{% block body %}{% for one in many %}{{ one.name }}{% endfor %}{% endblock %}",
    "{% comment %}{{ text }}{% endcomment %}{% verbatim %}{{ text }}{% endverbatim %}",
    "{% filter upper %}{{ text }}{% endfilter %}",
    "{% spaceless %}<p> <b>{{ text }}</b> </p>{% endspaceless %}{% firstof none text %}{% widthratio number 6 10 %}",
    "{{ pairs.0.1 }}{{ row.broken }}",
    "{{ text|default:missing }}",
    "{% for a, b in many %}{% endfor %}",
    "{% include 'absent.html' %}",
    "{% for one in number %}{% endfor %}",
    "{{ named.name }} {{ named.count }} {{ named.1 }} {{ named.index }} {{ named.absent }} {{ named.name.0 }}",
    "{% load desk %}{% icon text %}{% icon missing 'small' %}{% icon row.name number %}{% icon 'a'|upper row.method %}",
    "{% load desk %}{{ 1536|file_size }}{{ missing|file_size }}{% if number|file_size == 'x' %}a{% endif %}",
    "",
]


_LIBRARIES = {
    "i18n": "django.templatetags.i18n",
    "tz": "django.templatetags.tz",
    "desk": "projects.templatetags.desk",
}


class _Silent(ObjectDoesNotExist):
    silent_variable_failure = True


@dataclass
class _Row:
    name: str = "<Ada>"

    @property
    def broken(self) -> NoReturn:
        raise AttributeError("a fault of ours is no missing value")

    @property
    def silent(self) -> NoReturn:
        raise _Silent

    def method(self) -> str:
        return f"called {self.name}"

    def needs_more(self, one: object) -> str:
        return str(one)

    def delete(self) -> str:
        raise AssertionError("a template must not change data")

    delete.alters_data = True  # type: ignore[attr-defined]

    class Kept:
        do_not_call_in_templates = True

        def __repr__(self) -> str:
            return "kept"


class _Called:
    name = "never seen"

    def __call__(self) -> dict[str, dict[str, str]]:
        return {"name": {"first": "<called>"}}


class _Named(NamedTuple):
    name: str
    count: str


class _Both(dict[str, str]):
    name = "attribute"
    size = 2


def _values() -> dict[str, Any]:
    def stream() -> Iterator[int]:
        yield from (1, 1, 2)

    row = _Row()
    row.own = lambda: "<own>"  # type: ignore[attr-defined]
    return {
        "text": "a <b> & 'c'",
        "safe": mark_safe("<i>SAFE</i>"),
        "number": 3,
        "big": 1234567,
        "share": 0.5,
        "sum": Decimal("1234.50"),
        "yes": True,
        "none": None,
        "day": dt.datetime(2026, 3, 1, 23, 30, tzinfo=dt.UTC),
        "lazy": SimpleLazyObject(lambda: "<lazy>"),
        "lazy_word": SimpleLazyObject(lambda: "plain"),  # its class says that it is a text
        "row": row,
        "entry": {"name": "<entry>", "items": "own"},
        "many": [_Row(), _Row("Bob")],
        "numbers": (1, 2),
        "nothing": (),
        "pairs": [("a", "<1>"), ("b", "2")],
        "stream": stream(),
        "call": lambda: "<called>",
        "called": _Called(),
        "phrase": Phrase("Save"),
        "filled": Phrase("%(step)s <b> %(many)s").fill(step=Phrase("Save"), many="<&>"),
        "both": _Both(name="entry"),
        "named": _Named("<name>", "its own, not the tuple's"),
        "part": "part.html",
        "view": "review:show-queue",
        "missing_name": "part.html",
        "node": {"name": "a", "under": [{"name": "b", "under": [{"name": "c"}]}, {"name": "d"}]},
    }


def _engine(*, bound: bool, templates: dict[str, str], debug: bool = False) -> Engine:
    inner = [("django.template.loaders.locmem.Loader", templates)]
    loader = "config.rendering.Loader" if bound else "django.template.loaders.cached.Loader"
    return Engine(loaders=[(loader, inner)], debug=debug, libraries=_LIBRARIES)


def _rendered(engine: Engine) -> list[str]:
    """Three times: what is worked out at the first time must not stick."""
    found: list[str] = []
    for zone in ("UTC", "Asia/Tokyo", "UTC"):
        with override_settings(TIME_ZONE=zone):
            try:
                found.append(engine.get_template("case.html").render(Context(_values())))
            except Exception as error:  # noqa: BLE001 - which one is compared
                found.append(
                    f"{type(error).__name__}: {error}".partition(" in [{")[0]
                )  # then follows all of the context
    return found


@pytest.mark.parametrize("case", CASES)
def test_a_bound_template_says_what_djangos_own_says(case: str) -> None:
    templates = _PARTS | {"case.html": case}
    plain = _engine(bound=False, templates=templates)
    assert _rendered(_engine(bound=True, templates=templates)) == _rendered(plain)


def test_numbers_are_written_as_in_python_in_every_language() -> None:
    templates = {
        "case.html": "{% load i18n %}{{ big }} {% blocktranslate %}{{ share }} {{ big }}{% endblocktranslate %}"
    }
    with translation.override("de"):
        assert _rendered(_engine(bound=True, templates=templates))[0] == "1234567 0.5 1234567"


TRANSLATED = [
    "{% translate 'Save' %}{% translate 'In none, 5 %' %}{% translate text %}{% translate 'Save' as a %}{{ a }}",
    "{% translate 'j M Y' context 'pattern of a date' %}{% translate 'Save' noop %}{{ missing|default:_('Save') }}",
    "{% blocktranslate %}Save{% endblocktranslate %}",
    "{% blocktranslate with a=text b=row.name %}{{ a }} of {{ b }} 5 %{% endblocktranslate %}",
    "{% blocktranslate with day=text time=none %}{{ day }}, {{ time }}{% endblocktranslate %}",
    "{% blocktranslate %}{{ missing }}{% endblocktranslate %}",
    "{% blocktranslate count n=number with a=text %}{{ n }} {{ a }}{% plural %}{{ n }}. {{ a }}{% endblocktranslate %}",
    "{% blocktranslate count n=number %}{{ n }}{% plural %}{{ n }}s{% endblocktranslate %}",
    "{% blocktranslate with a=text b=safe %}{{ a }}{{ b }}, 5 %{{ a }} %% {{ number }}{% endblocktranslate %}",
    "{% autoescape off %}{% blocktranslate with a=text %}{{ a }} {{ yes }}{% endblocktranslate %}{% endautoescape %}",
    "{% blocktranslate %}{{ row.name }}{{ day }}{{ none }}{{ lazy }}{{ lazy_word }}{% endblocktranslate %}",
    "{% blocktranslate %}{% endblocktranslate %}{% blocktranslate count n=yes %}a{% plural %}b{% endblocktranslate %}",
    "{% blocktranslate with n=text count n=number %}{{ n }}{% plural %}{{ n }}s{% endblocktranslate %}",
    "{% for n in numbers %}{% blocktranslate count c=n %}{{ c }}{% plural %}s{% endblocktranslate %}{% endfor %}",
    "{% blocktranslate asvar x %}Save{% endblocktranslate %}{{ x }}",
    "{% blocktranslate context 'c' %}Save{% endblocktranslate %}",
    "{% blocktranslate trimmed %}\n Save\n {% endblocktranslate %}",
    "{% blocktranslate count n=text %}{{ n }}{% plural %}{{ n }}s{% endblocktranslate %}",
    "{% include 'word.html' with label='x' %}{% include 'word.html' with label=_('Save') %}",
    "{% language 'ja' %}{% translate 'Save' %}{% include 'word.html' with label=text %}{% endlanguage %}{{ phrase }}",
    "{% language 'de' %}{% blocktranslate %}Save{% endblocktranslate %}{% endlanguage %}{% translate 'Save' %}",
    "{{ phrase }}{{ phrase.lower }}{% if phrase == 'Save' %}{{ phrase|default:'x' }}{% endif %}",
    "{{ filled }}{% autoescape off %}{{ phrase }}{% endautoescape %}{{ called.name }}{{ called.name.first }}",
]


@pytest.mark.parametrize("case", TRANSLATED)
@pytest.mark.parametrize("language", ["en", "de", "ja"])
def test_a_bound_text_is_translated_as_djangos_own(case: str, language: str) -> None:
    templates = {"case.html": "{% load i18n %}" + case, "word.html": "{% load i18n %}{% translate 'Save' %}{{ label }}"}
    bound, plain = _engine(bound=True, templates=templates), _engine(bound=False, templates=templates)
    for one in ("de", language):  # what was kept of another language is not shown
        with translation.override(one):
            assert _rendered(bound) == _rendered(plain)


def test_a_context_may_be_rendered_again_for_another_reader() -> None:
    context = Context({"phrase": Phrase("Save"), "at": "2026-03-01T23:30:00+00:00"})
    words = "{% load i18n tz desk %}{% translate 'Save' %} {{ phrase }} {{ at|local_time }}"
    words += "{% timezone 'Asia/Tokyo' %} {{ at|local_time }}{% endtimezone %} {{ at|local_time:'day' }}"
    bound, plain = (_engine(bound=one, templates={"case.html": words}) for one in (True, False))
    shown = []
    for language, zone in (("de", "Europe/Berlin"), ("ja", "UTC"), ("de", "Europe/Berlin")):
        with translation.override(language), timezone.override(zone):
            shown.append(bound.get_template("case.html").render(context))
            assert shown[-1] == plain.get_template("case.html").render(context)
    assert shown[0] == shown[2] != shown[1]


def test_two_readers_at_once_have_each_their_language() -> None:
    words = "{% load i18n %}{% translate 'Save' %}{{ wait }}{% translate 'Save' %}{{ phrase }}"
    template = _engine(bound=True, templates={"case.html": words}).get_template("case.html")
    both_began = threading.Barrier(2, timeout=10)

    def read(language: str) -> str:
        with translation.override(language):
            return template.render(Context({"wait": lambda: both_began.wait() and "", "phrase": Phrase("Save")}))

    with ThreadPoolExecutor(2) as pool:
        found = list(pool.map(read, ["de", "ja"]))
    for language, shown in zip(("de", "ja"), found, strict=True):
        with translation.override(language):
            assert shown.replace("0", "") == translation.gettext("Save") * 3


def _catalogue() -> dict[Any, str]:
    """What is looked up first in the language that is active."""
    return trans_real.catalog()._catalog._catalogs[0]  # type: ignore[attr-defined,no-any-return]


@pytest.mark.parametrize(
    "translated",
    [
        "%(b)s von %(a)s", "%(a)s%(a)s", "100 %% von %(a)s", "Nichts davon", "%(c)s", "%(a)s %", "%(a)d", "%s %(b)s",
        "%%(a)s", "%(a(b))s",
    ],
)  # fmt: skip
def test_a_translation_is_split_at_its_values_or_left_to_django(
    translated: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    case = "{% load i18n %}{% blocktranslate with a=text b=number %}{{ a }} <of> {{ b }}{% endblocktranslate %}"
    bound, plain = (_engine(bound=one, templates={"case.html": case}) for one in (True, False))
    with translation.override("de"):
        monkeypatch.setitem(_catalogue(), "%(a)s <of> %(b)s", translated)
        assert _rendered(bound) == _rendered(plain)
        assert _rendered(bound) == _rendered(plain)  # the second from what was kept
    assert _rendered(bound) == _rendered(plain)


def test_each_number_has_its_languages_plural(monkeypatch: pytest.MonkeyPatch) -> None:
    case = (
        "{% load i18n %}{% blocktranslate count n=size with a=text %}{{ n }} & {{ a }}"
        "{% plural %}{{ n }} && {{ a }}{% endblocktranslate %}"
    )
    bound, plain = (_engine(bound=one, templates={"case.html": case}) for one in (True, False))
    for language, forms in (("de", 2), ("ja", 1)):
        with translation.override(language):
            for form in range(forms):
                monkeypatch.setitem(_catalogue(), ("%(n)s & %(a)s", form), f"{language}{form}: %(a)s %(n)s")
    for size in (0, 1, 2, 1, 99, 100, 101, -1):
        for language in ("de", "en", "ja"):
            with translation.override(language):
                templates = [one.get_template("case.html") for one in (bound, plain)]
                shown, expected = (one.render(Context({"size": size, "text": "<"})) for one in templates)
                assert shown == expected


@pytest.mark.parametrize(
    "words",
    [
        "'login'", "'review:show-queue' text", "'review:show-queue' queue_id=text", "'review:show-queue' number",
        "'review:show-queue' missing", "'workflows:page-image' 'a' 'b' text", "'workflows:page-image' 'p' 'd' number",
        "'workflows:page-image' 'p' '12' yes", "'workflows:page-image' 'p' 'd' '07'",
        "'review:show-queue' safe|lower", "'nowhere'", "view text",
    ],
)  # fmt: skip
def test_an_url_is_djangos_own_on_every_site(words: str) -> None:
    url, kept = f"{{% url {words} %}}", f"{{% url {words} as kept %}}{{{{ kept }}}}"
    _expect_djangos_own(f"{url}{{% autoescape off %}}{url}{{% endautoescape %}}")
    _expect_djangos_own(f"{{% for one in many %}}{kept}{{% endfor %}}|{{{{ kept }}}}")
    _expect_djangos_own(f"{kept}{{% autoescape off %}}{kept}{{% endautoescape %}}{{{{ kept }}}}")


def _expect_djangos_own(case: str) -> None:
    templates = {"case.html": case}
    bound, plain = (_engine(bound=one, templates=templates) for one in (True, False))
    try:
        for prefix in ("/", "/s/acme/", "/"):
            set_script_prefix(prefix)
            assert _rendered(bound) == _rendered(plain)
    finally:
        set_script_prefix("/")


def test_indentation_of_pages_is_left_out_and_nothing_else() -> None:
    text = "<p>\n    {{ text }}\n\n  {% if yes %}\n <b>two  blanks </b>{% endif %}</p>\n"
    page, mail = (_engine(bound=True, templates={name: text}).get_template(name) for name in ("a.html", "a.txt"))
    values = {"text": "a\n   b", "yes": True}
    assert page.render(Context(values)) == "<p>\na\n   b\n\n<b>two  blanks </b></p>\n"
    assert mail.render(Context(values)) == "<p>\n    a\n   b\n\n  \n <b>two  blanks </b></p>\n"


def test_a_changed_part_is_found_after_a_reset() -> None:
    templates = {"case.html": "{% include 'part.html' %}", "part.html": "old"}
    engine = _engine(bound=True, templates=templates)
    assert engine.get_template("case.html").render(Context()) == "old"
    templates["part.html"] = "new"
    loader = engine.template_loaders[0]
    assert isinstance(loader, Loader)
    loader.reset()
    assert engine.get_template("case.html").render(Context()) == "new"


def test_nothing_is_bound_while_templates_are_debugged() -> None:
    engine = _engine(bound=True, templates={"case.html": "{{ text }}"}, debug=True)
    assert "render" not in vars(engine.get_template("case.html").nodelist)
