"""What the counters say, and the same counted from every row of the table."""

from collections import Counter as Sums

from config import table
from projects.documents import queries as counter_queries
from projects.documents.counting import Kind
from tests.workflows import stored
from workflows.runs.items import StepStatus


def said(site="default"):
    """Every counter that is not zero: (kind, of what, which number) → how many."""
    sums = Sums()
    for kind in Kind:
        for row in counter_queries.list_shards(site, kind):
            for name, number in row.numbers.items():
                sums[kind.value, row.counted, name] += number
    return {key: number for key, number in sums.items() if number}


def counted(site="default"):
    """From the documents' rows in their projects, their own rows and the reviews, index keys left aside."""
    sums = Sums()
    for (_, pk, sk), row in stored.rows().items():
        if table.site_of(pk) != site or "hidden" in row:
            continue
        place = pk.removeprefix(f"{site}/")
        if place.startswith("PROJ#") and sk.startswith("DOC#"):
            name = _status(row)
            sums["site", "documents", name] += 1
            sums["project", place.removeprefix("PROJ#"), name] += 1
        elif place.startswith("docs#") and sk == "document" and "classification_id" in row:
            sums["classification", row["classification_id"]["S"], "documents"] += 1
        elif sk.startswith("REVIEW#") and row.get("status", {}).get("S") in {"PENDING", "ASSIGNED", "CLAIMED"}:
            sums["queue", row["queue"]["S"], "waiting"] += 1
        elif sk.startswith("REVIEW#") and row.get("status", {}).get("S") in ("POSTPONED", "ASKED"):
            sums["queue", row["queue"]["S"], "postponed"] += 1
    return dict(sums)


def _status(row):
    if "outcome" in row:
        return row["outcome"]["S"]
    if row["status"]["S"] == StepStatus.COMPLETED:
        return "unpacked"
    return "waiting" if "current_step" in row else "in_progress"
