"""A browser for measuring: cookies and forms straight into the WSGI application, without sockets or test clients."""

import io
import sys
from dataclasses import dataclass, field
from http.cookies import SimpleCookie
from urllib.parse import urlencode, urlsplit

from django.conf import settings
from django.core.handlers.wsgi import WSGIHandler


@dataclass
class Answer:
    status: int
    body: bytes
    location: str
    calls: int = 0  # of AWS, as ``Server-Timing`` has them


@dataclass
class Browser:
    """One person's; POST sends the CSRF token as htmx does."""

    application: WSGIHandler
    cookies: dict[str, str] = field(default_factory=dict)

    def get(self, url: str) -> Answer:
        return self._send("GET", url, b"")

    def post(self, url: str, **values: str) -> Answer:
        return self._send("POST", url, urlencode(values).encode())

    def _send(self, method: str, url: str, body: bytes) -> Answer:
        seen: dict[str, str] = {}

        def start_response(status: str, headers: list[tuple[str, str]], _error: object = None) -> None:
            seen["status"] = status
            for name, value in headers:
                if name == "Set-Cookie":
                    self.cookies |= {key: morsel.value for key, morsel in SimpleCookie(value).items()}
                elif name == "Location":
                    seen["location"] = value
                elif name == "Server-Timing":
                    seen["calls"] = value.partition('aws;desc="')[2].partition(" ")[0]

        response = self.application(self._environ(method, url, body), start_response)  # type: ignore[arg-type]
        text = b"".join(response)
        response.close()
        return Answer(int(seen["status"].split()[0]), text, seen.get("location", ""), int(seen.get("calls") or 0))

    def _environ(self, method: str, url: str, body: bytes) -> dict[str, object]:
        parts = urlsplit(url)
        return {
            "REQUEST_METHOD": method,
            "SCRIPT_NAME": "",
            "PATH_INFO": parts.path,
            "QUERY_STRING": parts.query,
            "SERVER_NAME": "localhost",
            "SERVER_PORT": "80",
            "SERVER_PROTOCOL": "HTTP/1.1",
            "REMOTE_ADDR": "127.0.0.1",
            "CONTENT_TYPE": "application/x-www-form-urlencoded" if body else "",
            "CONTENT_LENGTH": str(len(body)),
            "HTTP_COOKIE": "; ".join(f"{name}={value}" for name, value in self.cookies.items()),
            "HTTP_X_CSRFTOKEN": self.cookies.get(settings.CSRF_COOKIE_NAME, ""),
            "wsgi.url_scheme": "http",
            "wsgi.input": io.BytesIO(body),
            "wsgi.errors": sys.stderr,
        }
