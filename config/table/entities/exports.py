"""Entities of exports: published results as files, ordered by people, programs and schedules."""

from config.table.keys import Entity, names

EXPORT = Entity(
    "countersign", "Export", "PROJ#{project_id}", "EXPORT#{export_id}",
    gsi2pk="DUE#{shard}", gsi2sk="{due_at}#export#{export_id}",
    attributes=names(
        "project_id export_id status choice groups is_everywhere folder documents files message tries by_id by_name "
        "schedule_id created_at ended_at TimeToLive"
    ),
    note="choice: JSON of what was asked for; GSI2 until its files are written; gone by TTL as its files",
)  # fmt: skip
EXPORT_SCHEDULE = Entity(
    "countersign", "ExportSchedule", "PROJ#{project_id}", "EXPORTSCHEDULE#{schedule_id}",
    gsi2pk="DUE#{shard}", gsi2sk="{due_at}#export_schedule#{schedule_id}",
    attributes=names(
        "project_id schedule_id choice groups is_everywhere repeat folder since due_at by_id by_name created_at"
    ),
    note="an export each day, week or month of what was published since the last; GSI2 for its next time",
)  # fmt: skip
