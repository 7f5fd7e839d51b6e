"""Figures about the shape of the code, to read and not to hold: ``python -m tests.tools.structure``."""

import ast
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = ("config", "projects", "workflows", "review")
WIDTH = 120  # columns of a template's line
_SHOWN = 10  # of each list
# Participles that do not end in -ed or -ing, and words that look like one and are none.
_PARTICIPLES = frozenset(
    [
        "begun",
        "bound",
        "broken",
        "brought",
        "built",
        "chosen",
        "done",
        "drawn",
        "found",
        "given",
        "gone",
        "held",
        "hidden",
        "kept",
        "known",
        "left",
        "lost",
        "made",
        "met",
        "paid",
        "put",
        "read",
        "said",
        "seen",
        "sent",
        "set",
        "shown",
        "spent",
        "taken",
        "thought",
        "told",
        "understood",
        "went",
        "written",
    ]
)
_OTHERS = frozenset(
    ["bring", "embed", "feed", "missing", "need", "ping", "proceed", "ring", "seed", "speed", "string", "thing"]
)
# Verbs as well as participles: alone they are the one, before a noun the other.
_VERBS = frozenset(["put", "read", "set"])

Function = ast.FunctionDef | ast.AsyncFunctionDef


def is_participle(name: str) -> bool:
    """Whether a function's name begins with a participle.

    >>> [is_participle(name) for name in ("moved", "_shown", "reading_of", "read", "read_page", "need_review")]
    [True, True, True, True, False, False]
    """
    first, _, rest = name.strip("_").partition("_")
    if first in _VERBS:
        return not rest
    return first in _PARTICIPLES or (first not in _OTHERS and len(first) > 4 and first.endswith(("ed", "ing")))


def parse_modules() -> dict[Path, ast.Module]:
    """By path from the root; migrations are Django's."""
    paths = (path for name in PACKAGES for path in sorted((ROOT / name).rglob("*.py")))
    return {path.relative_to(ROOT): ast.parse(path.read_text()) for path in paths if "migrations" not in path.parts}


def functions(module: ast.Module) -> Iterator[Function]:
    return (node for node in ast.walk(module) if isinstance(node, Function))


def parameters(function: Function) -> int:
    given = function.args
    every = [*given.posonlyargs, *given.args, *given.kwonlyargs]
    return sum(one.arg not in {"self", "cls"} for one in every)


def own_imports(module: ast.Module, modules: frozenset[str]) -> set[str]:
    """The project's own modules that it imports."""
    found = set()
    for node in ast.walk(module):
        if isinstance(node, ast.Import):
            found |= {one.name for one in node.names} & modules
        elif isinstance(node, ast.ImportFrom) and node.module:
            below = {f"{node.module}.{one.name}" for one in node.names}
            found |= below & modules or ({node.module} & modules)
    return found


def module_name(path: Path) -> str:
    parts = path.with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def wide_lines() -> Counter[str]:
    """Lines of templates over the width, by template."""
    found: Counter[str] = Counter()
    for path in sorted((ROOT / "templates").rglob("*")):
        if path.is_file():
            count = sum(len(line) > WIDTH for line in path.read_text().splitlines())
            if count:
                found[str(path.relative_to(ROOT))] = count
    return found


def report() -> Iterator[str]:
    modules = parse_modules()
    named = [(path, one) for path, module in modules.items() for one in functions(module)]
    participles = [(path, one) for path, one in named if is_participle(one.name)]
    yield f"Functions named by a participle: {len(participles)} of {len(named)}, {len(participles) / len(named):.1%}"
    yield from _most(Counter(str(path.parent) for path, _ in participles))
    wide = wide_lines()
    yield f"Template lines over {WIDTH} columns: {wide.total()}"
    yield from _most(wide)
    folders = Counter(str(path.parent) for path in modules if path.name != "__init__.py")
    yield f"Modules: {folders.total()} in {len(folders)} folders"
    yield from _most(folders)
    names = frozenset(map(module_name, modules))
    imports = Counter({str(path): len(own_imports(module, names)) for path, module in modules.items()})
    yield f"Own imports a module: {imports.total() / len(imports):.1f}"
    yield from _most(imports)
    longest = Counter({f"{path}:{one.lineno} {one.name}": parameters(one) for path, one in named})
    yield "Functions with the most parameters"
    yield from _most(longest)


def _most(counts: Counter[str]) -> Iterator[str]:
    yield from (f"  {count:5}  {name}" for name, count in counts.most_common(_SHOWN))
    yield ""


if __name__ == "__main__":
    print("\n".join(report()))
