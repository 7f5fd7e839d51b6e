"""Stage graph_builder, locally: entities that the segments mention, and their co-occurrences."""

import hashlib
import itertools
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from config.errors import NotFound
from workflows.stages import artifacts, published, slices, values
from workflows.stages.base import SliceResult, Slicing, StageContext, StageResult, Tally
from workflows.stages.fields.legal_forms import LEGAL
from workflows.stages.pages import paged
from workflows.storage import files

MOST_ENTITIES, MOST_RELATIONS, MOST_MENTIONS = 300, 1_000, 20  # in the artifact; the strongest are kept
_A_SLICE = 400  # entities in a slice's output
_CONTEXT = 120  # characters around a mention
_NEAR = 3  # lines within which two mentions co-occur
_ORGANISATION = re.compile(
    rf"(?<!\w)((?:[A-ZÄÖÜ][\w&.'’-]{{0,40}}[ ]+(?:&[ ]+|of[ ]+|und[ ]+|and[ ]+)?){{1,5}}(?i:{LEGAL.pattern}))"
)
_PATTERNS = (
    ("email", re.compile(r"(?<![\w.+-])[\w.+-]+@[\w-]+(?:\.[\w-]+)+\b")),
    ("website", re.compile(r"\b(?:https?://|www\.)[\w.-]+\.[a-z]{2,}\b", re.IGNORECASE)),
    ("account", re.compile(r"\b[A-Z]{2}\d{2}(?:[ ]?[A-Z0-9]{4}){3,7}(?:[ ]?[A-Z0-9]{1,3})?\b")),
)
# Fields whose value is an entity, unlike amounts and the like.
_KINDS = {
    "company": "organisation", "seller": "organisation", "issuer": "organisation", "buyer": "organisation",
    "customer": "organisation", "vendor": "organisation", "supplier": "organisation", "address": "place",
    "invoice_number": "number", "order_number": "number", "contract_number": "number",
}  # fmt: skip
_OF_TYPE = {"date": "date", "amount": "amount"}


@dataclass(frozen=True)
class Mention:
    kind: str
    name: str
    segment: int
    line: int
    context: str


def run(context: StageContext) -> StageResult:
    return slices.run_all(SLICING, context)


def _plan(context: StageContext) -> Sequence[int]:
    return range(int(paged.PREPARED.open_pages(context.artifacts).head["segment_count"]))


def _work(context: StageContext, indices: Sequence[int]) -> SliceResult:
    found: list[Mention] = []

    def look(index: int) -> None:
        try:
            segment = artifacts.read_json(context.artifacts, files.segment(index))
        except NotFound:
            return
        found.extend(find_mentions(str(segment.get("text_content") or ""), index))

    failed = slices.do_each_page(context, indices, look)
    counts = Counter((one.kind, one.name) for one in found)
    kept = {key for key, _ in counts.most_common(_A_SLICE)}
    named = [one for one in found if (one.kind, one.name) in kept]
    return SliceResult(failed, output={"mentions": [vars(one) for one in named], "pairs": _pairs(named)})


