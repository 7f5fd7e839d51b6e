"""The key space of the one table: every entity's key templates, and the tenant rule. Key text appears nowhere else.

Templates are ``str.format`` strings as in the five seeds' designs; ``docs/keys.md`` is generated from ``ENTITIES``.
"""

import datetime as dt
import re
import string
import zlib
from dataclasses import dataclass
from typing import Any, NamedTuple

from django.conf import settings

from config.errors import CountersignError

DEFAULT_SITE = "default"
_SITE = re.compile(r"[a-z0-9][a-z0-9-]{0,39}")

# An index cannot project inside ``data``, so what lists show is kept flat as well. Never a token, a field value or a
# state. DynamoDB allows 20 a index.
INDEX_ATTRIBUTES = (
    "name",
    "status",
    "outcome",
    "project_id",
    "project_name",
    "document_id",
    "workflow_id",
    "file_type",
    "file_size",
    "page_count",
    "current_step",
    "currentStep",
    "reasons",
    "fields_unsure",
    "deadline",
    "holder",
    "holder_name",
    "lease_until",
    "created_at",
    "updated_at",
)


class Key(NamedTuple):
    """Where an item lives: its partition, the site's prefix included, and its sort key."""

    pk: str
    sk: str


class InvalidKey(CountersignError):
    """A value would break the key it is put into."""


def partition(site: str, text: str) -> str:
    """Put ``text`` behind the site's prefix; the default site has none (seed 002).

    >>> partition("default", "PROJ#p1"), partition("acme", "PROJ#p1")
    ('PROJ#p1', 'acme/PROJ#p1')
    """
    if not _SITE.fullmatch(site):
        raise InvalidKey("A site's id has up to 40 small letters, digits and hyphens.")
    return text if site == DEFAULT_SITE else f"{site}/{text}"


def site_of(pk: str) -> str:
    """The site that a stored partition key belongs to: the inverse of ``partition`` for rows found system-wide.

    >>> site_of("PROJ#p1"), site_of("acme/PROJ#p1")
    ('default', 'acme')
    """
    head, slash, _ = pk.partition("/")
    return head if slash and _SITE.fullmatch(head) else DEFAULT_SITE


def _safe(name: str, value: str | int) -> str | int:
    if isinstance(value, int):
        if value < 0:
            raise InvalidKey(f"{name} is below zero and would not sort.")
        return value
    if not value or "#" in value or "/" in value or not value.isprintable():
        raise InvalidKey(f"{name} is empty or holds a character that keys are built with.")
    return value


def _fill(template: str, parts: dict[str, str | int]) -> str:
    wanted = {name for _, name, _, _ in string.Formatter().parse(template) if name}
    if missing := wanted - parts.keys():
        raise InvalidKey(f"{', '.join(sorted(missing))} is missing for {template}.")
    return template.format(**{name: _safe(name, parts[name]) for name in wanted})


@dataclass(frozen=True)
class Entity:
    """One kind of row: its templates, the seed it comes from and its attributes as stored."""

    design: str
    name: str
    pk: str
    sk: str
    gsi1pk: str | None = None
    gsi1sk: str | None = None
    gsi2pk: str | None = None
    gsi2sk: str | None = None
    attributes: tuple[str, ...] = ()
    note: str = ""

    def partition_key(self, site: str, **parts: str | int) -> str:
        return partition(site, _fill(self.pk, parts))

    def key(self, site: str, **parts: str | int) -> Key:
        """Both keys of one item.

        >>> PROJECT.key("acme", project_id="p1")
        Key(pk='acme/PROJ#p1', sk='META')

        Raises:
            InvalidKey: a part is missing or would break the key.

        """
        return Key(self.partition_key(site, **parts), _fill(self.sk, parts))

    def sort_prefix(self, **parts: str | int) -> str:
        """The fixed head of the sort key, for ``begins_with``, filled as far as ``parts`` go.

        >>> DOCUMENT_EVENT.sort_prefix(), REVIEW_DECISION.sort_prefix(review_id="r1")
        ('EVENT#', 'REVIEW#r1#DECISION#')
        """
        head = ""
        for text, name, _, _ in string.Formatter().parse(self.sk):
            head += text
            if name is None or name not in parts:
                break
            head += str(_safe(name, parts[name]))
        return head

    def gsi1_partition(self, site: str, **parts: str | int) -> str:
        return partition(site, _fill(self.gsi1pk or "", parts))

    def gsi1(self, site: str, **parts: str | int) -> dict[str, Any]:
        """``{"GSI1PK": …, "GSI1SK": …}``; the site's prefix goes on the partition, never on the sort key."""
        return {"GSI1PK": self.gsi1_partition(site, **parts), "GSI1SK": _fill(self.gsi1sk or "", parts)}

    def gsi2(self, site: str, **parts: str | int) -> dict[str, Any]:
        return {"GSI2PK": partition(site, _fill(self.gsi2pk or "", parts)), "GSI2SK": _fill(self.gsi2sk or "", parts)}


