"""Access to tools in ``tests/tools`` for commands; container images do not include them."""

from importlib import import_module
from types import ModuleType

from django.core.management.base import CommandError


def load_tool(name: str) -> ModuleType:
    """Raises: CommandError if the tests are not installed."""
    try:
        return import_module(f"tests.tools.{name}")
    except ModuleNotFoundError as error:
        if not str(error.name).startswith("tests"):
            raise
        raise CommandError(
            "This is a developers' tool: tests/tools is not installed here. Run it in a checkout."
        ) from error
