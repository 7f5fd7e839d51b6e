"""The projects that a new desk starts with."""

from config.errors import Conflict, NotFound
from projects.audit.events import Actor
from projects.settings import actions as project_actions
from projects.settings import queries as project_queries
from projects.settings.items import Project
from projects.settings.values import AROUND, DEFAULT_FIELDS, FieldSetting, ProjectSettings

# A fixed id: whoever comes first makes it, and everybody after finds it.
DEFAULT_PROJECT_ID = "proj_receipts-and-invoices"
DEFAULT_PROJECT = ProjectSettings(
    name="Receipts and invoices",
    description="Company, date, address, total, invoice number and currency of receipts and invoices.",
)
# The demo's: what an accounts department reads of an invoice before it pays.
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


def ensure_default_project(site: str, *, by: Actor) -> Project:
    """The default project as it is now; made where it is missing."""
    return _ensure_project(site, DEFAULT_PROJECT_ID, DEFAULT_PROJECT, by)


def ensure_invoice_project(site: str, *, by: Actor) -> Project:
    """The demo's project of invoices as it is now; made where it is missing."""
    return _ensure_project(site, INVOICE_PROJECT_ID, INVOICE_PROJECT, by)


def _ensure_project(site: str, project_id: str, wanted: ProjectSettings, by: Actor) -> Project:
    try:
        return project_queries.get_project(site, project_id)
    except NotFound:
        pass
    try:
        return project_actions.create_project(site, wanted, by=by, project_id=project_id)
    except Conflict:  # another process was as fast
        return project_queries.get_project(site, project_id)
