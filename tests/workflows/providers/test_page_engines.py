"""Engines that read one page: a model endpoint over HTTP and Tesseract's program."""

import json
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest

from config.errors import ProviderPaused, StageFailed
from projects.models.spec import OcrSpec
from tests.each import each
from tests.serving import serving
from tests.workflows.providers.services import caller
from workflows.providers import endpoint, tesseract
from workflows.providers.endpoint import ENDPOINT, Endpoint
from workflows.providers.tesseract import Tesseract

PAGE = b"\x89PNG"


def served(texts=("Total due 9.00",), boxes=((100, 200, 380, 240),)):
    found = {"rec_texts": list(texts), "rec_scores": [0.97] * len(texts), "rec_boxes": [list(box) for box in boxes]}
    return {"errorCode": 0, "result": {"ocrResults": [{"prunedResult": found}]}}


@contextmanager
def model(*answers):
    """An endpoint on this machine; answers (status, body) one after the other, the last one again and again."""
    asked = []
    left = list(answers)

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self):
            body = self.rfile.read(int(self.headers["Content-Length"]))
            asked.append((self.path, dict(self.headers), json.loads(body)))
            status, answer = left.pop(0) if len(left) > 1 else left[0]
            content = answer if isinstance(answer, bytes) else json.dumps(answer).encode()
            self.send_response(status)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, *args):
            pass

    server = HTTPServer(("127.0.0.1", 0), Handler)
    with serving(server):
        yield f"http://127.0.0.1:{server.server_port}/ocr?v=1", asked


def engine(url, key=""):
    return Endpoint(url, key, caller(ENDPOINT), seconds=5, insecure=True)


def test_a_page_is_sent_and_its_lines_come_back_as_shares_of_the_page():
    with model((200, served())) as (url, asked):
        page = engine(url, "secret").read(PAGE, 3, (1000, 2000))
    ((path, headers, body),) = asked
    assert (path, headers["Authorization"], body) == ("/ocr?v=1", "Bearer secret", {"file": "iVBORw==", "fileType": 1})
    assert (page.index, page.text) == (3, "Total due 9.00")
    (line,) = page.lines
    assert line.box == pytest.approx((0.1, 0.1, 0.38, 0.12))
    assert [word.text for word in line.words] == ["Total", "due", "9.00"]
    assert line.words[0].box[2] == pytest.approx(0.1 + 5 * 0.28 / 14)
    assert line.score == 0.97


@pytest.mark.parametrize("status", [500, 503, 429])
def test_an_endpoint_that_is_busy_is_tried_again(status):
    with model((status, {}), (200, served())) as (url, asked):
        assert engine(url).read(PAGE, 0, (100, 100)).text == "Total due 9.00"
    assert len(asked) == 2


def test_an_endpoint_that_stays_away_is_left_alone():
    with model((503, {})) as (url, asked), pytest.raises(ProviderPaused, match="HTTP 503"):
        engine(url).read(PAGE, 0, (100, 100))
    assert len(asked) == 4


@each(
    ("answer", "words"),
    [
        ((401, {}), "ENDPOINT_KEY"),
        ((400, {}), "returned 400"),
        ((302, {}), "returned 302"),
        ((200, b"<html>"), "cannot be parsed"),
        ((200, []), "cannot be parsed"),
        ((200, {"errorCode": 500}), "could not read this page"),
        ((200, {"result": {}}), "not in PaddleX format"),
        ((200, {"result": {"ocrResults": [{"prunedResult": {"rec_texts": ["a"]}}]}}), "not in PaddleX format"),
        ((200, served(("a", "b"), ((1, 2, 3, 4),))), "not in PaddleX format"),
    ],
)
def test_what_an_endpoint_will_never_read_is_asked_once(answer, words):
    with model(answer) as (url, asked), pytest.raises(StageFailed, match=words):
        engine(url).read(PAGE, 0, (100, 100))
    assert len(asked) == 1


@pytest.mark.parametrize("url", ["", "http://127.0.0.1/", "ftp://x/"])
def test_an_endpoint_that_is_not_set_up_says_which_setting(url):
    with pytest.raises(StageFailed, match="COUNTERSIGN_OCR_ENDPOINT_URL"):
        Endpoint(url, "", caller(ENDPOINT)).read(PAGE, 0, (100, 100))


def test_an_empty_page_is_no_error():
    assert endpoint.read_endpoint_answer(served((" ",), ((0, 0, 1, 1),)), 0, (10, 10)).lines == ()


@each(
    ("orientation", "asked"),
    [
        ("", {}),
        ("upright", {"useDocOrientationClassify": False, "useTextlineOrientation": False}),
        ("lines", {"useDocOrientationClassify": False, "useTextlineOrientation": True}),
        ("page", {"useDocOrientationClassify": True, "useTextlineOrientation": True}),
    ],
)
def test_an_endpoint_is_told_how_the_text_stands(orientation, asked):
    spec = OcrSpec("a", "A", "paddlex", orientation=orientation, least_score=0.4)
    unwarping = {"useDocUnwarping": False} if orientation else {}
    assert endpoint.ask_for(spec) == {**asked, **unwarping, "textRecScoreThresh": 0.4}
    with model((200, served())) as (url, sent):
        Endpoint(url, "", caller(ENDPOINT), insecure=True, asked=endpoint.ask_for(spec)).read(PAGE, 0, (10, 10))
    assert sent[0][2] == {"file": "iVBORw==", "fileType": 1, **endpoint.ask_for(spec)}


