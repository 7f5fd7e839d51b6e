"""The initial projects of a deployment."""

from config.errors import Conflict, NotFound
from projects.audit.events import Actor
from projects.settings import actions as project_actions
from projects.settings import queries as project_queries
from projects.settings.items import Project
from projects.settings.values import AROUND, DEFAULT_FIELDS, FieldSetting, ProjectSettings

# A fixed id: the first process creates it, and others find it.
DEFAULT_PROJECT_ID = "proj_receipts-and-invoices"
DEFAULT_PROJECT = ProjectSettings(
    name="Receipts and invoices",
    description="Company, date, address, total, invoice number and currency of receipts and invoices.",
)
# For the demo: the fields that accounts payable needs of an invoice.
INVOICE_PROJECT_ID = "proj_supplier-invoices"
INVOICE_PROJECT = ProjectSettings(
    name="Supplier invoices",
    description="Invoices with due date, IBAN, VAT ID, net and tax.",
    fields=(
        *DEFAULT_FIELDS,
        FieldSetting("due_date", "Due date", "date", date_range=AROUND),
        FieldSetting("po_number", "PO number", "text"),
        FieldSetting("iban", "IBAN", "text", required=True),
        FieldSetting("vat_id", "VAT ID", "text", required=True),
        FieldSetting("net_total", "Net total", "amount", required=True),
        FieldSetting("vat", "VAT", "amount", required=True),
    ),
)

# For practising reviews: every field needs a check, whatever its confidence.
PRACTICE_PROJECT_ID = "proj_practice"
PRACTICE_PROJECT = ProjectSettings(
    name="Practice",
    description="Invented receipts and invoices to learn reviewing with, most with something worth catching.",
    fields=(
        *DEFAULT_FIELDS,
        FieldSetting("net_total", "Net total", "amount"),
        FieldSetting("vat", "VAT", "amount"),
    ),
    default_threshold=1.0,
    lacking_allowed=True,
    reject_reasons="Sent before\nSum is wrong\nNot readable",
)


def ensure_default_project(site: str, *, by: Actor) -> Project:
    """Return the default project; created if missing."""
    return _ensure_project(site, DEFAULT_PROJECT_ID, DEFAULT_PROJECT, by)


def ensure_invoice_project(site: str, *, by: Actor) -> Project:
    """Return the demo's invoice project; created if missing."""
    return _ensure_project(site, INVOICE_PROJECT_ID, INVOICE_PROJECT, by)


def ensure_practice_project(site: str, *, by: Actor) -> Project:
    """Return the practice project; created if missing."""
    return _ensure_project(site, PRACTICE_PROJECT_ID, PRACTICE_PROJECT, by)


def _ensure_project(site: str, project_id: str, wanted: ProjectSettings, by: Actor) -> Project:
    try:
        return project_queries.get_project(site, project_id)
    except NotFound:
        pass
    try:
        return project_actions.create_project(site, wanted, by=by, project_id=project_id)
    except Conflict:  # another process was faster
        return project_queries.get_project(site, project_id)
