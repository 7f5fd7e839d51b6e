"""What templates and modules give to translate, read without GNU gettext, and the catalogues brought up to date.

``python -m tests.tools.messages`` writes the new texts into ``locale/*/LC_MESSAGES/django.po`` and drops the old ones;
``--left de`` prints what is not translated yet, ``--take de FILE`` takes translations from a file of the same kind.
"""

import argparse
import ast
import functools
import json
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

import polib
import yaml
from django.utils.translation.template import templatize

ROOT = Path(__file__).resolve().parents[2]
APPS = ("config", "projects", "workflows", "review")
DEFINITIONS = "workflows/definitions/shipped.yaml"  # whose descriptions and labels of steps pages show
SCRIPTS = ROOT / "static" / "js"
SENTENCES = ROOT / "locale" / "sentences.json"
PLURALS = {"de": "nplurals=2; plural=(n != 1);", "ja": "nplurals=1; plural=0;"}
# What the functions of Django take, in this order; each has a lazy sister of nearly its name.
FUNCTIONS = {
    "_": ("msgid",),
    "Phrase": ("msgid",),
    "Sentence": ("msgid",),
    "count_sentence": ("msgid", "msgid_plural"),
    "count_phrase": ("msgid", "msgid_plural"),
    "gettext": ("msgid",),
    "gettext_noop": ("msgid",),
    "ngettext": ("msgid", "msgid_plural"),
    "pgettext": ("msgctxt", "msgid"),
    "npgettext": ("msgctxt", "msgid", "msgid_plural"),
}
# What is raised is told by pages in their language, found by its words; these are told to programs and logs alone.
BASE_ERROR = "CountersignError"
FEWEST = 8  # fixed letters, by which a sentence is known again
INTERNAL = {"InvalidKey", "Misconfigured", "StaleAttempt", "TokenClosed"}
NO_PAGE = re.compile(r"/(api|management|laptop|deploy)(/|\.py$)")
# With a value, and long enough to be known by its words; it may be raised and kept as well.
SENTENCE = re.compile(r"%\(\w+\)[sd].*[.?]$|^[^%]*\w{3} .*%\(\w+\)[sd].*[.?]$", re.DOTALL)
# Django writes what it found in a template as calls between crossed out characters.
_CALL = re.compile(r"""(?<![\w.])(_|n?p?gettext)\(((?:\s*u?(?:'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*")\s*,?)+)""")

# One sentence, or two of which the script takes one.
_TEXT = r'"((?:[^"\\]|\\.)*)"'
_SAID = re.compile(rf"\bsaid\((?:[\w. <>]+\? )?{_TEXT}(?: : {_TEXT})?")


class Message(NamedTuple):
    msgid: str
    msgid_plural: str = ""
    msgctxt: str | None = None


def read_template(text: str) -> Iterator[Message]:
    for name, given in _CALL.findall(templatize(text)):
        yield _message(name, ast.literal_eval(f"({given.rstrip(', ')},)"))


class Module(NamedTuple):
    calls: list[ast.Call]
    classes: list[ast.ClassDef]


@functools.cache
def read_module(text: str) -> Module:
    """Walked through once: three readers ask for its calls."""
    nodes = list(ast.walk(ast.parse(text)))
    return Module(
        [one for one in nodes if isinstance(one, ast.Call)],
        [one for one in nodes if isinstance(one, ast.ClassDef)],
    )


def read_calls(module: Module, functions: set[str]) -> Iterator[Message]:
    """Calls with texts; what is not written out where it is called cannot be looked up."""
    for node in module.calls:
        name = _name_of(node.func)
        wanted = FUNCTIONS.get(name.removesuffix("_lazy"))
        if wanted and name.removesuffix("_lazy") in functions and len(node.args) >= len(wanted):
            given = [one.value for one in node.args[: len(wanted)] if isinstance(one, ast.Constant)]
            if len(given) == len(wanted) and all(isinstance(one, str) for one in given):
                yield _message(name.removesuffix("_lazy"), given)


