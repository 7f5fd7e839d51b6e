"""Handlers of due work by kind. Packages register their own, so the sweeper imports none of them."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, TypeVar

from config.due.items import DueWork
from config.errors import CountersignError
from config.table import Key

T = TypeVar("T", bound=DueWork)


@dataclass(frozen=True)
class DueHandler:
    """``only``: the attributes to load; all if unset."""

    item: type[DueWork]
    do: Callable[[str, Any], object]
    only: Sequence[str] | None = None

    def run(self, site: str, key: Key) -> None:
        """Raises: NotFound, and whatever the handler raises."""
        self.do(site, self.item.load(key, only=self.only))


_handlers: dict[str, DueHandler] = {}
HANDLERS: Mapping[str, DueHandler] = MappingProxyType(_handlers)


def due(
    kind: str, item: type[T], *, only: Sequence[str] | None = None
) -> Callable[[Callable[[str, T], None]], Callable[[str, T], None]]:
    """Register ``do(site, row)`` as the handler of ``kind``, the word in the row's due-index key.

    Raises:
        CountersignError: the kind already has a handler.

    """

    def register(do: Callable[[str, T], None]) -> Callable[[str, T], None]:
        if kind in _handlers and _handlers[kind].do is not do:
            raise CountersignError(f"Two handlers for due rows of kind {kind}.")
        _handlers[kind] = DueHandler(item, do, only)
        return do

    return register
