"""The editing table of one language: original names beside labels."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby

from config.errors import NotFound, Refused
from projects.schemas.labels import queries
from projects.schemas.labels.actions import LabelChange, tidy_label
from projects.schemas.labels.items import LocaleLabel
from projects.schemas.labels.keys import LabelKey, read_item_key
from projects.schemas.labels.originals import Original, list_further, list_originals

LINES = 100  # of one page: each has three inputs, and Django takes a thousand


@dataclass(frozen=True)
class Line:
    """``number``: in the names of its inputs. ``before``: as it is stored; ``text``: as typed, else the same."""

    number: int
    original: Original
    before: str
    text: str
    general: str = ""  # what is shown while it has no label of its own
    error: str = ""

    @property
    def is_missing(self) -> bool:
        return self.original.needed and not self.before


@dataclass(frozen=True)
class Sheet:
    """``missing`` and ``needed``: of the whole language, whatever page is shown."""

    lines: Sequence[Line]
    missing: int
    needed: int
    pages: int
    page: int
    only_missing: bool

    @property
    def groups(self) -> list[tuple[str, list[Line]]]:
        return [(name, list(lines)) for name, lines in groupby(self.lines, key=lambda one: one.original.group)]

    @property
    def numbers(self) -> range:
        """Page numbers, 1-based."""
        return range(1, self.pages + 1)


@dataclass(frozen=True)
class Posted:
    """One label in a form; ``error`` if it is invalid."""

    key: LabelKey
    text: str
    before: str
    error: str = ""


def list_all(site: str, labels: Mapping[LabelKey, LocaleLabel]) -> list[Original]:
    """Return the site's things, then labels of anything else."""
    found = list_originals(site)
    return found + sorted(list_further(found, labels), key=lambda one: (one.group, one.id))


def read_sheet(
    site: str, tag: str, *, page: int = 1, only_missing: bool = False, posted: Sequence[Posted] = ()
) -> Sheet:
    """``posted``: of a form that was not taken, whose lines are the page."""
    labels = queries.read_labels(site, tag)
    everything = list_all(site, labels)
    needed = [one for one in everything if one.needed]
    missing = [one for one in needed if one.key not in labels]
    typed = {one.key: one for one in posted}
    if typed:
        shown, pages, page = [one for one in everything if one.key in typed], 1, 1
    else:
        chosen = missing if only_missing else everything
        pages = max(1, -(-len(chosen) // LINES))
        page = min(max(page, 1), pages)
        shown = chosen[(page - 1) * LINES : page * LINES]
    lines = tuple(_lines(shown, labels, typed))
    return Sheet(lines, len(missing), len(needed), pages, page, only_missing)


def _lines(
    shown: Sequence[Original], labels: Mapping[LabelKey, LocaleLabel], typed: Mapping[LabelKey, Posted]
) -> Iterator[Line]:
    for number, one in enumerate(shown):
        before = labels[one.key].text if one.key in labels else ""
        post = typed.get(one.key)
        yield Line(
            number,
            one,
            before,
            post.text if post else before,
            general="" if one.needed else one.text,
            error=post.error if post else "",
        )


def read_posted(data: Mapping[str, str]) -> list[Posted]:
    """The lines of the form; one whose key was tampered with is left out."""
    found: list[Posted] = []
    for number in range(LINES):
        name = data.get(f"key-{number}")
        if name is None:
            break
        try:
            key = read_item_key(name)
        except NotFound:
            continue
        before, text = data.get(f"before-{number}", ""), data.get(f"text-{number}", "")
        try:
            found.append(Posted(key, tidy_label(text), before))
        except Refused as error:
            found.append(Posted(key, text, before, str(error)))
    return found


def changes_of(posted: Sequence[Posted]) -> list[LabelChange]:
    """Return only the edited labels, so that concurrent changes by others on the same page stay."""
    return [LabelChange(one.key, one.text, one.before) for one in posted if one.text != one.before]
