"""A template loader that compiles frequent tags to plain functions; only indentation of the output changes.

Rendering took more than half of a page's CPU time: ten calls for each variable, six for each part of a condition.
The loader binds variables, ``if``, ``for``, ``with``, ``include`` and ``url`` once, when it has parsed a
template, and translates a text once for each language. What is not plain goes Django's own way: a callable, a failed
lookup, any other tag. Nothing is bound while templates are debugged, so that a fault names its line.

Numbers are written as Python does: most stand in attributes, which know no locale. Filters write what people read.
"""

import datetime as dt
import functools
import operator
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from itertools import chain, zip_longest
from typing import Any

from django.template import Context, Template, VariableDoesNotExist
from django.template.base import FilterExpression, Node, NodeList, TextNode, Variable, VariableNode
from django.template.base import render_value_in_context as render_value
from django.template.context import ContextDict
from django.template.defaulttags import CommentNode, ForNode, IfNode, LoadNode, URLNode, WithNode
from django.template.loader_tags import BlockNode, IncludeNode
from django.template.loaders import cached
from django.templatetags.i18n import BlockTranslateNode, TranslateNode
from django.templatetags.static import StaticNode, static
from django.urls import NoReverseMatch, get_script_prefix, get_urlconf, reverse
from django.utils.safestring import SafeData, SafeString, mark_safe
from django.utils.timezone import get_current_timezone, template_localtime  # type: ignore[attr-defined]  # the stubs
from django.utils.translation import get_language, gettext, ngettext

from config.phrase import Phrase

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


@dataclass(frozen=True)
class Reader:
    """For whom a page is rendered, and where: to ask takes a microsecond or two, and a page asks hundreds of times."""

    language: str | None
    zone: dt.tzinfo
    prefix: str  # of the site's addresses
    urlconf: Any


class Loader(cached.Loader):
    """Django's cached loader, binding each template once it is parsed."""

    def __init__(self, engine: Any, loaders: Sequence[Any]) -> None:
        super().__init__(engine, loaders)
        self._included: dict[str, Template] = {}

    def get_template(self, template_name: str, skip: Any = None) -> Template:
        template = super().get_template(template_name, skip)
        if "render" not in vars(template.nodelist) and not self.engine.debug and not self.engine.string_if_invalid:
            nodes = template.nodelist
            _for_a_reader(nodes, self, anew=False)
            # Each page looks for the blocks of what it extends.
            nodes.get_nodes_by_type = functools.cache(nodes.get_nodes_by_type)  # type: ignore[method-assign,assignment]
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
    """Bind all nodes below, and have Django's tags render the list as the function does that is returned."""
    render = _join([_bind(node, loader) for node in nodes])

    def render_safely(context: Any) -> SafeString:
        return SafeString(render(context))

    nodes.render = render_safely  # type: ignore[method-assign]  # blocks and other tags render their lists themselves
    return render


def _for_a_reader(nodes: NodeList, loader: Loader, *, anew: bool) -> None:
    """Bind a list that notes the reader for all below it.

    ``anew``: also if one is known already, since the tag around it may have changed something.
    """
    render = _bind_list(nodes, loader)

    def render_noting(context: Any) -> SafeString:
        before = getattr(context, "reader", None)
        if before is None or anew:
            context.reader = Reader(get_language(), get_current_timezone(), get_script_prefix(), get_urlconf())
        try:
            return SafeString(render(context))
        finally:
            context.reader = before

    nodes.render = render_noting  # type: ignore[method-assign]


def _join(parts: Sequence["str | Render | _Translated"]) -> Render:
    """All of them as one text; with its translations it is put together once for each language."""
    if not any(isinstance(part, _Translated) for part in parts):
        return _concatenate(parts)  # type: ignore[arg-type]  # as was just asked
    written: dict[str | None, Render] = {}

    def render(context: Any) -> Any:
        language = context.reader.language
        found = written.get(language)
        if found is None:
            said = [part.translate() if isinstance(part, _Translated) else [part] for part in parts]
            found = written[language] = _concatenate(list(chain.from_iterable(said)))
        return found(context)

    return render


