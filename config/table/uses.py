"""Static analysis of which code writes and reads each entity, and which page and API operation show it.

A function uses an entity if it names its constant or mentions a function that does; the shortest chain of mentions
counts. Pages and operations that show something come before those that only change it, and those that use a reader of
the entity before others. What writes rows comes before what only removes them. New pages and operations are found
without being listed. An entity that is internal says so in its declaration, and that sentence fills the cells that
would be empty; one that is used without being shown says why in the same way. Where code for rows of several kinds
shows it, which names no entity, the declaration says by what.
"""

import ast
import functools
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import astuple, dataclass, field, replace
from pathlib import Path

from config import table
from config.table import ENTITIES, Entity

_ROOT = Path(__file__).resolve().parents[2]
_PACKAGES = ("config", "projects", "workflows", "review")
_WRITES = frozenset(
    {"transact", "Put", "Update", "Delete", "put_rows", "put_item", "change", "save", "delete", "batch_write"}
)
_READS = frozenset(
    {
        "load", "load_many", "page", "every", "together", "partition", "count_rows", "query", "get_item",
        "batch_get_item", "review.audit.timeline.Source",
    }
)  # fmt: skip
_SHARED = "workflows"  # whose packages share one namespace of addresses
_NO_PAGES = frozenset({"healthz", "readyz", "metrics"})  # addresses for programs that watch the desk
_LOOKS = ("show", "list")  # how names begin of pages and operations that only show
_REMOVALS = ("delete", "destroy", "detach", "discard", "forget", "give_up", "hide", "purge", "remove")  # of functions
_CHANGES = ("answer", "cancel", "create", "delete", "merge", "settle", "start")  # of pages that ask before they change
_USED = "used, not shown: "  # followed by what uses it; a test refuses it
NOT_SHOWN = "not shown: "  # followed by the reason
_NEAR, _FAR = 3, 8  # mentions from the constant to what writes or reads, and to what shows


@dataclass(frozen=True)
class Uses:
    """Functions by dotted name, the page by URL name, the operation by id; empty if none."""

    written_by: str = ""
    read_by: str = ""
    page: str = ""
    api: str = ""


@dataclass
class _Code:
    """``mentions``: function → names it mentions (``table.X``: constants). ``pages``, ``operations``: function → name.

    ``showing``: those functions that answer GET.
    """

    mentions: dict[str, set[str]] = field(default_factory=dict)
    showing: set[str] = field(default_factory=set)
    pages: dict[str, str] = field(default_factory=dict)
    operations: dict[str, str] = field(default_factory=dict)


def uses_of(entity: Entity) -> Uses:
    """Return the uses of an entity; its own words fill the cells that would be empty or show nothing."""
    found = find_uses(_constant_of(entity))
    along = [find_uses(_constant_of(one)) for one in ENTITIES if one is not entity and _is_read_along(entity, one)]
    if not found.read_by:
        found = replace(found, read_by=next((one.read_by for one in along if one.read_by), ""))
    for cell in ("page", "api"):
        shown = next((way for one in along if _shows(way := getattr(one, cell))), "")
        now = getattr(found, cell)
        if shown and not _shows(now) and (now or cell == "api"):
            found = replace(found, **{cell: shown})
    for cell, shown in zip(("page", "api"), entity.shown_by, strict=False):
        found = replace(found, **{cell: shown or getattr(found, cell)})
    if entity.not_shown:
        told = f"{NOT_SHOWN}{entity.not_shown}"
        found = replace(found, **{cell: told for cell in ("page", "api") if not _shows(getattr(found, cell))})
    if not entity.internal:
        return found
    return Uses(*(cell or f"internal: {entity.internal}" for cell in astuple(found)))


def _is_change(name: str) -> bool:
    return name.rpartition(":")[2].startswith(_CHANGES)


def _shows(cell: str) -> bool:
    return bool(cell) and not cell.startswith((_USED, NOT_SHOWN))


def _constant_of(entity: Entity) -> str:
    return next((name for name, value in vars(table).items() if value is entity), "")


