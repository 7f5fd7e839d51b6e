"""The child process that evaluates Rego with regopy; ``engine`` starts it and talks to it.

It imports neither Django nor the desk, says ``ready`` once it listens, and answers each line of JSON with one:
``{"source", "package", "inputs"}`` → ``{"results": [{"allow": [...], "deny": [...]}, …]}`` or ``{"error": …}``.
"""

import json
import os
import re
import resource
import sys
import threading
import time
from functools import lru_cache
from pathlib import Path
from typing import Any

from regopy import Interpreter, RegoError, set_default_log_level

from config.phrase import Sentence

MOST_MEMORY = 512 << 20  # bytes: a policy that builds a list of millions ends this process, and not the machine
_LOOK_SECONDS = 0.02
_KEPT = 64  # compiled policies
_QUERY = "allow := [x | x := data.{0}.allow]; deny := [x | x := data.{0}.deny]"
_WRONG = re.compile(r"\(errormsg \d+:(.*?)\)\s*\(errorast (?:\w+)?\|(\d+)\|", re.DOTALL)
_GENERAL = Sentence(
    "The policy failed for this input: a rule has two values, or a function got a value that it cannot take or "
    "is not known."
)


@lru_cache(_KEPT)
def _compile(source: str, package: str) -> tuple[Interpreter, Any]:
    rego = Interpreter()
    # Otherwise a function that fails is "undefined", and a rule that denies would not.
    rego.strict_built_in_errors = True
    rego.add_module("policy", source)
    return rego, rego.build(_QUERY.format(package), [])


def answer(asked: dict[str, Any]) -> dict[str, Any]:
    """The values of ``allow`` and ``deny`` for each input; each is a list that is empty if the rule is undefined."""
    source = str(asked["source"])
    try:
        rego, bundle = _compile(source, str(asked["package"]))
        results = []
        for one in asked["inputs"]:
            rego.set_input(one)
            output = rego.query_bundle(bundle)
            if not output.ok():
                return {"error": _GENERAL}
            results.append(output[0].bindings)
    except RegoError as error:
        return {"error": _describe(source, str(error))}
    except ValueError:  # regopy's own reading of an answer that is none, as for a function that is not known
        return {"error": _GENERAL}
    return {"results": results}


def _describe(source: str, told: str) -> str:
    found = _WRONG.search(told)
    if found is None:
        return _GENERAL
    line = source.encode()[: int(found[2])].count(b"\n") + 1
    return Sentence("Line %(line)s: %(problem)s.").fill(line=line, problem=" ".join(found[1].split()))


def _read_memory() -> int:
    """Bytes. On Linux the peak that ``getrusage`` tells begins at that of the process which started this one."""
    if sys.platform == "darwin":
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1]) * resource.getpagesize()


def _end_if_too_large(working: threading.Event) -> None:
    """Watch memory while evaluating; RLIMIT_AS would not work, since regopy reserves 256 GiB of addresses."""
    while working.wait():
        if _read_memory() > MOST_MEMORY:
            os._exit(1)
        time.sleep(_LOOK_SECONDS)


def main() -> None:
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    set_default_log_level("None")
    working = threading.Event()
    threading.Thread(target=_end_if_too_large, args=[working], daemon=True).start()
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # regopy prints what it finds wrong
    os.dup2(1, 2)
    print("ready", file=answers, flush=True)
    for line in sys.stdin:
        working.set()
        told = answer(json.loads(line))
        working.clear()
        print(json.dumps(told), file=answers, flush=True)


if __name__ == "__main__":
    main()
