"""A person's notifications as lines for their inbox and the API, without what they may not see."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from django.http import HttpRequest
from django.urls import reverse

from config.item import Item
from config.phrase import Phrase
from config.table import Key
from projects.queues import visibility
from projects.settings import queries as project_queries
from projects.settings.items import Project
from review.identity import ReviewRef
from review.items.reviews import LISTED, Review
from review.notifications import mails
from review.notifications.items import InboxRow, Kind


@dataclass(frozen=True)
class Told:
    """One line of the inbox. ``url``: its target; empty if that is gone."""

    row: InboxRow
    words: str
    url: str


def list_told(request: HttpRequest, rows: Sequence[InboxRow]) -> list[Told]:
    """Return lines without those of documents closed to the person; names are read in one batch."""
    shown = visibility.filter_rows(request, rows, lambda row: row.document_id)
    site = str(request.site)
    refs = {row.key: ReviewRef(site, str(row.document_id), str(row.review_id)) for row in shown if row.review_id}
    found = Item.together(list({ref.key for ref in refs.values()}), only=LISTED) if refs else {}
    names = {key: str(Review.from_raw_data(found[ref.key]).name) for key, ref in refs.items() if ref.key in found}
    paused = list({str(row.project_id) for row in shown if row.kind == Kind.PAUSED})
    projects = project_queries.get_projects(site, paused) if paused else {}
    return [_tell_pause(row, projects) if row.kind == Kind.PAUSED else _describe(row, names) for row in shown]


def _tell_pause(row: InboxRow, projects: Mapping[str, Project]) -> Told:
    project = projects.get(str(row.project_id))
    if project is None:
        return Told(row, mails.describe(row, Phrase("a project that was deleted")), "")
    url = reverse("workflows:show-calibration", args=[project.id])
    return Told(row, mails.describe(row, project.settings.name), url)


def _describe(row: InboxRow, names: Mapping[Key, str]) -> Told:
    if row.project_id:
        return Told(row, Phrase("Your export is ready"), reverse("workflows:list-exports", args=[row.project_id]))
    if row.kind in mails.ADDRESSES:
        return Told(row, mails.describe(row, ""), reverse(mails.ADDRESSES[row.kind]))
    name = names.get(row.key, "")
    url = reverse("review:show-review", args=[row.document_id, row.review_id]) if name else ""
    return Told(row, mails.describe(row, name or Phrase("a document that was deleted")), url)
