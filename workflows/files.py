"""The S3 key space: where originals, artifacts, decisions and results lie. S3 paths appear nowhere else.

Plain text and no Django, since the stages name their artifacts by it; ``workflows.storage`` reads and writes them.
"""

import hashlib

PREPARED = "preprocessed/metadata.json"
TEXT_LAYER = "format-parser/result.json"
OCR = "paddleocr/result.json"
SUMMARY = "analysis/summary.json"


# What the stages make of an original: of the newest content only.
ARTIFACTS = ("preprocessed/", "format-parser/", "paddleocr/", "analysis/")


def document(project_id: str, document_id: str) -> str:
    """The root of one document, behind its site's prefix; every other name is relative to it (seed 000's layout).

    >>> document("p", "d")
    'projects/p/documents/d/'
    """
    return f"projects/{project_id}/documents/{document_id}/"


def original(document_id: str, extension: str) -> str:
    """Under the document's own id: the name that people gave it is in the table."""
    return f"{document_id}{extension}"


def page_image(index: int) -> str:
    """0-based index; shown to people as index + 1."""
    return f"preprocessed/page_{index:04d}.png"


def segment(index: int) -> str:
    return f"analysis/segment_{index:04d}.json"


def result(workflow_id: str) -> str:
    return f"runs/{workflow_id}/result.json"


def assessment(workflow_id: str) -> str:
    return f"runs/{workflow_id}/assessment.json"


def decision(workflow_id: str, decision_id: str, sha256: str) -> str:
    """Named by its content too: a repeated POST must never overwrite the object that was decided."""
    return f"runs/{workflow_id}/decisions/{decision_id}-{sha256[:16]}.json"


def output(workflow_id: str) -> str:
    return f"runs/{workflow_id}/output.json"


def text(workflow_id: str) -> str:
    """The text of all pages, where a rule asked for it; form feeds between pages."""
    return f"runs/{workflow_id}/text.txt"


def routing(workflow_id: str) -> str:
    """What the rules said of a run's document after its analysis."""
    return f"runs/{workflow_id}/routing.json"


def rulebook(sha256: str) -> str:
    """Relative to the site's root: one object for all runs that began under the same rules."""
    return f"rules/{sha256}.json"


def sha256(body: bytes) -> str:
    return hashlib.sha256(body).hexdigest()