def _is_read_along(entity: Entity, other: Entity) -> bool:
    """Return whether reading ``other`` also reads this entity: in one index or one partition.

    In one partition: below the same prefix, or the whole partition.
    """
    if entity.table != other.table:
        return False
    if other.pk == entity.pk and entity.sort_prefix().startswith(other.sort_prefix()):
        return True
    if other.gsi1pk and (other.gsi1pk, other.gsi1_prefix()) == (entity.gsi1pk, entity.gsi1_prefix()):
        return True
    code, users = _read_code()
    readers = users.get(f"table.{_constant_of(other)}", set()) if other.pk == entity.pk else set()
    return any("partition" in code.mentions[name] for name in readers)


@functools.cache
def find_uses(constant: str) -> Uses:
    code, users = _read_code()
    start = users.get(f"table.{constant}", set())

    def does(verbs: frozenset[str]) -> Callable[[str], bool]:
        return lambda name: bool(code.mentions[name] & verbs)

    def passes_on(name: str) -> bool:
        """Return whether the function passes the entity to a generic writer."""
        return any(code.mentions[one] & _WRITES for one in code.mentions[name] if one in code.mentions)

    def keeps(name: str) -> bool:
        return does(_WRITES)(name) and not name.rpartition(".")[2].lstrip("_").startswith(_REMOVALS)

    kinds = (keeps, does(_WRITES), passes_on)  # what only removes rows is named if nothing else writes them
    written = next((one for fits in kinds if (one := _nearest(start, users, fits, far=_NEAR))), "")
    readers = _nearest_all(start, users, does(_READS), far=_NEAR)

    def show(names: Mapping[str, str]) -> tuple[str, str]:
        """Return the nearest of ``names`` that shows the entity, and the reader that it uses."""
        seen = {one for one in code.showing & names.keys() if not _is_change(names[one])}
        ways = [(found, one) for one in readers for found in _nearest_all([one], users, seen.__contains__, far=_FAR)]

        def rank(way: tuple[str, str]) -> tuple[int, bool]:
            return _distance(way[1], way[0], users), not names[way[0]].rpartition(":")[2].startswith(_LOOKS)

        return min(ways, key=rank, default=("", ""))

    (page, reader), (operation, _) = show(code.pages), show(code.operations)

    def name(shown: str, names: Mapping[str, str]) -> str:
        using = shown or _nearest(start, users, names.__contains__, far=_FAR)
        is_shown = bool(shown) or (using in code.showing and not _is_change(names[using]))
        return f"{'' if is_shown else _USED}{names[using]}" if using else ""

    read = reader or next(iter(readers), "")
    return Uses(written, read, name(page, code.pages), name(operation, code.operations))


def _distance(start: str, end: str, users: Mapping[str, set[str]]) -> int:
    """Return the number of mentions from one function to another that uses it."""
    here, seen, steps = {start}, {start}, 0
    while here and end not in here:
        here = {user for name in here for user in users.get(name, ())} - seen
        seen |= here
        steps += 1
    return steps


def _nearest(start: Iterable[str], users: Mapping[str, set[str]], fits: Callable[[str], bool], *, far: int) -> str:
    """Return the nearest match; ties are resolved by name."""
    return next(iter(_nearest_all(start, users, fits, far=far)), "")


def _nearest_all(
    start: Iterable[str], users: Mapping[str, set[str]], fits: Callable[[str], bool], *, far: int
) -> list[str]:
    """Return the nearest matches, by name."""
    here = sorted(start)
    seen = set(here)
    for _ in range(far + 1):
        if found := [name for name in here if fits(name)]:
            return found
        here = sorted({user for name in here for user in users.get(name, ())} - seen)
        seen |= set(here)
    return []


