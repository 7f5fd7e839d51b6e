"""The S3 key space: keys of originals, artifacts, decisions and results. S3 paths appear nowhere else.

Plain strings and no Django, since stages name their artifacts with it; ``workflows.storage.objects`` reads and writes
them.
"""

import hashlib

PREPARED = "preprocessed/metadata.json"
TEXT_LAYER = "format-parser/result.json"
OCR = "paddleocr/result.json"
EINVOICE = "format-parser/invoice.json"  # the values of an XML invoice, alone or inside a PDF
TRANSCRIPT = "transcribe/result.json"
TRANSCRIPT_TEXT = "transcribe/transcript.txt"
TRANSCRIBED = "transcribe/job.json"  # as Amazon Transcribe writes it
HEARD = "transcribe/heard.json"  # the same, as the stage stores it
BDA_OUTPUT = "bda-output/"  # where Data Automation writes its output
BDA = "bda-output/result.json"
CRAWL = "webcrawler/result.json"
CRAWLED = "webcrawler/metadata.json"
GRAPH = "graph_work/entities.json"
SUMMARY = "analysis/summary.json"


# Where other systems put files (seed 004).
INCOMING = "raw/"
# Where they put files that a manifest lists, with a folder for each site: nothing here is processed by itself.
BULK = "bulk/"
# The project ID of other systems' review requests: one prefix for the permissions of every caller.
QUESTIONS = "desk-intake"
# Artifacts of stages, of the newest file version only.
ARTIFACTS = (
    "preprocessed/", "format-parser/", "paddleocr/", "bda-output/", "transcribe/", "webcrawler/", "analysis/",
    "graph_work/",
)  # fmt: skip
_KINDS = {
    "runs": "result", "rules": "result", "calibrations": "result", "extractors": "result", "truths": "result",
    "testsets": "result", "experiments": "result", "published": "result", "batches": "batch", "debug": "debug",
    "uploads": "debug", "exports": "debug",
}  # fmt: skip
# Page images are deterministic: all runs of a file version share them.
_PICTURES = "preprocessed/page_"


def document(project_id: str, document_id: str) -> str:
    """Return the root of a document, below its site's prefix; all other names are relative to it (seed 000's layout).

    >>> document("p", "d")
    'projects/p/documents/d/'
    """
    return f"projects/{project_id}/documents/{document_id}/"


def original(document_id: str, extension: str) -> str:
    """Named after the document's id: its display name is in the table."""
    return f"{document_id}{extension}"


def kind_in(project_id: str, name: str) -> str:
    """Return the kind of a document's object; everything of another system's review request has one kind.

    >>> kind_in("p", result("w")), kind_in(QUESTIONS, result("desk-1"))
    ('result', 'question')
    """
    return "question" if project_id == QUESTIONS else kind(name)


def kind(name: str) -> str:
    """Return the object's tag, which the bucket's lifecycle rules use (config/deploy/infrastructure/documents.yaml).

    >>> [kind(name) for name in ("d.pdf", page_image(0), result("w"), pinned_rules("00"), "debug/w/answer.json")]
    ['raw', 'artifact', 'result', 'result', 'debug']
    >>> [kind(name) for name in (calibration("p", "00"), own_artifact("w", segment(0)), manifest("b"))]
    ['result', 'artifact', 'batch']
    >>> [kind(name) for name in (truth("00"), testset("p", "t", "00"), testset_upload("p", "00"))]
    ['result', 'result', 'debug']
    """
    head, inside, rest = name.partition("/")
    if head == "runs" and rest.partition("/")[2].startswith(_OWN):
        return "artifact"
    return _KINDS.get(head, "artifact") if inside else "raw"


def parse_incoming_key(key: str) -> tuple[str, str]:
    """Return the folder and the name of an incoming file.

    >>> parse_incoming_key("raw/2026/11/21/acme/post/bill 7.pdf")
    ('acme', 'bill 7.pdf')

    Raises:
        ValueError: the key has neither.

    """
    head, year, month, day, tenant, rest = key.split("/", 5)
    if f"{head}/" != INCOMING or not tenant or not all(part.isdecimal() for part in (year, month, day)):
        raise ValueError(key)
    return tenant, rest.rpartition("/")[2]