def _concatenate(parts: Sequence[str | Render]) -> Render:
    """Texts that stand together become one; what is left to be done is to call the functions between them."""
    pieces: list[str | Render] = []
    for part in parts:
        if isinstance(part, str) and pieces and isinstance(pieces[-1], str):
            pieces[-1] = "".join((pieces[-1], part))  # a safe text stays none
        elif part != "":
            pieces.append("".join((part, "")) if isinstance(part, str) else part)
    calls = [(place, part) for place, part in enumerate(pieces) if not isinstance(part, str)]
    if not calls:
        return _constant(pieces[0] if pieces else "")
    if len(pieces) == 1:
        return calls[0][1]

    def render(context: Any) -> str:
        texts: list[Any] = pieces[:]
        for place, part in calls:
            texts[place] = part(context)
        return "".join(texts)

    return render


@dataclass(frozen=True)
class _Translated:
    """What stands at a place in the language that is active."""

    translate: Callable[[], Sequence[str | Render]]


def _bind(node: Any, loader: Loader) -> "str | Render | _Translated":
    kind = type(node)
    if kind is TextNode:
        # Two thirds of a long list are the templates' own indentation, which browsers take for one blank.
        return _INDENTATION.sub("\n", node.s) if node.origin.name.endswith(".html") else str(node.s)
    if kind in (LoadNode, CommentNode):
        return ""
    bind = _BINDINGS.get(kind)
    if bind:
        bound: Render | _Translated = bind(node, loader)
        if not isinstance(bound, _Translated):
            node.render_annotated = bound
        return bound
    if hasattr(node, "bind"):  # a tag of our own
        own: Render = node.bind(lambda expression: _bind_expression(expression, ""))
        return own
    for inner in (getattr(node, name, None) for name in node.child_nodelists):
        if isinstance(inner, NodeList):
            _for_a_reader(inner, loader, anew=kind is not BlockNode)
    render: Render = node.render_annotated
    return render


def _bind_variable(node: Any, _loader: Loader) -> Render:
    return _bind_text(_bind_expression(node.filter_expression, ""))


def _bind_text(resolve: Resolve) -> Render:
    def render(context: Any) -> Any:
        value = resolve(context)
        kind = type(value)
        if kind is str and context.autoescape:
            return _escape(value)
        if kind is SafeString or kind is str or kind is int or kind is float:
            return str(value)
        if isinstance(value, Phrase) and context.autoescape:
            return _escape(value.translated(context.reader.language))
        return render_value(value, context)

    return render


def _escape(text: str) -> str:
    """Most texts have nothing to escape, and replace takes longer to find none of it."""
    if "&" in text or "<" in text or ">" in text or '"' in text or "'" in text:
        return escape(text)
    return text


def _bind_if(node: Any, loader: Loader) -> Render:
    branches = [
        (_bind_condition(condition) if condition else lambda _context: True, _bind_list(nodes, loader))
        for condition, nodes in node.conditions_nodelists
    ]
    if len(branches) == 1:
        [(only_holds, only_body)] = branches
        return lambda context: only_body(context) if only_holds(context) else ""

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
            if not node.nodelist_empty:
                return ""
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
        return "".join(rendered)

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
    fixed: dict[str | None, str] = {}  # the text by language, once it is known that it is the same on every page
    may_be_fixed = _has_literals(node.extra_context.values())

    def render(context: Any) -> Any:
        nonlocal may_be_fixed
        template, frame = loader.include(name), context.render_context
        if may_be_fixed and context.autoescape:
            language = context.reader.language
            if language in fixed:
                return fixed[language]
            may_be_fixed = _needs_only(template.nodelist, frozenset(node.extra_context), loader)
            if may_be_fixed:
                fixed[language] = template.render(Context({key: resolve(context) for key, resolve in values}))
                return fixed[language]
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
        if kind in (TextNode, LoadNode, CommentNode) or (kind is TranslateNode and _is_constant(node)):
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
    if isinstance(node.view_name.var, Variable) or node.view_name.filters:
        return node.render_annotated
    render_anew, kept_as = node.render_annotated, node.asvar
    name = str(node.view_name.var)
    arguments = [_bind_expression(one, "") for one in node.args]
    named = _bind_values(node.kwargs)

    def render(context: Any) -> Any:
        args = tuple([resolve(context) for resolve in arguments])
        kwargs = tuple([(key, resolve(context)) for key, resolve in named])
        if not all(isinstance(one, str) for one in (*args, *dict(kwargs).values())):  # 1 and True are one key
            args = tuple([str(one) if type(one) is int else one for one in args])
            if named or not all(isinstance(one, str) for one in args):
                return render_anew(context)
        app = _name_app(getattr(context, "request", None))
        try:
            url = _reverse(context.reader.prefix, context.reader.urlconf, name, args, kwargs, app)
        except NoReverseMatch:
            if not kept_as:
                raise
            url = ""
        if kept_as:
            context[kept_as] = url
            return ""
        return escape(url) if context.autoescape else url

    return render


