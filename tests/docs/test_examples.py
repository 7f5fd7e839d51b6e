"""The examples in docstrings are what a reader trusts first, so they run."""

import doctest
import importlib
import pkgutil

import config
import projects
import review
import workflows
from config import table
from tests.each import each

PACKAGES = (config, projects, workflows, review)
QUIET = ("migrations", "asgi", "wsgi", "emulator_process", "admin")
MODULES = sorted(
    found.name
    for package in PACKAGES
    for found in pkgutil.walk_packages(package.__path__, f"{package.__name__}.")
    if not set(QUIET) & set(found.name.split("."))
)
OF_TESTS = ("tests.html", "tests.workflows.hostile")


def examples(name: str) -> doctest.TestResults:
    names = vars(table) if name.startswith("config.table") else {}  # its parts build keys of each other's entities
    module, runner = importlib.import_module(name), doctest.DocTestRunner()
    for found in doctest.DocTestFinder().find(module, name, extraglobs=dict(names)):
        if found.examples:  # the runner looks at every file of the process before each docstring
            runner.run(found)
    return runner.summarize(verbose=False)


@each("name", [*MODULES, *OF_TESTS])
def test_every_example_says_what_happens(name: str) -> None:
    assert examples(name).failed == 0


def test_there_are_examples_of_the_key_space_and_of_paths() -> None:
    for name in ("config.table", "workflows.storage.files", "workflows.storage.objects"):
        assert examples(name).attempted > 0
