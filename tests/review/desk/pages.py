"""What a browser reads off the desk's page."""

import html
import re

from tests.html import one_line
from tests.people import signed_in
from tests.review.reviews import url


def form(user, ref, *, tick=True, **changes):
    """What the browser posts: every input of the page as it stands, with ``changes``; ``tick``: each box is ticked."""
    text = one_line(signed_in(user).get(url("show-review", ref)).content)
    posted = dict(re.findall(r'<input class="text-input"[^>]* name="([^"]+)" value="([^"]*)"', text))
    posted = {name: html.unescape(value) for name, value in posted.items()}
    posted["ticket"] = re.search(r'name="ticket" value="([^"]+)"', text)[1]
    boxes = re.findall(r'<input type="checkbox" name="(seen-[^"]+)" value="1"( checked)?', text)
    posted |= {name: "1" for name, checked in boxes if tick or checked}
    return posted | {"decision": "approve"} | changes


def compared(text):
    """The rows of the table that sets yours beside theirs."""
    table = re.search(r'<table class="data-table boxed comparison">(.*?)</table>', one_line(text))
    row = r'<tr><th scope="row">(.*?)</th><td[^>]*>(.*?)</td><td[^>]*>(.*?)</td></tr>'
    return [tuple(map(html.unescape, found)) for found in re.findall(row, table[1])] if table else None
