"""A manifest as a stream of lines: JSON, CSV or a plain list of keys, whatever its length, in bounded memory."""

import csv
import hashlib
import io
import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, BinaryIO

from config.errors import Refused, quote_names

_CHUNK = 64 * 1024  # letters
_LONGEST_LINE = 8 * 1024  # letters; a key has 1,024 bytes at most
_LONGEST_KEY = 1024  # bytes, S3's own limit
_KEYS = ("key", "s3_key", "Key")
_PROJECTS = ("project", "project_id")
# Beside the key in lists that others make: S3's own of a prefix, and the documents of seed 004's parent machine.
_OF_LISTINGS = frozenset(
    {"ChecksumAlgorithm", "ChecksumType", "ETag", "Etag", "LastModified", "Owner", "RestoreStatus", "Size"}
    | {"StorageClass", "bucket", "id"}
)
# The objects that may hold the list, and what follows it; None: S3 says more of its listing.
_LISTS: Mapping[str, str | None] = {'"documents":': "}", '"Contents":': None}
_KNOWN = frozenset({*_KEYS, *_PROJECTS, "name", None}) | _OF_LISTINGS  # None: csv's name for values without a column
_ELSEWHERE = "The file is not in Countersign's bucket. Copy it there and use its key."
_NO_ARRAY = 'Not a JSON list. Use ["key", …], [{"key": …, "project": …}, …] or {"documents": […]}.'


@dataclass(frozen=True)
class ManifestEntry:
    """A line that can be tried; ``number`` from 1, as people count the manifest's entries."""

    number: int
    key: str
    project_id: str
    name: str


@dataclass(frozen=True)
class Wrong:
    """A line that nothing can be made of as it is."""

    number: int
    key: str
    reason: str


Line = ManifestEntry | Wrong


@dataclass(frozen=True)
class Rules:
    """What a line is held to.

    ``prefix``: under which the site's files lie; ``projects``: what a line may call one → its id; ``most`` lines.
    """

    prefix: str
    default_project: str
    projects: Mapping[str, str]
    most: int
    bucket: str


def form_of(name: str, head: bytes) -> str:
    """By the name's ending, else by the first letters.

    >>> form_of("a.txt", b'[{"key"'), form_of("keys.csv", b"key"), form_of("keys", b"bulk/a.pdf")
    ('json', 'csv', 'list')
    """
    ending = name.lower().rpartition(".")[2]
    if ending in {"json", "csv"}:
        return ending
    start = head.decode("utf-8-sig", "replace").lstrip()
    if start[:1] in {"[", "{"}:
        return "json"
    titles = start.split("\n", 1)[0].replace('"', "").split(",")
    return "csv" if any(title.strip() in _KEYS for title in titles) else "list"


def read_lines(stream: BinaryIO, form: str, rules: Rules) -> Iterator[Line]:
    """Every line, judged; empty ones are passed over.

    Raises:
        Refused: it is no manifest, or has more lines than are taken at once.

    """
    text = io.TextIOWrapper(stream, encoding="utf-8-sig", newline="")
    seen: set[bytes] = set()  # digests: 16 bytes a line, however long its key
    try:
        for number, entry in enumerate(_ENTRIES[form](text), 1):
            if number > rules.most:
                raise Refused(f"The manifest has more than {rules.most:,} lines. Split it.")
            yield _judge_line(number, entry, rules, seen)
    except UnicodeDecodeError as error:
        raise Refused("The manifest is not UTF-8 text. Save it as UTF-8.") from error


def _judge_line(number: int, entry: Any, rules: Rules, seen: set[bytes]) -> Line:
    if isinstance(entry, str):
        entry = {"key": entry}
    if not isinstance(entry, Mapping):
        return Wrong(number, "", "Not a key or an object with a key.")
    key = next((entry[name] for name in _KEYS if entry.get(name)), "")
    if not isinstance(key, str) or not key.strip():
        return Wrong(number, "", "The key is missing.")
    key = key.strip().removeprefix(f"s3://{rules.bucket}/")
    if reason := _key_problem(key, rules) or _entries_problem(entry, rules):
        return Wrong(number, key[:_LONGEST_KEY], reason)
    wanted = str(next((entry[name] for name in _PROJECTS if entry.get(name)), "")).strip()
    project = rules.projects.get(wanted, "") if wanted else rules.default_project
    if not project:
        return Wrong(number, key, f"Project “{wanted[:100]}” does not exist.")
    digest = hashlib.blake2b(key.encode(), digest_size=16).digest()
    if digest in seen:
        return Wrong(number, key, "Duplicate key: already listed above.")
    seen.add(digest)
    name = str(entry.get("name") or "").strip() or key.rpartition("/")[2]
    return ManifestEntry(number, key, project, "".join(one for one in name if one.isprintable())[-200:] or "file")


