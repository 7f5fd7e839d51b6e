"""Django's templates with their most frequent tags bound to plain functions; but for indentation a page stays the same.

More than half of a page's CPU time went into walking templates: ten calls for each variable, six for each part of a
condition. The loader binds variables, ``if``, ``for``, ``with``, ``include`` and ``url`` once, when it has parsed a
template. What is not plain goes Django's own way: a callable, a failed lookup, any other tag. Nothing is bound while
templates are debugged, so that a fault names its line.
"""

import functools
import operator
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from html import escape
from itertools import zip_longest
from typing import Any

from django.conf import settings
from django.template import Context, Template, VariableDoesNotExist
from django.template.base import FilterExpression, Node, NodeList, TextNode, Variable, VariableNode
from django.template.base import render_value_in_context as render_value
from django.template.context import ContextDict
from django.template.defaulttags import CommentNode, ForNode, IfNode, LoadNode, URLNode, WithNode
from django.template.loader_tags import IncludeNode
from django.template.loaders import cached
from django.templatetags.static import StaticNode, static
from django.urls import NoReverseMatch, get_script_prefix, get_urlconf, reverse
from django.utils.safestring import SafeData, SafeString, mark_safe
from django.utils.timezone import template_localtime  # type: ignore[attr-defined]  # the stubs do not know it

_INDENTATION = re.compile(r"\n\s+")
Resolve = Callable[[Any], Any]
Render = Callable[[Any], Any]  # a text; Django's stubs say int, too
_ABSENT = object()
_COMPARISONS: Mapping[str, Callable[[Any, Any], Any]] = {
    "==": operator.eq,
    "!=": operator.ne,
    ">": operator.gt,
    ">=": operator.ge,
    "<": operator.lt,
    "<=": operator.le,
    "is": operator.is_,
    "is not": operator.is_not,
    "in": lambda one, many: one in many,
    "not in": lambda one, many: one not in many,
}


class Loader(cached.Loader):
    """Django's cached loader, which binds what it has parsed."""

    def __init__(self, engine: Any, loaders: Sequence[Any]) -> None:
        super().__init__(engine, loaders)
        self._included: dict[str, Template] = {}

    def get_template(self, template_name: str, skip: Any = None) -> Template:
        template = super().get_template(template_name, skip)
        if "render" not in vars(template.nodelist) and not self.engine.debug and not self.engine.string_if_invalid:
            _bind_list(template.nodelist, self)
        return template

    def include(self, name: str) -> Template:
        """``get_template`` without working out a cache key for each row of a list."""
        found = self._included.get(name)
        if found is None:
            found = self._included[name] = self.engine.get_template(name)
        return found

    def reset(self) -> None:
        super().reset()
        self._included.clear()


def _bind_list(nodes: NodeList, loader: Loader) -> Render:
    """Bind all nodes below and have the list rendered by its parts: texts, and functions of the context."""
    parts: list[str | Render] = []
    for node in nodes:
        part = _bind(node, loader)
        if isinstance(part, str) and parts and isinstance(parts[-1], str):
            parts[-1] += part
        elif part != "":
            parts.append(part)
    render: Render
    if not parts or (len(parts) == 1 and isinstance(parts[0], str)):
        whole = SafeString(parts[0] if parts else "")

        def render(_context: Any) -> Any:
            return whole
    else:

        def render(context: Any) -> Any:
            return SafeString("".join([part if part.__class__ is str else part(context) for part in parts]))  # type: ignore[operator]

    nodes.render = render  # type: ignore[method-assign,assignment]  # blocks and other tags render their lists themselves
    return render


def _bind(node: Any, loader: Loader) -> Any:  # a text or a function
    kind = type(node)
    if kind is TextNode:
        # Two thirds of a long list are the templates' own indentation, which browsers take for one blank.
        return _INDENTATION.sub("\n", node.s) if node.origin.name.endswith(".html") else str(node.s)
    if kind in (LoadNode, CommentNode):
        return ""
    bind = _BINDINGS.get(kind)
    if bind:
        node.render_annotated = bind(node, loader)
    else:
        for inner in (getattr(node, name, None) for name in node.child_nodelists):
            if isinstance(inner, NodeList):
                _bind_list(inner, loader)
    return node.render_annotated


