#!/usr/bin/env python
"""Django's command line for Countersign."""

import gc
import itertools
import os
import sys

_MODULES_MAKE_NO_GARBAGE = 100_000  # objects between two collections: by default, these are a seventh of a start


def take_engine(arguments: list[str]) -> None:
    """``process --engine`` into the environment: the settings are read before it, and by processes that it starts."""
    for given, following in itertools.zip_longest(arguments, arguments[1:], fillvalue=""):
        name, _, value = given.partition("=")
        if name == "--engine":
            os.environ["COUNTERSIGN_ENGINE"] = value or following


def main() -> None:
    if sys.argv[1:2] == ["process"]:
        take_engine(sys.argv[2:])
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    gc.set_threshold(_MODULES_MAKE_NO_GARBAGE)
    try:
        # Imported here: loading takes a second or two, in which Ctrl-C must not answer with a traceback either.
        from django.core.management import execute_from_command_line  # noqa: PLC0415

        execute_from_command_line(sys.argv)
    except KeyboardInterrupt:
        sys.exit(130)  # what a shell says of a program that Ctrl-C ended


if __name__ == "__main__":
    main()
