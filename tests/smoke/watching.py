"""How everything that was handed in ended, as the API and the pages say it."""

import time

from tests.smoke.ways import CONTAINERS, Round

_PAUSE = 2.0  # seconds between two looks
_MOVING = ("running", "unpacking")


def look(round_: Round) -> None:
    _look_at_documents(round_)
    _look_at_quarantine(round_)
    _look_at_batches(round_)
    _look_at_questions(round_)
    for command in round_.commands:
        command.look()


def follow(round_: Round, until: int = 0) -> None:
    """Look again and again until no more than ``until`` are open, or none of them can end in time."""
    while True:
        look(round_)
        if len(round_.ledger.open()) <= until or round_.ledger.is_late():
            return
        time.sleep(_PAUSE)


def _look_at_documents(round_: Round) -> None:
    entries = round_.ledger.entries
    for one in round_.program.documents():
        entry = entries.get(one["name"])
        if entry is None or entry.way.startswith("process"):  # the command says itself how its files ended
            continue
        if one["status"] in _MOVING:
            entry.sentence = one["status"] if not entry.ended else entry.sentence
        elif entry.ended != one["status"]:
            round_.ledger.settle(one["name"], one["status"], _sentence(round_, one))
            if entry.kind in {*CONTAINERS, "itself"}:
                _look_into(round_, one["id"])


def _sentence(round_: Round, one: dict[str, str]) -> str:
    if one["status"] not in {"failed", "partial"} or not one["run_id"]:
        return ""
    run = round_.program.get(f"/documents/{one['id']}/runs/{one['run_id']}")
    return next((step["error"] for step in run["steps"] if step["error"]), "")


def _look_into(round_: Round, document_id: str) -> None:
    """What was not taken out of a mail or an archive is said with the reason."""
    for one in round_.program.get(f"/documents/{document_id}/unpacking")["left_out"]:
        round_.ledger.settle(one["name"], "refused", one["reason"])


def _look_at_quarantine(round_: Round) -> None:
    names = {entry.name for entry in round_.ledger.open() if entry.way == "bucket"}
    if not names:
        return
    lines = round_.person.text("/settings/incoming/").splitlines()
    for name, why in zip(lines, lines[2:], strict=False):  # between them is the folder
        if name in names:
            round_.ledger.settle(name, "refused", why)


def _look_at_batches(round_: Round) -> None:
    for way, batch_id in round_.batches.items():
        names = {entry.name for entry in round_.ledger.open() if entry.way == way}
        if not names:
            continue
        for line in round_.program.get(f"/batches/{batch_id}/lines")["items"]:
            name = str(line["key"]).rpartition("/")[2]
            if name in names and not line["document_id"]:
                round_.ledger.settle(name, "refused", line["reason"])


def _look_at_questions(round_: Round) -> None:
    for name, at in round_.questions.items():
        if at.startswith("arn:"):
            status, answer = round_.system.answer_to(at)
            answered = status == "SUCCEEDED" and answer["decision"] == "approve"
            note = "" if status == "RUNNING" else status
        else:
            note = round_.program.get(f"/reviews/{at}")["status"]
            answered = note == "approved"
        if answered:
            round_.ledger.settle(name, "answered")
        else:
            round_.ledger.entries[name].sentence = note
