import sys

import pytest
from django.core.management import CommandError, call_command


@pytest.mark.parametrize("command", ["benchmark", "fill"])
def test_without_the_tests_a_developers_command_says_what_is_missing(
    command: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in [one for one in sys.modules if one.startswith("tests.tools")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "tests.tools", None)
    with pytest.raises(CommandError, match="Run it in a checkout"):
        call_command(command)


def test_a_tools_own_missing_package_is_not_taken_for_it(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [one for one in sys.modules if one.startswith("tests.tools")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "ulid", None)
    with pytest.raises(ModuleNotFoundError, match="ulid"):
        call_command("fill")
