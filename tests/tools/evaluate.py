"""The evaluation's figures: what was read of labelled documents, each half of them, and after reviews."""

import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from config.errors import CountersignError
from tests.tools.evaluation import ablations, items, learned, measuring, truth
from tests.tools.evaluation.items import TableScore
from tests.tools.evaluation.learned import Learned
from tests.tools.evaluation.measuring import Measured, Paper
from workflows.learning import calibrations
from workflows.stages.calibration import UNCALIBRATED, Calibration, calibration_from

HALVES = ("first", "second")
TUNED = Path(__file__).parent / "evaluation/tuned.txt"  # fingerprints of documents that rules and prior were tuned on


def evaluate(readings: Path, options: dict[str, Any], progress: Callable[[int, int], None]) -> dict[str, Any]:
    """``progress`` is called with the number of documents read, and of all. Raises: CountersignError."""
    calibration = _calibration(options)
    entries = truth.entries(options["folder"], options["truth"])
    papers: list[Paper] = []
    for number, entry in enumerate(entries, start=1):
        papers.append(measuring.paper(entry, readings))
        progress(number, len(entries))
    found = _told(measuring.measured(papers, calibration)) | {"calibration": calibration.version}
    tuned = measuring.list_seen(papers, TUNED.read_text(encoding="utf-8").split())
    fitted = measuring.list_seen(papers, calibration.seen)
    found["seen"] = {"tuned": len(tuned), "fitted": len(fitted)}
    found["unreadable"] = [{"file": str(one.entry.path), "error": one.error} for one in papers if one.error]
    after = measuring.after_reviews(papers, options["reviewed"])
    found["after_reviews"] = after and _told(after.measured) | {
        "reviewed": after.reviewed,
        "measured_on": after.how,
    }
    others = measuring.by_other_sellers(papers)
    found["other_sellers"] = others and _told(others)
    found["items"] = {kind: _describe_items(one) for kind, one in items.measure_items(papers).items()}
    found["learning"] = {kind: list(map(_describe_learning, told)) for kind, told in _learning(papers, options)}
    if options["ablations"]:
        unseen = [one for one in papers if one.id not in tuned | fitted]
        found["ablations"] = {
            "documents": len(unseen),
            "sellers": len({measuring.seller_of(one) for one in unseen}),
            "folds": {how: [asdict(one) for one in parts] for how, parts in ablations.measure_parts(unseen).items()},
        }
    if options["split"]:
        found["split"] = _halves(papers, calibration)
    return found


def _learning(papers: Sequence[Paper], options: dict[str, Any]) -> Iterable[tuple[str, list[Learned]]]:
    """By the documents' kind; none without ``--learn``."""
    for kind in sorted({one.entry.kind for one in papers}) if options["learn"] else ():
        own = [one for one in papers if one.entry.kind == kind]
        yield kind, learned.measure_learning(own, [0, *options["learn"]])


def _describe_learning(one: Learned) -> dict[str, Any]:
    return {
        "reviews": one.reviews,
        "documents": one.documents,
        "groups": one.groups,
        "f1": round(one.score.f1, 4),
        "interval": [round(edge, 4) for edge in one.f1[1:]] if one.f1 else None,
        "gain": [round(edge, 4) for edge in one.gain],
        "fields": {name: round(score.f1, 4) for name, score in one.fields.items()},
    }


def _halves(papers: Sequence[Paper], calibration: Calibration) -> dict[str, Any]:
    halves = zip(HALVES, (papers[::2], papers[1::2]), strict=True)
    return {name: _told(measuring.measured(half, calibration)) for name, half in halves}


def _calibration(options: dict[str, Any]) -> Calibration:
    """Raises: CountersignError, with what to write instead."""
    asked = options["calibration"]
    if not asked:
        return UNCALIBRATED
    if not asked.isdigit():
        return _from_file(Path(asked))
    if not options["project"]:
        raise CountersignError("Specify the project with --project.")
    return calibrations.get_calibration(options["site"], options["project"], int(asked))


def _from_file(path: Path) -> Calibration:
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
        return calibration_from(content, int(content.get("version") or 0))
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise CountersignError(
            f"{path} is not a calibration file. Create one with manage.py calibrate --output."
        ) from error