def _names(text: str) -> tuple[str, ...]:
    return tuple(text.split())


_DATED = "created_at updated_at"

# --- seed 000: pipeline state ------------------------------------------------
PROJECT = Entity(
    "pipeline_state", "Project", "PROJ#{project_id}", "META", "PROJECTS", "{updated_at}",
    attributes=_names(
        "data.project_id data.name data.description data.status data.created_by data.language data.color "
        "data.document_prompt data.ocr_model data.ocr_options " + _DATED
    ),
)  # fmt: skip
PROJECT_DOCUMENT = Entity(
    "pipeline_state", "ProjectDocument", "PROJ#{project_id}", "DOC#{document_id}",
    "PROJ#{project_id}#DOC", "{updated_at}",
    attributes=_names(
        "data.document_id data.project_id data.name data.file_type data.file_size data.status data.s3_key "
        "data.ocr_model data.ocr_options data.document_prompt data.language data.use_bda data.use_ocr "
        "data.use_transcribe data.transcribe_options data.source_url data.crawl_instruction " + _DATED
    ),
)  # fmt: skip
PROJECT_WORKFLOW = Entity(
    "pipeline_state", "ProjectWorkflow", "PROJ#{project_id}", "WF#{workflow_id}",
    attributes=_names("data.file_name data.status " + _DATED),
)  # fmt: skip
DOCUMENT_WORKFLOW = Entity(
    "pipeline_state", "DocumentWorkflow", "DOC#{document_id}", "WF#{workflow_id}",
    attributes=_names(
        "data.project_id data.file_uri data.file_name data.file_type data.execution_arn data.status data.language "
        "data.total_segments data.preprocess data.document_prompt data.error " + _DATED
    ),
)  # fmt: skip
WEB_WORKFLOW = Entity(
    "pipeline_state", "WebWorkflow", "WEB#{document_id}", "WF#{workflow_id}",
    attributes=_names("as DocumentWorkflow"), note="file_type application/x-webreq",
)  # fmt: skip
WORKFLOW_STEPS = Entity(
    "pipeline_state", "WorkflowSteps", "WF#{workflow_id}", "STEP", "STEP#ANALYSIS_STATUS", "{analysis_status}",
    attributes=_names(
        "data.project_id data.document_id data.current_step data.segment_prep data.bda_processor data.format_parser "
        "data.paddleocr_processor data.transcribe data.webcrawler data.segment_builder data.segment_analyzer "
        "data.graph_builder data.document_summarizer " + _DATED
    ),
    note="each step map: status label started_at ended_at error (+ reason, counts); "
    "GSI1SK pending|in_progress|completed|failed",
)  # fmt: skip
SEGMENT = Entity(
    "pipeline_state", "Segment", "WF#{workflow_id}", "SEG#{segment_index:04d}",
    attributes=_names("data.segment_index data.s3_key data.image_uri data.image_analysis " + _DATED),
)  # fmt: skip

# --- seed 001: the checkpoint of a paused run --------------------------------
REVIEW_CHECKPOINT = Entity(
    "review_checkpoint", "ReviewCheckpoint", "{document_id}", "REVIEW",
    attributes=_names("document_id sk tenant_id status warranty_state created_at TimeToLive"),
    note="status pending_review|approved|rejected; warranty_state = the whole paused state as JSON",
)  # fmt: skip

