"""The language of a page: the person's choice, else the browser's, else English."""

from collections.abc import Callable

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.utils import translation
from django.utils.cache import patch_vary_headers

from projects.web.http import API_PATH

SESSION_KEY = "language"


def chosen_language(request: HttpRequest) -> str:
    """Return the chosen language code; empty for the browser's."""
    return str(request.session.get(SESSION_KEY, ""))


class LanguageMiddleware:
    """Sets the language; API responses are always English, since clients compare them."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        if request.path_info.startswith(API_PATH):
            with translation.override(settings.LANGUAGE_CODE):
                return self.get_response(request)
        # As with the time zone: who has no session has none made for this.
        chosen = chosen_language(request) if settings.SESSION_COOKIE_NAME in request.COOKIES else ""
        known = chosen in dict(settings.LANGUAGES)
        with translation.override(chosen if known else translation.get_language_from_request(request)):
            response = self.get_response(request)
            response.headers.setdefault("Content-Language", translation.get_language())
        if not known:
            patch_vary_headers(response, ["Accept-Language"])
        return response
