"""Small marks that every page repeats: icons, times, shares."""

import datetime as dt
import functools

from django import template
from django.utils.html import format_html
from django.utils.safestring import SafeString

from config import clock

register = template.Library()
_MONTHS = ("", "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")


@register.simple_tag
@functools.cache
def icon(name: str, extra: str = "") -> SafeString:
    """``{% icon "check" %}``: a drawing of the sprite in ``_icons.html``; its meaning stands in words beside it."""
    kind = f"icon {extra}".strip()
    return format_html('<svg class="{}" aria-hidden="true"><use href="#i-{}"/></svg>', kind, name)


@register.filter
@functools.lru_cache(maxsize=4096)
def local_time(moment: dt.datetime | str | None, style: str = "moment") -> SafeString | str:
    """``{{ at|local_time }}``: UTC in words; the script turns it to the reader's own zone.

    ``style`` is moment (day and time), time, day or ago. Takes an instant or its stored text.
    """
    if not moment:
        return ""
    at = (clock.parse(moment) if isinstance(moment, str) else moment).astimezone(dt.UTC)
    day, minute = f"{at.day} {_MONTHS[at.month]} {at.year}", f"{at.hour:02}:{at.minute:02}"
    words = {"time": f"{minute}:{at.second:02} UTC", "day": day}.get(style) or f"{day}, {minute} UTC"
    stamp = at.isoformat(timespec="seconds")
    # Seventy-five a page: strftime and format_html would take a tenth of it, and no text of anybody's is in here.
    return SafeString(f'<time datetime="{stamp}" data-local="{style}">{words}</time>')


@register.filter
def percent(share: float | str | None) -> str:
    """``0.583`` → ``58 %``; rounded down, so that what misses its threshold never looks as if it met it."""
    if share is None or share == "":
        return "–"
    return f"{int(float(share) * 100 + 1e-9)} %"


@register.filter
def initials(name: str) -> str:
    """``Ines Okafor`` → ``IO``; ``bob`` → ``B``."""
    words = [word for word in name.replace(".", " ").replace("_", " ").split() if word]
    return "".join(word[0] for word in (words[:1] + words[-1:] if len(words) > 1 else words)).upper()
