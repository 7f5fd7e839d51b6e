"""What leads from one page of a list to the next."""

from django.test import RequestFactory

from projects.web.http import page_links


def test_the_first_page_leads_on_and_a_later_one_also_back():
    first, later = RequestFactory().get("/queues/"), RequestFactory().get("/queues/?after=abc")
    assert page_links(first, "abc", "/queues/") == {"next_cursor": "abc", "is_first": True, "first_url": "/queues/"}
    assert page_links(later, None, "/queues/") == {"next_cursor": None, "is_first": False, "first_url": "/queues/"}
