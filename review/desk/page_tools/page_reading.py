"""Reading a page again with another OCR model while its review waits: done once, by a worker."""

import json
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any

from config.errors import Conflict, NotFound, Refused, StageFailed
from config.transaction import Update, transact
from projects.models.queries import get_ocr_model
from projects.models.spec import OcrSpec
from projects.settings.columns import TABLE
from review import queries
from review.desk.page_tools.region_reading import open_page_of_run
from review.identity import Person, ReviewRef
from review.items.reviews import Review
from review.status import UNDECIDED
from workflows.providers.page_readers import read_page_once
from workflows.runs import events, run_settings
from workflows.runs import queries as run_queries
from workflows.runs.actions import spending
from workflows.stages import fields, results
from workflows.stages.fields.candidates import Document
from workflows.stages.pages.layout import Page
from workflows.storage import files
from workflows.storage.objects import DocumentFiles

MOST_READINGS = 6  # of one review


@dataclass(frozen=True)
class PageWish:
    """``index``: 0-based page. ``model_id``: an OCR model of the site's catalogue."""

    index: int
    model_id: str

    def name(self, review: Review) -> str:
        """A deterministic name, so that nothing is read twice."""
        told = ["page", review.workflow_id, review.result_sha256, self.index, self.model_id]
        return files.sha256(json.dumps(told).encode())[:32]


def find_reading(ref: ReviewRef, review: Review, name: str) -> dict[str, Any]:
    """``model`` (its name; empty once it is removed), ``page``, ``values`` (field → value) and ``problem``.

    Raises:
        NotFound: not read yet.

    """
    store = DocumentFiles(ref.site, review.project_id, ref.document_id)
    found: dict[str, Any] = json.loads(store.read(files.region(name)))
    return found


def list_readings(ref: ReviewRef, review: Review) -> list[dict[str, Any]]:
    """Return a review's additional readings by model; no call if there are none."""
    found = [find_reading(ref, review, name) for name in sorted(review.page_readings or ())]
    return sorted(found, key=lambda one: str(one["model"]))


def read_page(ref: ReviewRef, wish: PageWish, *, by: Person) -> None:
    """Read the page, in a worker; idempotent. The run, its result and all drafts are untouched.

    Raises:
        NotFound: the review is gone.

    """
    review = queries.get_review(ref)
    store, name = DocumentFiles(ref.site, review.project_id, ref.document_id), wish.name(review)
    if not store.exists(files.region(name)):
        found = _read_again(ref, review, wish)
        store.write(files.region(name), json.dumps(found, ensure_ascii=False).encode(), "application/json")
    unknown = Review.page_readings.does_not_exist() | ~Review.page_readings.contains(name)
    facts = {"review": ref.review_id, "model": wish.model_id, "page": wish.index + 1}
    event = events.lineage(queries.run_of(ref, review), "HUMAN_REVIEW_PAGE_READ", by=by, facts=facts)
    with suppress(Conflict):  # decided meanwhile, or delivered twice
        marked = Update(ref.key, [Review.page_readings.add({name})], Review.status.is_in(*UNDECIDED) & unknown)
        transact([marked], event)


def _read_again(ref: ReviewRef, review: Review, wish: PageWish) -> dict[str, Any]:
    said: dict[str, Any] = {"model": "", "page": wish.index, "values": {}, "problem": ""}
    try:
        spec = get_ocr_model(ref.site, wish.model_id)
        said["model"] = spec.name
        return said | _read_values(ref, review, wish.index, spec)
    except (NotFound, Refused, StageFailed) as error:
        return said | {"problem": str(error)}


def _read_values(ref: ReviewRef, review: Review, index: int, spec: OcrSpec) -> dict[str, Any]:
    """Extract each field's likeliest value from the other reading by the rules."""
    run = queries.run_of(ref, review)
    row = run_queries.document_workflow(ref.site, ref.document_id, review.workflow_id)
    pinned = replace(run_settings.from_json(row.settings), ocr_model=spec.id, ocr=spec.to_json())
    image = open_page_of_run(run, row, index, spec.dpi)
    with spending.meter_beside_runs(run) as note:
        once = read_page_once(pinned, image, index)
        if once.used.pages:
            note(once.used)
    store = DocumentFiles(ref.site, review.project_id, ref.document_id)
    result: Mapping[str, Any] = json.loads(store.read_pinned(files.result(review.workflow_id), review.result_sha256))
    specs = results.fields_of(result)
    page = Page(index, image.width, image.height, "ocr", tuple(once.reading.lines), once.reading.slope)
    document = Document((page,), fields.field_spellings(specs))
    found = {one.name: fields.find_candidates(document, one) for one in specs if one.type != TABLE}
    values = {name: str(rated[0].value) for name, rated in found.items() if rated and rated[0].value}
    return {"values": values, "problem": once.problem}
