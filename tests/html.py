"""Pages as tests compare them."""

import re

_KEPT = re.compile(r"(?<=>)([^<]*)(?=</(?:textarea|pre)>)")


def one_line(page: str | bytes) -> str:
    """The page without the white space of its layout: between tags, between attributes, at an element's edges.

    >>> one_line('<a\\n  class="b"\\n  href="c"\\n>\\n  Go <b>on</b>\\n</a>\\n')
    '<a class="b" href="c">Go <b>on</b></a>'
    >>> one_line("<p>\\n  Lines:\\n  <textarea>b\\na</textarea>\\n</p>")
    '<p>Lines: <textarea>b\\na</textarea></p>'
    """
    text = page.decode() if isinstance(page, bytes) else page
    parts = _KEPT.split(text)  # every second part is what a person typed
    texts = [re.sub(r" (?=/?>)", "", re.sub(r"\s+", " ", part)) for part in parts[::2]]
    texts = [re.sub(r" (?=</)|(?<=>) (?=<)", "", re.sub(r"(<[a-z][^>]*>) ", r"\1", part)) for part in texts]
    return "".join(text + kept for text, kept in zip(texts, [*parts[1::2], ""], strict=True)).strip()
