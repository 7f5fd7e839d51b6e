"""What has become of a document: its result beside its first page, its runs and its file versions."""

from django.http import HttpResponse
from django.views.decorators.http import require_safe

from projects.documents.items import Document
from projects.web.http import DeskRequest, render_answer
from workflows.documents.views.runs import load_runs
from workflows.documents.views.versions import get_document, load_contents
from workflows.runs.items import Outcome
from workflows.runs.views.results import load_result


@require_safe
def show_work(request: DeskRequest, document_id: str) -> HttpResponse:
    """One answer for three panels of the document's page: each of its own would be a request more."""
    document = get_document(request, document_id)
    context, row = load_runs(request, document_id)
    context |= load_contents(request, document)
    if row is not None:
        published = row.outcome == Outcome.PUBLISHED or bool(row.decided)
        context |= load_result(request, document.project_id, document_id, row.counts, published=published)
        context |= {
            "row": row,
            "run": row.counts,
            "has_image": _is_drawn(document),
        }
    return render_answer(request, "workflows/documents/work.html", "workflows/documents/_work.html", context)


def _is_drawn(document: Document) -> bool:
    """Whether its pages are images: text, mails, tables and recordings have none."""
    return str(document.contentType).startswith("image/") or document.contentType == "application/pdf"
