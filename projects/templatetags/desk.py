"""Template tags and filters: icons, times, numbers, languages."""

import datetime as dt
import functools
from collections.abc import Callable, Sequence

from django import template
from django.template.base import FilterExpression, Node, Parser, TextNode, Token, Variable
from django.template.context import Context
from django.template.defaultfilters import filesizeformat
from django.templatetags.static import static
from django.utils import dateformat, timezone
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import get_language, gettext, override, pgettext

from config import clock
from config.phrase import Figure, Phrase, tell_sentence
from config.rendering import Reader, Render
from config.scripts import language_of_value

register = template.Library()


@functools.cache
def icon(name: str, extra: str = "") -> SafeString:
    """``{% icon "check" %}``: an icon of ``static/icons.svg``; its meaning is in the text beside it."""
    kind = f"icon {extra}".strip()
    place = f"{static('icons.svg')}#i-{name}"
    return format_html('<svg class="{}" aria-hidden="true"><use href="{}"/></svg>', kind, place)


class IconNode(Node):
    """An icon whose name is a variable."""

    def __init__(self, words: Sequence[FilterExpression]) -> None:
        self.words = words

    def render(self, context: Context) -> SafeString:
        return icon(*(str(word.resolve(context)) for word in self.words))

    def bind(self, bind_expression: Callable[[FilterExpression], Callable[[Context], object]]) -> Render:
        """Called by ``config.rendering`` in place of ``render``."""
        words = [bind_expression(word) for word in self.words]
        return lambda context: icon(*[str(word(context)) for word in words])


@register.tag("icon")
def compile_icon(parser: Parser, token: Token) -> Node:
    """A page has sixty icons, most with constant names: these are rendered at compile time."""
    words = [parser.compile_filter(bit) for bit in token.split_contents()[1:]]
    if any(isinstance(word.var, Variable) or word.filters for word in words):
        return IconNode(words)
    return TextNode(icon(*(str(word.var) for word in words)))


@register.filter
def local_time(
    moment: dt.datetime | str | None, style: str = "moment", *, reader: Reader | None = None
) -> SafeString | str:
    """``{{ at|local_time }}``: in the viewer's time zone; the script updates ``ago`` in the same format.

    ``style`` is moment (day and time), near (the same, with "today" and "tomorrow"), time, day or ago. Takes an
    instant or its stored text.
    """
    if not moment:
        return ""
    zone = reader.zone if reader else timezone.get_current_timezone()
    language = (reader.language if reader else get_language()) or "en"
    return write_time(moment, style, zone, language, clock.now().astimezone(zone).date() if style == "near" else None)


local_time.needs_reader = True  # type: ignore[attr-defined]  # from config.rendering, fifty times a page


@functools.lru_cache(maxsize=4096)
def write_time(
    moment: dt.datetime | str, style: str, zone: dt.tzinfo, language: str, today: dt.date | None = None
) -> SafeString:
    """``today``: of the style near."""
    instant = clock.parse(moment) if isinstance(moment, str) else moment
    at = instant.astimezone(zone)
    minute, name = f"{at.hour:02}:{at.minute:02}", at.tzname()
    day, pattern = _write_day(at.date(), language, (at.date() - today).days if today else None)
    words = {"time": f"{minute}:{at.second:02} {name}", "day": day}.get(style)
    words = words or pattern % {"day": day, "time": f"{minute} {name}"}
    stamp = instant.astimezone(dt.UTC).isoformat(timespec="seconds")
    # Seventy-five a page: strftime and format_html would take a tenth of it, and no text of anybody's is in here.
    return SafeString(f'<time datetime="{stamp}" data-local="{style}">{words}</time>')


@functools.lru_cache(maxsize=1024)
def _write_day(day: dt.date, language: str, ahead: int | None = None) -> tuple[str, str]:
    """And what stands around it and the time of day. ``ahead``: days from today."""
    with override(language):
        near = {0: pgettext("day", "today"), 1: pgettext("day", "tomorrow")}.get(-1 if ahead is None else ahead)
        return near or written_day(day), gettext("%(day)s, %(time)s")


@register.filter
def in_language(text: str) -> SafeString | str:
    """Mark a text that is a label in another language than the page's, with its direction."""
    lang = getattr(text, "lang", "")
    return format_html('<span lang="{}" dir="auto">{}</span>', lang, text) if lang else text


