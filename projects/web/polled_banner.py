"""Progress of background work that a page polls, shown by ``_polled_banner.html``."""

from dataclasses import dataclass


@dataclass(frozen=True)
class PolledBanner:
    """``waiting``: while it is under way; ``problem``: why it failed. ``done``: what there is to show at ``page_url``,

    empty on a page that shows it already.
    """

    id: str
    poll_url: str
    page_url: str
    is_under_way: bool
    waiting: str
    problem: str = ""
    done: str = ""
