"""What a stage is given and what it gives back; imported by the stages and by whoever runs them."""

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
    """What the run froze at its start, so that a repeated stage reads the same settings (never the project's now).

    ``classification_id`` and the versions say where ``fields`` came from; 0: no such schema governed the run.
    """

    language: str
    document_prompt: str
    ocr_model: str
    ocr_options: Mapping[str, Any]
    fields: tuple[FieldSpec, ...]
    default_threshold: float
    queue: str = ""  # the id of the queue that a review waits in; empty for the site's own
    classification_id: str = ""
    classification_name: str = ""
    classification_version: int = 0
    site_schema_version: int = 0
    # Who does the work: words of projects.settings.values.
    analyzer: str = "rules"
    transcriber: str = "local"
    summarizer: str = "local"
    use_bda: bool = False
    models: Mapping[str, str] = field(default_factory=dict)  # purpose → id in the site's catalogue, if any is asked
    calibration_version: int = 0  # 0: the prior
    calibration_sha256: str = ""
    calibration_paused: bool = False  # the audit sample found more wrong than was promised: its limits do not count
    extractor_version: int = 0  # 0: the rules read alone
    extractor_sha256: str = ""
    audit_share: float = 0.0  # 0–1, of the documents that no one would have to look at
    most_wrong: float = 0.0  # 0–1, of the values that no one looks at; 0: the thresholds alone decide
    unseen_allowed: bool = False  # may a reviewer approve fields in doubt that no one has checked
    reject_reasons: str = ""  # that a reviewer chooses from, one a line
    lacking_allowed: bool = False  # may one approve without a required field, once they say why it has no value
    check_share: float = 0.0  # 0–1, of decided reviews that a second person reviews too
    quorum: str = ""  # "2/3": two reviewers have to agree blindly, of three at most; empty: one decides
    typing: str = (
        ""  # a word of projects.settings.values.TYPINGS; with one, the type that is found says which fields are read
    )
    types_sha256: str = ""  # the types that it is found among; empty if the site had none
    instruction: str = ""  # what a person asked of the models for this one document
    prompts_sha256: str = ""  # what models are told, and their specs; empty if none is asked
    ocr: Mapping[str, Any] = field(default_factory=dict)  # the OCR model's whole spec; empty of runs before catalogues

    @property
    def ocr_spec(self) -> OcrSpec:
        """What reads its pages; a name that no one knows is read by the built-in engine, as it always was."""
        if self.ocr:
            return ocr_spec_from(self.ocr)
        return find_builtin_ocr(self.ocr_model) or BUILT_IN_OCR["pp-ocrv5"]

    @property
    def ocr_languages(self) -> tuple[str, ...]:
        """Codes, at least one: the model's own, or else the project's."""
        return self.ocr_spec.languages or (self.language,)


class ArtifactStore(Protocol):
    """The artifacts of one document, by name relative to the document's root (``preprocessed/page_0000.png``)."""

    def read(self, name: str) -> bytes:
        """Raises: NotFound."""
        ...

    def write(self, name: str, body: bytes, content_type: str) -> str:
        """The artifact's ``s3://`` address. Writing again replaces."""
        ...

    def write_new(self, name: str, body: bytes, content_type: str) -> bool:
        """Write if nothing is yet; False if something is, which stays as it is."""
        ...

    def exists(self, name: str) -> bool: ...

    def uri(self, name: str) -> str:
        """The ``s3://`` address that an artifact of this name has."""
        ...


