"""Templates give every text that people read to translate, and styles name no side of a page: Arabic has the other."""

import re
from pathlib import Path

from django.conf import settings

ROOT = Path(settings.BASE_DIR)
TEMPLATES = sorted(one for one in (ROOT / "templates").rglob("*") if one.suffix in {".html", ".txt"})
STYLES = sorted((ROOT / "static" / "css").rglob("*.css"))
# The same in every language.
NAMES = {"API", "CSV", "IBAN", "ID", "JSON", "UTC", "Countersign", "·"}
READ = ("title", "aria-label", "aria-description", "placeholder", "alt", "data-label", "label")
_TRANSLATED = re.compile(
    r"\{#.*?#\}|\{% comment.*?endcomment %\}|\{% blocktranslate.*?\{% endblocktranslate %\}|\{%.*?%\}|\{\{.*?\}\}", re.S
)
_CODE = re.compile(r"<(script|style|code|kbd|pre)\b[^>]*>.*?</\1>", re.S)
_BEHAVIOUR = re.compile(r"\{% block behaviour %\}.*?\{% endblock %\}", re.S)  # attributes
_ATTRIBUTE = re.compile(rf'\s(?:{"|".join(READ)})="([^"]*)"')
_DEFAULT = re.compile(r'\|(?:default|default_if_none|yesno):"([^"]*[A-Za-z]{2}[^"]*)"')
_INCLUDED = re.compile(r'\{% include [^%]*?\b(?:words|word|text|heading|label|title)="([A-Z][^"]*)"')
_SIDE = re.compile(
    r"(?<![\w-])(?:(?:margin|padding|border|scroll-margin|scroll-padding|inset)-(?:left|right)|(?:left|right)|"
    r"border-(?:top|bottom)-(?:left|right)-radius)\s*:|(?:text-align|float|clear)\s*:\s*(?:left|right)"
)


def find_untranslated(text: str, *, html: bool = True) -> list[str]:
    bare = _CODE.sub(" ", _TRANSLATED.sub(" ", _BEHAVIOUR.sub(" ", text)))
    found = [*_DEFAULT.findall(text), *_INCLUDED.findall(text), *(_ATTRIBUTE.findall(bare) if html else ())]
    found += (re.sub(r"<[^>]*>", "\n", bare) if html else bare).splitlines()
    words = (re.sub(r"&\w+;", " ", one).split() for one in found)
    return [" ".join(one) for one in words if any(re.search(r"[A-Za-z]{2}", word.strip(".,:()")) for word in one)]


def test_every_text_of_a_template_is_given_to_translate() -> None:
    left = {
        f"{path.relative_to(ROOT)}: {one}"
        for path in TEMPLATES
        if not is_attributes(text := path.read_text())
        for one in find_untranslated(text, html=path.suffix == ".html")
        if not {word.strip(".,:()") for word in one.split()} <= NAMES
    }
    assert left == set()


def is_attributes(text: str) -> bool:
    """A fragment that stands inside a tag."""
    return "<" not in text


def test_untranslated_texts_are_found() -> None:
    found = find_untranslated(
        """<p title="Named">{% translate "Said" %} Read <code>left as it is</code> {{ one|default:"none" }}</p>
        <a aria-label="{% translate 'Open' %}">{% blocktranslate %}Whole{% endblocktranslate %} &nbsp; 12</a>"""
    )
    assert sorted(found) == ["Named", "Read", "none"]


def find_sides(style: str) -> list[str]:
    """Shorthands with two different sides; a shadow at one side moves by ``--start``."""
    found = re.findall(r"(?<![\w-])(inset|margin|padding): ([^;{}]+);", style)
    values = [(name, re.findall(r"(?:[^\s()]|\((?:[^()]|\([^()]*\))*\))+", value)) for name, value in found]
    shadows = re.findall(r"box-shadow: inset -?[1-9][^;]*", style)
    return [*(f"{name}: {' '.join(one)}" for name, one in values if len(one) == 4 and one[1] != one[3]), *shadows]


def test_styles_name_no_side_of_a_page() -> None:
    assert STYLES
    found = [
        f"{path.name}:{number}: {line.strip()}"
        for path in STYLES
        for number, line in enumerate(path.read_text().splitlines(), 1)
        if _SIDE.search(line)
    ]
    assert found == []
    assert [one for path in STYLES for one in find_sides(path.read_text())] == []
    assert find_sides("margin: 0 calc(1px + 2px) 0 var(--s-1); padding: 1px 2px 3px; box-shadow: inset 3px 0 red;") == [
        "margin: 0 calc(1px + 2px) 0 var(--s-1)", "box-shadow: inset 3px 0 red"
    ]  # fmt: skip
    assert _SIDE.search("margin-left: 4px")
    assert not _SIDE.search("margin-inline-start: 4px; grid-area: left")