def page_image(index: int) -> str:
    """0-based index; displayed as index + 1."""
    return f"preprocessed/page_{index:04d}.png"


def web_page(index: int) -> str:
    """A fetched page; 0-based."""
    return f"webcrawler/pages/page_{index:04d}.json"


def chunk(head: str, number: int) -> str:
    """Return a chunk of the artifact that ``head`` is the head of.

    >>> chunk(OCR, 7)
    'paddleocr/chunks/chunk_0007.json'
    """
    return f"{head.rpartition('/')[0]}/chunks/chunk_{number:04d}.json"


def segment(index: int) -> str:
    return f"analysis/segment_{index:04d}.json"


def plan(workflow_id: str, stage: str, attempt: int) -> str:
    """The indices of each slice of a stage."""
    return f"runs/{workflow_id}/slices/{stage}-{attempt}/plan.json"


def slice_output(workflow_id: str, stage: str, attempt: int, number: int) -> str:
    """The output of a slice, for the end of its stage."""
    return f"runs/{workflow_id}/slices/{stage}-{attempt}/{number:04d}.json"


_OWN = "own/"


def own_artifact(workflow_id: str, name: str) -> str:
    """Return where a run that stands beside another stores its stages' artifacts.

    >>> own_artifact("w", segment(0)), own_artifact("w", page_image(0))
    ('runs/w/own/analysis/segment_0000.json', 'preprocessed/page_0000.png')
    """
    return name if name.startswith(_PICTURES) else f"runs/{workflow_id}/{_OWN}{name}"


def artifact_folder(name: str) -> str:
    """Return the folder of an artifact, one of ``ARTIFACTS``; empty for other files."""
    folder = f"{name.partition('/')[0]}/"
    return folder if folder in ARTIFACTS else ""


def publication(publication_id: str) -> str:
    """The prefix of a publication: public copies as of the time of publishing."""
    return f"published/{publication_id}/"


def published_page(publication_id: str, index: int) -> str:
    return f"{publication(publication_id)}page_{index:04d}.png"


def published_fields(publication_id: str) -> str:
    return f"{publication(publication_id)}fields.json"


def result(workflow_id: str) -> str:
    return f"runs/{workflow_id}/result.json"


def assessment(workflow_id: str) -> str:
    return f"runs/{workflow_id}/assessment.json"


def decision(workflow_id: str, decision_id: str, sha256: str) -> str:
    """Named by content too: a repeated POST must never overwrite the decided object."""
    return f"runs/{workflow_id}/decisions/{decision_id}-{sha256[:16]}.json"


def adjudication(workflow_id: str, sha256: str) -> str:
    """The adjudicated values of a document whose two reviews differ."""
    return f"runs/{workflow_id}/adjudications/{sha256[:16]}.json"


def output(workflow_id: str) -> str:
    return f"runs/{workflow_id}/output.json"


def text(workflow_id: str) -> str:
    """The text of all pages, if a rule asked for it; form feeds between pages."""
    return f"runs/{workflow_id}/text.txt"


def routing_judgement(workflow_id: str) -> str:
    """The result of the rules after the analysis of a run's document."""
    return f"runs/{workflow_id}/routing.json"


def pinned_rules(sha256: str) -> str:
    """Relative to the site's root: one object for all runs that began under the same rules."""
    return f"rules/{sha256}.json"


def pinned_types(sha256: str) -> str:
    """Relative to the site's root: the site's document types, one object for all runs that began under them."""
    return f"rules/types-{sha256}.json"


def promptbook(sha256: str) -> str:
    """Relative to the site's root: the prompts, one object for all runs that began under them."""
    return f"rules/prompts-{sha256}.json"


def model_call(workflow_id: str, purpose: str, index: int, number: int = 0) -> str:
    """A prompt as sent and its answer; ``index``: of the page, 0-based, or of the part of a summary.

    ``number``: of a person's question about the page.

    >>> model_call("w", "extract", 2), model_call("w", "answer", 2, 1)
    ('runs/w/calls/extract_0002.json', 'runs/w/calls/answer_0002_001.json')
    """
    which = f"{index:04d}_{number:03d}" if number else f"{index:04d}"
    return f"runs/{workflow_id}/calls/{purpose}_{which}.json"


def trial(trial_id: str) -> str:
    """The input of a trial: a prompt draft, and its question."""
    return f"debug/trials/{trial_id}.json"


