"""What reviews of other documents teach extraction, as an extractor would do on documents it has never seen."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from zlib import crc32

from projects.settings.values import DEFAULT_THRESHOLD
from tests.tools.evaluation.measuring import Paper
from workflows.learning.extractors import training
from workflows.learning.extractors.training import Answer, Example, answer_fields, train_extractor
from workflows.learning.scores import Interval, Score, estimate_f1
from workflows.stages import artifacts, results, segment_analyzer, values
from workflows.stages.extractor.learned import UNLEARNED, Extractor
from workflows.stages.field_spec import FieldSpec
from workflows.stages.fields import dates
from workflows.stages.fields.candidates import Document
from workflows.stages.pages import paged
from workflows.storage import files

FOLDS = 5
_TYPES = {"date": "date", "total": "amount", "currency": "currency"}
_ENDINGS = {"_date": "date", "_from": "date", "_to": "date", "_amount": "amount"}


@dataclass(frozen=True)
class Learned:
    """After ``reviews`` of other sellers' documents (or layouts'); ``documents`` were measured."""

    reviews: int
    documents: int
    groups: int
    score: Score
    f1: Interval | None
    gain: Interval
    fields: Mapping[str, Score]


def measure_learning(papers: Sequence[Paper], counts: Sequence[int]) -> list[Learned]:
    """Each document by what ``counts`` others taught: none of its own seller, or of its layout."""
    examples = [made for one in papers if (made := make_example(one))]
    mixed = sorted(examples, key=lambda one: crc32(one.id.encode()))
    return [_measure(mixed, count) for count in counts]


def _measure(examples: Sequence[Example], count: int) -> Learned:
    groups = sorted({one.group for one in examples}, key=lambda one: crc32(one.encode()))
    answers: list[Answer] = []
    for fold in range(FOLDS):
        held = set(groups[fold::FOLDS])
        others = [one for one in examples if one.group not in held][:count]
        learned = train_extractor(others).extractor if count else UNLEARNED
        answers += [answer for one in examples if one.group in held for answer in answer_by(one, learned)]
    score = training.score_answers(answers, "after")
    fields = {
        name: training.score_answers([one for one in answers if one.field == name], "after")
        for name in sorted({one.field for one in answers})
    }
    return Learned(
        count, len(examples), len(groups), score, estimate_f1(score), training.estimate_gain(answers), fields
    )


def answer_by(example: Example, learned: Extractor) -> list[Answer]:
    return answer_fields(example, learned.types.get(example.type_id, {}), {})


def make_example(paper: Paper) -> Example | None:
    """None if it could not be read."""
    if paper.context is None:
        return None
    document = read_pages(paper)
    day_first = dates.is_day_first(document.text)
    specs = tuple(_guess_spec(name) for name in paper.entry.fields)
    truths = {spec.name: _to_stored(spec, paper.entry.fields[spec.name], day_first=day_first) or None for spec in specs}
    seller = values.words(paper.entry.fields.get("company", ""))
    return Example(
        paper.id, paper.id, paper.entry.group or seller or paper.id, "", specs, truths, lambda: read_pages(paper)
    )


def _guess_spec(name: str) -> FieldSpec:
    kind = _TYPES.get(name) or next((kind for end, kind in _ENDINGS.items() if name.endswith(end)), "text")
    return FieldSpec(name, name.replace("_", " ").capitalize(), kind, required=True, threshold=DEFAULT_THRESHOLD)


def _to_stored(spec: FieldSpec, text: str, *, day_first: bool) -> str:
    """A date as its own paper means it: 2/4/20 is in February where papers are American."""
    read = values.date(text, day_first=day_first) if spec.type == "date" else None
    return read or results.to_stored_form(spec.type, text) or text


def read_pages(paper: Paper) -> Document:
    assert paper.context is not None
    store = paper.context.artifacts
    count = int(paged.PREPARED.open_pages(store).head["segment_count"])
    wanted = [index for index in range(count) if segment_analyzer.is_searched(index, count)]
    segments = [artifacts.read_json(store, files.segment(index)) for index in wanted]
    return Document(tuple(segment_analyzer.page_of(one) for one in segments))
