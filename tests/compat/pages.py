"""Reading our pages of that system's rows."""

import re

from tests.html import one_line
from tests.people import charlie, signed_in


def read(url, *, htmx=False, who=charlie):
    answer = signed_in(who(), htmx=htmx).get(url)
    assert answer.status_code == 200, (url, answer.status_code)
    return one_line(answer.content)


def words(page):
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", page))


def run_url(seed, word, more=""):
    document = seed.documents[word]
    return f"/workflows/{document.document_id}/{document.workflow_id}/{more}"
