"""A project's settings as plain values, shared by form, action and item."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from config.phrase import Figure, Phrase
from projects.models.spec import BUILT_IN_OCR
from projects.settings.columns import TABLE

FIELD_TYPES: Mapping[str, str] = {
    "text": Phrase("Text"),
    "date": Phrase("Date"),
    "amount": Phrase("Amount"),
    "currency": Phrase("Currency"),
    "number": Phrase("Number"),
    "boolean": Phrase("Yes/No"),
    TABLE: Phrase("Table"),
}
# Seed 000's output languages, then the others of its OCR map.
LANGUAGES: Mapping[str, str] = {
    "en": Phrase("English"),
    "ko": Phrase("Korean"),
    "ja": Phrase("Japanese"),
    "zh": Phrase("Chinese"),
    "de": Phrase("German"),
    "fr": Phrase("French"),
    "it": Phrase("Italian"),
    "es": Phrase("Spanish"),
    "pt": Phrase("Portuguese"),
    "nl": Phrase("Dutch"),
    "pl": Phrase("Polish"),
    "sv": Phrase("Swedish"),
    "da": Phrase("Danish"),
    "no": Phrase("Norwegian"),
    "fi": Phrase("Finnish"),
    "tr": Phrase("Turkish"),
    "ru": Phrase("Russian"),
    "ar": Phrase("Arabic"),
    "hi": Phrase("Hindi"),
    "vi": Phrase("Vietnamese"),
    "th": Phrase("Thai"),
    "id": Phrase("Indonesian"),
    "ms": Phrase("Malay"),
}
# Providers of stages; all but the local ones send pages to external services.
OCR_MODELS: Mapping[str, str] = {one.id: one.name for one in BUILT_IN_OCR.values()}  # in addition to a site's own
BY_MODEL = "model"  # a language model of the site's catalogue
ANALYZERS: Mapping[str, str] = {"rules": Phrase("Built-in rules"), BY_MODEL: Phrase("Language model")}
TRANSCRIBERS: Mapping[str, str] = {
    "local": Phrase("Built-in (draft quality)"),
    "transcribe": Phrase("Amazon Transcribe"),
}
SUMMARIZERS: Mapping[str, str] = {"local": Phrase("Extractive summary"), BY_MODEL: Phrase("Language model")}
DOERS: Mapping[str, Mapping[str, str]] = {
    "analyzer": ANALYZERS,
    "transcriber": TRANSCRIBERS,
    "summarizer": SUMMARIZERS,
}
# Uses of models, by purpose of prompts; the first one's model is the default of the others.
EXTRACT = "extract"
MODEL_USES: Mapping[str, str] = {
    EXTRACT: Phrase("Model"),
    "classify": Phrase("Model for document types"),
    "summarize": Phrase("Model for summaries"),
    "answer": Phrase("Model for questions"),
}
# How the document type is determined if a project has none: it is detected among the site's types and determines the
# fields. "required": documents of no type need a review.
TYPINGS: Mapping[str, str] = {
    "found": Phrase("Detect per document"),
    "required": Phrase("Detect per document; review if none matches"),
}
# Boolean options of seed 000; its ``lang`` follows the project's language.
OCR_SWITCHES: Mapping[str, str] = {"use_textline_orientation": Phrase("Detect upside-down text")}
# The plausible dates of a field. Others need a review, whatever their confidence.
PAST, AROUND, ANY = "past", "around", "any"
DATE_RANGES: Mapping[str, str] = {PAST: Phrase("Past only"), AROUND: Phrase("Past or future"), ANY: Phrase("Any date")}
_SHIPPED_RANGES: Mapping[str, str] = {"date": PAST}
DEFAULT_OCR_MODEL = "pp-ocrv5"
DEFAULT_THRESHOLD = 0.80
MAX_FIELDS = 60
LONGEST_DESCRIPTION, LONGEST_EXAMPLES = 200, 120  # characters of a field: a run freezes those of all its fields
MOST_SLOTS = 1000
MOST_REJECT_REASONS, LONGEST_REJECT_REASON = 20, 80


def date_range(name: str, kind: str, stored: object = "") -> str:
    """Return a key of ``DATE_RANGES`` for a date; empty for other types.

    By default, the shipped date of issue is in the past, and every other date may be in the future: most are due,
    expiry, end or delivery dates, and a wrong default would send each document to review.

    >>> date_range("date", "date"), date_range("warranty_until", "date"), date_range("born", "date", "any")
    ('past', 'around', 'any')
    """
    if kind != "date":
        return ""
    return str(stored) if stored in DATE_RANGES else _SHIPPED_RANGES.get(name, AROUND)


@dataclass(frozen=True)
class FieldSetting:
    """One field to extract. ``threshold`` is 0–1, or None for the project's own.

    ``date_range``: for dates; ``columns``: for tables, as an admin writes them. ``description``: what it is and where;
    ``examples``: of its values; both are sent to models. ``personal``: restricted to people who may see personal data.
    """

    name: str
    label: str
    type: str
    required: bool = False
    threshold: float | None = None
    date_range: str = ""
    description: str = ""
    examples: str = ""
    columns: str = ""
    personal: bool = False


DEFAULT_FIELDS = (
    FieldSetting("company", "Company", "text", required=True),
    FieldSetting("date", "Date", "date", required=True, date_range=PAST),
    FieldSetting("address", "Address", "text"),
    FieldSetting("total", "Total", "amount", required=True),
    FieldSetting("invoice_number", "Invoice number", "text"),
    FieldSetting("currency", "Currency", "currency"),
)


ERROR_LIMITS = (0.005, 0.01, 0.02, 0.05)  # choices of an admin; 0: only the review threshold applies
MOST_WRONG_CHOICES = (
    ("", Phrase("Default")),
    *((f"{share:g}", Figure(f"{share * 100:g} %")) for share in ERROR_LIMITS),
    ("0", Phrase("None: review threshold only")),
)


@dataclass(frozen=True)
class ProjectSettings:
    """All settings of an admin; a run freezes a copy at its start.

    If ``classification_id`` is empty, ``fields`` are extracted. Otherwise the classification's attributes are, and
    ``fields`` only adds thresholds and descriptions for equal names. ``typing``: the type of each document decides.
    """

    name: str
    description: str = ""
    language: str = "en"
    document_prompt: str = ""
    ocr_model: str = DEFAULT_OCR_MODEL
    ocr_options: Mapping[str, Any] = field(default_factory=dict)
    analyzer: str = ""  # this and the next two empty: the deployment's defaults
    transcriber: str = ""
    summarizer: str = ""
    models: Mapping[str, str] = field(default_factory=dict)  # a key of MODEL_USES → id in the site's catalogue
    use_bda: bool = False
    fields: tuple[FieldSetting, ...] = DEFAULT_FIELDS
    default_threshold: float = DEFAULT_THRESHOLD
    audit_share: float = 0.0  # 0–1, share of documents that need no review
    most_wrong: float | None = None  # 0–1, error limit of unreviewed values; None: the deployment's default
    unseen_allowed: bool = False  # may a reviewer approve uncertain fields unchecked
    lacking_allowed: bool = False  # may a reviewer approve without a required field, giving the reason
    reject_reasons: str = ""  # reject reasons to choose from, one a line
    check_share: float = 0.0  # 0–1, share of decided reviews that get a second review
    quorum: str = ""  # a key of QUORUMS
    escalation_group: str = ""  # group that gets escalated reviews; empty for none
    review_queue: str = ""  # the id of the queue of its reviews; empty for the site's own
    classification_id: str = ""
    slots: int = 0  # concurrency limit, also for started runs; 0: the deployment's default
    typing: str = ""  # a key of TYPINGS; applies if classification_id is empty


# How many blind reviewers have to agree, of how many at most.
QUORUMS: Mapping[str, str] = {
    "": Phrase("One reviewer decides"),
    "2/2": Phrase("2 of 2 reviewers must agree"),
    "2/3": Phrase("2 of 3 reviewers must agree"),
    "3/3": Phrase("3 of 3 reviewers must agree"),
}


# Labels of settings, in form order.
SETTING_LABELS: Mapping[str, str] = {
    "name": Phrase("Name"),
    "description": Phrase("Description"),
    "language": Phrase("Language"),
    "document_prompt": Phrase("Prompt"),
    "ocr_model": Phrase("OCR model"),
    "ocr_options": Phrase("OCR options"),
    "analyzer": Phrase("Field extraction"),
    "transcriber": Phrase("Transcription"),
    "summarizer": Phrase("Summary"),
    "models": Phrase("Models"),
    "use_bda": Phrase("Data Automation"),
    "fields": Phrase("Fields"),
    "default_threshold": Phrase("Review threshold"),
    "audit_share": Phrase("Audit sample"),
    "most_wrong": Phrase("Error limit"),
    "unseen_allowed": Phrase("Approval with unchecked fields"),
    "lacking_allowed": Phrase("Approval without a required field"),
    "reject_reasons": Phrase("Rejection reasons"),
    "check_share": Phrase("Second reviews"),
    "quorum": Phrase("Blind agreement"),
    "escalation_group": Phrase("Escalation group"),
    "review_queue": Phrase("Review queue"),
    "classification_id": Phrase("Document type"),
    "slots": Phrase("Concurrency limit"),
    "typing": Phrase("Document type detection"),
}
