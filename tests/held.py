"""What this process holds in its caches: whatever the product's modules lead to, by the name that leads there."""

import gc
import sys
from collections.abc import Iterator
from types import FunctionType, ModuleType
from typing import Any

OURS = ("config", "projects", "workflows", "review")


def _roots() -> Iterator[tuple[str, object]]:
    for name, module in sorted(sys.modules.items()):
        if name.partition(".")[0] in OURS:
            yield from ((f"{name}.{one}", value) for one, value in list(vars(module).items()))


def _led_to(value: Any) -> list[Any]:
    """Also what an ``lru_cache`` keeps. A function leads to what it closes over, and not to all of its module."""
    if isinstance(value, ModuleType):
        return []
    if isinstance(value, FunctionType):
        return [value.__closure__, value.__defaults__, value.__kwdefaults__, value.__dict__]
    if isinstance(value, type) and value.__module__.partition(".")[0] not in OURS:
        return []
    return gc.get_referents(value)


def holding(word: str) -> set[str]:
    """The names under which texts or bytes with this word are kept; of several, the first."""
    gc.collect()
    found: set[str] = set()
    seen: dict[int, object] = {id(sys.modules): sys.modules}  # kept alive: another must not get the number of one
    for name, root in _roots():
        open_ = [root]
        while open_:
            value = open_.pop()
            if id(value) in seen:
                continue
            seen[id(value)] = value
            text = value.decode(errors="replace") if isinstance(value, (bytes, bytearray)) else value
            if isinstance(text, str):
                found |= {name} if word in text else set()
            elif not type(value).__module__.startswith("tests"):
                open_ += _led_to(value)
    return found
