"""Every event of the audit has a name that pages translate."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.utils import translation

from projects.audit.words import DEEDS, KINDS, OWN_DEEDS, describe_event, name_fact, tell_value

ROOT = Path(__file__).resolve().parents[3]
APPS = ("projects", "workflows", "review")


class Module:
    """Of a module's calls of ``entity_event``: which texts an argument may be, followed through its own functions."""

    def __init__(self, path: Path) -> None:
        self.tree = ast.parse(path.read_text())
        self.functions = [one for one in ast.walk(self.tree) if isinstance(one, ast.FunctionDef)]
        self.constants = {
            one.targets[0].id: one.value.value
            for one in ast.walk(self.tree)
            if isinstance(one, ast.Assign)
            and isinstance(one.targets[0], ast.Name)
            and isinstance(one.value, ast.Constant)
        }

    def calls(self, name: str) -> Iterator[ast.Call]:
        for one in ast.walk(self.tree):
            if isinstance(one, ast.Call) and getattr(one.func, "id", getattr(one.func, "attr", "")) == name:
                yield one

    def texts(self, node: ast.expr, call: ast.Call, depth: int = 0) -> Iterator[str]:
        match node:
            case ast.Constant(value=str(text)):
                yield text
            case ast.IfExp(body=body, orelse=other):
                yield from self.texts(body, call, depth)
                yield from self.texts(other, call, depth)
            case ast.Name(id=name) if name in self.constants:
                yield str(self.constants[name])
            case ast.Name(id=name) if depth < 4:
                yield from self._of_parameter(name, call, depth)

    def _of_parameter(self, name: str, call: ast.Call, depth: int) -> Iterator[str]:
        for function in self.functions:
            own = [one.arg for one in (*function.args.args, *function.args.kwonlyargs)]
            if name not in own or not function.lineno <= call.lineno <= (function.end_lineno or 0):
                continue
            place = own.index(name)
            for one in self.calls(function.name):
                given = [word.value for word in one.keywords if word.arg == name]
                given += one.args[place : place + 1] if place < len(function.args.args) else []
                for value in given:
                    yield from self.texts(value, one, depth + 1)


def list_events() -> Iterator[tuple[set[str], set[str]]]:
    for app in APPS:
        for path in (ROOT / app).rglob("*.py"):
            module = Module(path)
            for call in module.calls("entity_event"):
                if len(call.args) >= 4:
                    yield set(module.texts(call.args[1], call)), set(module.texts(call.args[3], call))


@pytest.mark.wide
def test_every_kind_and_deed_of_the_code_has_a_name():
    kinds, deeds = set[str](), set[str]()
    for some, done in list_events():
        kinds |= some
        deeds |= done - OWN_DEEDS.keys() if "account" in some else done
    assert (len(kinds) > 30, len(deeds) > 50) == (True, True)
    assert kinds - KINDS.keys() == set()
    assert deeds - DEEDS.keys() == set()


@pytest.mark.parametrize("language", ["de", "ja"])
def test_names_are_said_in_the_language_of_the_reader(language):
    with translation.override(language):
        told = [describe_event(kind, deed) for kind in KINDS for deed in DEEDS if kind != "account"]
        told += [describe_event("account", deed) for deed in OWN_DEEDS]
        assert [one for one in told if one.translated() == str(one)] == []


def test_an_event_that_no_one_names_stands_as_it_is():
    assert describe_event("fleet", "went_off") == "Fleet went off"
    assert describe_event("account", "badge found") == "Badge found"
    assert name_fact("Colour of the lid") == "Colour of the lid"
    with translation.override("de"):
        assert name_fact("attribute Date").translated() == "Attribut Date"


def test_what_someone_wrote_is_not_translated_even_if_it_reads_like_a_sentence_of_ours():
    with translation.override("de"):
        assert tell_value("access policy", "allowed by version 3").translated() == "erlaubt durch Version 3"
        assert tell_value("tag note", "allowed by version 3") == "allowed by version 3"
        assert type(tell_value("tag note", "allowed by version 3")) is str
        assert tell_value("access policy", None) is None
