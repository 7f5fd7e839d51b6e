"""Small marks that every page repeats: icons, times, shares."""

import datetime as dt
import functools
from collections.abc import Sequence

from django import template
from django.template.base import FilterExpression, Node, Parser, TextNode, Token, Variable
from django.template.context import Context
from django.templatetags.static import static
from django.utils import timezone
from django.utils.html import format_html
from django.utils.safestring import SafeString

from config import clock

register = template.Library()
_MONTHS = ("", "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")


@functools.cache
def icon(name: str, extra: str = "") -> SafeString:
    """``{% icon "check" %}``: a drawing of ``static/icons.svg``; its meaning stands in words beside it."""
    kind = f"icon {extra}".strip()
    place = f"{static('icons.svg')}#i-{name}"
    return format_html('<svg class="{}" aria-hidden="true"><use href="{}"/></svg>', kind, place)


class IconNode(Node):
    """An icon whose name a variable says."""

    def __init__(self, words: Sequence[FilterExpression]) -> None:
        self.words = words

    def render(self, context: Context) -> SafeString:
        return icon(*(str(word.resolve(context)) for word in self.words))


@register.tag("icon")
def compile_icon(parser: Parser, token: Token) -> Node:
    """A page has sixty icons, and nearly all are named in the template: those are drawn when it is compiled."""
    words = [parser.compile_filter(bit) for bit in token.split_contents()[1:]]
    if any(isinstance(word.var, Variable) or word.filters for word in words):
        return IconNode(words)
    return TextNode(icon(*(str(word.var) for word in words)))


@register.filter
def local_time(moment: dt.datetime | str | None, style: str = "moment") -> SafeString | str:
    """``{{ at|local_time }}``: in the time zone of who looks, which the script does alike for what is ``ago``.

    ``style`` is moment (day and time), time, day or ago. Takes an instant or its stored text.
    """
    return write_time(moment, style, timezone.get_current_timezone()) if moment else ""


@functools.lru_cache(maxsize=4096)
def write_time(moment: dt.datetime | str, style: str, zone: dt.tzinfo) -> SafeString:
    instant = clock.parse(moment) if isinstance(moment, str) else moment
    at = instant.astimezone(zone)
    day, minute, name = f"{at.day} {_MONTHS[at.month]} {at.year}", f"{at.hour:02}:{at.minute:02}", at.tzname()
    words = {"time": f"{minute}:{at.second:02} {name}", "day": day}.get(style) or f"{day}, {minute} {name}"
    stamp = instant.astimezone(dt.UTC).isoformat(timespec="seconds")
    # Seventy-five a page: strftime and format_html would take a tenth of it, and no text of anybody's is in here.
    return SafeString(f'<time datetime="{stamp}" data-local="{style}">{words}</time>')


@register.filter
def grouped(number: int) -> str:
    """``100000`` → ``100,000``."""
    return f"{number:,}"


@register.filter
def percent(share: float | str | None) -> str:
    """``0.583`` → ``58 %``; rounded down, so that what misses its threshold never looks as if it met it."""
    if share is None or share == "":
        return "–"
    return f"{int(float(share) * 100 + 1e-9)} %"


_FILE_TYPES = {
    "application/pdf": "PDF",
    "application/zip": "ZIP archive",
    "application/vnd.openxmlformats-officedocument.wordprocessingml.document": "Word",
    "application/vnd.openxmlformats-officedocument.presentationml.presentation": "PowerPoint",
    "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": "Excel",
    "application/vnd.ms-outlook": "Email (Outlook)",
    "application/epub+zip": "E-book",
    "application/rtf": "Rich text",
    "application/xml": "XML",
    "application/x-webreq": "Web request",
    "audio/wav": "Audio",
    "audio/mpeg": "Audio (MP3)",
    "audio/flac": "Audio (FLAC)",
    "audio/ogg": "Audio (Ogg)",
    "video/mp4": "Video",
    "video/quicktime": "Video (QuickTime)",
    "message/rfc822": "Email",
    "text/csv": "CSV",
    "text/html": "Web page",
    "text/markdown": "Markdown",
    "text/plain": "Text",
}


@register.filter
def file_type(mime: str | None) -> str:
    """``image/png`` → ``PNG image``; what no one knows stays as it is."""
    if not mime:
        return "–"
    if mime.startswith("image/"):
        return f"{mime.removeprefix('image/').upper()} image"
    return _FILE_TYPES.get(mime, mime)


@register.filter
def initials(name: str) -> str:
    """``Ines Okafor`` → ``IO``; ``bob`` → ``B``."""
    words = [word for word in name.replace(".", " ").replace("_", " ").split() if word]
    return "".join(word[0] for word in (words[:1] + words[-1:] if len(words) > 1 else words)).upper()