def read_texts(text: str) -> Iterator[Message]:
    """Of a module."""
    return read_calls(read_module(text), set(FUNCTIONS))


def read_refusals(module: Module, errors: set[str]) -> Iterator[Message]:
    """What domain errors say, of texts and of f-strings, whose values become named places."""
    for node in module.calls:
        if node.args and _name_of(node.func) in errors:
            yield from (one for one in _read_said(node.args[0]) if count_letters(one.msgid) >= FEWEST)


def count_letters(msgid: str) -> int:
    return len(re.findall(r"[^\W\d_]", re.sub(r"%\(\w+\)[sd]", "", msgid)))


def _read_said(node: ast.expr) -> Iterator[Message]:
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        yield Message(node.value)
    elif isinstance(node, ast.JoinedStr):
        yield Message(_name_places(node))
    elif isinstance(node, ast.IfExp):
        yield from _read_said(node.body)
        yield from _read_said(node.orelse)


def _name_places(said: ast.JoinedStr) -> str:
    parts, names = [], dict[str, str]()
    for part in said.values:
        if isinstance(part, ast.Constant):
            parts.append(str(part.value).replace("%", "%%"))
        elif isinstance(part, ast.FormattedValue):
            words = re.findall(r"[a-z]+(?:_[a-z]+)*", re.sub(r"'[^']*'", "", ast.unparse(part.value).lower()))
            name = words[-1] if words else "value"
            code = ast.dump(part.value)
            while names.setdefault(name, code) != code:
                name = f"{name}_more"
            parts.append(f"%({name})s")
    return "".join(parts)


def list_errors(modules: Iterable[Module]) -> set[str]:
    """The names of every domain error that a page may show."""
    bases = [(node.name, {_name_of(one) for one in node.bases}) for module in modules for node in module.classes]
    found = {BASE_ERROR}
    while more := {name for name, own in bases if own & found} - found:
        found |= more
    return found - INTERNAL


def _name_of(node: ast.expr) -> str:
    return node.id if isinstance(node, ast.Name) else getattr(node, "attr", "")


def _message(name: str, given: tuple[str, ...] | list[str]) -> Message:
    return Message(**dict(zip(FUNCTIONS[name], given, strict=False)))


def read_script(text: str) -> Iterator[Message]:
    for found in _SAID.finditer(text):
        yield from (Message(ast.literal_eval(f'"{one}"')) for one in found.groups() if one)


def write_script(catalogue: polib.POFile, found: Iterable[Message]) -> str:
    """What ``app.js`` looks up; a page in this language loads it."""
    told = {key_of(one): one.msgstr for one in catalogue}
    said = {message.msgid: told[message] for message in sorted(found)}
    return f"globalThis.SAID = {json.dumps(said, ensure_ascii=False, indent=2)};\n"


def read_scripts() -> dict[Message, set[str]]:
    """Every text of a script."""
    found: dict[Message, set[str]] = {}
    for path in SCRIPTS.glob("*.js"):
        for message in read_script(path.read_text()):
            found.setdefault(message, set()).add(str(path.relative_to(ROOT)))
    return found


def read_sentences() -> dict[Message, set[str]]:
    """What pages find again by its words: what is raised, what modules call a sentence, and what reads as one."""
    modules = {path: read_module(path.read_text()) for path in _modules()}
    errors, found = list_errors(modules.values()), dict[Message, set[str]]()
    for path, module in modules.items():
        place = str(path.relative_to(ROOT))
        said = () if NO_PAGE.search(place) else read_refusals(module, errors)
        whole = (one for one in read_calls(module, set(FUNCTIONS)) if SENTENCE.search(one.msgid))
        for message in (*said, *whole, *read_calls(module, {"Sentence", "count_sentence"})):
            found.setdefault(message, set()).add(place)
    return found


def _modules() -> list[Path]:
    return [one for app in APPS for one in (ROOT / app).rglob("*.py")]


