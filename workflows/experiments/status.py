"""The states of an experiment and its moves."""

from collections.abc import Mapping
from enum import StrEnum


class ExperimentStatus(StrEnum):
    """Stored as written."""

    QUEUED = "queued"
    RUNNING = "running"
    PAUSED = "paused"
    OVER_LIMIT = "over_limit"
    STOPPED = "stopped"
    DONE = "done"


_S = ExperimentStatus
MOVES: Mapping[ExperimentStatus, frozenset[ExperimentStatus]] = {
    _S.QUEUED: frozenset({_S.RUNNING, _S.PAUSED, _S.STOPPED, _S.OVER_LIMIT}),
    _S.RUNNING: frozenset({_S.PAUSED, _S.STOPPED, _S.OVER_LIMIT, _S.DONE}),
    _S.PAUSED: frozenset({_S.RUNNING, _S.STOPPED, _S.DONE}),
    _S.OVER_LIMIT: frozenset({_S.RUNNING, _S.STOPPED, _S.DONE}),
    _S.STOPPED: frozenset(),
    _S.DONE: frozenset({_S.RUNNING}),  # what failed is asked again
}
UNDER_WAY = frozenset({_S.QUEUED, _S.RUNNING})


def list_origins(after: ExperimentStatus) -> list[ExperimentStatus]:
    """From which states an experiment may come to ``after``.

    >>> [str(one) for one in list_origins(ExperimentStatus.DONE)]
    ['running', 'paused', 'over_limit']
    """
    return [before for before, moves in MOVES.items() if after in moves]
