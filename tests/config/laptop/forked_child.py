"""What a copy of a process finds of its parent, said to its output; run as a module, imported by nothing."""

import gc
import os
import sys
from pathlib import Path

was_loaded = "django" in sys.modules
from config import aws  # noqa: E402 - what is loaded already is looked at first

files = {os.path.realpath(one) for one in Path("/proc/self/fd").iterdir()}
name = Path("/proc/self/comm").read_text().strip()
held, session = any(one.endswith("/held") for one in files), os.getsid(0) == os.getpid()
print(
    f"name={name} clients={aws._build.cache_info().currsize} held={held} session={session} django={was_loaded}",
    gc.get_threshold(),
)
sys.exit(3)
