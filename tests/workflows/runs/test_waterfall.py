from dataclasses import replace

from workflows.runs.views.state_labels import Mark, StepRow, Use
from workflows.runs.views.timeline import EventRow
from workflows.runs.views.waterfall import Bar, StepLine, bars_of

DONE = Mark("done", "check", "done")


def step(name: str, begin: int | None, end: int | None) -> StepRow:
    at = [None if one is None else f"2026-11-23T10:00:{one:02}.000000+00:00" for one in (begin, end)]
    seconds = None if begin is None or end is None else float(end - begin)
    return StepRow(name, name, name, DONE, at[0], at[1], seconds, None, None)


def test_bars_share_the_time_that_was_worked_and_a_review_takes_none_of_it() -> None:
    steps = [step("ocr", 0, 30), step("web", None, None), step("human_review", 31, 50), step("publish", 50, 60)]
    bars = bars_of(steps)
    assert [(bar.step.name, bar.x, bar.width) for bar in bars] == [
        ("ocr", 0, 75), ("human_review", None, None), ("publish", 75, 25),
    ]  # fmt: skip


def test_a_step_under_way_has_no_bar_and_a_short_one_can_be_seen() -> None:
    short, running = bars_of([step("ocr", 0, 0), step("analyse", 0, None)])
    assert short.width
    assert running.width is None


def test_what_a_step_found_does_not_repeat_what_its_models_did() -> None:
    told = EventRow(
        "", "OCR completed", "2 pages, PP-OCR, 1 uncertain field", step="ocr", beside_use="1 uncertain field"
    )
    once = StepLine(Bar(replace(step("ocr", 0, 1), used=(Use("PP-OCR: 2 pages", None),))), (), (told,))
    assert (once.found, StepLine(Bar(step("ocr", 0, 1)), (), (told,)).found) == (told.beside_use, told.details)
