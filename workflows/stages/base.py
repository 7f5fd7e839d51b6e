"""The interface of stages: context, settings, results and slicing; imported by stages and by whatever runs them."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, Protocol

from projects.models.spec import BUILT_IN_OCR, OcrSpec, find_builtin_ocr, ocr_spec_from
from workflows.stages import field_spec
from workflows.stages.calibration import UNCALIBRATED, Calibration
from workflows.stages.document_copy import Copy
from workflows.stages.document_types.types import PinnedTypes
from workflows.stages.extractor.learned import UNLEARNED, Extractor
from workflows.stages.services import Services
from workflows.stages.usage import Usage

FieldSpec = field_spec.FieldSpec


@dataclass(frozen=True)
class RunSettings:
    """The settings that the run froze at its start. A repeated stage uses these, not the project's current ones.

    ``classification_id`` and the versions say where ``fields`` came from; 0: no such schema applied.
    """

    language: str
    document_prompt: str
    ocr_model: str
    ocr_options: Mapping[str, Any]
    fields: tuple[FieldSpec, ...]
    default_threshold: float
    queue: str = ""  # the id of the review's queue; empty for the site's own
    classification_id: str = ""
    classification_name: str = ""
    classification_version: int = 0
    site_schema_version: int = 0
    # Providers, as in projects.settings.values.
    analyzer: str = "rules"
    transcriber: str = "local"
    summarizer: str = "local"
    use_bda: bool = False
    models: Mapping[str, str] = field(default_factory=dict)  # purpose → id in the site's catalogue, if a model is used
    calibration_version: int = 0  # 0: the prior
    calibration_sha256: str = ""
    calibration_paused: bool = False  # the audit sample found more errors than promised: its limits do not apply
    extractor_version: int = 0  # 0: rules only
    extractor_sha256: str = ""
    audit_share: float = 0.0  # 0–1, share of documents that need no review
    most_wrong: float = 0.0  # 0–1, error limit of unreviewed values; 0: only thresholds decide
    unseen_allowed: bool = False  # may a reviewer approve uncertain fields unchecked
    reject_reasons: str = ""  # reject reasons to choose from, one a line
    lacking_allowed: bool = False  # may a reviewer approve without a required field, giving the reason
    check_share: float = 0.0  # 0–1, share of decided reviews that get a second review
    quorum: str = ""  # "2/3": two of at most three blind reviewers have to agree; empty: one decides
    typing: str = (
        ""  # a word of projects.settings.values.TYPINGS; with one, the type that is found says which fields are read
    )
    types_sha256: str = ""  # the types to choose from; empty if the site had none
    instruction: str = ""  # a person's instruction to models for this document
    prompts_sha256: str = ""  # prompts and model specs; empty if no model is used
    ocr: Mapping[str, Any] = field(default_factory=dict)  # the OCR model's spec; empty in runs before catalogues

    @property
    def ocr_spec(self) -> OcrSpec:
        """Return the OCR model; an unknown name means the built-in engine, as before."""
        if self.ocr:
            return ocr_spec_from(self.ocr)
        return find_builtin_ocr(self.ocr_model) or BUILT_IN_OCR["pp-ocrv5"]

    @property
    def ocr_languages(self) -> tuple[str, ...]:
        """Return at least one code: the model's own, else the project's."""
        return self.ocr_spec.languages or (self.language,)


class ArtifactStore(Protocol):
    """The artifacts of one document, by name relative to its root (``preprocessed/page_0000.png``)."""

    def read(self, name: str) -> bytes:
        """Raises: NotFound."""
        ...

    def write(self, name: str, body: bytes, content_type: str) -> str:
        """Write or replace an artifact and return its ``s3://`` URI."""
        ...

    def write_new(self, name: str, body: bytes, content_type: str) -> bool:
        """Write if nothing exists; False if an artifact exists, which stays."""
        ...

    def exists(self, name: str) -> bool: ...

    def uri(self, name: str) -> str:
        """Return the ``s3://`` URI of an artifact with this name."""
        ...


