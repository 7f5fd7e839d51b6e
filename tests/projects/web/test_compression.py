import gzip
import re

import pytest
from django.http import HttpResponse

from projects.web.compression import CompressionMiddleware
from tests.people import bob, signed_in

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("table")]
ASKED = {"accept-encoding": "gzip"}


def test_a_page_goes_out_compressed():
    browser = signed_in(bob())
    plain, answer = browser.get("/review/"), browser.get("/review/", headers=ASKED)
    assert answer["Content-Encoding"] == "gzip"
    assert "Accept-Encoding" in answer["Vary"]
    assert len(answer.content) < len(plain.content) / 2
    assert b'<h1 dir="auto">Review' in gzip.decompress(answer.content)
    assert "Content-Encoding" not in plain


def test_neither_the_token_nor_the_length_says_twice_the_same():
    browser = signed_in(bob())
    answers = [browser.get("/review/", headers=ASKED).content for _ in range(8)]
    tokens = [re.findall(rb'"X-CSRFToken": "(\w+)"', gzip.decompress(answer))[0] for answer in answers]
    assert len(set(tokens)) == len(answers)
    assert len({len(answer) for answer in answers}) > 1


def test_a_picture_is_left_as_it_is(rf):
    for kind, expected in (("image/png", None), ("application/pdf", None), ("text/csv", "gzip")):
        middleware = CompressionMiddleware(lambda _request, kind=kind: HttpResponse(b"x" * 999, content_type=kind))
        assert middleware(rf.get("/", headers=ASKED)).get("Content-Encoding") == expected
