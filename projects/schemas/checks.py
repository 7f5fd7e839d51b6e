"""Validation of schemas, for forms and all writers."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from config.errors import Refused
from config.phrase import Phrase
from projects.schemas.governing import (
    ENTITY,
    KINDS,
    MAX_ALLOWED,
    MAX_COMPOSITE_KEYS,
    MAX_USES,
    PUBLICATION,
    AttributeDefinition,
    AttributeUse,
    Schema,
    to_stored_value,
)

LONGEST_VALUE = 200  # characters
COMPOSITE_SIZE = (2, 5)  # attributes in one composite key
Definitions = Mapping[str, AttributeDefinition]

_MISSING = Phrase("Attribute “%(key)s” does not exist. Create it under Attributes first.")


@dataclass(frozen=True)
class Problem:
    """``part``: key, allowed or default of the use at ``place``; composite of the composite key there; 0-based."""

    part: str
    place: int
    text: str


def normalise_schema(schema: Schema, definitions: Definitions) -> Schema:
    """Convert all values to stored form; invalid ones stay as typed and are reported as problems."""

    def store_value(key: str, text: str) -> str:
        definition = definitions.get(key)
        return text if definition is None else to_stored_value(definition.kind, text) or text

    uses = tuple(
        replace(
            one,
            allowed=tuple(dict.fromkeys(store_value(one.key, value) for value in one.allowed)),
            default=store_value(one.key, one.default),
        )
        for one in schema.uses
    )
    return replace(schema, uses=uses)


def check_schema(schema: Schema, definitions: Definitions) -> None:
    """Raises: Refused with the first problem."""
    for problem in schema_problems(schema, definitions):
        raise Refused(problem.text)


def schema_problems(schema: Schema, definitions: Definitions) -> Iterator[Problem]:
    """Return all problems of a normalised schema, in the order of the form."""
    if len(schema.uses) > MAX_USES:
        yield Problem(
            "key",
            MAX_USES,
            Phrase("A schema can have up to %(most)s attributes. Remove some, then save again.").fill(most=MAX_USES),
        )
    seen: set[str] = set()
    for place, use in enumerate(schema.uses):
        if use.key in seen:
            yield Problem(
                "key", place, Phrase("%(key)s is already listed above. Choose another or remove one.").fill(key=use.key)
            )
            continue
        seen.add(use.key)
        for part, text in _use_problems(use, definitions.get(use.key)):
            yield Problem(part, place, text)
    yield from _composite_problems(schema, definitions)


def _use_problems(use: AttributeUse, definition: AttributeDefinition | None) -> Iterator[tuple[str, str]]:
    if definition is None:
        yield "key", _MISSING.fill(key=use.key)
    elif definition.kind not in KINDS or definition.kind == PUBLICATION:
        yield "key", Phrase("%(key)s is set by the system. Choose another.").fill(key=use.key)
    elif not definition.is_value:
        if use.allowed or use.default:
            yield (
                "allowed" if use.allowed else "default",
                Phrase("%(key)s has no values. Leave this empty.").fill(key=use.key),
            )
    elif definition.kind == ENTITY:
        if use.allowed or use.default:
            yield (
                "allowed" if use.allowed else "default",
                Phrase("%(key)s takes any entry of its list. Leave this empty.").fill(key=use.key),
            )
    else:
        yield from _value_problems(use, definition)


def _value_problems(use: AttributeUse, definition: AttributeDefinition) -> Iterator[tuple[str, str]]:
    kind = KINDS[definition.kind]
    alone = Phrase("“%(value)s” is not a valid %(kind)s value.")
    shown = Phrase("“%(value)s” is not a valid %(kind)s value, for example %(example)s.")
    wrong = shown if kind.example else alone
    if definition.kind == "boolean" and use.allowed:
        yield "allowed", Phrase("Yes/No attributes have fixed values. Leave this empty.")
    elif len(use.allowed) > MAX_ALLOWED:
        yield (
            "allowed",
            Phrase("Enter at most %(most)s values (currently %(count)s).").fill(
                most=MAX_ALLOWED, count=len(use.allowed)
            ),
        )
    else:
        for value in use.allowed:
            if len(value) > LONGEST_VALUE:
                yield (
                    "allowed",
                    Phrase("Values can have up to %(most)s characters. Shorten “%(value)s…”.").fill(
                        most=LONGEST_VALUE, value=value[:30]
                    ),
                )
            elif to_stored_value(definition.kind, value) != value:
                yield "allowed", wrong.fill(value=value[:40], kind=Phrase(kind.label.lower()), example=kind.example)
    if use.default and to_stored_value(definition.kind, use.default) != use.default:
        yield "default", wrong.fill(value=use.default[:40], kind=Phrase(kind.label.lower()), example=kind.example)
    elif use.default and use.allowed and use.default not in use.allowed:
        yield "default", Phrase("Choose one of the allowed values.")


def _composite_problems(schema: Schema, definitions: Definitions) -> Iterator[Problem]:
    least, most = COMPOSITE_SIZE
    for place, keys in enumerate(schema.composite_keys):
        text: str = ""
        if place >= MAX_COMPOSITE_KEYS:
            text = Phrase("A schema can have up to %(most)s composite keys. Remove some.").fill(most=MAX_COMPOSITE_KEYS)
        elif not least <= len(keys) <= most:
            text = Phrase("Enter %(least)s to %(most)s attributes, separated by commas.").fill(least=least, most=most)
        elif len(set(keys)) < len(keys):
            text = Phrase("List each attribute once.")
        elif keys in schema.composite_keys[:place]:
            text = Phrase("This key is already listed above.")
        elif missing := [key for key in keys if key not in definitions]:
            text = _MISSING.fill(key=missing[0])
        elif bare := [key for key in keys if not definitions[key].is_value]:
            text = Phrase("%(key)s has no values and cannot be part of a key.").fill(key=bare[0])
        if text:
            yield Problem("composite", place, text)
