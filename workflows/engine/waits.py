"""Wait steps: for some hours, or until the date in a field. No worker and no message is held meanwhile.

Step Functions waits in a state of its own. Messages can wait for a minute at most, so with them the run's due time is
the end of the wait, and the sweeper orders the step again.
"""

import datetime as dt
import math
import re
from collections.abc import Mapping
from typing import Any

from django.conf import settings

from config import clock
from config.phrase import Sentence, count_sentence
from workflows.definitions import states
from workflows.definitions.blueprint import StepDefinition
from workflows.definitions.rules import Facts
from workflows.engine import actions, driver, step_outcome
from workflows.engine.step_work import StepOutcome, StepWork

LONGEST_LOOK = 30 * 24 * 3600  # seconds after which a longer wait is checked: an execution lasts at most a year
_DAY = re.compile(r"\d{4}-\d{2}-\d{2}")


def wait(work: StepWork, facts: Facts) -> Mapping[str, Any]:
    """Leave the step if its time has come; else release it and return how long the engine waits.

    Raises: Conflict if another worker has the step, or the run moved on.
    """
    until = work.execution.waits_until or find_end(work.step, facts)
    if seconds := seconds_until(until):
        if not work.execution.waits_until:
            look = look_at(until, kind=work.execution.engine)
            actions.begin_wait(work.run, work.step, attempt=work.order.attempt, until=until, look=look)
        else:
            actions.release_step(work.run, owner=str(work.execution.lease_owner))
        return {"next": work.step.order, states.WAIT: seconds}
    return step_outcome.leave(work, StepOutcome("completed", describe_end(work.step, until)))


def find_end(step: StepDefinition, facts: Facts) -> str:
    """Return a stored instant; empty if the field was not found or is not a date."""
    asked = dict(step.parameters)
    if hours := asked.get("hours"):
        return clock.iso(clock.in_seconds(int(hours) * 3600))
    found = (read_day(value) for value in facts.fields.get(asked["field"], ()))
    days = [day for day in found if day]
    return clock.iso(max(days)) if days else ""


def read_day(value: str) -> dt.datetime | None:
    """Return the start of the day in UTC; None if the value is not a date."""
    text = value.strip()
    try:
        return dt.datetime.combine(dt.date.fromisoformat(text), dt.time(), dt.UTC) if _DAY.fullmatch(text) else None
    except ValueError:
        return None


def seconds_until(until: str) -> int:
    """Return the whole seconds left, of a long wait those until the next check; 0 if it is over."""
    left = math.ceil((clock.parse(until) - clock.now()).total_seconds()) if until else 0
    return max(0, min(left, LONGEST_LOOK))


def look_at(until: str, *, kind: str | None) -> str:
    """Return when the sweeper checks a waiting row. ``kind``: the engine on the row.

    An engine with state wakes it itself, and is checked a little later.
    """
    if not driver.remembers(kind):
        return until
    return clock.iso(clock.parse(until) + dt.timedelta(seconds=settings.RUN_CHECK_SECONDS))


def describe_wait(step: StepDefinition) -> str:
    """Describe what the step waits for."""
    asked = dict(step.parameters)
    if hours := asked.get("hours"):
        return count_sentence("Waits %(count)s hour.", "Waits %(count)s hours.", int(hours))
    return Sentence("Waits until the day of %(field)s (UTC).").fill(field=asked["field"])


def describe_end(step: StepDefinition, until: str) -> str:
    """Describe why the step is left."""
    if not until:
        return Sentence("Not waited: no date was found in %(field)s.").fill(field=dict(step.parameters)["field"])
    return Sentence("Waited until %(time)s UTC.").fill(time=until[:16].replace("T", " "))


def preview_wait(step: StepDefinition, facts: Facts) -> str:
    """Describe what the wait would do if it began now."""
    until = find_end(step, facts)
    if not until:
        return describe_end(step, until)
    return Sentence("%(wait)s Ends %(time)s UTC.").fill(wait=describe_wait(step), time=until[:16].replace("T", " "))
