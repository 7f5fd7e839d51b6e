"""What is done with a run, or a join of its slices, that is due."""

from config.due.registry import due
from workflows.engine import repair
from workflows.engine.items import Join
from workflows.runs.items import Execution

due("join", Join)(repair.resume_join)
due("run", Execution)(repair.check_run)
