"""The fields of a run: the project's or its document type's, plus the site's schema. Pure functions."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from projects.schemas.governing import BOOLEANS, AttributeDefinition, AttributeUse, Governing
from projects.settings.values import FieldSetting, date_range


@dataclass(frozen=True)
class GovernedField:
    """``threshold`` is 0–1, or None for the project's own. ``allowed`` empty: any value of the type."""

    name: str
    label: str
    type: str
    required: bool = False
    threshold: float | None = None
    allowed: tuple[str, ...] = ()
    default: str = ""
    date_range: str = ""
    columns: str = ""


def list_governed_fields(
    own: Sequence[FieldSetting], thresholds: Mapping[str, float], governing: Governing
) -> Iterator[GovernedField]:
    """Yield fields in review order; the classification's attributes replace ``own``.

    Attributes that the site's schema requires are in every run. If it and a classification name the same attribute, the
    classification's allowed values and default apply; it is required if either requires it.
    """
    site = {use.key: use for use in governing.site.uses}
    if governing.classification is None:
        fields = [
            GovernedField(one.name, one.label, one.type, one.required, date_range=one.date_range, columns=one.columns)
            for one in own
        ]
    else:
        fields = list(_fields_in_use(governing.classification.uses, governing))
    named = {one.name for one in fields}
    fields += _fields_in_use([use for use in site.values() if use.required and use.key not in named], governing)
    for one in fields:
        under = _apply_use(one, site[one.name], governing.definitions.get(one.name)) if one.name in site else one
        plausible = date_range(one.name, under.type, under.date_range)
        yield replace(under, threshold=thresholds.get(one.name), date_range=plausible)


def _fields_in_use(uses: Iterable[AttributeUse], governing: Governing) -> Iterator[GovernedField]:
    for use in uses:
        definition = governing.definitions.get(use.key)
        if definition is not None and definition.is_read:  # older definitions may have no type to extract
            yield _apply_use(GovernedField(use.key, definition.label, definition.kind), use, definition)


def _apply_use(one: GovernedField, use: AttributeUse, definition: AttributeDefinition | None) -> GovernedField:
    """Apply ``use`` to ``one``, whose own settings take precedence."""
    kind = definition.kind if definition is not None and definition.is_read else one.type
    return replace(
        one,
        type=kind,
        required=one.required or use.required,
        allowed=BOOLEANS if kind == "boolean" else one.allowed or use.allowed,
        default=one.default or use.default,
        date_range=one.date_range or (definition.date_range if definition is not None else ""),
        columns=one.columns or (definition.columns if definition is not None else ""),
    )