@functools.cache
def _read_code() -> tuple[_Code, Mapping[str, set[str]]]:
    """Parse the source; return it and, for each name, the functions that mention it."""
    code = _Code()
    for package in _PACKAGES:
        for path in sorted((_ROOT / package).rglob("*.py")):
            parts = path.relative_to(_ROOT).with_suffix("").parts
            if parts == ("config", "table", "__init__"):
                _read_key_functions(code, ast.parse(path.read_text(encoding="utf-8")))
            elif parts[:2] != ("config", "table") and "migrations" not in parts:
                module = ".".join(part for part in parts if part != "__init__")
                _read_module(code, module, ast.parse(path.read_text(encoding="utf-8")))
    users: dict[str, set[str]] = {}
    for name, mentioned in code.mentions.items():
        for one in mentioned:
            users.setdefault(one, set()).add(name)
    return code, users


def _read_key_functions(code: _Code, tree: ast.Module) -> None:
    """Find functions such as ``table.segment_key`` that build one entity's key."""
    for node in tree.body:
        if isinstance(node, ast.FunctionDef):
            names = {one.id for one in ast.walk(node) if isinstance(one, ast.Name)}
            entities = {f"table.{name}" for name in names if isinstance(vars(table).get(name), Entity)}
            code.mentions[f"table.{node.name}"] = entities


def _read_module(code: _Code, module: str, tree: ast.Module) -> None:
    known = dict(_imports(tree))
    named = [(name, node) for node in tree.body if (name := _name_of(node))]
    known |= {name: f"{module}.{name}" for name, _ in named}
    for name, node in named:
        code.mentions[f"{module}.{name}"] = set(_mentions(node, known)) - {f"{module}.{name}"}
    for node in tree.body:
        if isinstance(node, ast.FunctionDef) and (operation := _operation(node)):
            code.operations[f"{module}.{node.name}"] = operation
        if isinstance(node, ast.FunctionDef) and _answers_get(node):
            code.showing.add(f"{module}.{node.name}")
    if module.endswith("urls"):
        code.pages.update(_pages(tree, known, f"{_SHARED}:" if module.startswith(f"{_SHARED}.") else ""))


def _name_of(node: ast.stmt) -> str:
    """Return the name of a function, class or constant."""
    if isinstance(node, ast.FunctionDef | ast.ClassDef):
        return node.name
    target = (
        node.targets[0] if isinstance(node, ast.Assign) else node.target if isinstance(node, ast.AnnAssign) else None
    )
    return target.id if isinstance(target, ast.Name) and target.id.isupper() else ""


def _imports(tree: ast.Module) -> Iterator[tuple[str, str]]:
    for node in tree.body:
        if isinstance(node, ast.ImportFrom) and node.module:
            yield from ((one.asname or one.name, f"{node.module}.{one.name}") for one in node.names)


def _mentions(node: ast.AST, known: Mapping[str, str]) -> Iterator[str]:
    """Return the dotted names, table constants and verbs mentioned."""
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


def _answers_get(node: ast.FunctionDef) -> bool:
    """Return whether a view or operation shows something, by its decorators."""
    words = {one.attr if isinstance(one, ast.Attribute) else getattr(one, "id", "") for one in _decorators(node)}
    return "require_POST" not in words and not words & {"post", "put", "patch", "delete"}


def _decorators(node: ast.FunctionDef) -> Iterator[ast.expr]:
    for one in node.decorator_list:
        yield one.func if isinstance(one, ast.Call) else one


def _operation(node: ast.FunctionDef) -> str:
    for one in node.decorator_list:
        for word in one.keywords if isinstance(one, ast.Call) else ():
            if word.arg == "operation_id" and isinstance(word.value, ast.Constant):
                return str(word.value.value)
    return ""


def _pages(tree: ast.Module, known: Mapping[str, str], space: str) -> Iterator[tuple[str, str]]:
    """Return view → URL name from a module's ``urlpatterns``; ``space`` is the default namespace."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Constant):
            target = node.targets[0]
            space = f"{node.value.value!s}:" if isinstance(target, ast.Name) and target.id == "app_name" else space
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name) or node.func.id != "path":
            continue
        name = next((word.value for word in node.keywords if word.arg == "name"), None)
        views = [one for one in _mentions(node.args[1], known) if one.count(".") > 1] if len(node.args) > 1 else []
        if isinstance(name, ast.Constant) and views and name.value not in _NO_PAGES:
            yield views[0], f"{space}{name.value!s}"
