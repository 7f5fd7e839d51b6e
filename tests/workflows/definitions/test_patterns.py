"""No regular expression takes long over a hostile text, and nothing that anybody types is one.

What people type (rules, labels, allowed values, names of types) is looked for as it stands, so there is no pattern of
theirs to bound. Ours are found in the source, all of them, and tried with runs of what they repeat.
"""

import ast
import functools
import importlib
import itertools
import pkgutil
import re
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings

from tests.each import each
from tests.workflows.stages.memory import FIELDS, context, document
from workflows.definitions import rules
from workflows.definitions.rules import Condition, Facts, Operator, Rule, Source, When
from workflows.stages import values
from workflows.stages.base import FieldSpec
from workflows.stages.document_types import classifier
from workflows.stages.fields import labels, listed
from workflows.stages.formats.blocks import LONGEST
from workflows.stages.registry import STAGES

SECONDS = 1.0  # of the processor, for one pattern and one text
PACKAGES = ("config", "projects", "workflows", "review")
UNITS = (
    " ", ".", "-", ",", ":", "/", "a", "A", "1", "a ", "A ", "1 ", "a.", "A.", "1.", "1,", "1-", "1/", "a-", "A1", "ST",
    "(1", "1)", "€1", "(", "#", "&", "_", "'", "\n", "\t", "\u00a0", "|", "| ", "a@", "www.", "total ", "年", "{", "\\",
)  # fmt: skip
BEGINNINGS = (
    "", "(", "[", "co", "company", "company no", "1", "1.", "(1", "EUR", "R", "-", "kunde", "total", "no", "tel", "a@b",
    "{", "<", "invoice no", "A", "\\", "street", "12.", "12/", "address", "amount", '"', "|", "charset", "1 of",
)  # fmt: skip
REPEATED = (" ", ".", "-", ",", ":", "a", "A", "1", "a ", "1 ", "a.", "1.", "/", "'", "_")
CATASTROPHE, TEXT = "(a+)+$", "a" * 30_000 + "!"


@contextmanager
def within(seconds: float, what: object) -> Iterator[None]:
    """An alarm ends what would never end; a regular expression lets it through.

    There is one alarm: the test's own, which pytest-timeout set, goes on afterwards.
    """
    patience = 15 * seconds  # a busy machine is not a slow pattern

    def late(*_: object) -> None:
        raise AssertionError(f"{what} took more than {patience} s")

    before = signal.signal(signal.SIGALRM, late)
    left, _ = signal.setitimer(signal.ITIMER_REAL, patience)
    began, since = time.process_time(), time.monotonic()
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, left and max(left - (time.monotonic() - since), 0.001))
        signal.signal(signal.SIGALRM, before)
    assert time.process_time() - began < seconds, what


Try = Callable[[str], object]


def compiled() -> dict[str, Try]:
    """Those that modules keep, each searched for everywhere, as the most that may be done with one."""
    found: dict[str, Try] = {}

    def keep(value: object, name: str, depth: int = 0) -> None:
        if isinstance(value, re.Pattern):
            found.setdefault(f"{name}: {value.pattern!r}", functools.partial(search, value))
        elif isinstance(value, dict) and depth < 3:
            keep(tuple(value.values()), name, depth + 1)
        elif isinstance(value, list | tuple | set | frozenset) and depth < 3:
            for one in value:
                keep(one, name, depth + 1)

    for package in PACKAGES:
        for module in pkgutil.walk_packages(importlib.import_module(package).__path__, f"{package}."):
            if (
                module.name not in {"config.laptop.emulator_process", "config.gunicorn"}
                and "migrations" not in module.name
            ):
                for name, value in vars(importlib.import_module(module.name)).items():
                    keep(value, f"{module.name}.{name}")
    return found