@dataclass(frozen=True)
class StageContext:
    """``file_type`` is the MIME type that intake found; ``original`` a local copy, read only.

    ``heartbeat`` renews the worker's claim on the step; a stage calls it between pages. ``only``: the pages that a
    retry is about (0-based), where everything else is kept as it was made; None for all. ``services`` do the work that
    the settings give away.
    """

    workflow_id: str
    file_name: str
    file_type: str
    original: Path
    settings: RunSettings
    artifacts: ArtifactStore
    heartbeat: Callable[[], None]
    only: frozenset[int] | None = None
    calibration: Calibration = UNCALIBRATED  # the one that the run pinned
    extractor: Extractor = UNLEARNED  # as well
    services: Services = field(default_factory=Services)
    project_id: str = ""
    types: PinnedTypes = field(default_factory=PinnedTypes)  # that the run pinned
    decision: str = ""  # the artifact of the applied decision; empty if no one decided
    find_entity_doubts: Callable[[Mapping[str, Any]], Sequence[str]] = (
        lambda _: ()
    )  # of a result: suppliers that differ
    find_copies: Callable[[Mapping[str, Any]], Sequence[Copy]] = lambda _: ()  # of a result: who was the same before
    attempt: int = 1  # of the run: a retry, and a run that goes on from a stage, are the next


@dataclass(frozen=True)
class StageResult:
    """``facts`` are small and JSON-able: they travel in the table, unlike the artifacts.

    ``failed``: the segments (0-based) that the stage could not do; the others are done. ``used``: what it took.
    """

    status: Literal["completed", "skipped"]
    reason: str | None = None
    facts: Mapping[str, Any] = field(default_factory=dict)
    failed: frozenset[int] = frozenset()
    used: tuple[Usage, ...] = ()


@dataclass(frozen=True)
class SliceResult:
    """What the work on one slice came to.

    ``failed``: segment → the sentence that people read. ``counts`` are added up over the slices. ``output`` is
    JSON-able and given to ``finish``: what it needs to know of this slice and no artifact says. ``analyses``: segment →
    what was asked of it and answered, for its row.
    """

    failed: Mapping[int, str] = field(default_factory=dict)
    counts: Mapping[str, float] = field(default_factory=dict)
    output: Any = None
    analyses: Mapping[int, Sequence[Mapping[str, str]]] = field(default_factory=dict)


@dataclass(frozen=True)
class Tally:
    """All slices of a stage together. ``outputs`` come in the slices' order and are read as they are asked for.

    ``planned``: how many indices there were. ``error``: the sentence of one of the failed.
    """

    planned: int
    failed: frozenset[int]
    counts: Mapping[str, float]
    outputs: Iterable[Any]
    error: str | None = None


@dataclass(frozen=True)
class Slicing:
    """A stage whose work is cut into slices of indices, which workers do side by side (ADR 0010).

    ``plan`` answers the indices in their order, or the result if there is nothing to do. ``work`` does some of
    them; done twice, or by two workers at once, it leaves the same artifacts. ``finish`` runs once all are done, and
    may run twice. ``aligned``: no two slices have indices of the same ``size``, for artifacts in chunks of that size.
    A slice is at most a minute's work: 50 indices of light work, 20 of OCR.
    """

    size: int
    plan: Callable[[StageContext], Sequence[int] | StageResult]
    work: Callable[[StageContext, Sequence[int]], SliceResult]
    finish: Callable[[StageContext, Tally], StageResult]
    aligned: bool = False


@dataclass(frozen=True)
class StartedJob:
    """A job of ``service``, by the id that it has there."""

    service: str
    id: str


@dataclass(frozen=True)
class Job:
    """Someone else's work that a stage waits for before its own.

    ``begin`` answers the same job however often it is called for one attempt at the step; None: nothing to wait for.
    ``collect`` puts what came of it where the stage looks for it, and returns False while it is under way; done twice
    it leaves the same.
    """

    begin: Callable[[StageContext], StartedJob | None]
    collect: Callable[[StageContext, str], bool]


@dataclass(frozen=True)
class Stage:
    """Raises StageFailed for what trying again would not mend; every other error may be retried.

    ``run`` does all of it. Where ``slicing`` is set it is the same work, cut. ``reads_original``: the context's
    ``original`` is there; the artifacts are enough for the others.
    """

    name: str
    label: str
    run: Callable[[StageContext], StageResult]
    slicing: Slicing | None = None
    reads_original: bool = False
    job: Job | None = None
