"""The process that writes the demo's past week, beside its workers; once for a state folder."""

import json
import os
import sys

import django
from django.conf import settings

from config import clock
from config.errors import CountersignError
from workflows.management.developer_tools import load_tool


def main() -> int:
    """A file in the state folder says that all of it was made."""
    os.environ["DJANGO_SETTINGS_MODULE"] = "config.settings"
    django.setup()
    done = settings.STATE_DIR / "samples" / "history.json"
    if done.exists():
        return 0
    try:
        load_tool("history").write_history(settings.STATE_DIR / "samples", clock.now())
    except CountersignError as error:
        sys.stderr.write(f"The invented week is not complete, the next start goes on: {error}\n")
        return 1
    done.write_text(json.dumps({"made_at": clock.iso(clock.now())}))
    return 0


if __name__ == "__main__":
    sys.exit(main())
