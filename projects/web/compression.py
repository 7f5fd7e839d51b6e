"""Compression of text responses; images and documents are compressed already."""

from django.http import HttpRequest, HttpResponseBase
from django.middleware.gzip import GZipMiddleware

_TEXT = ("text/", "application/json", "application/problem+json", "image/svg+xml")


class CompressionMiddleware(GZipMiddleware):
    """Against BREACH, the CSRF token is masked per response, and responses have random padding."""

    def process_response(self, request: HttpRequest, response: HttpResponseBase) -> HttpResponseBase:
        if not response.get("Content-Type", "").startswith(_TEXT):
            return response
        return super().process_response(request, response)
