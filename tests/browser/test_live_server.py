"""The server of the browser tests: a request under way takes nothing from the test that ends."""

import threading
from http.client import HTTPConnection

import pytest
from django.core.management import call_command
from pytest_django.live_server_helper import LiveServer

from tests.people import bob, signed_in


@pytest.mark.wide
@pytest.mark.django_db(transaction=True)
@pytest.mark.usefixtures("table")
def test_the_database_is_emptied_while_pages_are_asked_for(live_server: LiveServer) -> None:
    session = [signed_in(bob()).cookies["sessionid"].value]
    ended = threading.Event()

    def ask() -> None:
        while not ended.is_set():
            connection = HTTPConnection(live_server.thread.host, live_server.thread.port)
            connection.request("GET", "/", headers={"Cookie": f"sessionid={session[0]}"})
            connection.getresponse().read()
            connection.close()

    asking = [threading.Thread(target=ask) for _ in range(3)]
    try:
        for each in asking:
            each.start()
        for _ in range(20):
            call_command("flush", interactive=False, verbosity=0)
            session[0] = signed_in(bob()).cookies["sessionid"].value
    finally:
        ended.set()
        for each in asking:
            each.join()
