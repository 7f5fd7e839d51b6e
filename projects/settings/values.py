"""What a project is configured with, as plain values: the shape between form, action and item."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from projects.models.spec import BUILT_IN_OCR
from projects.settings.columns import TABLE

FIELD_TYPES: Mapping[str, str] = {
    "text": "Text",
    "date": "Date",
    "amount": "Amount",
    "currency": "Currency",
    "number": "Number",
    "boolean": "Yes/No",
    TABLE: "Table",
}
# Seed 000's output languages, then the others that its OCR map knows.
LANGUAGES: Mapping[str, str] = {
    "en": "English",
    "ko": "Korean",
    "ja": "Japanese",
    "zh": "Chinese",
    "de": "German",
    "fr": "French",
    "it": "Italian",
    "es": "Spanish",
    "pt": "Portuguese",
    "nl": "Dutch",
    "pl": "Polish",
    "sv": "Swedish",
    "da": "Danish",
    "no": "Norwegian",
    "fi": "Finnish",
    "tr": "Turkish",
    "ru": "Russian",
    "ar": "Arabic",
    "hi": "Hindi",
    "vi": "Vietnamese",
    "th": "Thai",
    "id": "Indonesian",
    "ms": "Malay",
}
# Who does the work of a stage; all but those on this machine send pages out of it.
OCR_MODELS: Mapping[str, str] = {one.id: one.name for one in BUILT_IN_OCR.values()}  # beside a site's own
BY_MODEL = "model"  # a language model of the site's catalogue
ANALYZERS: Mapping[str, str] = {"rules": "Built-in rules", BY_MODEL: "Language model"}
TRANSCRIBERS: Mapping[str, str] = {
    "local": "Built-in speech recognition (draft quality)",
    "transcribe": "Amazon Transcribe",
}
SUMMARIZERS: Mapping[str, str] = {"local": "Extractive summary", BY_MODEL: "Language model"}
BUILT_IN = frozenset({"rules", "local"})  # their labels are plain words, those of the others names
DOERS: Mapping[str, Mapping[str, str]] = {
    "analyzer": ANALYZERS,
    "transcriber": TRANSCRIBERS,
    "summarizer": SUMMARIZERS,
}
# What models are asked for, by the purposes of prompts; the first is asked wherever no other is chosen.
EXTRACT = "extract"
MODEL_USES: Mapping[str, str] = {
    EXTRACT: "Model",
    "classify": "Model for document types",
    "summarize": "Model for summaries",
    "answer": "Model for questions",
}
# How a project that names no classification comes to one: the type is found among the site's, and says what is read.
# "required": a document that fits none of them waits for a person.
TYPINGS: Mapping[str, str] = {
    "found": "Detect per document",
    "required": "Detect per document; review if none matches",
}
# Options of seed 000 that are yes or no; its ``lang`` follows the project's language.
OCR_SWITCHES: Mapping[str, str] = {"use_textline_orientation": "Detect upside-down text"}
# Which dates of a field are plausible. Another one sends its document to a person, however clearly it was read.
PAST, AROUND, ANY = "past", "around", "any"
DATE_RANGES: Mapping[str, str] = {PAST: "Past only", AROUND: "Past or future", ANY: "Any date"}
_SHIPPED_RANGES: Mapping[str, str] = {"date": PAST}
DEFAULT_OCR_MODEL = "pp-ocrv5"
DEFAULT_THRESHOLD = 0.80
MAX_FIELDS = 60
LONGEST_DESCRIPTION, LONGEST_EXAMPLES = 200, 120  # characters, of a field: a run freezes those of all its fields
MOST_SLOTS = 1000
MOST_REJECT_REASONS, LONGEST_REJECT_REASON = 20, 80


def date_range(name: str, kind: str, stored: object = "") -> str:
    """A key of ``DATE_RANGES`` for a date; empty for every other kind.

    Where nothing is stored, the date of issue that we ship lies in the past, and every other date may lie ahead: most
    of them are due, expiry, end or delivery, and one that may not would send each document to a person.

    >>> date_range("date", "date"), date_range("warranty_until", "date"), date_range("born", "date", "any")
    ('past', 'around', 'any')
    """
    if kind != "date":
        return ""
    return str(stored) if stored in DATE_RANGES else _SHIPPED_RANGES.get(name, AROUND)


@dataclass(frozen=True)
class FieldSetting:
    """One field to read. ``threshold`` is 0–1, or None for the project's own.

    ``date_range``: of a date alone; ``columns``: of a table alone, as an admin writes them.

    ``description``: what it is and where it stands; ``examples``: of its values. Models are told both.
    ``personal``: its values are only for those who may see personal data.
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