# --- seed 003: definitions and executions ------------------------------------
DEFINITION = Entity(
    "state_machine", "Workflow", "WORKFLOW#{workflow_id}", "#METADATA",
    attributes=_names("workflowId name version status description createdAt updatedAt"),
    note="a version lives at <name>.v<n>, the family's head (active version) at <name>",
)  # fmt: skip
DEFINITION_STEP = Entity(
    "state_machine", "Step", "WORKFLOW#{workflow_id}", "STEP#{step_order:04d}",
    attributes=_names("workflowId stepOrder name type config timeoutMin"),
)  # fmt: skip
EXECUTION = Entity(
    "state_machine", "Execution", "EXECUTION#{execution_id}", "#METADATA",
    "WORKFLOW#{workflow_id}", "EXECUTION#{execution_id}", "DUE#{shard}", "{due_at}#run#{execution_id}",
    attributes=_names("executionId workflowId status currentStep triggeredBy createdAt updatedAt"),
)  # fmt: skip
TRANSITION = Entity(
    "state_machine", "Transition", "EXECUTION#{execution_id}", "TRANSITION#{transition_id}",
    attributes=_names("fromStep toStep result data occurredAt"),
)  # fmt: skip

# --- seed 004: lineage and reviews -------------------------------------------
DOCUMENT_EVENT = Entity(
    "event_pipeline", "DocumentEvent", "DOC#{document_id}", "EVENT#{datetime_us}#{event_type}",
    gsi2pk="DUE#{shard}", gsi2sk="{due_at}#event#{event_id}",
    attributes=_names("correlationId bucket key version executionArn jobId status retryCount reviewer decision"),
    note="GSI2 only while the event has yet to be put on the bus",
)  # fmt: skip
REVIEW = Entity(
    "event_pipeline", "ReviewTask", "DOC#{document_id}", "REVIEW#{review_id}",
    "REVIEWS#{queue}", "{deadline}#{review_id}", "DUE#{shard}", "{due_at}#review#{review_id}",
    attributes=_names(
        "reviewId status createdAt documentId executionArn taskToken document resultSummary reviewer reviewedAt"
    ),
    note="GSI1 while undecided, GSI2 while something has to happen at a time",
)  # fmt: skip
REVIEW_DECISION = Entity(
    "countersign", "ReviewDecision", "DOC#{document_id}", "REVIEW#{review_id}#DECISION#{decision_id}",
    attributes=_names("reviewId decisionId decision reviewer uri sha256 reason decidedAt"),
)  # fmt: skip
REVIEW_DRAFT = Entity(
    "countersign", "ReviewDraft", "DOC#{document_id}", "REVIEW#{review_id}#DRAFT#{user_id}",
    attributes=_names("values savedAt"),
)  # fmt: skip

# --- seed 002: the row that this much of the product writes ------------------
ENTITY_EVENT = Entity(
    "document_management", "EntityEvent", "entityevent#{entity_type}#{entity_id}", "ev#{timestamp}",
    "entityevent#{entity_type}#{entity_id}", "ev#{type}#{timestamp}", "entityevent#userId{user_id}", "ev#{timestamp}",
    attributes=_names("entityType entityId type payload metadata inserteddate userId TimeToLive"),
)  # fmt: skip

ENTITIES: tuple[Entity, ...] = tuple(value for value in list(globals().values()) if isinstance(value, Entity))


def segment_key(site: str, workflow_id: str, segment_index: int) -> Key:
    """``SEG#0000`` to ``SEG#9999``, then ``SEG#~00010000``: the tilde sorts behind every digit (index 0-based).

    >>> segment_key("default", "w", 12).sk, segment_key("default", "w", 10_000).sk
    ('SEG#0012', 'SEG#~00010000')
    """
    key = SEGMENT.key(site, workflow_id=workflow_id, segment_index=segment_index)
    return key if segment_index < 10_000 else Key(key.pk, f"SEG#~{segment_index:08d}")


def due_partition(shard: int) -> str:
    """System-wide and never prefixed: one sweep sees every site."""
    return f"DUE#{shard}"


def due(entity: Entity, due_at: str, **parts: str | int) -> dict[str, Any]:
    """GSI2 of a row that needs attention at ``due_at`` (stored instant, so that text order is time order)."""
    shard = zlib.crc32("".join(map(str, parts.values())).encode()) % settings.DUE_SHARDS
    return {"GSI2PK": due_partition(shard), "GSI2SK": _fill(entity.gsi2sk or "", {"due_at": due_at, **parts})}


def datetime_us(moment: dt.datetime) -> str:
    """``2026-11-21T12:00:00.000001Z``, seed 004's form in event keys."""
    return moment.astimezone(dt.UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")