def trial_answer(name: str) -> str:
    """The outcome of one side of a trial; ``name``: of the request, or of the trial if it failed."""
    return f"debug/trials/answers/{name}.json"


def region(name: str) -> str:
    """The OCR result of a page region that a reviewer marked; ``name``: of the region."""
    return f"debug/regions/{name}.json"


def examples(workflow_id: str) -> str:
    """The few-shot examples in a run's prompts, the same at each attempt."""
    return f"runs/{workflow_id}/examples.txt"


def doctype(workflow_id: str) -> str:
    """The document type that a model found, if it was asked before the pages are read."""
    return f"runs/{workflow_id}/type.json"


def calibration(project_id: str, sha256: str) -> str:
    """Relative to the site's root: a calibration, named by content."""
    return f"calibrations/{project_id}/{sha256}.json"


def extractor(project_id: str, sha256: str) -> str:
    """Relative to the site's root: an extractor, with hashed features; named by content."""
    return f"extractors/{project_id}/{sha256}.json"


def truth(sha256: str) -> str:
    """Known answers of a document, among its own objects, so that they are deleted with it; named by content."""
    return f"truths/{sha256}.json"


def testset(project_id: str, testset_id: str, sha256: str) -> str:
    """Relative to the site's root: the cases of a test set's version, ids only."""
    return f"testsets/{project_id}/{testset_id}/{sha256}.json"


def testset_upload(project_id: str, sha256: str) -> str:
    """Relative to the site's root: uploaded answers, until they are stored with their documents."""
    return f"uploads/{project_id}/{sha256}.json"


def direct_upload(project_id: str, upload_id: str) -> str:
    """Relative to the site's root: a file uploaded by presigned URL, until it becomes a document."""
    return f"uploads/{project_id}/direct/{upload_id}"


def experiment_plan(project_id: str, experiment_id: str, sha256: str) -> str:
    """Relative to the site's root: the variants of an experiment with its pinned prompts and models."""
    return f"experiments/{project_id}/{experiment_id}/plan-{sha256}.json"


def experiment_results(project_id: str, experiment_id: str, sha256: str) -> str:
    """Relative to the site's root: scores, document ids and field names; no values."""
    return f"experiments/{project_id}/{experiment_id}/results-{sha256}.json"


def kept_answer(sha256: str) -> str:
    """A cached model answer about a document, among its own objects; named by the request."""
    return f"answers/{sha256}.json"


def experiment_outcome(experiment_id: str, variant: int) -> str:
    """The outcome of a variant on a document, among the document's own objects."""
    return f"experiments/{experiment_id}/{variant:02d}.json"


def export(project_id: str, folder: str, name: str) -> str:
    """Relative to the site's root: a file of an export; it expires after some days, as its content may be purged.

    >>> kind(export("p", "monthly/2026-11-01", "documents.csv"))
    'debug'
    """
    return f"exports/{project_id}/{folder}/{name}"


def review_history(project_id: str) -> str:
    """Relative to the site's root: confidences and correctness of reviewed values, without the values."""
    return f"calibrations/{project_id}/history.json"


def bulk(site: str) -> str:
    """Return the prefix of a site's files for batches.

    >>> bulk("acme")
    'bulk/acme/'
    """
    return f"{BULK}{site}/"


def manifest(batch_id: str, sha256: str = "") -> str:
    """Relative to the site's root, like all of a batch: an uploaded manifest, named by content.

    >>> manifest("b", "5e1f00")
    'batches/b/manifest-5e1f00'
    """
    return f"batches/{batch_id}/manifest-{sha256}"


def batch_items(batch_id: str, attempt: int) -> str:
    """The input of the parent machine: one item for each part."""
    return f"batches/{batch_id}/{attempt}/items.json"


def batch_part(batch_id: str, attempt: int, part: int) -> str:
    """The lines of a part, as in the manifest."""
    return f"batches/{batch_id}/{attempt}/lines_{part:05d}.json"


def batch_files(batch_id: str, attempt: int, part: int) -> str:
    """The same lines with version and size of each file, null if it is missing."""
    return f"batches/{batch_id}/{attempt}/files_{part:05d}.json"


def sha256(body: bytes) -> str:
    return hashlib.sha256(body).hexdigest()