ERROR_LIMITS = (0.005, 0.01, 0.02, 0.05)  # that an admin may choose; 0 leaves it to the review threshold
MOST_WRONG_CHOICES = (
    ("", "Default"),
    *((f"{share:g}", f"{share * 100:g} %") for share in ERROR_LIMITS),
    ("0", "None: review threshold only"),
)


@dataclass(frozen=True)
class ProjectSettings:
    """Everything an admin sets; a run freezes a copy of it when it starts.

    ``classification_id`` empty: ``fields`` are read. Otherwise the classification's attributes are, and ``fields``
    only gives the threshold and description of those of the same name. ``typing`` leaves the choice to what each
    document is.
    """

    name: str
    description: str = ""
    language: str = "en"
    document_prompt: str = ""
    ocr_model: str = DEFAULT_OCR_MODEL
    ocr_options: Mapping[str, Any] = field(default_factory=dict)
    analyzer: str = ""  # this and the next two empty: as the desk's settings say
    transcriber: str = ""
    summarizer: str = ""
    models: Mapping[str, str] = field(default_factory=dict)  # a key of MODEL_USES → id in the site's catalogue
    use_bda: bool = False
    fields: tuple[FieldSetting, ...] = DEFAULT_FIELDS
    default_threshold: float = DEFAULT_THRESHOLD
    audit_share: float = 0.0  # 0–1, of the documents that no one would have to look at
    most_wrong: float | None = None  # 0–1, of the values that no one looks at; None: as the desk's settings say
    unseen_allowed: bool = False  # may a reviewer approve fields in doubt that no one has checked
    lacking_allowed: bool = False  # may a document be approved that lacks a required field, once a reviewer says why
    reject_reasons: str = ""  # that a reviewer chooses from, one a line
    check_share: float = 0.0  # 0–1, of decided reviews that a second person reviews too
    quorum: str = ""  # a key of QUORUMS
    escalation_group: str = ""  # whose members are asked to take what a reviewer escalates; empty if no one is
    review_queue: str = ""  # the id of the queue that its reviews wait in; empty for the site's own
    classification_id: str = ""
    slots: int = 0  # pieces of work under way at a time, also of runs that have started; 0: as the desk's settings say
    typing: str = ""  # a key of TYPINGS; counts where classification_id is empty


# How many reviewers have to agree, who do not see each other's answers, of how many at most.
QUORUMS: Mapping[str, str] = {
    "": "One reviewer decides",
    "2/2": "2 of 2 reviewers must agree",
    "2/3": "2 of 3 reviewers must agree",
    "3/3": "3 of 3 reviewers must agree",
}


# What people call each setting, in the order the form has them.
SETTING_LABELS: Mapping[str, str] = {
    "name": "Name",
    "description": "Description",
    "language": "Language",
    "document_prompt": "Prompt",
    "ocr_model": "OCR model",
    "ocr_options": "OCR options",
    "analyzer": "Field extraction",
    "transcriber": "Transcription",
    "summarizer": "Summary",
    "models": "Models",
    "use_bda": "Data Automation",
    "fields": "Fields",
    "default_threshold": "Review threshold",
    "audit_share": "Audit sample",
    "most_wrong": "Error limit",
    "unseen_allowed": "Approval with unchecked fields",
    "lacking_allowed": "Approval without a required field",
    "reject_reasons": "Rejection reasons",
    "check_share": "Second reviews",
    "quorum": "Blind agreement",
    "escalation_group": "Escalation group",
    "review_queue": "Review queue",
    "classification_id": "Document type",
    "slots": "Concurrency limit",
    "typing": "Document type detection",
}
