"""The handlers of due runs and fan-out joins."""

from config.due.registry import due
from workflows.engine import repair
from workflows.runs.items import Execution, Join

due("join", Join)(repair.resume_join)
due("run", Execution)(repair.check_run)
