"""Entities of Insight: what each run adds to its days, and the rollups of days and weeks."""

from config.table.keys import Entity, names

RUN_FIGURES = Entity(
    "countersign", "RunFigures", "figures#{bucket:02d}", "run#{workflow_id}",
    "failures#{name}", "{ended_at}#{workflow_id}", "DUE#{shard}", "{due_at}#figures#{workflow_id}",
    attributes=names("project_id document_id workflow_id received_at ended_at classification_id counted"),
    note="what a run has added to rollups; GSI1 if it failed, name: its step and error; GSI2 until it is added",
)  # fmt: skip
DAY_FIGURES = Entity(
    "countersign", "DayFigures", "insight#{kind}#{counted}", "day#{classification_id}#{day}",
    note="the sums of a day, one number each; kind site|project; classification_id: * all of them, - none",
)  # fmt: skip
WEEK_FIGURES = Entity(
    "countersign", "WeekFigures", "insight#{kind}#{counted}", "week#{classification_id}#{day}",
    note="the sums of the days from a Monday to its Sunday, written with them; beside DayFigures",
)  # fmt: skip