def _name_app(request: Any) -> str | None:
    if hasattr(request, "current_app"):  # Django's admin says so
        return request.current_app  # type: ignore[no-any-return]
    return getattr(getattr(request, "resolver_match", None), "namespace", None)


def _is_constant(node: TranslateNode) -> bool:
    expression = node.filter_expression
    return expression.var.lookups is None and not (expression.filters or node.asvar or node.message_context)


def _bind_translate(node: Any, _loader: Loader) -> Any:
    """A text that the template names is part of what stands around it, in each language."""
    if not _is_constant(node):
        return node.render_annotated
    translate = node.render_annotated
    return _Translated(lambda: [translate(Context())])


def _bind_block_translate(node: Any, _loader: Loader) -> Any:
    """A sentence around values, split at them once for each language, and for each number below a hundred.

    A translation that names other values is rendered Django's way, which takes English.
    """
    if node.asvar or node.message_context:
        return node.render_annotated
    translate_slowly = node.render_annotated
    singular, names = node.render_token_list(node.singular)
    plural, more = node.render_token_list(node.plural) if node.plural else ("", [])
    given = dict(_bind_values(node.extra_context))
    values = {name: _bind_text(given.get(name) or _bind_name(name)) for name in (*names, *more)}
    if not node.plural:
        return _Translated(lambda: _split_sentence(gettext(singular), values) or [translate_slowly])
    count = _bind_expression(node.counter, None)
    written: dict[tuple[str | None, int], Render] = {}

    def render(context: Any) -> Any:
        number = count(context)
        if number.__class__ is not int:
            return translate_slowly(context)
        which = (context.reader.language, number)
        found = written.get(which)
        if found is None:
            parts = _split_sentence(ngettext(singular, plural, number), values | {node.countervar: str(number)})
            found = translate_slowly if parts is None else _concatenate(parts)
            if 0 <= number < 100:
                written[which] = found
        return found(context)

    return render


# A value in a translated sentence, or a percent sign; one that stands by itself is a fault, which is Django's to tell.
_MARK = re.compile(r"%%|%\(([^()]*)\)s|%")


def _split_sentence(text: str, values: Mapping[str, str | Render]) -> list[str | Render] | None:
    """None if the text is no pattern, or names others than ``values``."""
    parts: list[str | Render] = []
    end = 0
    for mark in _MARK.finditer(text):
        value = "%" if mark[0] == "%%" else values.get(mark[1])
        if value is None:
            return None
        parts += [text[end : mark.start()], value]
        end = mark.end()
    return [*parts, text[end:]]


def _bind_name(name: str) -> Resolve:
    """What stands in the context under just this name; a sentence neither calls it nor looks into it."""
    return lambda context: context.get(name, "")


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
        pieces = _find_pieces(_prefix, _urlconf, name, tuple(map(str.isdecimal, args)), current_app)
        if pieces:
            return "".join(map("".join, zip_longest(pieces, args, fillvalue="")))
    return reverse(name, args=args, kwargs=dict(kwargs), current_app=current_app)


# No address quotes any of them, and every part of a path that takes a text takes them.
_IS_PLAIN = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]*").fullmatch


