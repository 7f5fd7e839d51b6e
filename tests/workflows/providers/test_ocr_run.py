"""A run reads its pages with the OCR model of its project, as it was when the run started."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from projects.models import actions as model_actions
from projects.models.spec import BUILT_IN_OCR
from tests.factories import PROJECT, SITE, start_run
from tests.projects.models.catalogue import ADA
from tests.pump import Pump
from tests.tools import paper
from tests.workflows.trials.reading import is_read
from workflows.runs import queries, run_files
from workflows.storage import files

pytestmark = [pytest.mark.usefixtures("table"), pytest.mark.django_db]


@pytest.mark.wide
def test_the_original_is_fetched_and_rendered_in_the_models_resolution(pump: Pump, tmp_path: Path) -> None:
    spec = replace(BUILT_IN_OCR["pp-ocrv5"], id="fine", name="Fine", dpi=200, pages="1")
    model_actions.create_model(SITE, spec, by=ADA)
    sheet = paper.Sheet(400, 200)
    sheet.text(40, 60, "Harbour Bakery Ltd", size=16)
    image = paper.picture(sheet, 300).convert("RGB")
    image.save(tmp_path / "scan.pdf", save_all=True, append_images=[image], resolution=300)
    run = start_run(tmp_path / "scan.pdf", project={**PROJECT, "analyzer": "rules", "ocr_model": "fine"})
    model_actions.update_model(SITE, replace(spec, dpi=100, pages=""), version=1, by=ADA)
    pump.run(lambda: is_read(run), seconds=120)
    store = run_files.files_of(run, queries.document_of(run))
    head = json.loads(store.read(files.OCR))
    assert (head["model_asked_for"], head["model_options"]["dpi"]) == ("fine", 200)
    assert [(one["page_index"], one["content"]) for one in head["pages"]] == [(0, "Harbour Bakery Ltd")]
