"""Bound templates say what Django's own say, to the letter, also where something is missing or goes wrong."""

import datetime as dt
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, NoReturn

import pytest
from django.core.exceptions import ObjectDoesNotExist
from django.template import Context, Engine
from django.test import override_settings
from django.urls import set_script_prefix
from django.utils.functional import SimpleLazyObject
from django.utils.safestring import mark_safe

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
    "",
]


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
        "both": _Both(name="entry"),
        "part": "part.html",
        "view": "review:show-queue",
        "missing_name": "part.html",
        "node": {"name": "a", "under": [{"name": "b", "under": [{"name": "c"}]}, {"name": "d"}]},
    }


def _engine(*, bound: bool, templates: dict[str, str], debug: bool = False) -> Engine:
    inner = [("django.template.loaders.locmem.Loader", templates)]
    loader = "config.rendering.Loader" if bound else "django.template.loaders.cached.Loader"
    return Engine(loaders=[(loader, inner)], debug=debug)


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


def test_thousands_are_grouped_if_the_settings_say_so() -> None:
    with override_settings(USE_THOUSAND_SEPARATOR=True, USE_I18N=True, LANGUAGE_CODE="de"):
        templates = {"case.html": "{{ big }}"}
        bound = _rendered(_engine(bound=True, templates=templates))
        assert bound == _rendered(_engine(bound=False, templates=templates))


@pytest.mark.parametrize(
    "words",
    [
        "'login'", "'review:show-queue' text", "'review:show-queue' queue_id=text", "'review:show-queue' number",
        "'review:show-queue' missing", "'review:show-queue' safe|lower", "'nowhere'", "view text",
    ],
)  # fmt: skip
def test_an_url_is_djangos_own_on_every_site(words: str) -> None:
    templates = {"case.html": f"{{% url {words} %}}{{% autoescape off %}}{{% url {words} %}}{{% endautoescape %}}"}
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