def written() -> dict[str, Try]:
    """Those that are given to ``re`` where they are used, as they are used."""
    found: dict[str, Try] = {}
    for package in PACKAGES:
        for path in sorted((Path(settings.BASE_DIR) / package).rglob("*.py")):
            for node in ast.walk(ast.parse(path.read_text())):
                if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.args:
                    at, first = node.func.value, node.args[0]
                    if (
                        isinstance(at, ast.Name)
                        and at.id == "re"
                        and isinstance(first, ast.Constant)
                        and isinstance(first.value, str)
                    ):
                        flags = re.IGNORECASE if "IGNORECASE" in ast.unparse(node) else 0
                        pattern = re.compile(first.value, flags)
                        whole = functools.partial(search, pattern)
                        use = getattr(pattern, node.func.attr) if node.func.attr in {"match", "fullmatch"} else whole
                        found[f"{path.name}:{node.lineno}: {first.value!r}"] = use
    return found


def search(pattern: re.Pattern[Any], text: str) -> None:
    for _ in pattern.finditer(text.encode() if isinstance(pattern.pattern, bytes) else text):
        pass


@pytest.mark.slow
@pytest.mark.timeout(240)
def test_no_pattern_is_slow_over_a_text_as_long_as_texts_are() -> None:
    patterns = compiled() | written()
    assert len(patterns) > 150
    for (name, use), unit in itertools.product(patterns.items(), UNITS):
        with within(SECONDS, f"{name} over {unit!r}"):
            use((unit * LONGEST)[:LONGEST] + "!")


@pytest.mark.slow
@pytest.mark.timeout(240)
def test_no_pattern_is_slow_over_a_run_behind_its_own_beginning() -> None:
    """Where several repetitions meet, a short text is enough: 1,000 letters are what a person may type into a field."""
    for (name, use), start, unit in itertools.product((compiled() | written()).items(), BEGINNINGS, REPEATED):
        with within(SECONDS, f"{name} over {start!r} and {unit!r}"):
            use(start + (unit * 1_000)[:1_000] + "!")


@pytest.mark.wide
@each("read", [values.amount, values.number, values.date, values.currency, values.boolean])
def test_a_value_that_somebody_types_is_read_at_once(read: Callable[[str], object]) -> None:
    for start, unit in itertools.product(BEGINNINGS, REPEATED):
        with within(SECONDS / 4, f"{start!r} and {unit!r}"):
            read((start + unit * 1_000)[:1_000])


def test_what_is_typed_is_no_pattern() -> None:
    """The pattern that is slow everywhere is looked for as the words it is made of."""
    spec = FieldSpec("a", CATASTROPHE, "text", required=False, threshold=0.8, allowed=(CATASTROPHE, "(a|a)*b"))
    conditions = (Condition(Source.TEXT, Operator.CONTAINS, CATASTROPHE),)
    rule = Rule("r", "s", "", When.ANALYSIS, conditions, rules.NO_EFFECT)
    with within(SECONDS, CATASTROPHE):
        assert labels.label_pattern(spec).search(TEXT) is None
        assert classifier._own_name_pattern(CATASTROPHE).search(TEXT) is None
        assert listed.match_allowed_values(document(TEXT), spec, []) == []
        assert rules.rule_reasons(rule, Facts("text/plain", pages=(TEXT,))) is None
        assert rules.rule_reasons(rule, Facts("text/plain", pages=(f"x {CATASTROPHE} y",))) is not None


@pytest.mark.slow
@pytest.mark.timeout(240)
@pytest.mark.parametrize("shape", ["one line", "many lines"])
def test_no_stage_is_slow_over_a_hostile_text(tmp_path: Path, shape: str) -> None:
    """Whatever is done with what patterns find: an amount's label is looked for in what stands before it."""
    path = tmp_path / "a.txt"
    for unit in UNITS:
        one = (unit * LONGEST)[:LONGEST] if shape == "one line" else "\n".join([(unit * 70)[:70]] * 200)
        path.write_text(f"Invoice 1\nTotal 12.34\n{one}!\n")
        read = context(path, "text/plain", fields=(*FIELDS, FieldSpec("b", CATASTROPHE, "text", False, 0.8)))
        for name in ("segment_prep", "format_parser", "segment_builder", "segment_analyzer", "assess", "graph_builder",
                     "document_summarizer"):  # fmt: skip
            with within(4 * SECONDS, f"{name} over {unit!r}"):
                STAGES[name].run(read)