def _told(measured: Measured) -> dict[str, Any]:
    """Shares 0–1, to four places; ``auc`` None where nothing, or everything, is wrong."""
    return {
        "documents": measured.documents,
        "f1": round(measured.score.f1, 4),
        "precision": round(measured.score.precision, 4),
        "recall": round(measured.score.recall, 4),
        "fields": {
            name: asdict(one)
            | {"f1": round(one.f1, 4), "precision": round(one.precision, 4), "recall": round(one.recall, 4)}
            for name, one in measured.fields.items()
        },
        "auc": _rounded(measured.auc),
        "field_auc": {name: _rounded(auc) for name, auc in measured.aucs.items()},
        "reliability": [
            {name: _rounded(share) for name, share in asdict(level).items()}
            | {"interval": [round(edge, 4) for edge in interval]}
            for level, interval in zip(measured.levels, measured.intervals, strict=True)
        ],
    }


def _describe_items(one: TableScore) -> dict[str, Any]:
    score = {
        "f1": round(one.rows.f1, 4),
        "precision": round(one.rows.precision, 4),
        "recall": round(one.rows.recall, 4),
    }
    return asdict(one) | {"rows": score | asdict(one.rows)}


def _rounded(share: float | None) -> float | None:
    return None if share is None else round(share, 4)


def report_lines(told: dict[str, Any]) -> Iterable[str]:
    seen, documents = told["seen"], told["documents"]
    if any(seen.values()):
        yield f"Of {documents} documents the rules were tuned on {seen['tuned']}, the calibration saw {seen['fitted']}."
        yield "These figures say nothing of unseen documents."
    else:
        yield f"None of the {documents} documents is known to have been seen before."
    yield from _part("All documents", told)
    for name, half in told.get("split", {}).items():
        yield from _part(f"The {name} half, every other document", half)
    if others := told["other_sellers"]:
        yield from _part("Each seller by what reviews of others taught", others)
    if after := told["after_reviews"]:
        yield from _part(f"After {after['reviewed']} reviews, {after['measured_on']}", after)
    for kind, measured in told["learning"].items():
        yield f"Extraction learned from reviews of others, {kind}: {measured[0]['documents']} documents"
        for one in measured:
            fields = ", ".join(f"{name} {f1:.3f}" for name, f1 in one["fields"].items())
            low, high = one["interval"] or (0.0, 1.0)
            yield f"  after {one['reviews']:>3}: F1 {one['f1']:.3f} ({low:.3f}–{high:.3f}), {fields}"
    if parts := told.get("ablations"):
        yield from _report_parts(parts)
    for kind, one in told["items"].items():
        rows = one["rows"]
        yield f"Line items, {kind}: row F1 {rows['f1']:.3f}, {rows['right']} right of {rows['expected']} rows"
        yield f"  {one['whole']} of {one['tables']} tables whole; {one['proved_whole']} of {one['proved']} proved ones"
    for one in told["unreadable"]:
        yield f"{one['file']}: {one['error']}"


_HELD_BACK = {"seller": "Each seller held back", "mixed": "Documents held back, sellers mixed"}


def _report_parts(told: dict[str, Any]) -> Iterable[str]:
    """Of unseen documents alone."""
    if not told["folds"]:
        yield f"With and without each part: {told['documents']} unseen documents are too few to measure on."
        yield ""
        return
    for how, parts in told["folds"].items():
        yield f"{_HELD_BACK[how]}: {told['documents']} unseen documents of {told['sellers']} sellers, 95 %"
        yield f"  {'with':<28}{'F1':>20}{'AUC':>20}{'passed':>8}{'right of these':>20}"
        for one in parts:
            cells = f"{_interval(one['f1']):>20}{_interval(one['auc']):>20}{one['passed']:>8.3f}"
            yield f"  {one['part']:<28}{cells}{_interval(one['right']):>20}"
        yield ""


def _interval(one: Sequence[float] | None) -> str:
    return "-" if one is None else f"{one[0]:.3f} {one[1]:.3f}–{one[2]:.3f}"


def _part(title: str, told: dict[str, Any]) -> Iterable[str]:
    yield f"{title}: {told['documents']} documents, F1 {told['f1']:.3f}, AUC {_shown(told['auc'])}"
    for name, one in told["fields"].items():
        counts = f"{one['right']} right of {one['answered']} found and {one['expected']} there"
        yield f"  {name:<16} F1 {one['f1']:.3f}  AUC {_shown(told['field_auc'].get(name))}  {counts}"
    yield "  asked below   of documents   of values   precision of the rest, 95 %"
    for level in told["reliability"]:
        shares = "".join(f"{_shown(level[name]):>14}" for name in ("documents", "asked", "precision"))
        yield f"  {level['threshold']:>11.3f}{shares}  {level['interval'][0]:.3f}–{level['interval'][1]:.3f}"
    yield ""


def _shown(share: float | None) -> str:
    return "-" if share is None else f"{share:.3f}"
