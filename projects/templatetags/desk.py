"""Small marks that every page repeats: icons, times, shares."""

import datetime as dt

from django import template
from django.utils.html import format_html
from django.utils.safestring import SafeString

from config import clock

register = template.Library()


@register.simple_tag
def icon(name: str, extra: str = "") -> SafeString:
    """``{% icon "check" %}``: a drawing of the sprite in ``_icons.html``; its meaning stands in words beside it."""
    kind = f"icon {extra}".strip()
    return format_html('<svg class="{}" aria-hidden="true"><use href="#i-{}"/></svg>', kind, name)


@register.filter
def local_time(moment: dt.datetime | str | None, style: str = "moment") -> SafeString | str:
    """``{{ at|local_time }}``: UTC in words; the script turns it to the reader's own zone.

    ``style`` is moment (day and time), time, day or ago. Takes an instant or its stored text.
    """
    if not moment:
        return ""
    at = clock.parse(moment) if isinstance(moment, str) else moment
    at = at.astimezone(dt.UTC)
    words = {"time": f"{at:%H:%M:%S} UTC", "day": f"{at.day} {at:%b %Y}"}.get(style, f"{at.day} {at:%b %Y, %H:%M} UTC")
    stamp = at.isoformat(timespec="seconds")
    return format_html('<time datetime="{}" data-local="{}">{}</time>', stamp, style, words)


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
