"""Manifest parsing: JSON, CSV or a plain list of keys as a stream of lines, of any length, in bounded memory."""

import csv
import hashlib
import io
import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, BinaryIO

from django.utils.translation import gettext

from config.errors import Refused, quote_names
from config.phrase import Figure, Phrase, Sentence

_CHUNK = 64 * 1024  # characters
_LONGEST_LINE = 8 * 1024  # characters; a key has at most 1,024 bytes
_LONGEST_KEY = 1024  # bytes, S3's own limit
_KEYS = ("key", "s3_key", "Key")
_PROJECTS = ("project", "project_id")
# Known keys of lists that other systems make: S3 listings, and the documents of seed 004's parent machine.
_OF_LISTINGS = frozenset(
    {
        "ChecksumAlgorithm",
        "ChecksumType",
        "ETag",
        Phrase("Etag"),
        "LastModified",
        Phrase("Owner"),
        "RestoreStatus",
        Phrase("Size"),
    }
    | {"StorageClass", "bucket", "id"}
)
# The keys that may hold the list, and what must follow it; None for S3 listings, where more may follow.
_LISTS: Mapping[str, str | None] = {'"documents":': "}", '"Contents":': None}
_KNOWN = frozenset({*_KEYS, *_PROJECTS, "name", None}) | _OF_LISTINGS  # None: csv's name for values without a column
_ELSEWHERE = Phrase("The file is not in Countersign's bucket. Copy it there and use its key.")
_NO_ARRAY = Sentence('Not a JSON list. Use ["key", …], [{"key": …, "project": …}, …] or {"documents": […]}.')


@dataclass(frozen=True)
class ManifestEntry:
    """A valid line; ``number`` counts the manifest's entries from 1."""

    number: int
    key: str
    project_id: str
    name: str


@dataclass(frozen=True)
class Wrong:
    """An invalid line."""

    number: int
    key: str
    reason: str


Line = ManifestEntry | Wrong


@dataclass(frozen=True)
class Rules:
    """The rules that lines are checked against.

    ``prefix``: where the site's files are; ``projects``: the names and ids that a line may use → project id; ``most``:
    the maximum number of lines.
    """

    prefix: str
    default_project: str
    projects: Mapping[str, str]
    most: int
    bucket: str


def form_of(name: str, head: bytes) -> str:
    """Detect the format by the file extension, else by the first bytes.

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
    """Yield every line, validated. Empty lines are skipped.

    Raises:
        Refused: it is not a manifest, or has too many lines.

    """
    text = io.TextIOWrapper(stream, encoding="utf-8-sig", newline="")
    seen: set[bytes] = set()  # digests: 16 bytes a line, however long its key
    try:
        for number, entry in enumerate(_ENTRIES[form](text), 1):
            if number > rules.most:
                raise Refused(
                    gettext("The manifest has more than %(most)s lines. Split it.")
                    % {"most": Figure(f"{rules.most:,}").translated()}
                )
            yield _judge_line(number, entry, rules, seen)
    except UnicodeDecodeError as error:
        raise Refused(gettext("The manifest is not UTF-8 text. Save it as UTF-8.")) from error


def _judge_line(number: int, entry: Any, rules: Rules, seen: set[bytes]) -> Line:
    if isinstance(entry, str):
        entry = {"key": entry}
    if not isinstance(entry, Mapping):
        return Wrong(number, "", Phrase("Not a key or an object with a key."))
    key = next((entry[name] for name in _KEYS if entry.get(name)), "")
    if not isinstance(key, str) or not key.strip():
        return Wrong(number, "", Phrase("The key is missing."))
    key = key.strip().removeprefix(f"s3://{rules.bucket}/")
    if reason := _key_problem(key, rules) or _entries_problem(entry, rules):
        return Wrong(number, key[:_LONGEST_KEY], reason)
    wanted = str(next((entry[name] for name in _PROJECTS if entry.get(name)), "")).strip()
    project = rules.projects.get(wanted, "") if wanted else rules.default_project
    if not project:
        return Wrong(number, key, Sentence("Project “%(wanted)s” does not exist.").fill(wanted=wanted[:100]))
    digest = hashlib.blake2b(key.encode(), digest_size=16).digest()
    if digest in seen:
        return Wrong(number, key, Phrase("Duplicate key: already listed above."))
    seen.add(digest)
    name = str(entry.get("name") or "").strip() or key.rpartition("/")[2]
    return ManifestEntry(number, key, project, "".join(one for one in name if one.isprintable())[-200:] or "file")


def _entries_problem(entry: Mapping[Any, Any], rules: Rules) -> str:
    """Return what is wrong with unknown keys: they may be typos, such as ``projekt``. Empty ones are ignored."""
    if any(entry.get(None) or ()):
        return Phrase("This line has more values than the header has columns.")
    unknown = [name for name, value in entry.items() if name not in _KNOWN and value not in (None, "")]
    if unknown:
        return Sentence("Unknown entry %(unknown)s. A line has a key and optionally a project and a name.").fill(
            unknown=quote_names(unknown[:5])
        )
    return _ELSEWHERE if (entry.get("bucket") or rules.bucket) != rules.bucket else ""


def _key_problem(key: str, rules: Rules) -> str:
    if "://" in key:
        return _ELSEWHERE
    if len(key.encode("utf-8", "replace")) > _LONGEST_KEY:
        return Phrase("The key is longer than S3 allows.")
    if not key.isprintable():
        return Phrase("The key contains unprintable characters.")
    if not key.startswith(rules.prefix) or key.endswith("/"):
        return Sentence("The key is not a file under %(prefix)s.").fill(prefix=rules.prefix)
    return ""


def _read_json_lines(text: Iterable[str]) -> Iterator[Any]:
    for line in text:
        if len(line) > _LONGEST_LINE:
            raise Refused(gettext("Not a list of keys: a line is too long."))
        if line.strip():
            yield line.strip()


def _read_csv_lines(text: Iterable[str]) -> Iterator[Any]:
    try:
        rows = csv.DictReader(_limit_line_length(text), skipinitialspace=True, strict=True)
        titles = [title.strip() for title in rows.fieldnames or ()]
        if not set(_KEYS) & set(titles):
            raise Refused(gettext("The first line of a CSV must be a header with a column named key."))
        rows.fieldnames = titles
        yield from rows
    except csv.Error as error:
        raise Refused(gettext("The CSV cannot be read: %(error)s.") % {"error": error}) from error


def _limit_line_length(text: Iterable[str]) -> Iterator[str]:
    for line in text:
        if len(line) > _LONGEST_LINE:
            raise Refused(gettext("Not a CSV of keys: a line is too long."))
        yield line


def _read_json_array(text: io.TextIOBase) -> Iterator[Any]:
    """Yield the members of a JSON list one by one; json.load would hold all of them."""
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
        if end and end < len(held):  # a number at the end of the buffer may continue
            yield member
            held = held[end:]
            continue
        more = text.read(_CHUNK)
        if not more or len(held) > _CHUNK:
            raise Refused(gettext("The JSON list is truncated or contains invalid JSON."))
        held += more


def _check_end(rest: str, closing: str | None) -> None:
    """Check what follows the list. ``closing``: the only text allowed; None: anything."""
    if closing is not None and rest.strip() != closing:
        raise Refused(gettext("Unexpected content after the JSON list. Set projects in its lines."))


_ENTRIES: Mapping[str, Any] = {"json": _read_json_array, "csv": _read_csv_lines, "list": _read_json_lines}
