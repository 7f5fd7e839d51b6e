"""Evaluation by an Open Policy Agent server instead of regopy, if the deployment has one.

Each version is a module there, in a package named after site and number; if the server has lost it, it is
uploaded again. https://www.openpolicyagent.org/docs/latest/rest-api/
"""

import json
import re
import threading
import time
from collections.abc import Mapping, Sequence
from typing import Any

import urllib3
from django.conf import settings

from config.phrase import Sentence
from projects.policies.engine import PolicyFailed
from projects.policies.language import PolicyText

_SECONDS = urllib3.Timeout(connect=1.0, read=2.0)
_PAUSE = 5.0  # seconds that no one asks after it did not answer: a page would wait for each document
_PACKAGE = re.compile(r"^([ \t]*)package\s+[\w.]+", re.MULTILINE)
_UNREACHABLE = Sentence("The OPA server does not answer. Check COUNTERSIGN_OPA_URL and the server.")
_pool = urllib3.PoolManager(maxsize=8, retries=False, timeout=_SECONDS)
_lock = threading.Lock()
_silent_until = 0.0


def evaluate(
    site: str, policy: PolicyText, version: int, inputs: Sequence[Mapping[str, Any]]
) -> Sequence[Mapping[str, Any]]:
    """``allow`` and ``deny`` for each input, each the list of the rule's values. Raises: PolicyFailed."""
    if time.monotonic() < _silent_until:
        raise PolicyFailed(_UNREACHABLE)
    name = f"v{version}" if version else "trial"
    path = f"countersign/{site}/{name}"
    if not version:  # of a trial, whose text is another each time
        _put_policy(path, site, name, policy)
    return [_ask(path, site, name, policy, one) for one in inputs]


def _ask(path: str, site: str, name: str, policy: PolicyText, one: Mapping[str, Any]) -> Mapping[str, Any]:
    body = {"input": one}
    told = _call("POST", f"/v1/data/{path}?strict-builtin-errors=true", body)
    if "result" not in told:  # the server has no such package
        _put_policy(path, site, name, policy)
        told = _call("POST", f"/v1/data/{path}?strict-builtin-errors=true", body)
    if "result" not in told:
        raise PolicyFailed("The OPA server does not keep the policy.")
    found: Mapping[str, Any] = told["result"]
    return {rule: [found[rule]] if rule in found else [] for rule in ("allow", "deny")}


def _put_policy(path: str, site: str, name: str, policy: PolicyText) -> None:
    source = _PACKAGE.sub(lambda found: f'{found[1]}package countersign["{site}"].{name}', policy.source, count=1)
    _call("PUT", f"/v1/policies/{path}", source)


def _call(method: str, path: str, body: Mapping[str, Any] | str) -> Mapping[str, Any]:
    global _silent_until  # noqa: PLW0603 - of this process, as its pool
    is_text = isinstance(body, str)
    try:
        response = _pool.request(
            method,
            f"{settings.OPA_URL}{path}",
            body=str(body).encode() if is_text else json.dumps(body).encode(),
            headers={"Content-Type": "text/plain" if is_text else "application/json"},
        )
        told = json.loads(response.data or b"{}")
    except (urllib3.exceptions.HTTPError, ValueError) as error:
        with _lock:
            _silent_until = time.monotonic() + _PAUSE
        raise PolicyFailed(_UNREACHABLE) from error
    if response.status >= 400 or not isinstance(told, dict):
        raise PolicyFailed(_describe(told) if isinstance(told, dict) else _UNREACHABLE)
    return told


def _describe(told: Mapping[str, Any]) -> str:
    errors = told.get("errors")
    if not isinstance(errors, list) or not errors:
        return Sentence("The OPA server refuses the policy: %(problem)s.").fill(
            problem=told.get("message", "no reason given")
        )
    first = errors[0]
    row = (first.get("location") or {}).get("row")
    said = str(first.get("message"))
    return Sentence("Line %(line)s: %(problem)s.").fill(line=row, problem=said) if row else f"{said}."