def find_mentions(text: str, segment: int) -> Iterator[Mention]:
    """Yield the entities that a segment mentions, line by line."""
    for number, line in enumerate(text.split("\n")):
        seen: set[tuple[str, str]] = set()
        for kind, name, at in _find_names(line):
            if (kind, name) not in seen:
                seen.add((kind, name))
                start = max(0, at - _CONTEXT // 2)
                yield Mention(kind, name, segment, number, line[start : start + _CONTEXT].strip())


def _find_names(line: str) -> Iterator[tuple[str, str, int]]:
    for found in _ORGANISATION.finditer(line):
        yield "organisation", " ".join(found[1].split()).strip(" ,"), found.start()
    for kind, pattern in _PATTERNS:
        for found in pattern.finditer(line):
            yield kind, found[0].casefold() if kind != "account" else found[0].replace(" ", ""), found.start()
    for hit in values.dates_in(line):
        yield "date", hit.value, hit.start


def _pairs(found: Sequence[Mention]) -> list[list[Any]]:
    """Count pairs of entities on nearby lines."""
    counts: Counter[tuple[tuple[str, str], tuple[str, str]]] = Counter()
    for position, one in enumerate(found):
        for other in itertools.takewhile(
            lambda other, one=one: other.segment == one.segment and other.line - one.line <= _NEAR,  # type: ignore[misc]
            found[position + 1 :],
        ):
            first, second = sorted(((one.kind, one.name), (other.kind, other.name)))
            if first != second:
                counts[first, second] += 1
    return [[list(first), list(second), count] for (first, second), count in counts.most_common(MOST_RELATIONS)]


def _finish(context: StageContext, done: Tally) -> StageResult:
    entities: dict[tuple[str, str], dict[str, Any]] = {}
    pairs: Counter[tuple[tuple[str, str], tuple[str, str]]] = Counter()
    for output in done.outputs:
        for one in output["mentions"]:
            _mention(entities, context.project_id, one)
        for first, second, count in output["pairs"]:
            pairs[(first[0], first[1]), (second[0], second[1])] += count
        entities, pairs = _strongest(entities, pairs)
    roles = list(_roles(context, entities))
    kept, related = _strongest(entities, pairs)
    graph = {
        "entities": sorted(kept.values(), key=lambda one: (-one["mentions"], one["name"])),
        "relations": [*roles, *_relations(kept, related)],
    }
    artifacts.write_json(context.artifacts, files.GRAPH, graph)
    counts = {"entity_count": len(graph["entities"]), "relationship_count": len(graph["relations"])}
    return StageResult("completed", slices.describe_left_out(done.failed), counts)


SLICING = Slicing(paged.LIGHT, _plan, _work, _finish)


def entity_id(project_id: str, name: str) -> str:
    """Return the same id for the same name in all documents of a project (CONTRACTS 2.4)."""
    return hashlib.sha256(f"{project_id}:{name}".encode()).hexdigest()[:16]


def _mention(entities: dict[tuple[str, str], dict[str, Any]], project_id: str, one: Mapping[str, Any]) -> None:
    new = {
        "id": entity_id(project_id, one["name"]), "name": one["name"], "type": one["kind"], "mentions": 0,
        "mentioned_in": [],
    }  # fmt: skip
    entity = entities.setdefault((one["kind"], one["name"]), new)
    entity["mentions"] += 1
    if len(entity["mentioned_in"]) < MOST_MENTIONS:
        place = {"segment_index": one["segment"], "qa_index": 0, "context": one["context"]}
        entity["mentioned_in"].append(place)


def _strongest(
    entities: dict[tuple[str, str], dict[str, Any]], pairs: Counter[tuple[tuple[str, str], tuple[str, str]]]
) -> tuple[dict[tuple[str, str], dict[str, Any]], Counter[tuple[tuple[str, str], tuple[str, str]]]]:
    """Limit the artifact's size: documents of thousands of pages mention thousands."""
    if len(entities) > MOST_ENTITIES:
        ranked = sorted(entities.items(), key=lambda one: (not one[1].get("role"), -one[1]["mentions"], one[0]))
        entities = dict(ranked[:MOST_ENTITIES])
    return entities, Counter(dict(pairs.most_common(MOST_RELATIONS)))


def _roles(context: StageContext, entities: dict[tuple[str, str], dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """Yield an edge from the document to each of its fields' values."""
    for one in published.values(context).fields:
        kind = _KINDS.get(str(one["name"])) or _OF_TYPE.get(str(one["type"]))
        if not kind or not one.get("value"):
            continue
        name = str(one["value"])
        if (kind, name) not in entities:
            segment = int(one["page"]) if one.get("page") is not None else 0
            place = {"kind": kind, "name": name, "segment": segment, "context": str(one.get("raw") or name)}
            _mention(entities, context.project_id, place)
        entity = entities[kind, name]
        entity["role"] = one["label"]
        yield {"source": "document", "target": entity["id"], "type": str(one["name"]).upper(), "weight": 1}


def _relations(
    entities: Mapping[tuple[str, str], Mapping[str, Any]],
    pairs: Mapping[tuple[tuple[str, str], tuple[str, str]], int],
) -> Iterable[dict[str, Any]]:
    for (first, second), count in pairs.items():
        if first in entities and second in entities:
            ends = {"source": entities[first]["id"], "target": entities[second]["id"]}
            yield {**ends, "type": "RELATED_TO", "weight": count}
