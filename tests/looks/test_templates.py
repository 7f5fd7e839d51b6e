"""What holds for every page can be read in the templates themselves."""

import re
from pathlib import Path

from django.conf import settings
from django.contrib.staticfiles import finders
from django.template.loader import get_template

from config import static
from tests.each import each

TEMPLATES = sorted((settings.BASE_DIR / "templates").rglob("*.html"))
SHEETS_FOLDER = settings.BASE_DIR / "static" / "css"
SHEETS = sorted(SHEETS_FOLDER.rglob("*.css"))
SCRIPTS = sorted((settings.BASE_DIR / "static" / "js").glob("*.js"))
SPRITE = set(re.findall(r'id="i-([a-z-]+)"', (settings.BASE_DIR / "static/icons.svg").read_text()))


@each("path", TEMPLATES)
def test_it_compiles(path: Path):
    get_template(str(path.relative_to(settings.BASE_DIR / "templates")))


@each("path", TEMPLATES)
def test_nothing_in_a_template_needs_a_weaker_policy(path: Path):
    text = path.read_text()
    assert not re.search(r"\sstyle\s*=|<style|\son[a-z]+\s*=|javascript:|hx-on|hx-vals=.js:", text)
    for script in re.findall(r"<script[^>]*>", text):
        assert " src=" in script or "json" in script
    assert not re.search(r"https?://", text.replace("http://www.w3.org/", ""))


@each("path", TEMPLATES)
def test_every_icon_is_in_the_sprite(path: Path):
    text = path.read_text()
    used = re.findall(r'{% icon "([a-z-]+)"', text) + re.findall(r'#i-([a-z-]+)"', text)
    assert set(used) <= SPRITE


@each("path", TEMPLATES)
def test_a_form_that_posts_carries_the_token(path: Path):
    for form in re.findall(r'<form[^>]*method="post".*?</form>', path.read_text(), re.DOTALL):
        assert "{% csrf_token %}" in form


@each("path", TEMPLATES)
def test_the_tone_is_calm(path: Path):
    words = re.sub(r"{[%#{].*?[%#}]}|<[^>]*>", " ", path.read_text(), flags=re.DOTALL)
    assert not re.search(r"\b(please|oops|sorry)\b|!(?!\w)", words, re.IGNORECASE)


@each("path", [*TEMPLATES, *SHEETS, *SCRIPTS])
def test_a_file_can_be_read_in_one_go(path: Path):
    assert len(path.read_text().splitlines()) <= 300


@each("path", SHEETS)
def test_colours_come_from_the_tokens(path: Path):
    text = re.sub(r"/\*.*?\*/", "", path.read_text(), flags=re.DOTALL)
    assert text.lstrip().startswith("@layer")
    assert "@import" not in text
    assert "url(" not in text
    known = set(re.findall(r"(--[a-z0-9-]+)\s*:", "".join(sheet.read_text() for sheet in SHEETS)))
    assert set(re.findall(r"var\((--[a-z0-9-]+)", text)) <= known
    assert not re.search(r"#[0-9a-f]{3,8}\b(?=\s*[;,)])", text)


def test_the_sheet_of_every_page_has_every_part_once():
    found = finders.find(static.SHEET)
    assert isinstance(found, str)
    text = Path(found).read_text()
    assert text.startswith((SHEETS_FOLDER / "tokens.css").read_text())  # it says the order of the layers
    assert sorted(static.ORDER) == sorted(str(path.relative_to(SHEETS_FOLDER).with_suffix("")) for path in SHEETS)
    assert len(text) == sum(len(path.read_text()) for path in SHEETS)
    for path in TEMPLATES:
        sheets = re.findall(r"{% static 'css/([^']+)' %}", path.read_text())
        assert set(sheets) <= {Path(static.SHEET).name}, path


def test_every_class_of_a_template_is_known_to_a_sheet_or_a_script():
    known = set(re.findall(r"[\w-]+", " ".join(path.read_text() for path in [*SHEETS, *SCRIPTS])))
    for path in TEMPLATES:
        text = re.sub(r"[\w-]*{[%{].*?[%}]}[\w-]*", " ", path.read_text())  # half a name is decided by a view
        used = {name for names in re.findall(r'\sclass="([^"]*)"', text) for name in names.split()}
        assert used <= known, path
