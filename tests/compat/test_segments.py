"""Segments and page images of the seed-000 system open in our pages as they are."""

import pytest
from django.conf import settings

from tests.compat.pages import read, run_url, words
from tests.compat.shapes import picture
from tests.people import charlie, signed_in

pytestmark = pytest.mark.django_db


def test_a_segment_shows_image_analysis_and_texts(seed):
    page = read(run_url(seed, "completed", "segments/1/"))
    text = words(page)
    for one in (
        "Page 2 of 3",
        "Page 2 Analysis",
        "It shows **figure 2** &lt;b&gt;.",
        "Which unit? Millimetres",
        "Description of page 2",
        "Read by OCR OCR of page 2",
        "Text of the file Layer of page 2",
    ):
        assert one in text
    assert f"/workflows/{seed.project_id}/{seed.documents['completed'].document_id}/pages/1.png" in page
    assert run_url(seed, "completed", "segments/0/") in page
    assert run_url(seed, "completed", "segments/2/") in page


def test_a_segment_that_is_not_built_yet_shows_what_the_stages_have_read(seed):
    text = words(read(run_url(seed, "analyzing", "segments/0/")))
    assert "OCR of page 1" in text
    assert "Layer of page 1" in text
    assert "Queued" in text


def test_chapters_and_web_pages_are_shown_as_what_they_are(seed):
    text = words(read(run_url(seed, "video", "segments/1/")))
    for one in ("Chapter 2 of 2", "00:01:00:00 – 00:01:59:24", "1.5 s Hello in 1", "Somebody speaks."):
        assert one in text
    text = words(read(run_url(seed, "web", "segments/0/")))
    for one in ("Web page 1", "Our shop", "https://example.com/shop", "Open from 9 to 17."):
        assert one in text


def test_a_segment_that_is_counted_and_not_written_says_so(seed):
    assert "No text was extracted from this page yet." in read(run_url(seed, "reanalyzing", "segments/0/"))


def test_a_segment_beyond_the_last_is_not_found(seed):
    assert signed_in(charlie()).get(run_url(seed, "completed", "segments/9/")).status_code == 404


@pytest.mark.parametrize("word", ["completed", "picture"])
def test_page_images_are_shown_also_where_the_original_is_the_page(seed, word):
    url = f"/workflows/{seed.project_id}/{seed.documents[word].document_id}/pages/0.png"
    answer = signed_in(charlie()).get(url)
    assert b"".join(answer.streaming_content) == picture()
    assert answer["Content-Type"] == "image/png"


@pytest.mark.wide
@pytest.mark.parametrize(
    "uri",
    [
        None,
        "s3://elsewhere/a.png",
        "s3://{bucket}/projects/proj_other/documents/d/secret.png",
        "s3://{bucket}/{root}page.html",
        "s3://{bucket}/{root}drawing.svg",
    ],
)
def test_no_page_image_leads_out_of_its_document_or_to_what_is_no_picture(seed, uri):
    document = seed.documents["picture"]
    root = seed.root(document.document_id)
    seed.write(f"{root}page.html", b"<script>", "text/html")
    seed.write(f"{root}drawing.svg", b"<svg/>", "image/svg+xml")
    found = uri and uri.format(bucket=settings.BUCKET_NAME, root=root)
    seed.write(f"{root}analysis/segment_0000.json", {"segment_index": 0, "image_uri": found})
    url = f"/workflows/{seed.project_id}/{document.document_id}/pages/0.png"
    assert signed_in(charlie()).get(url).status_code == 404


def test_an_analysis_that_only_the_row_holds_is_shown(seed):
    document = seed.documents["analyzing"]
    told = [{"analysis_query": "Page 1 Analysis", "content": "Kept in the row"}]
    data = {"segment_index": 0, "s3_key": "", "image_uri": "", "image_analysis": told}
    seed.put({"PK": f"WF#{document.workflow_id}", "SK": "SEG#0000", "data": data, "created_at": "", "updated_at": ""})
    text = words(read(run_url(seed, "analyzing", "segments/0/")))
    assert "Page 1 Analysis Kept in the row" in text
    assert "OCR of page 1" in text