def _entries_problem(entry: Mapping[Any, Any], rules: Rules) -> str:
    """An entry that nothing reads may be a slip, such as ``projekt``; an empty one says nothing either way."""
    if any(entry.get(None) or ()):
        return "This line has more values than the header has columns."
    unknown = [name for name, value in entry.items() if name not in _KNOWN and value not in (None, "")]
    if unknown:
        return f"Unknown entry {quote_names(unknown[:5])}. A line has a key and optionally a project and a name."
    return _ELSEWHERE if (entry.get("bucket") or rules.bucket) != rules.bucket else ""


def _key_problem(key: str, rules: Rules) -> str:
    if "://" in key:
        return _ELSEWHERE
    if len(key.encode("utf-8", "replace")) > _LONGEST_KEY:
        return "The key is longer than S3 allows."
    if not key.isprintable():
        return "The key contains unprintable characters."
    if not key.startswith(rules.prefix) or key.endswith("/"):
        return f"The key is not a file under {rules.prefix}."
    return ""


def _read_json_lines(text: Iterable[str]) -> Iterator[Any]:
    for line in text:
        if len(line) > _LONGEST_LINE:
            raise Refused("Not a list of keys: a line is too long.")
        if line.strip():
            yield line.strip()


def _read_csv_lines(text: Iterable[str]) -> Iterator[Any]:
    try:
        rows = csv.DictReader(_limit_line_length(text), skipinitialspace=True, strict=True)
        titles = [title.strip() for title in rows.fieldnames or ()]
        if not set(_KEYS) & set(titles):
            raise Refused("The first line of a CSV must be a header with a column named key.")
        rows.fieldnames = titles
        yield from rows
    except csv.Error as error:
        raise Refused(f"The CSV cannot be read: {error}.") from error


def _limit_line_length(text: Iterable[str]) -> Iterator[str]:
    for line in text:
        if len(line) > _LONGEST_LINE:
            raise Refused("Not a CSV of keys: a line is too long.")
        yield line


def _read_json_array(text: io.TextIOBase) -> Iterator[Any]:
    """The members of a JSON list, one after the other: json.load would hold all of them."""
    decoder, held = json.JSONDecoder(), text.read(_CHUNK).lstrip()
    closing: str | None = ""
    if held.startswith("{"):
        head, bracket, held = held.partition("[")
        name = "".join(head.split())[1:]
        if not bracket or name not in _LISTS:
            raise Refused(_NO_ARRAY)
        closing = _LISTS[name]
    elif held.startswith("["):
        held = held[1:]
    else:
        raise Refused(_NO_ARRAY)
    while True:
        held = held.lstrip(" \t\r\n,")
        if held.startswith("]"):
            _check_end(held[1:] + text.read(_CHUNK), closing)
            return
        try:
            member, end = decoder.raw_decode(held) if held else (None, 0)
        except (json.JSONDecodeError, RecursionError):
            end = 0
        if end and end < len(held):  # at the very end a number might go on
            yield member
            held = held[end:]
            continue
        more = text.read(_CHUNK)
        if not more or len(held) > _CHUNK:
            raise Refused("The JSON list is truncated or contains invalid JSON.")
        held += more


def _check_end(rest: str, closing: str | None) -> None:
    """``closing``: what may follow the list; None: anything."""
    if closing is not None and rest.strip() != closing:
        raise Refused("Unexpected content after the JSON list. Set projects in its lines.")


_ENTRIES: Mapping[str, Any] = {"json": _read_json_array, "csv": _read_csv_lines, "list": _read_json_lines}
