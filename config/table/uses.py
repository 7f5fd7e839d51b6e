"""Who writes and reads each kind of row, and which page and API operation show it: worked out from the source itself.

A function uses an entity if it names its constant, or mentions a function that does. What is the fewest mentions away
counts, so that a new page or operation is found without being listed anywhere.
"""

import ast
import functools
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from config import table
from config.table import Entity

_ROOT = Path(__file__).resolve().parents[2]
_PACKAGES = ("config", "projects", "workflows", "review")
_WRITES = frozenset({"transact", "Put", "Update", "Delete", "put_rows", "change", "save", "delete", "batch_write"})
_READS = frozenset(
    {"load", "load_many", "page", "every", "together", "partition", "count_rows", "query", "get_item", "batch_get_item"}
)
_SHARED = "workflows"  # whose packages share one namespace of addresses
_NEAR, _FAR = 3, 8  # mentions from the constant to what writes or reads, and to what shows


@dataclass(frozen=True)
class Uses:
    """Functions by their dotted names, a page by the name of its address, an operation by its id; empty for none."""

    written_by: str = ""
    read_by: str = ""
    page: str = ""
    api: str = ""


@dataclass
class _Code:
    """``mentions``: function → what it mentions, ``table.X`` for constants. ``shown``: function → page or operation."""

    mentions: dict[str, set[str]] = field(default_factory=dict)
    pages: dict[str, str] = field(default_factory=dict)
    operations: dict[str, str] = field(default_factory=dict)


def uses_of(entity: Entity) -> Uses:
    """Of none that is to come."""
    constant = next((name for name, value in vars(table).items() if value is entity), "")
    return Uses() if entity.to_come else find_uses(constant)


@functools.cache
def find_uses(constant: str) -> Uses:
    code, users = _read_code()
    start = users.get(f"table.{constant}", set())

    def does(verbs: frozenset[str]) -> Callable[[str], bool]:
        return lambda name: bool(code.mentions[name] & verbs)

    written = _nearest(start, users, does(_WRITES), far=_NEAR)
    read = _nearest(start, users, does(_READS), far=_NEAR)
    page = _nearest(start, users, code.pages.__contains__, far=_FAR)
    operation = _nearest(start, users, code.operations.__contains__, far=_FAR)
    return Uses(written, read, code.pages.get(page, ""), code.operations.get(operation, ""))


def _nearest(start: Iterable[str], users: Mapping[str, set[str]], fits: Callable[[str], bool], *, far: int) -> str:
    """The first that fits, by name among those as near."""
    here = sorted(start)
    seen = set(here)
    for _ in range(far + 1):
        if found := [name for name in here if fits(name)]:
            return found[0]
        here = sorted({user for name in here for user in users.get(name, ())} - seen)
        seen |= set(here)
    return ""


@functools.cache
def _read_code() -> tuple[_Code, Mapping[str, set[str]]]:
    """The source, and for whatever is mentioned who mentions it."""
    code = _Code()
    for package in _PACKAGES:
        for path in sorted((_ROOT / package).rglob("*.py")):
            parts = path.relative_to(_ROOT).with_suffix("").parts
            if parts[:2] != ("config", "table") and "migrations" not in parts:
                module = ".".join(part for part in parts if part != "__init__")
                _read_module(code, module, ast.parse(path.read_text(encoding="utf-8")))
    users: dict[str, set[str]] = {}
    for name, mentioned in code.mentions.items():
        for one in mentioned:
            users.setdefault(one, set()).add(name)
    return code, users


def _read_module(code: _Code, module: str, tree: ast.Module) -> None:
    known = dict(_imports(tree))
    for node in tree.body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            known[node.name] = f"{module}.{node.name}"
    for node in tree.body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            code.mentions[f"{module}.{node.name}"] = set(_mentions(node, known)) - {f"{module}.{node.name}"}
        if isinstance(node, ast.FunctionDef) and (operation := _operation(node)):
            code.operations[f"{module}.{node.name}"] = operation
    if module.endswith("urls"):
        code.pages.update(_pages(tree, known, f"{_SHARED}:" if module.startswith(f"{_SHARED}.") else ""))


def _imports(tree: ast.Module) -> Iterator[tuple[str, str]]:
    for node in tree.body:
        if isinstance(node, ast.ImportFrom) and node.module:
            yield from ((one.asname or one.name, f"{node.module}.{one.name}") for one in node.names)


def _mentions(node: ast.AST, known: Mapping[str, str]) -> Iterator[str]:
    """Dotted names of ours, constants of the table, and verbs."""
    for one in ast.walk(node):
        if isinstance(one, ast.Name):
            yield one.id
            yield from _resolve(known.get(one.id, one.id))
        elif isinstance(one, ast.Attribute):
            yield one.attr
            if isinstance(one.value, ast.Name) and one.value.id in known:
                yield from _resolve(f"{known[one.value.id]}.{one.attr}")


def _resolve(name: str) -> Iterator[str]:
    yield name.replace("config.table.", "table.", 1) if name.startswith("config.table.") else name


def _operation(node: ast.FunctionDef) -> str:
    for one in node.decorator_list:
        for word in one.keywords if isinstance(one, ast.Call) else ():
            if word.arg == "operation_id" and isinstance(word.value, ast.Constant):
                return str(word.value.value)
    return ""


def _pages(tree: ast.Module, known: Mapping[str, str], space: str) -> Iterator[tuple[str, str]]:
    """View → the name of its address, of the module's ``urlpatterns``; in ``space`` if the module names none."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Constant):
            target = node.targets[0]
            space = f"{node.value.value!s}:" if isinstance(target, ast.Name) and target.id == "app_name" else space
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name) or node.func.id != "path":
            continue
        name = next((word.value for word in node.keywords if word.arg == "name"), None)
        views = [one for one in _mentions(node.args[1], known) if one.count(".") > 1] if len(node.args) > 1 else []
        if isinstance(name, ast.Constant) and views:
            yield views[0], f"{space}{name.value!s}"