def _bind_variable(node: Any, _loader: Loader) -> Render:
    resolve = _bind_expression(node.filter_expression, "")
    grouping = settings.USE_THOUSAND_SEPARATOR

    def render(context: Any) -> Any:
        value = resolve(context)
        kind = value.__class__
        if kind is str and context.autoescape:
            return escape(value)
        if kind is SafeString or kind is str or (kind is int and not grouping):
            return str(value)
        return render_value(value, context)

    return render


def _bind_if(node: Any, loader: Loader) -> Render:
    branches = [
        (_bind_condition(condition) if condition else lambda _context: True, _bind_list(nodes, loader))
        for condition, nodes in node.conditions_nodelists
    ]

    def render(context: Any) -> Any:
        for holds, body in branches:
            if holds(context):
                return body(context)
        return ""

    return render


def _bind_for(node: Any, loader: Loader) -> Render:
    body, empty = _bind_list(node.nodelist_loop, loader), _bind_list(node.nodelist_empty, loader)
    resolve, names, is_reversed = _bind_expression(node.sequence, None), node.loopvars, node.is_reversed
    name = names[0] if len(names) == 1 else ""

    def render(context: Any) -> Any:
        values = resolve(context)
        if values is None:
            values = ()
        if not hasattr(values, "__len__"):
            values = list(values)
        count = len(values)
        if count < 1:
            with context.push():
                return empty(context)
        loop: dict[str, Any] = {"parentloop": context.get("forloop", {})}
        rendered = []
        with context.push(forloop=loop) as layer:
            for index, item in enumerate(reversed(values) if is_reversed else values):
                loop["counter0"] = index
                loop["counter"] = index + 1
                loop["revcounter"] = count - index
                loop["revcounter0"] = count - index - 1
                loop["first"] = index == 0
                loop["last"] = index == count - 1
                if name:
                    layer[name] = item
                    rendered.append(body(context))
                else:
                    with context.push(_unpack(names, item)):
                        rendered.append(body(context))
        return SafeString("".join(rendered))

    return render


def _unpack(names: Sequence[str], item: Any) -> dict[str, Any]:
    try:
        length = len(item)
    except TypeError:
        length = 1
    if length != len(names):
        raise ValueError(f"Need {len(names)} values to unpack in for loop; got {length}. ")  # Django's own words
    return dict(zip(names, item, strict=True))


def _bind_with(node: Any, loader: Loader) -> Render:
    values, body = _bind_values(node.extra_context), _bind_list(node.nodelist, loader)

    def render(context: Any) -> Any:
        with ContextDict(context, [(name, resolve(context)) for name, resolve in values]):
            return body(context)

    return render


def _bind_include(node: Any, loader: Loader) -> Any:
    """One whose template is named; one that a variable names, or an isolated one, is left as it is."""
    name = node.template.var
    if not isinstance(name, str) or node.template.filters or node.isolated_context or name.startswith("."):
        return node.render_annotated
    values = _bind_values(node.extra_context)
    fixed: list[str] = []  # the text, once it is known that it is the same on every page
    may_be_fixed = _has_literals(node.extra_context.values())

    def render(context: Any) -> Any:
        nonlocal may_be_fixed
        if fixed and context.autoescape:
            return fixed[0]
        template, frame = loader.include(name), context.render_context
        if may_be_fixed and context.autoescape:
            may_be_fixed = False
            if _needs_only(template.nodelist, frozenset(node.extra_context), loader):
                fixed.append(template.render(Context({key: resolve(context) for key, resolve in values})))
                return fixed[0]
        with ContextDict(context, [(key, resolve(context)) for key, resolve in values]):
            outer, frame.template = frame.template, template
            frame.push()
            try:
                return template._render(context)  # type: ignore[attr-defined]  # as Template.render does within another one
            finally:
                frame.template = outer
                frame.pop()

    return render


def _has_literals(expressions: Iterable[FilterExpression]) -> bool:
    return all(_names_nothing_but(one, frozenset()) for one in expressions)


def _names_nothing_but(expression: FilterExpression, names: frozenset[str]) -> bool:
    """It looks up none but ``names``, and its filters give the same for the same to everyone."""
    looked_up = [expression.var, *(one for _, arguments in expression.filters for is_var, one in arguments if is_var)]
    known = all(not isinstance(one, Variable) or _is_among(one, names) for one in looked_up)
    return known and not any(getattr(filter_, "expects_localtime", False) for filter_, _ in expression.filters)


def _is_among(variable: Variable, names: frozenset[str]) -> bool:
    return not variable.translate and (variable.lookups is None or variable.lookups[0] in names)


