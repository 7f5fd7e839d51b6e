"""The settings under the environment of a test run: pytest reads them before any conftest, so this is done here.

Nothing of the shell reaches a test: neither real AWS keys, nor the laptop's own emulator, state or database.
"""

import json
import os
import socket
import sys
import tempfile
from pathlib import Path

OWNER = "owner"  # the file in a run's folder that says whose it is
CONTROLLER = "COUNTERSIGN_TEST_FOLDER" not in os.environ
if CONTROLLER:
    for name in [name for name in os.environ if name.startswith(("AWS_", "COUNTERSIGN_"))]:
        del os.environ[name]
    os.environ.pop("DATABASE_URL", None)
    # What is compiled once is kept, pytest's rewritten tests too (half of a worker's start): tests start some hundred
    # processes, which would each compile all of it again.
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    sys.dont_write_bytecode = False
    os.environ["COUNTERSIGN_TEST_FOLDER"] = tempfile.mkdtemp(prefix="countersign-tests-")
    (Path(os.environ["COUNTERSIGN_TEST_FOLDER"]) / OWNER).write_text(str(os.getpid()))
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        os.environ["COUNTERSIGN_EMULATOR_PORT"] = str(probe.getsockname()[1])

FOLDER = Path(os.environ["COUNTERSIGN_TEST_FOLDER"])
# One emulator for all workers of xdist; an account each keeps them apart, and buckets are global as in AWS.
WORKER = os.environ.get("PYTEST_XDIST_WORKER", "gw0").removeprefix("gw")
OVERRIDES = {
    "REVIEW_UNDO_SECONDS": 1,
    "REPAIR_AFTER_SECONDS": 1,
    "RUN_CHECK_SECONDS": 1,
    "MESSAGE_LOST_SECONDS": 2,
    "BATCH_CHECK_SECONDS": 1,
    "SWEEP_PAUSE_SECONDS": 1,
    "VIEW_GATHER_SECONDS": 0,
    "ACCESS_SECONDS": 3600,  # calls are counted: what a page costs must not depend on the hour
    "EVENT_SETTLE_SECONDS": 0,
    "API_REQUESTS": 1_000_000,  # the same; schemathesis asks as often as it can
    "API_SECONDS": 86_400,
    "LOG_LEVEL": "WARNING",
    "MOST_WRONG_PERCENT": 0,  # tests of flows publish by confidence; those of the limit set it
}
os.environ |= {
    "COUNTERSIGN_ENV": "laptop",
    "COUNTERSIGN_STATE_DIR": str(FOLDER / f"worker-{WORKER}"),
    "COUNTERSIGN_EMULATOR_ACCOUNT": f"9000{int(WORKER):08}",
    "COUNTERSIGN_OVERRIDES": json.dumps(OVERRIDES),
    "AWS_EC2_METADATA_DISABLED": "true",  # nobody looks for credentials on this machine's network
    "AWS_CONFIG_FILE": str(FOLDER / "no-config"),
    "AWS_SHARED_CREDENTIALS_FILE": str(FOLDER / "no-credentials"),
}
os.environ["AWS_ENDPOINT_URL"] = f"http://127.0.0.1:{os.environ['COUNTERSIGN_EMULATOR_PORT']}"

from config.settings import *  # noqa: E402, F403 - the environment above comes first, that is this file's purpose

# The hash of a file's content in its name needs collectstatic first; pages only need the names.
STORAGES["staticfiles"] = {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"}  # noqa: F405
STATIC_ROOT.mkdir(parents=True, exist_ok=True)  # noqa: F405 - whitenoise warns of a folder that is not there
PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
# Half a second, which only this process takes: hundreds of tests wait for a sweep.
REPAIR_AFTER_SECONDS = RUN_CHECK_SECONDS = 0.5
# A file, so that each thread of the live server has a connection of its own: one in memory is shared by all, and
# emptying it at the end of a test fails while a page that the browser left still asks for something.
DATABASES["default"]["TEST"] = {"NAME": str(STATE_DIR / "tests.sqlite3")}  # noqa: F405
DATABASES["default"]["OPTIONS"]["init_command"] = "PRAGMA journal_mode=WAL; PRAGMA synchronous=OFF"  # noqa: F405
