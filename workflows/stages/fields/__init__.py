"""Finding the fields of a schema on a document's pages; the known ones by their own rules, others by their label."""

from collections.abc import Callable, Mapping

from workflows.stages.base import FieldSpec
from workflows.stages.calibration import UNCALIBRATED, Calibration
from workflows.stages.fields import (
    address,
    company,
    confidence,
    currency,
    dates,
    labels,
    listed,
    numbers,
    totals,
    vendors,
)
from workflows.stages.fields.candidates import Candidate, Document
from workflows.stages.fields.labels import spelled as spelled

FINDERS: Mapping[str, Callable[[Document], list[Candidate]]] = {
    "company": company.find,
    "date": dates.find,
    "address": address.find,
    "total": totals.find,
    "invoice_number": numbers.find,
    "currency": currency.find,
}


def find(document: Document, spec: FieldSpec, calibration: Calibration = UNCALIBRATED) -> list[Candidate]:
    """Best first, with confidence; empty where nothing on the pages may be the field."""
    finder = FINDERS.get(spec.name)
    found = finder(document) if finder else labels.find(document, spec)
    found = vendors.remembered(spec.name, document, found, calibration.vendors)
    if spec.allowed:
        found = listed.among(document, spec, found)
    printed = {page.index for page in document.pages if page.source != "ocr"}
    possible = [candidate for candidate in found if candidate.points > 0]
    return confidence.judged(spec.name, possible, printed, calibration)
