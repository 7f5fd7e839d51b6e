"""A signed-in person over HTTP: uploads, takes a review and decides it with the forms that the pages carry."""

import html
import http.cookiejar
import json
import re
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Mapping
from pathlib import Path

from django.conf import settings
from django.core.files.base import ContentFile
from django.test.client import BOUNDARY, MULTIPART_CONTENT, encode_multipart

from review.identity import ReviewRef
from workflows.runs.items import Run


class Visitor:
    def __init__(self, web: str, patience: float = 20) -> None:
        """``patience``: seconds to wait for each answer."""
        self.web, self.patience = web, patience
        self.cookies = http.cookiejar.CookieJar()
        handlers = (urllib.request.ProxyHandler({}), urllib.request.HTTPCookieProcessor(self.cookies))
        self.opener = urllib.request.build_opener(*handlers)

    def is_answered(self) -> bool:
        try:
            return self.get("/healthz")[0] == 200
        except OSError:  # refused, or cut off while it starts
            return False

    def sign_in(self, username: str, password: str) -> None:
        self.get("/login/")
        _, page = self.post("/login/", {"username": username, "password": password})
        assert "id_password" not in page
        # A page that says "try again later" has no form either.
        assert any(one.name == settings.SESSION_COOKIE_NAME for one in self.cookies), "not signed in"

    def upload(self, project_id: str, file: Path) -> Run:
        document_id, workflow_id = self.send(project_id, file).strip("/").split("/")[-2:]
        return Run("default", project_id, document_id, workflow_id)

    def send(self, project_id: str, file: Path) -> str:
        """The address of what came of it."""
        content = ContentFile(file.read_bytes(), name=file.name)
        body = encode_multipart(BOUNDARY, {"files": content})
        path = f"/workflows/projects/{project_id}/upload/"
        status, text = self._send(path, body, {"Content-Type": MULTIPART_CONTENT, "Accept": "application/json"})
        assert status == 200, text
        (found,) = json.loads(text)["files"]
        return str(found["url"])

    def claim(self, ref: ReviewRef) -> str:
        """The desk's page, whose form is mine now."""
        status, page = self.post(f"/review/{ref.document_id}/{ref.review_id}/claim/", {})
        assert status == 200
        return page

    def save_draft(self, ref: ReviewRef, page: str, **typed: str) -> None:
        status, _ = self.post(f"/review/{ref.document_id}/{ref.review_id}/draft/", form_of(page, typed))
        assert status in (200, 204)

    def decide(self, ref: ReviewRef, page: str, **typed: str) -> int:
        """The status of the answer; approves with what was typed, on what ``page`` showed."""
        answers = {**form_of(page, typed), "decision": "approve"}
        status, _ = self.post(f"/review/{ref.document_id}/{ref.review_id}/decide/", answers)
        return status

    def get(self, path: str) -> tuple[int, str]:
        return self._open(urllib.request.Request(self.web + path))

    def post(self, path: str, fields: Mapping[str, str]) -> tuple[int, str]:
        return self._send(path, urllib.parse.urlencode(fields).encode(), {})

    def _send(self, path: str, body: bytes, headers: Mapping[str, str]) -> tuple[int, str]:
        token = next(cookie.value for cookie in self.cookies if cookie.name == "csrftoken") or ""
        request = urllib.request.Request(self.web + path, body, {**headers, "X-CSRFToken": token})
        return self._open(request)

    def _open(self, request: urllib.request.Request) -> tuple[int, str]:
        try:
            with self.opener.open(request, timeout=self.patience) as answer:
                return answer.status, answer.read().decode(errors="replace")
        except urllib.error.HTTPError as refused:
            with refused:
                return refused.code, refused.read().decode(errors="replace")


def form_of(page: str, typed: Mapping[str, str]) -> dict[str, str]:
    found = re.search(r'name="ticket" value="([^"]+)"', page)
    assert found
    boxes = dict.fromkeys(re.findall(r'name="(seen-[^"]+)"', page), "1")  # everything in doubt is looked at
    return {"ticket": html.unescape(found[1]), **boxes, **{f"field-{name}": text for name, text in typed.items()}}
