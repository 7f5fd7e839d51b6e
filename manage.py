#!/usr/bin/env python
"""Django's command line for Countersign."""

import os
import sys


def main() -> None:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    try:
        # Imported here: loading takes a second or two, in which Ctrl-C must not answer with a traceback either.
        from django.core.management import execute_from_command_line  # noqa: PLC0415

        execute_from_command_line(sys.argv)
    except KeyboardInterrupt:
        sys.exit(130)  # what a shell says of a program that Ctrl-C ended


if __name__ == "__main__":
    main()
