"""Due-work handler of second reviews."""

from config.due.registry import due
from review.quality import actions
from review.quality.items import ReviewCheck


@due("check", ReviewCheck)
def open_check(site: str, row: ReviewCheck) -> None:
    actions.open_check(site, row)
