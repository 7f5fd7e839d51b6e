"""The key space as a table and as the page ``docs/keys.md``."""

from typing import Any

from config.table import ENTITIES, FIRST_INDEX_ATTRIBUTES, INDEX_ATTRIBUTES

_HEAD = """# The keys of the one table

Generated from `config/table/` by `make keys`; `make check` holds it. `{date}`-like parts are filled by `str.format`.
For every site but the default one, PK, GSI1PK and GSI2PK get the prefix `<site>/`; sort keys never do. `DUE#…` is
system-wide and never prefixed, and neither are sites, their groups and API keys, which are read before a site is known.
`{segment_index}` is 0-based; from 10,000 on the key is `SEG#~00010000`. Rows of what was (*versions*) live in a second
table with the same keys. Names and values that people choose are percent-encoded where keys are built with their
characters: composed unicode, with `%`, `#`, `/` and what cannot be printed as `%XX`, so that any text is found again.
Numbers, negative and decimal ones too, are turned into text that sorts as they do. Everything else in a key is an id,
an instant or a word of ours: it is refused where it is empty or holds `#`, `/` or what cannot be printed. Refused as
well, with a sentence for the person: half a character, an integer below zero, an empty key, and a key of more than
2,048 bytes (partition, the site's prefix included) or 1,024 bytes (sort). `tests/config/test_entities.py` holds all of
it for every row below.

| Entity | PK | SK | GSI1PK | GSI1SK | GSI2PK | GSI2SK |
|---|---|---|---|---|---|---|
"""


def key_rows() -> list[dict[str, Any]]:
    """Return a row per entity, with the columns of the seeds' key list."""
    return [
        {
            "design": one.design,
            "entity": one.name,
            "table": one.table,
            "pk": one.pk,
            "sk": one.sk,
            "gsi1pk": one.gsi1pk,
            "gsi1sk": one.gsi1sk,
            "gsi2pk": one.gsi2pk,
            "gsi2sk": one.gsi2sk,
            "attributes": list(one.attributes),
            "note": one.note,
            "deviation": one.deviation,
            "internal": one.internal,
            "not_shown": one.not_shown,
        }
        for one in ENTITIES
    ]


def keys_page() -> str:
    """Return the text of ``docs/keys.md``."""
    keys = ("pk", "sk", "gsi1pk", "gsi1sk", "gsi2pk", "gsi2sk")
    lines = [
        f"| {_title(row)} | " + " | ".join(f"`{row[key]}`" if row[key] else "" for key in keys) + " |"
        for row in key_rows()
    ]
    attributes = [f"- **{row['entity']}** ({row['design']}): {_attributes(row)}" for row in key_rows()]
    deviations = [f"- **{row['entity']}** {row['deviation']}." for row in key_rows() if row["deviation"]]
    return (
        _HEAD
        + "\n".join(lines)
        + "\n\n## Where keys differ from the seeds' on purpose\n\n"
        + "\n".join(deviations)
        + "\n\n## Attributes as stored\n\n"
        + "\n".join(attributes)
        + "\n\n## What the indexes carry\n\nGSI1: "
        + ", ".join(f"`{name}`" for name in FIRST_INDEX_ATTRIBUTES)
        + "\n\nGSI2: "
        + ", ".join(f"`{name}`" for name in INDEX_ATTRIBUTES)
        + "\n"
    )


def _title(row: dict[str, Any]) -> str:
    return str(row["entity"]) if row["table"] == "main" else f"{row['entity']} *{row['table']}*"


def _attributes(row: dict[str, Any]) -> str:
    listed = ", ".join(f"`{name}`" for name in row["attributes"]) if len(row["attributes"]) > 2 else "as its sibling"
    internal = f". Internal: {row['internal']}" if row["internal"] else ""
    not_shown = f". Not shown: {row['not_shown']}" if row["not_shown"] else ""
    return f"{listed}. {row['note']}{internal}{not_shown}".replace("\n", " ").rstrip(" .") + "."
