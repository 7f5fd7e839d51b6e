"""A server of a test's own in a thread, which is gone as soon as the test is done with it."""

import socketserver
import threading
from collections.abc import Iterator
from contextlib import contextmanager

LOOK_SECONDS = 0.01  # socketserver looks whether it is to end only so often; by itself every half second


@contextmanager
def serving(server: socketserver.BaseServer) -> Iterator[None]:
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": LOOK_SECONDS}, daemon=True)
    thread.start()
    try:
        yield
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