@dataclass(frozen=True)
class StageContext:
    """``file_type`` is the MIME type detected by intake; ``original`` a local, read-only copy.

    ``heartbeat`` renews the worker's claim on the step; a stage calls it between pages. ``only``: the pages of a retry
    (0-based), which keeps all others; None for all. ``services``: external services chosen by the settings.
    """

    workflow_id: str
    file_name: str
    file_type: str
    original: Path
    settings: RunSettings
    artifacts: ArtifactStore
    heartbeat: Callable[[], None]
    only: frozenset[int] | None = None
    calibration: Calibration = UNCALIBRATED  # pinned by the run
    extractor: Extractor = UNLEARNED  # pinned by the run, too
    services: Services = field(default_factory=Services)
    project_id: str = ""
    types: PinnedTypes = field(default_factory=PinnedTypes)  # pinned by the run
    decision: str = ""  # the artifact of the applied decision; empty for none
    find_entity_doubts: Callable[[Mapping[str, Any]], Sequence[str]] = (
        lambda _: ()
    )  # finds inconsistent entities in a result
    find_copies: Callable[[Mapping[str, Any]], Sequence[Copy]] = lambda _: ()  # finds duplicates of a result
    attempt: int = 1  # of the run: a retry or a resumed run increments it


@dataclass(frozen=True)
class StageResult:
    """``facts`` are small and JSON-able: they are stored in the table, unlike the artifacts.

    ``failed``: the segments (0-based) that failed; the others are done. ``used``: the usage.
    """

    status: Literal["completed", "skipped"]
    reason: str | None = None
    facts: Mapping[str, Any] = field(default_factory=dict)
    failed: frozenset[int] = frozenset()
    used: tuple[Usage, ...] = ()


@dataclass(frozen=True)
class SliceResult:
    """The result of one slice.

    ``failed``: segment → message for people. ``counts`` are added up over the slices. ``output`` is JSON-able and
    passed to ``finish``: what it needs of this slice that is in no artifact. ``analyses``: segment → question and
    answer, for its row.
    """

    failed: Mapping[int, str] = field(default_factory=dict)
    counts: Mapping[str, float] = field(default_factory=dict)
    output: Any = None
    analyses: Mapping[int, Sequence[Mapping[str, str]]] = field(default_factory=dict)


@dataclass(frozen=True)
class Tally:
    """The results of all slices of a stage. ``outputs`` are in slice order and loaded lazily.

    ``planned``: the number of indices. ``error``: the message of one of the failed.
    """

    planned: int
    failed: frozenset[int]
    counts: Mapping[str, float]
    outputs: Iterable[Any]
    error: str | None = None


@dataclass(frozen=True)
class Slicing:
    """A stage whose work is cut into slices of indices, which workers process in parallel (ADR 0010).

    ``plan`` returns the indices in order, or the result if there is nothing to do. ``work`` processes some of them and
    is idempotent, also when two workers do it concurrently. ``finish`` runs once all are done, possibly twice.
    ``aligned``: no two slices share a block of ``size`` indices, for artifacts in chunks of that size. A slice takes at
    most a minute: 50 indices of light work, 20 of OCR.
    """

    size: int
    plan: Callable[[StageContext], Sequence[int] | StageResult]
    work: Callable[[StageContext, Sequence[int]], SliceResult]
    finish: Callable[[StageContext, Tally], StageResult]
    aligned: bool = False


@dataclass(frozen=True)
class StartedJob:
    """A job of ``service``, by its id there."""

    service: str
    id: str


@dataclass(frozen=True)
class Job:
    """An external job that a stage waits for before its own work.

    ``begin`` is idempotent for one attempt at the step; None: nothing to wait for. ``collect`` stores the results where
    the stage reads them, and returns False while the job is in progress; idempotent.
    """

    begin: Callable[[StageContext], StartedJob | None]
    collect: Callable[[StageContext, str], bool]


@dataclass(frozen=True)
class Stage:
    """Raises StageFailed for what a retry would not fix; every other error may be retried.

    ``run`` does all of the work; with ``slicing``, the same work can be cut. ``reads_original``: the context has
    ``original``; other stages need artifacts only.
    """

    name: str
    label: str
    run: Callable[[StageContext], StageResult]
    slicing: Slicing | None = None
    reads_original: bool = False
    job: Job | None = None
