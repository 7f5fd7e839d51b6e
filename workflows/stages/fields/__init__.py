"""Field extraction: finders for known fields, and a generic finder by label for others."""

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
from workflows.stages.fields.labels import field_spellings as field_spellings

FINDERS: Mapping[str, Callable[[Document], list[Candidate]]] = {
    "company": company.find_companies,
    "date": dates.find_dates,
    "address": address.find_addresses,
    "total": totals.find_totals,
    "invoice_number": numbers.find_document_numbers,
    "currency": currency.find_currencies,
}


def find_candidates(document: Document, spec: FieldSpec, calibration: Calibration = UNCALIBRATED) -> list[Candidate]:
    """Return the candidates, best first, with confidence; empty if there are none."""
    finder = FINDERS.get(spec.name)
    found = finder(document) if finder else labels.find_by_label(document, spec)
    found = vendors.apply_vendor_memory(spec.name, document, found, calibration.vendors)
    if spec.allowed:
        found = listed.match_allowed_values(document, spec, found)
    possible = [candidate for candidate in found if candidate.points > 0]
    return confidence.rate_candidates(spec.name, possible, document, calibration)
