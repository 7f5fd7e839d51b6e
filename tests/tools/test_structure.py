import ast
import doctest

import pytest

from tests.tools import structure


def test_examples() -> None:
    assert doctest.testmod(structure).failed == 0


def test_a_function_counts_its_parameters_without_self() -> None:
    [function] = structure.functions(ast.parse("def f(self, a, /, b, *, c=1, **d): ..."))
    assert structure.parameters(function) == 3


def test_own_imports_are_counted_as_modules() -> None:
    module = ast.parse("import os\nfrom config import clock, aws\nfrom config.errors import Refused, Conflict")
    known = frozenset({"config", "config.clock", "config.aws", "config.errors"})
    assert structure.own_imports(module, known) == {"config.clock", "config.aws", "config.errors"}


@pytest.mark.wide
def test_the_report_has_each_of_its_parts() -> None:
    heads = [line.partition(":")[0] for line in structure.report() if line and not line.startswith(" ")]
    assert heads == [
        "Functions named by a participle",
        "Template lines over 120 columns",
        "Modules",
        "Own imports a module",
        "Functions with the most parameters",
    ]
