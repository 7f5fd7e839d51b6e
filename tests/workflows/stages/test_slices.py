import pytest

from config.errors import StageFailed, Unavailable
from tests.workflows.stages.memory import Beats, context
from workflows.stages import slices
from workflows.stages.base import SliceResult, Slicing, StageContext, StageResult, Tally


def slicing(size: int = 2, *, aligned: bool = False, failing: tuple[int, ...] = ()) -> Slicing:
    def work(_: StageContext, indices: object) -> SliceResult:
        found = list(indices)  # type: ignore[call-overload]
        failed = {index: f"page {index} is torn" for index in found if index in failing}
        return SliceResult(failed, {"pages": len(found)}, found)

    def finish(_: StageContext, done: Tally) -> StageResult:
        facts = {"outputs": list(done.outputs), "pages": done.counts["pages"], "planned": done.planned}
        return StageResult("completed", facts=facts, failed=done.failed)

    return Slicing(size, lambda ctx: slices.select_requested(ctx, range(5)), work, finish, aligned)


def test_all_slices_are_done_in_order_and_counted_together(tmp_path) -> None:
    result = slices.run_all(slicing(failing=(3,)), context(tmp_path / "a"))
    assert result.facts == {"outputs": [[0, 1], [2, 3], [4]], "pages": 5, "planned": 5}
    assert result.failed == {3}


def test_aligned_slices_never_share_a_chunk() -> None:
    assert slices.cut_slices(slicing(4, aligned=True), [1, 3, 4, 9, 11]) == [[1, 3], [4], [9, 11]]
    assert slices.cut_slices(slicing(4), [1, 3, 4, 9, 11]) == [[1, 3, 4, 9], [11]]
    assert slices.cut_slices(slicing(50), range(120)) == [range(50), range(50, 100), range(100, 120)]


def test_a_stage_whose_every_page_failed_has_failed(tmp_path) -> None:
    with pytest.raises(StageFailed, match="page 0 is torn"):
        slices.run_all(slicing(failing=(0, 1, 2, 3, 4)), context(tmp_path / "a"))


def test_too_many_failed_pages_are_the_stages_failure(tmp_path) -> None:
    many = Tally(50_000, frozenset(range(slices.MOST_FAILED)), {"pages": 1}, (), "torn")
    with pytest.raises(StageFailed, match="torn"):
        slices.finish_slices(slicing(), context(tmp_path / "a"), many)


def test_what_fails_again_in_a_retry_fails_as_pages_not_as_a_stage(tmp_path) -> None:
    ctx = context(tmp_path / "a", only=frozenset({3}))
    assert slices.run_all(slicing(failing=(3,)), ctx).failed == {3}


def test_a_page_that_throws_does_not_cost_the_others(tmp_path) -> None:
    ctx, seen = context(tmp_path / "a"), []

    def page(index: int) -> None:
        if index == 1:
            raise ZeroDivisionError
        if index == 2:
            raise StageFailed("The page is torn.")
        seen.append(index)

    failed = slices.do_each_page(ctx, range(4), page)
    assert (seen, sorted(failed), failed[2]) == ([0, 3], [1, 2], "The page is torn.")
    assert isinstance(ctx.heartbeat, Beats)
    assert ctx.heartbeat.count == 4


def test_aws_being_away_is_no_pages_fault(tmp_path) -> None:
    def page(_index: int) -> None:
        raise Unavailable("later")

    with pytest.raises(Unavailable):
        slices.do_each_page(context(tmp_path / "a"), [0], page)
