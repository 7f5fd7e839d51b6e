"""Absolute URLs for mails, messages and the API."""

from django.conf import settings
from django.urls import get_script_prefix, reverse, set_script_prefix

from projects.sites import access


def page_url(site: str, view: str, *args: str) -> str:
    """Return the absolute URL of a page of ``site``, whichever site is being served."""
    before = get_script_prefix()
    set_script_prefix(access.home(site))
    try:
        return f"{settings.PUBLIC_URL}{reverse(view, args=args)}"
    finally:
        set_script_prefix(before)
