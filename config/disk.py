"""A full disk as a transient error, so that the work is retried."""

import errno
from collections.abc import Iterator
from contextlib import contextmanager

from config.errors import Unavailable

FULL = frozenset({errno.ENOSPC, errno.EDQUOT})


@contextmanager
def full_is_unavailable() -> Iterator[None]:
    """Raise ``Unavailable`` where the operating system reports a full disk or quota."""
    try:
        yield
    except OSError as error:
        if error.errno not in FULL:
            raise
        raise Unavailable("The server's disk is full. Nothing was stored; try again later.") from error