@register.filter
def language_of(text: str) -> SafeString | str:
    """Return the ``lang`` attribute of an element with only this text: ``<option{{ name|language_of }}>``."""
    lang = getattr(text, "lang", "")
    return format_html(' lang="{}" dir="auto"', lang) if lang else ""


@register.filter
def as_lang(code: str, value: object = "") -> SafeString | str:
    """Return the ``lang`` attribute of an element with a document's words: ``<p{{ written_in|as_lang:value }}>``.

    A ``value`` in another script than the document's has a language of its own.
    """
    return _write_lang(language_of_value(value, code) if isinstance(value, str) else code)


@functools.lru_cache(maxsize=256)
def _write_lang(code: str) -> SafeString | str:
    return format_html(' lang="{}"', code) if code else ""


@register.filter
def translated(sentence: object) -> str:
    """Translate a sentence that was stored without a language, such as a refusal; translated ones stay."""
    return tell_sentence(str(sentence)).translated() if sentence else ""


@register.filter
def within_sentence(label: str) -> str:
    """A label in the middle of a sentence: without a capital letter in English; a German noun keeps it."""
    told = label.translated() if isinstance(label, Phrase) else str(label)
    return told.lower() if get_language() == "en" else told


@register.filter
def written_day(day: dt.date) -> str:
    """``25 Nov 2026``, in the language's format."""
    # Translators: Django's date filter: j is the day, M or N the short name of the month, n its number, Y the year.
    return dateformat.format(day, pgettext("pattern of a date", "j M Y"))


@register.filter
def grouped(number: int, *, reader: Reader | None = None) -> str:
    """``100000`` → ``100,000``, in the language's format."""
    return Figure(f"{number:,}").translated(reader.language if reader else None)


grouped.needs_reader = True  # type: ignore[attr-defined]


@register.filter
def file_size(size: int, *, reader: Reader | None = None) -> str:
    """A faster ``filesizeformat``, which took longer than the rest of a list's row."""
    return _write_size(size, (reader.language if reader else get_language()) or "en")


file_size.needs_reader = True  # type: ignore[attr-defined]


@functools.lru_cache(maxsize=4096)
def _write_size(size: int, _language: str) -> str:
    return filesizeformat(size)


@register.filter
def percent(share: float | str | None) -> str:
    """``0.583`` → ``58 %``; rounded down, so that a share below its threshold never looks as if it met it."""
    if share is None or share == "":
        return "–"
    return f"{int(float(share) * 100 + 1e-9)} %"


_FILE_TYPES = {
    "application/pdf": "PDF",
    "application/zip": Phrase("ZIP archive"),
    "application/vnd.openxmlformats-officedocument.wordprocessingml.document": Phrase("Word"),
    "application/vnd.openxmlformats-officedocument.presentationml.presentation": "PowerPoint",
    "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": Phrase("Excel"),
    "application/vnd.ms-outlook": Phrase("Email (Outlook)"),
    "application/epub+zip": Phrase("E-book"),
    "application/rtf": Phrase("Rich text"),
    "application/xml": "XML",
    "application/x-webreq": Phrase("Web request"),
    "audio/wav": Phrase("Audio"),
    "audio/mpeg": Phrase("Audio (MP3)"),
    "audio/flac": Phrase("Audio (FLAC)"),
    "audio/ogg": Phrase("Audio (Ogg)"),
    "video/mp4": Phrase("Video"),
    "video/quicktime": Phrase("Video (QuickTime)"),
    "message/rfc822": Phrase("Email"),
    "text/csv": "CSV",
    "text/html": Phrase("Web page"),
    "text/markdown": "Markdown",
    "text/plain": Phrase("Text"),
}


@register.filter
def file_type(mime: str | None) -> str:
    """``image/png`` → ``PNG image``; unknown types stay."""
    if not mime:
        return "–"
    if mime.startswith("image/"):
        return Phrase("%(kind)s image").fill(kind=mime.removeprefix("image/").upper())
    return _FILE_TYPES.get(mime, mime)


@register.filter
def initials(name: str) -> str:
    """``Ines Okafor`` → ``IO``; ``bob`` → ``B``."""
    words = [word for word in name.replace(".", " ").replace("_", " ").split() if word]
    return "".join(word[0] for word in (words[:1] + words[-1:] if len(words) > 1 else words)).upper()