@each(
    ("angle", "box"),
    [
        (-1, (100, 200, 380, 240)),
        (0, (100, 200, 380, 240)),
        (90, (1000 - 240, 100, 1000 - 200, 380)),
        (180, (1000 - 380, 2000 - 240, 1000 - 100, 2000 - 200)),
        (270, (200, 2000 - 380, 240, 2000 - 100)),
    ],
)
def test_words_of_a_page_that_was_turned_stand_where_they_are_on_the_page_as_it_was_sent(angle, box):
    found = served()
    found["result"]["ocrResults"][0]["prunedResult"]["doc_preprocessor_res"] = {"angle": angle}
    (line,) = endpoint.read_endpoint_answer(found, 0, (1000, 2000)).lines
    assert line.box == pytest.approx((box[0] / 1000, box[1] / 2000, box[2] / 1000, box[3] / 2000))


def test_a_named_endpoint_says_its_own_variables():
    with model((401, {})) as (url, _), pytest.raises(StageFailed, match="COUNTERSIGN_OCR_KEY_GPU"):
        Endpoint(url, "x", caller(ENDPOINT), insecure=True, name="gpu").read(PAGE, 0, (10, 10))
    with pytest.raises(StageFailed, match="COUNTERSIGN_OCR_ENDPOINTS"):
        Endpoint("", "", caller(ENDPOINT), name="gpu").read(PAGE, 0, (10, 10))


TABLE = "\n".join(
    [
        "level\tpage_num\tblock_num\tpar_num\tline_num\tword_num\tleft\ttop\twidth\theight\tconf\ttext",
        "1\t1\t0\t0\t0\t0\t0\t0\t1000\t2000\t-1\t",
        "4\t1\t1\t1\t1\t0\t100\t200\t300\t40\t-1\t",
        '5\t1\t1\t1\t1\t1\t100\t200\t100\t40\t96.5\tTotal"',
        "5\t1\t1\t1\t1\t2\t250\t200\t150\t40\t91\t9.00",
        "5\t1\t1\t1\t2\t1\t100\t300\t50\t40\t95\t ",
        "5\t1\t2\t1\t1\t1\t100\t400\t50\t40\t80\tVAT",
    ]
)


def test_tesseracts_table_is_read_as_lines_of_words():
    page = tesseract.read_tesseract_table(TABLE, 2, (1000, 2000))
    assert page.text == 'Total" 9.00\nVAT'
    assert page.lines[0].box == pytest.approx((0.1, 0.1, 0.4, 0.12))
    assert page.lines[0].score == pytest.approx(0.91)
    assert page.lines[0].page == 2


def program(folder, script):
    path = folder / "tesseract"
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)
    return str(path)


def test_the_program_gets_the_page_and_the_language(tmp_path):
    (tmp_path / "table").write_text(TABLE)
    name = program(tmp_path, f'echo "$@" > {tmp_path}/asked; cat > {tmp_path}/page; cat {tmp_path}/table')
    page = Tesseract(("de",), name).read(PAGE, 0, (1000, 2000))
    assert page.lines[1].text == "VAT"
    assert (tmp_path / "page").read_bytes() == PAGE
    assert (tmp_path / "asked").read_text().split()[:4] == ["stdin", "stdout", "-l", "deu"]
    Tesseract(("zh-TW", "en"), name, layout=12, dpi=300).read(PAGE, 0, (1000, 2000))
    assert (tmp_path / "asked").read_text().split()[3:] == ["chi_tra+eng", "--psm", "12", "--dpi", "300", "tsv"]


@each(
    ("orientation", "layout", "number"),
    [
        ("", "auto", 3),
        ("", "column", 4),
        ("", "block", 6),
        ("", "sparse", 11),
        ("page", "auto", 1),
        ("page", "sparse", 12),
    ],
)
def test_a_layout_is_tesseracts_segmentation_mode(orientation, layout, number):
    spec = OcrSpec("a", "A", "tesseract", orientation=orientation, layout=layout)
    assert tesseract.tesseract_layout(spec) == number


@pytest.mark.parametrize(
    ("script", "words"),
    [
        ("cat >/dev/null; echo 'Failed loading language chi_sim' >&2; exit 1", "install tesseract-ocr-chi-sim."),
        ("cat >/dev/null; echo \"Failed loading language 'kor'\" >&2", "install tesseract-ocr-kor."),  # it goes on
        ("cat >/dev/null; exit 3", "could not read page 1"),
        ("exec sleep 5", "did not finish page 1"),
    ],
)
def test_a_program_that_fails_says_why(tmp_path, script, words):
    with pytest.raises(StageFailed, match=words):
        Tesseract(("en",), program(tmp_path, script), seconds=0.5).read(PAGE, 0, (10, 10))


def test_without_the_program_the_project_is_told_what_to_do():
    with pytest.raises(StageFailed, match="not installed on the worker"):
        Tesseract(("en",), "no-such-program").read(PAGE, 0, (10, 10))