def _needs_only(nodes: Iterable[Any], names: frozenset[str], loader: Loader) -> bool:
    """Whether what the nodes show follows from ``names`` alone: texts, variables, ``if``, and includes of such."""
    for node in nodes:
        kind = type(node)
        if kind in (TextNode, LoadNode, CommentNode):
            continue
        if kind is VariableNode:
            needs_only = _names_nothing_but(node.filter_expression, names)
        elif kind is IfNode:
            needs_only = all(
                _asks_only(condition, names) and _needs_only(body, names, loader)
                for condition, body in node.conditions_nodelists
            )
        elif kind in (WithNode, IncludeNode):
            given = names | frozenset(node.extra_context)
            needs_only = all(_names_nothing_but(one, names) for one in node.extra_context.values())
            if needs_only and kind is WithNode:
                needs_only = _needs_only(node.nodelist, given, loader)
            elif needs_only:
                named = node.template.var
                plain = isinstance(named, str) and not node.template.filters and not node.isolated_context
                needs_only = plain and _needs_only(loader.include(named).nodelist, given, loader)
        else:
            needs_only = False
        if not needs_only:
            return False
    return True


def _asks_only(condition: Any, names: frozenset[str]) -> bool:
    if condition is None:  # else
        return True
    if condition.id == "literal":
        return _names_nothing_but(condition.value, names)
    return all(_asks_only(one, names) for one in (condition.first, condition.second) if one is not None)


def _bind_url(node: Any, _loader: Loader) -> Any:
    """One of a named view: its address depends on the site and its arguments, and lists are looked at again."""
    if node.asvar or isinstance(node.view_name.var, Variable) or node.view_name.filters:
        return node.render_annotated
    render_anew = node.render_annotated
    name = str(node.view_name.var)
    arguments = [_bind_expression(one, "") for one in node.args]
    named = _bind_values(node.kwargs)

    def render(context: Any) -> Any:
        args = tuple([resolve(context) for resolve in arguments])
        kwargs = tuple([(key, resolve(context)) for key, resolve in named])
        if not all(isinstance(one, str) for one in (*args, *dict(kwargs).values())):  # 1 and True are one key
            return render_anew(context)
        app = _name_app(getattr(context, "request", None))
        url = _reverse(get_script_prefix(), get_urlconf(), name, args, kwargs, app)
        return escape(url) if context.autoescape else url

    return render


def _name_app(request: Any) -> str | None:
    if hasattr(request, "current_app"):  # Django's admin says so
        return request.current_app  # type: ignore[no-any-return]
    return getattr(getattr(request, "resolver_match", None), "namespace", None)


def _bind_static(node: Any, _loader: Loader) -> Any:
    """A file that the template names: its address is the same as long as the process lives, as an icon's is."""
    if node.varname or not isinstance(node.path.var, str) or node.path.filters:
        return node.render_annotated
    path = str(node.path.var)

    def render(context: Any) -> Any:
        return _find_static(path) if context.autoescape else node.url(context)

    return render


@functools.cache
def _find_static(path: str) -> str:
    return escape(static(path))


@functools.lru_cache(maxsize=8192)
def _reverse(_prefix: str, _urlconf: Any, name: str, args: Any, kwargs: Any, current_app: str | None) -> str:
    if args and not kwargs and all(map(_IS_PLAIN, args)):
        pieces = _find_pieces(_prefix, _urlconf, name, len(args), current_app)
        if pieces:
            return "".join(map("".join, zip_longest(pieces, args, fillvalue="")))
    return reverse(name, args=args, kwargs=dict(kwargs), current_app=current_app)


# No address quotes any of them, and every part of a path that takes a text takes them.
_IS_PLAIN = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]*").fullmatch


@functools.cache
def _find_pieces(_prefix: str, _urlconf: Any, name: str, count: int, current_app: str | None) -> tuple[str, ...] | None:
    """What stands around ``count`` texts in the addresses of a view; None if it takes others than texts.

    Looking for the pattern anew for each document took a twentieth of a page.
    """
    marks = [f"mark{number}x" for number in range(count)]
    try:
        found = reverse(name, args=marks, current_app=current_app)
    except NoReverseMatch:
        return None
    pieces = []
    for mark in marks:
        before, there, found = found.partition(mark)
        if not there:
            return None
        pieces.append(before)
    return (*pieces, found)


