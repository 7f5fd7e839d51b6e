"""A full disk is for now: what it stops is tried again, and is neither the file's fault nor ours."""

import errno
from collections.abc import Iterator
from contextlib import contextmanager

from config.errors import Unavailable

FULL = frozenset({errno.ENOSPC, errno.EDQUOT})


@contextmanager
def full_is_unavailable() -> Iterator[None]:
    """Raises: Unavailable, if this machine's disk is full."""
    try:
        yield
    except OSError as error:
        if error.errno not in FULL:
            raise
        raise Unavailable("The server's disk is full. Nothing was stored; try again later.") from error
