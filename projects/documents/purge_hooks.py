"""Registry of purge hooks: packages that keep data of documents register their deletion."""

from collections.abc import Callable

Forget = Callable[[str, str], None]
_FORGETTERS: list[Forget] = []


def at_purge(forget: Forget) -> Forget:
    """Register a hook ``(site, document_id)`` that deletes data of a purged document; it must be idempotent."""
    _FORGETTERS.append(forget)
    return forget


def forget_everywhere(site: str, document_id: str) -> None:
    for forget in _FORGETTERS:
        forget(site, document_id)