def read_all() -> dict[Message, set[str]]:
    """Every text with the files that it stands in."""
    found: dict[Message, set[str]] = {}
    templates = [one for one in (ROOT / "templates").rglob("*") if one.suffix in (".html", ".txt")]
    for paths, read in ((templates, read_template), (_modules(), read_texts)):
        for path in paths:
            for message in read(path.read_text()):
                found.setdefault(message, set()).add(str(path.relative_to(ROOT)))
    for some in (read_sentences(), read_scripts()):
        for message, places in some.items():
            found.setdefault(message, set()).update(places)
    for one in yaml.safe_load((ROOT / DEFINITIONS).read_text()):
        found.setdefault(Message(one["description"]), set()).add(DEFINITIONS)
        for step in one["steps"]:
            found.setdefault(Message(step["label"]), set()).add(DEFINITIONS)
    return found


def key_of(entry: polib.POEntry) -> Message:
    return Message(entry.msgid, entry.msgid_plural, entry.msgctxt)


def path_of(language: str) -> Path:
    return ROOT / "locale" / language / "LC_MESSAGES" / "django.po"


def update(language: str, found: dict[Message, set[str]]) -> polib.POFile:
    """The catalogue with exactly these texts, in the order of the files; what was translated stays so."""
    path = path_of(language)
    before = {key_of(one): one for one in polib.pofile(str(path))} if path.exists() else {}
    after = polib.POFile(wrapwidth=110)
    after.metadata = {
        "Content-Type": "text/plain; charset=UTF-8",
        "Content-Transfer-Encoding": "8bit",
        "Language": language,
        "Plural-Forms": PLURALS[language],
    }
    # Of one place only, the first: lines that name every place would change whenever someone moves a file.
    for message, places in sorted(found.items(), key=lambda one: (min(one[1]), one[0].msgid, one[0].msgctxt or "")):
        entry = before.get(message) or polib.POEntry(**message._asdict())
        entry.occurrences = [(min(places), "")]
        entry.comment = entry.tcomment = ""
        entry.flags = ["python-format"] if re.search(r"%\(\w+\)[sd]", message.msgid) else []
        if message.msgid_plural and not entry.msgstr_plural:
            entry.msgstr_plural = dict.fromkeys(range(2 if language == "de" else 1), "")
        after.append(entry)
    return after


def take(catalogue: polib.POFile, given: polib.POFile) -> None:
    """Translations of the same texts, of which ``given`` may have any part."""
    ours = {key_of(one): one for one in catalogue}
    for entry in given.translated_entries():
        if key_of(entry) in ours:
            ours[key_of(entry)].msgstr, ours[key_of(entry)].msgstr_plural = entry.msgstr, entry.msgstr_plural


def list_sentences(found: Iterable[Message]) -> str:
    """For ``config.phrase``: a line each, singular and plural, in the order of their words."""
    lines = [json.dumps([one.msgid, one.msgid_plural], ensure_ascii=False) for one in sorted(found)]
    return "[\n" + ",\n".join(lines) + "\n]\n"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--left", choices=sorted(PLURALS), help="print what this language lacks, and write nothing")
    parser.add_argument("--take", nargs=2, default=("", ""), metavar=("LANGUAGE", "FILE"))
    options = parser.parse_args()
    found = read_all()
    if options.left:
        for entry in update(options.left, found).untranslated_entries():
            print(entry)
        return
    SENTENCES.write_text(list_sentences(read_sentences()))
    for one in sorted(PLURALS):
        catalogue = update(one, found)
        if one == options.take[0]:
            take(catalogue, polib.pofile(options.take[1]))
        path_of(one).parent.mkdir(parents=True, exist_ok=True)
        catalogue.save(str(path_of(one)))
        (SCRIPTS / f"said.{one}.js").write_text(write_script(catalogue, read_scripts()))
        print(f"{one}: {len(catalogue)} texts, {len(catalogue.untranslated_entries())} to translate")


if __name__ == "__main__":
    main()
