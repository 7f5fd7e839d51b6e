"""What a schema may say about the attributes that there are: the sentences for a form, and the gate of every writer."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from config.errors import Refused
from projects.schemas.governing import (
    KINDS,
    MAX_ALLOWED,
    MAX_COMPOSITE_KEYS,
    MAX_USES,
    AttributeDefinition,
    AttributeUse,
    Schema,
    to_stored_value,
)

LONGEST_VALUE = 200  # characters
COMPOSITE_SIZE = (2, 5)  # attributes in one composite key
Definitions = Mapping[str, AttributeDefinition]


@dataclass(frozen=True)
class Problem:
    """``part``: key, allowed or default of the use at ``place``; composite of the composite key there; 0-based."""

    part: str
    place: int
    text: str


def normalise_schema(schema: Schema, definitions: Definitions) -> Schema:
    """With every value as it is stored; one that is no value of its kind stays as typed and is a problem."""

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
    """Raises: Refused, with the first thing to change."""
    for problem in schema_problems(schema, definitions):
        raise Refused(problem.text)


def schema_problems(schema: Schema, definitions: Definitions) -> Iterator[Problem]:
    """Every thing to change in a schema that ``normalise_schema`` has seen, in the order of the form."""
    if len(schema.uses) > MAX_USES:
        yield Problem("key", MAX_USES, f"A schema can have up to {MAX_USES} attributes. Remove some, then save again.")
    seen: set[str] = set()
    for place, use in enumerate(schema.uses):
        if use.key in seen:
            yield Problem("key", place, f"{use.key} is already listed above. Choose another or remove one.")
            continue
        seen.add(use.key)
        for part, text in _use_problems(use, definitions.get(use.key)):
            yield Problem(part, place, text)
    yield from _composite_problems(schema, definitions)


def _use_problems(use: AttributeUse, definition: AttributeDefinition | None) -> Iterator[tuple[str, str]]:
    if definition is None:
        yield "key", f"Attribute “{use.key}” does not exist. Create it under Attributes first."
    elif definition.kind not in KINDS:
        yield "key", f"{use.key} is {definition.kind_label} and set by the system. Choose another."
    elif not definition.is_value:
        if use.allowed or use.default:
            yield "allowed" if use.allowed else "default", f"{use.key} has no values. Leave this empty."
    else:
        yield from _value_problems(use, definition)


def _value_problems(use: AttributeUse, definition: AttributeDefinition) -> Iterator[tuple[str, str]]:
    kind = KINDS[definition.kind]
    example = f", for example {kind.example}" if kind.example else ""
    if definition.kind == "boolean" and use.allowed:
        yield "allowed", "Yes/No attributes have fixed values. Leave this empty."
    elif len(use.allowed) > MAX_ALLOWED:
        yield "allowed", f"Enter at most {MAX_ALLOWED} values (currently {len(use.allowed)})."
    else:
        for value in use.allowed:
            if len(value) > LONGEST_VALUE:
                yield "allowed", f"Values can have up to {LONGEST_VALUE} characters. Shorten “{value[:30]}…”."
            elif to_stored_value(definition.kind, value) != value:
                yield "allowed", f"“{value[:40]}” is not a valid {kind.label.lower()} value{example}."
    if use.default and to_stored_value(definition.kind, use.default) != use.default:
        yield "default", f"“{use.default[:40]}” is not a valid {kind.label.lower()} value{example}."
    elif use.default and use.allowed and use.default not in use.allowed:
        yield "default", "Choose one of the allowed values."


def _composite_problems(schema: Schema, definitions: Definitions) -> Iterator[Problem]:
    least, most = COMPOSITE_SIZE
    for place, keys in enumerate(schema.composite_keys):
        text = ""
        if place >= MAX_COMPOSITE_KEYS:
            text = f"A schema can have up to {MAX_COMPOSITE_KEYS} composite keys. Remove some."
        elif not least <= len(keys) <= most:
            text = f"Enter {least} to {most} attributes, separated by commas."
        elif len(set(keys)) < len(keys):
            text = "List each attribute once."
        elif keys in schema.composite_keys[:place]:
            text = "This key is already listed above."
        elif missing := [key for key in keys if key not in definitions]:
            text = f"Attribute “{missing[0]}” does not exist. Create it under Attributes first."
        elif bare := [key for key in keys if not definitions[key].is_value]:
            text = f"{bare[0]} has no values and cannot be part of a key."
        if text:
            yield Problem("composite", place, text)
