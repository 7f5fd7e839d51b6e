"""Images of a document's pages, straight from S3 to whoever may look."""

from django.http import HttpResponseBase, StreamingHttpResponse
from django.views.decorators.http import require_safe

from projects import access
from projects.http import DeskRequest
from workflows import files
from workflows.storage import DocumentFiles

_CHUNK = 64 * 1024


@require_safe
def page_image(request: DeskRequest, project_id: str, document_id: str, index: int) -> HttpResponseBase:
    """``index`` is 0-based. The site is the request's own, so another site's document is not found."""
    access.check_can_view(request)
    body, length = DocumentFiles(request.site, project_id, document_id).open(files.page_image(index))
    response = StreamingHttpResponse(body.iter_chunks(_CHUNK), content_type="image/png")
    response["Content-Length"] = str(length)
    response["Cache-Control"] = "private, max-age=3600"
    return response
