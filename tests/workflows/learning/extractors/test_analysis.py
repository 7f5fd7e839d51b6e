"""Agreements in which the rules find nothing, analysed with what reviews of others taught."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from tests.tools import generated
from tests.tools.evaluation import learned, measuring, reading, truth
from workflows.learning.extractors import training
from workflows.stages import values
from workflows.stages.registry import STAGES
from workflows.storage import files


@pytest.fixture(scope="module")
def papers(tmp_path_factory: pytest.TempPathFactory) -> list[measuring.Paper]:
    folder: Path = tmp_path_factory.mktemp("agreements")
    entries = truth.entries(generated.write_papers("nda", 16, folder))
    return [measuring.paper(one, folder / "readings") for one in entries]


@pytest.mark.wide
def test_an_analysis_reads_what_others_reviews_taught(papers: list[measuring.Paper]) -> None:
    examples = [one for paper in papers if (one := learned.make_example(paper))]
    outcome = training.train_extractor(examples[:-1])
    last, context = examples[-1], papers[-1].context
    assert context is not None
    given = {}
    for extractor in (training.Extractor(), outcome.extractor):
        settings = replace(reading.settings(last.specs), most_wrong=0.01)
        STAGES["segment_analyzer"].run(replace(context, settings=settings, extractor=extractor))
        result = json.loads(context.artifacts.read(files.result(context.workflow_id)))
        given[len(extractor.types)] = {one["name"]: one for one in result["fields"]}
    truth_of_party = values.words(str(last.truths["party"]))
    assert values.words(given[0]["party"]["value"] or "") != truth_of_party
    party = given[1]["party"]
    assert (values.words(party["value"]), party["source"], party["limit"]) == (truth_of_party, "extractor", None)
    assert party["box"] is not None


@pytest.mark.wide
def test_learning_is_measured_on_layouts_that_it_has_not_seen(papers: list[measuring.Paper]) -> None:
    nothing, some = learned.measure_learning(papers, [0, 10])
    assert (nothing.reviews, nothing.documents, some.reviews) == (0, 16, 10)
    assert nothing.score.f1 < 0.1
    assert some.score.f1 > 0.5
    assert some.f1 is not None
    assert some.f1.low < some.f1.share < some.f1.high