@functools.cache
def _find_pieces(
    _prefix: str, _urlconf: Any, name: str, are_numbers: tuple[bool, ...], current_app: str | None
) -> tuple[str, ...] | None:
    """What stands around texts and numbers in the addresses of a view; None if it takes others.

    Looking for the pattern anew for each document took a twentieth of a page.
    """
    marks = [f"98{at}76543210" if is_number else f"mark{at}x" for at, is_number in enumerate(are_numbers)]
    try:
        found = reverse(name, args=marks, current_app=current_app)
    except NoReverseMatch:
        return None
    pieces = []
    for mark in marks:
        before, there, found = found.partition(mark)
        if not there or mark in found:
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
    TranslateNode: _bind_translate,
    BlockTranslateNode: _bind_block_translate,
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
    if getattr(function, "needs_reader", False):  # a mark of our own
        return lambda context: function(of(context), *[one(context) for one in extra], reader=context.reader)

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


class _Indexable(dict[type, bool | None]):
    """Whether Django asks values of a class for an item before it asks for an attribute; None if it calls them.

    Named tuples are said to be none: they have items, but what a template names of them are attributes.
    """

    def __missing__(self, kind: type) -> bool | None:
        called = any("__call__" in vars(base) for base in kind.__mro__)  # hasattr finds that of the class's own class
        self[kind] = None if called else hasattr(kind, "__getitem__") and not hasattr(kind, "_fields")
        return self[kind]


_indexable = _Indexable()


def _bind_lookup(variable: Variable, missing: str | None) -> Resolve:
    """``a.b.c`` without Django's detours, if each step is an item or an attribute that is there and no callable."""
    if variable.lookups is None or variable.translate:
        return variable.resolve
    first, *rest = variable.lookups
    slowly = _look_up_slowly(variable, missing)
    if not rest:
        return _bind_first(str(first), missing, slowly)
    return _bind_member(str(first), rest[0], missing, slowly) if len(rest) == 1 else _bind_path(variable, slowly)


def _bind_first(name: str, missing: str | None, resolve_slowly: Resolve) -> Resolve:
    def resolve(context: Any) -> Any:
        for layer in reversed(context.dicts):
            if name in layer:
                value = layer[name]
                return resolve_slowly(context) if callable(value) else value
        return missing

    return resolve


def _bind_member(name: str, second: Any, missing: str | None, resolve_slowly: Resolve) -> Resolve:
    """Two thirds of all lookups; with the loop of ``_bind_path`` each takes twice as long."""

    def resolve(context: Any) -> Any:
        for layer in reversed(context.dicts):
            if name in layer:
                value = layer[name]
                break
        else:
            return missing
        is_indexable = _indexable[value.__class__]
        if is_indexable is None:
            return resolve_slowly(context)
        try:
            value = value[second] if is_indexable else getattr(value, second)
        except Exception:  # noqa: BLE001 - Django's own way tries the other steps, and raises what is wrong
            return resolve_slowly(context)
        return resolve_slowly(context) if callable(value) else value

    return resolve


def _bind_path(variable: Any, resolve_slowly: Resolve) -> Resolve:
    first, *rest = variable.lookups

    def resolve(context: Any) -> Any:
        value = context.get(first, _ABSENT)
        for name in rest:
            is_indexable = _indexable[value.__class__]
            if is_indexable is None:
                return resolve_slowly(context)
            try:
                value = value[name] if is_indexable else getattr(value, name)
            except Exception:  # noqa: BLE001 - as above
                return resolve_slowly(context)
        return resolve_slowly(context) if callable(value) else value

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
    return _bind_expression(token.value, None) if token.id == "literal" else _bind_operator(token)


def _bind_operator(token: Any) -> Resolve:
    one = _bind_operand(token.first)
    if token.id == "not":
        return _or_false(lambda context: not one(context), Exception)
    other = _bind_operand(token.second)
    if token.id == "and":
        return _or_false(lambda context: one(context) and other(context), Exception)
    if token.id == "or":
        return _or_false(lambda context: one(context) or other(context), Exception)
    compare = _COMPARISONS[token.id]

    def holds(context: Any) -> Any:
        try:
            return compare(one(context), other(context))
        except Exception:  # noqa: BLE001 - as Django does
            return False

    return holds


def _or_false(resolve: Resolve, error: type[Exception]) -> Resolve:
    def holds(context: Any) -> Any:
        try:
            return resolve(context)
        except error:
            return False

    return holds
