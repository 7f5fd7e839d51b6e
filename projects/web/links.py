"""Full addresses of pages for what leaves the desk: mails, messages and the API."""

from django.conf import settings
from django.urls import get_script_prefix, reverse, set_script_prefix

from projects.sites import access


def page_url(site: str, view: str, *args: str) -> str:
    """The address by which others open a page of ``site``, whichever site this thread serves right now."""
    before = get_script_prefix()
    set_script_prefix(access.home(site))
    try:
        return f"{settings.PUBLIC_URL}{reverse(view, args=args)}"
    finally:
        set_script_prefix(before)