_BINDINGS: Mapping[type[Node], Callable[[Any, Loader], Render]] = {
    VariableNode: _bind_variable,
    IfNode: _bind_if,
    ForNode: _bind_for,
    WithNode: _bind_with,
    IncludeNode: _bind_include,
    URLNode: _bind_url,
    StaticNode: _bind_static,
}


def _bind_values(values: Mapping[str, FilterExpression]) -> list[tuple[str, Resolve]]:
    return [(name, _bind_expression(expression, "")) for name, expression in values.items()]


def _bind_expression(expression: FilterExpression, missing: str | None) -> Resolve:
    """``missing``: what a variable that is not there counts as, before its filters."""
    value = expression.var
    if isinstance(value, Variable):
        resolve = _bind_lookup(value, missing)
    else:

        def resolve(_context: Any) -> Any:
            return value

    for function, arguments in expression.filters:
        resolve = _bind_filter(resolve, function, arguments)
    return resolve


def _bind_filter(of: Resolve, function: Callable[..., Any], arguments: Iterable[tuple[bool, Any]]) -> Resolve:
    # An argument that is not there is a fault, unlike the value that is filtered.
    # Django takes the words of templates for safe, and what a filter that keeps texts safe makes of a safe one.
    extra = [one.resolve if looked_up else _constant(mark_safe(one)) for looked_up, one in arguments]  # noqa: S308
    in_zone = getattr(function, "expects_localtime", False)
    escapes, keeps_safe = getattr(function, "needs_autoescape", False), getattr(function, "is_safe", False)

    def resolve(context: Any) -> Any:
        value = of(context)
        if in_zone:
            value = template_localtime(value, context.use_tz)
        given = [one(context) for one in extra]
        found = function(value, *given, autoescape=context.autoescape) if escapes else function(value, *given)
        return mark_safe(found) if keeps_safe and isinstance(value, SafeData) else found  # noqa: S308

    return resolve


def _constant(value: Any) -> Resolve:
    return lambda _context: value


class _Indexable(dict[type, bool]):
    """Whether Django asks values of a class for an item before it asks for an attribute."""

    def __missing__(self, kind: type) -> bool:
        self[kind] = hasattr(kind, "__getitem__")
        return self[kind]


_indexable = _Indexable()


def _bind_lookup(variable: Variable, missing: str | None) -> Resolve:
    """``a.b.c`` without Django's detours, if each step is an item or an attribute that is there and no callable."""
    if variable.lookups is None or variable.translate:
        return variable.resolve
    first, rest, resolve_slowly = variable.lookups[0], variable.lookups[1:], _look_up_slowly(variable, missing)

    def resolve(context: Any) -> Any:
        for layer in reversed(context.dicts):
            if first in layer:
                value = layer[first]
                break
        else:
            return missing
        if callable(value):
            return resolve_slowly(context)
        for name in rest:
            try:
                value = value[name] if _indexable[value.__class__] else getattr(value, name)
            except Exception:  # noqa: BLE001 - Django's own way tries the other steps, and raises what is wrong
                return resolve_slowly(context)
            if callable(value):
                return resolve_slowly(context)
        return value

    return resolve


def _look_up_slowly(variable: Variable, missing: str | None) -> Resolve:
    look_up = variable.resolve

    def resolve(context: Any) -> Any:
        try:
            return look_up(context)
        except VariableDoesNotExist:
            return missing

    return resolve


def _bind_condition(token: Any) -> Resolve:
    if token.id != "literal":
        return _bind_operand(token)
    resolve = _bind_operand(token)
    return _or_false(resolve, VariableDoesNotExist) if token.value.filters else resolve


def _bind_operand(token: Any) -> Resolve:
    """A part of what ``if`` asks; a comparison that cannot be made does not hold."""
    if token.id == "literal":
        return _bind_expression(token.value, None)
    return _or_false(_bind_operator(token), Exception)


def _bind_operator(token: Any) -> Resolve:
    one = _bind_operand(token.first)
    if token.id == "not":
        return lambda context: not one(context)
    other = _bind_operand(token.second)
    if token.id == "and":
        return lambda context: one(context) and other(context)
    if token.id == "or":
        return lambda context: one(context) or other(context)
    compare = _COMPARISONS[token.id]
    return lambda context: compare(one(context), other(context))


def _or_false(resolve: Resolve, error: type[Exception]) -> Resolve:
    def holds(context: Any) -> Any:
        try:
            return resolve(context)
        except error:
            return False

    return holds
